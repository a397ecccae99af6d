package fakepi_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// What clients send and what the worker says and saves, in each dialect. A file of testdata/rpc has a script, what the client
// does, and a part for each dialect: behind "> " what was sent, then what came of it. Records of a run are told by short
// words in parentheses, everything else is there with its bytes; a line of a session file stands behind the number of the
// file. In what the client sends {entry N} and {file N} stand for the N-th entry and file.
func TestDialogues(t *testing.T) {
	files, err := filepath.Glob("testdata/rpc/*.txtar")
	if err != nil || len(files) < 16 {
		t.Fatalf("got %d files (%v), want at least 16", len(files), err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string]string{}
		for _, f := range a.Files {
			parts[f.Name] = string(f.Data)
		}
		for _, lang := range tongues {
			got, want := talk(t, parts, lang), parts[string(lang.dialect)]
			if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); d != "" && !*update {
				t.Errorf("%s, %s: -want +got\n%s", file, lang.dialect, d)
			}
			parts[string(lang.dialect)] = got
		}
		if *update {
			write(t, file, a, parts)
		}
	}
}

func write(t *testing.T, file string, a *txtar.Archive, parts map[string]string) {
	t.Helper()
	kept := a.Files[:0]
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Name, "pi-") {
			kept = append(kept, f)
		}
	}
	for _, lang := range tongues {
		kept = append(kept, txtar.File{Name: string(lang.dialect), Data: []byte(parts[string(lang.dialect)])})
	}
	a.Files = kept
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// dialogue is a client's talk with a worker.
type dialogue struct {
	disk
	lang    tongue
	worker  *fakepi.Worker
	now     time.Duration
	files   []string // in order of their first line
	entries []string // ids, in their order
	told    []fakepi.Output
	out     strings.Builder
}

func talk(t *testing.T, parts map[string]string, lang tongue) string {
	t.Helper()
	d := &dialogue{lang: lang, disk: disk{}}
	for name, data := range parts {
		if strings.HasSuffix(name, ".jsonl") {
			d.disk[name] = data
		}
	}
	d.worker = newWorker(t, parts["script"], in(lang.dialect), func(c *fakepi.Config) {
		c.Driven, c.Models, c.Sessions = true, recordedModels()[:3], d.disk
		for _, word := range strings.Fields(parts["config"]) {
			d.configure(t, c, word)
		}
	})
	for line := range strings.Lines(parts["client"]) {
		d.act(t, strings.TrimSuffix(line, "\n"))
	}
	d.wait(time.Hour)
	for _, path := range slices.Sorted(maps.Keys(d.disk)) {
		if _, given := parts[path]; given {
			fmt.Fprintf(&d.out, "%s at the end:\n%s\n", path, strings.TrimSuffix(d.disk[path], "\n"))
		}
	}
	return d.out.String()
}

func (d *dialogue) configure(t *testing.T, c *fakepi.Config, word string) {
	t.Helper()
	name, value, _ := strings.Cut(word, "=")
	switch name {
	case "exec":
		c.Exec = true
	case "no-session":
		c.NoSession = true
	case "keep":
		n, _ := strconv.Atoi(value)
		c.Settings = keeps(n)
	case "settings", "project":
		v, err := native.ParseValue([]byte(value))
		settings, ok := v.(native.Object)
		if !ok {
			t.Fatalf("%s: no object: %v", word, err)
		}
		if name == "project" {
			c.Settings.Project = settings
		} else {
			c.Settings.Global = settings
		}
	case "chop":
		d.disk[value] = strings.TrimSuffix(d.disk[value], "\n")
	case "resume":
		h, err := fakepi.ReadHistory(native.Pi16, []byte(d.disk[value]))
		if err != nil {
			t.Fatal(err)
		}
		c.History, c.SessionPath = h, value
	default:
		t.Fatalf("unknown configuration %q", word)
	}
}

