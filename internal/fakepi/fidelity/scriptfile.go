package fidelity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/native/recording"
)

// Script is a file of testdata/scripts: a header, the client's half, and the worker's half in the language of docs/script.md.
//
//	# What this proves.
//	modes     rpc json               how Pi is started; a case each
//	dialects  pi-1.6                 that show it; all unless given
//	stops     SIGKILL SIGTERM abort  what "stop" of the client stands for; a case each
//	settings  {"compaction":{...}}   of Pi; a key replaces the whole of what stands under it
//	window    8000                   the model's context, in tokens
//	library-retries                  those of the provider's client library stay on
//	args      --no-session           of the first start
//	gate                             with the extension that asks before bash runs
//	model     anthropic              the API of the model; openai unless given
//	snapshots                        of pi-0.73 are compared byte for byte; each reply is one write
//	racy                             the stop is a race: membership in the set of states is asserted
//	stdin-open                       a one-shot gets a pipe too
//	allow-exec                       fakepi runs commands of the worker's half
//	maybe     response(get_state)    a kind of record, named as by [Kind], that a race lets out or not (rule 9)
//	unordered                        outputs and ends of tools come too close to each other: rule 5
//	resumes                          the real Pi also goes on with the session that fakepi left
//	client    prompt                 the client's half; see Act
//	          on text_delta
//
//	0s        prompt "tidy the imports"
//	...
//	-- work/README.md --             files of the worktree
//	-- agent/models.json --          of the agent folder; $URL is the model's address. Others are the worker's
//
// Without a client's half each prompt of the worker's half is sent when the run before is over.
type Script struct {
	Name     string // of the file, without .txt
	Modes    []script.Mode
	Dialects []native.Dialect
	Stops    []string
	Settings json.RawMessage
	Window   int64  // of the model's context, in tokens; 0: the fake's own
	Maybe    string // kind of the records that a race lets out or not; empty: none
	Args     []string
	Client   []Act

	Gate           bool
	Anthropic      bool
	Snapshots      bool
	Racy           bool
	Resumes        bool
	LibraryRetries bool
	StdinOpen      bool
	Unordered      bool
	AllowExec      bool // fakepi runs commands of the worker's half

	Recorded *recording.Run // whose script it is; nil: none

	Work   map[string][]byte // files of the worktree at the start
	Agent  map[string][]byte // files of the agent folder at the start
	Source []byte            // the worker's half; lines have the numbers of the file
	Worker *script.Script
}

func (s *Script) shows(d native.Dialect) bool {
	return len(s.Dialects) == 0 || slices.Contains(s.Dialects, d)
}

// beside reports whether two Pis run at once.
func (s *Script) beside() bool {
	return slices.ContainsFunc(s.Client, func(a Act) bool { return a.Verb == "beside" })
}

// Group is the number under which docs/pi-formats.md and the recordings have the subject: "13" of 13a-abort-midstream.
func (s *Script) Group() string { return groupForm.FindString(s.Name) }

var (
	groupForm = regexp.MustCompile(`^[0-9][0-9]`)
	nameForm  = regexp.MustCompile(`^[0-9][0-9][a-z]?-[a-z0-9]+(-[a-z0-9]+)*$`)
)

// Load reads all scripts of a folder, in the order of their names. An error is that of a file, or a [script.Errors].
func Load(files fs.FS) ([]*Script, error) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	var scripts []*Script
	var errs script.Errors
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(name, text)
		if bad, ok := errors.AsType[script.Errors](err); ok {
			errs = append(errs, bad...)
		}
		scripts = append(scripts, s)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return scripts, nil
}

// Parse reads one script. An error is a [script.Errors].
func Parse(file string, text []byte) (*Script, error) {
	archive := txtar.Parse(text)
	p := parser{file: file, s: &Script{Name: strings.TrimSuffix(path.Base(file), ".txt"), Work: map[string][]byte{}, Agent: map[string][]byte{}}}
	if !nameForm.MatchString(p.s.Name) {
		p.fail(1, "the file's name has no number of a group", "name it as in 13a-abort-midstream.txt")
	}
	lines := script.Lines(archive.Comment)
	for i := range lines {
		if p.line(i+1, lines[i]) {
			lines[i] = ""
		}
	}
	p.worker(lines, archive.Files)
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return p.s, nil
}

type parser struct {
	file   string
	s      *Script
	key    string // of the last line of the header
	body   bool   // the header is over
	errs   script.Errors
	number int
}

func (p *parser) fail(line int, msg, hint string) {
	p.errs = append(p.errs, &script.Error{Pos: script.Pos{File: p.file, Line: line, Col: 1}, Msg: msg, Hint: hint})
}