// act does a line of the client's part: a time to wait, "ran CALL CODE OUTPUT", "answer VALUE", "eof", "signal NAME" or a
// line to send.
func (d *dialogue) act(t *testing.T, line string) {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	if strings.HasPrefix(word, "+") {
		after, err := time.ParseDuration(word[1:])
		if err != nil {
			t.Fatal(err)
		}
		d.wait(after)
		return
	}
	line = d.fill(line)
	fmt.Fprintf(&d.out, "> %s\n", line)
	switch word {
	case "ran":
		call, rest, _ := strings.Cut(rest, " ")
		code, output, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(code)
		output, err := strconv.Unquote(output)
		if err != nil {
			t.Fatal(err)
		}
		d.tell(d.worker.Ran(d.now, call, []byte(output), n, nil))
	case "answer":
		d.tell(d.worker.Send(d.now, d.worker.Answer(rest, false), nil))
	case "eof":
		d.tell(d.worker.CloseStdin(d.now, nil))
	case "signal":
		d.tell(d.worker.Signal(d.now, rest, nil))
	default:
		d.tell(d.worker.Send(d.now, []byte(line+"\n"), nil))
	}
	d.flush()
}

// wait lets time pass.
func (d *dialogue) wait(after time.Duration) {
	d.tell(play(d.worker, d.now+after, nil))
	d.flush()
	d.now += after
}

var reference = regexp.MustCompile(`\{(entry|file) ([0-9]+)\}`)

func (d *dialogue) fill(line string) string {
	return reference.ReplaceAllStringFunc(line, func(s string) string {
		m := reference.FindStringSubmatch(s)
		list := d.entries
		if m[1] == "file" {
			list = d.files
		}
		if n, _ := strconv.Atoi(m[2]); n <= len(list) {
			return list[n-1]
		}
		return s
	})
}

// system is a system message behind its role: what it says is told elsewhere.
var system = regexp.MustCompile(`("role":"system").*?\}\}\}?\](\}?)`)

func (d *dialogue) tell(outs []fakepi.Output) {
	for i := range outs {
		o := &outs[i]
		switch {
		case o.Effect != nil:
			d.flush()
			fmt.Fprintf(&d.out, "effect %s %s: %s\n", o.Effect.Kind, o.Effect.Call, o.Effect.Command)
		case o.Dir != "":
			d.flush()
			fmt.Fprintf(&d.out, "works in %s\n", o.Dir)
		case o.Setting != nil:
			d.flush()
			fmt.Fprintf(&d.out, "setting: %s\n", native.AppendValue(nil, o.Setting.In(nil)))
		case o.Data == nil || d.short(o):
			d.told = append(d.told, *o)
		case o.Stream == fakepi.Session:
			d.flush()
			fmt.Fprintf(&d.out, "%s: %s", d.save(o), system.ReplaceAll(o.Data, []byte("$1$2")))
		default:
			d.flush()
			d.out.Write(system.ReplaceAll(o.Data, []byte("$1$2")))
		}
	}
}

// short reports whether a line is told by a word.
func (d *dialogue) short(o *fakepi.Output) bool {
	var s native.Skimmed
	native.Skim(o.Data, &s)
	switch s.Kind {
	case native.KindResponse, native.KindQueueUpdate, native.KindSessionInfoChanged, native.KindThinkingLevelChanged,
		native.KindBashUpdate, native.KindCompactionStart, native.KindCompactionEnd:
		return false
	}
	return o.Stream != fakepi.Session
}

// save keeps a line of a session file, and names the file.
func (d *dialogue) save(o *fakepi.Output) string {
	if o.Emptied {
		d.disk[o.Path] = ""
	}
	d.disk[o.Path] += string(o.Data)
	n := 0
	for n < len(d.files) && d.files[n] != o.Path {
		n++
	}
	if n == len(d.files) {
		d.files = append(d.files, o.Path)
		fmt.Fprintf(&d.out, "file %d is %s\n", n+1, o.Path)
	}
	v, _ := native.ParseValue(o.Data)
	e, _ := v.(native.Object)
	if id, ok := e.Get("id").(native.String); ok && e.Get("parentId") != nil {
		d.entries = append(d.entries, string(id))
	}
	if o.Emptied {
		return fmt.Sprintf("file %d, emptied", n+1)
	}
	return fmt.Sprintf("file %d", n+1)
}

func (d *dialogue) flush() {
	if len(d.told) > 0 {
		fmt.Fprintf(&d.out, "(%s)\n", tokens(d.told))
	}
	d.told = d.told[:0]
}