// line reads a line of the header and reports whether it was one.
func (p *parser) line(n int, text string) bool {
	trimmed := strings.TrimSpace(text)
	switch {
	case p.body:
		return false
	case trimmed == "" || trimmed[0] == '#':
		return true
	case '0' <= text[0] && text[0] <= '9': // the first step of the worker
		p.body = true
		return false
	}
	p.number = n
	if text[0] == ' ' || text[0] == '\t' {
		if p.key != "client" {
			p.fail(n, "an indented line that belongs to nothing", "indent only lines of the client's half")
			return true
		}
		p.act(text)
		return true
	}
	key, rest, _ := strings.Cut(trimmed, " ")
	p.key = key
	p.header(key, strings.TrimSpace(rest), text)
	return true
}

func (p *parser) act(text string) {
	pos := script.Pos{File: p.file, Line: p.number, Col: 1 + len(text) - len(strings.TrimLeft(text, " \t"))}
	a, err := parseAct(pos, text)
	if err != nil {
		p.errs = append(p.errs, err)
	}
	p.s.Client = append(p.s.Client, a)
}

// headerKeys lists the keys of the header.
var headerKeys = []string{
	"modes", "dialects", "stops", "settings", "args", "window", "gate", "model", "snapshots", "racy", "resumes",
	"library-retries", "stdin-open", "unordered", "allow-exec", "maybe", "client",
}

// header reads a line of the header.
func (p *parser) header(key, rest, text string) {
	words := strings.Fields(rest)
	switch key {
	case "modes":
		for _, word := range words {
			p.s.Modes = append(p.s.Modes, script.Mode(p.one("mode", word, "rpc", "json")))
		}
	case "dialects":
		for _, word := range words {
			p.s.Dialects = append(p.s.Dialects, native.Dialect(p.one("dialect", word, string(native.Pi16), string(native.Pi073))))
		}
	case "stops":
		for _, word := range words {
			p.s.Stops = append(p.s.Stops, p.one("stop", word, append(signalNames(), "eof", "abort")...))
		}
	case "settings":
		if p.s.Settings = json.RawMessage(rest); !json.Valid(p.s.Settings) {
			p.fail(p.number, "the settings are no JSON", `write {"compaction":{"enabled":true}}`)
		}
	case "args":
		p.s.Args = words
	case "window":
		var err error
		if p.s.Window, err = strconv.ParseInt(rest, 10, 64); err != nil || p.s.Window < 1 {
			p.fail(p.number, "window needs a number of tokens", "write window 8000")
		}
	case "maybe":
		if p.s.Maybe = rest; !eventForm.MatchString(rest) {
			p.fail(p.number, "maybe needs a kind of record", "write maybe response(get_state)")
		}
	case "model":
		p.s.Anthropic = p.one("model", rest, "openai", "anthropic") == "anthropic"
	case "client":
		p.act(strings.Replace(text, key, strings.Repeat(" ", len(key)), 1))
	default:
		p.flag(key, rest)
	}
}

func (p *parser) flag(key, rest string) {
	flags := map[string]*bool{
		"gate": &p.s.Gate, "snapshots": &p.s.Snapshots, "racy": &p.s.Racy, "resumes": &p.s.Resumes,
		"library-retries": &p.s.LibraryRetries, "stdin-open": &p.s.StdinOpen,
		"unordered": &p.s.Unordered, "allow-exec": &p.s.AllowExec,
	}
	flag, ok := flags[key]
	switch {
	case !ok:
		p.fail(p.number, fmt.Sprintf("unknown key %q of the header", key), script.Suggest(key, headerKeys))
	case rest != "":
		p.fail(p.number, key+" has no value", "leave it alone on its line")
	default:
		*flag = true
	}
}

// one returns a word that must be one of those known.
func (p *parser) one(what, word string, known ...string) string {
	if !slices.Contains(known, word) {
		p.fail(p.number, fmt.Sprintf("%q is no %s", word, what), script.Suggest(word, known))
	}
	return word
}

// worker reads the worker's half. The lines of the header are empty by now, so that positions stay.
func (p *parser) worker(lines []string, files []txtar.File) {
	half := txtar.Archive{Comment: []byte(strings.Join(lines, "\n") + "\n")}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, "work/"); ok {
			p.s.Work[name] = f.Data
		} else if name, ok := strings.CutPrefix(f.Name, "agent/"); ok {
			p.s.Agent[name] = f.Data
		} else {
			half.Files = append(half.Files, f)
		}
	}
	if len(p.s.Modes) == 0 {
		p.fail(1, "the script has no mode", "write modes rpc json")
	}
	if slices.ContainsFunc(p.s.Client, func(a Act) bool { return a.Verb == "stop" }) != (len(p.s.Stops) > 0) {
		p.fail(1, "stops of the header and stop of the client go together", "write both or none")
	}
	p.s.Source = txtar.Format(&half)
	worker, err := script.Parse(p.file, p.s.Source)
	if err == nil {
		err = worker.Resolve(nil)
	}
	if err != nil {
		p.errs = append(p.errs, err.(script.Errors)...)
		return
	}
	p.errs = append(p.errs, worker.Vet()...)
	p.s.Worker = worker
}
