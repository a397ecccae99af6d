package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/ledger"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// versions are what the dialects' Pi says to --version.
var versions = map[native.Dialect]string{native.Pi16: "1.6.0", native.Pi073: "0.73.1"}

var (
	errTime    = errors.New("FAKEPI_TIME must be real, virtual, or x and a number above 0, as x60")
	errDialect = errors.New("FAKEPI_DIALECT must be pi-1.6 or pi-0.73")
)

// runPi is the process in the place of pi.
func runPi(args []string) fakepi.Exit {
	setTitle("pi")
	exit, err := obey(args, newStart())
	var plain plainError
	switch {
	case err == nil:
		return exit
	case errors.Is(err, errDeclined):
		return fakepi.Exit{}
	case errors.Is(err, syscall.EPIPE): // as Node says it
		fmt.Fprint(os.Stderr, "Error: write EPIPE\n    at afterWriteDispatched\n")
	case errors.As(err, &plain):
		fmt.Fprintln(os.Stderr, plain)
	default:
		fmt.Fprintln(os.Stderr, "Error: "+nodeWords(err))
	}
	return fakepi.Exit{Code: 1}
}

// obey reads the command line and does what it asks for.
func obey(args []string, start *ledger.Start) (fakepi.Exit, error) {
	dialect := native.Dialect(cmp.Or(os.Getenv("FAKEPI_DIALECT"), string(native.Pi16)))
	if versions[dialect] == "" {
		return fakepi.Exit{}, fmt.Errorf("%w; it is %q", errDialect, dialect)
	}
	if managed, err := manage(args, dialect); managed || err != nil {
		return fakepi.Exit{}, err
	}
	o, err := parseOptions(args, dialect)
	if err != nil {
		return fakepi.Exit{}, err
	}
	o.warn()
	in, out := term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(os.Stdout.Fd()))
	l := &launch{options: o, mode: o.playedMode(in, out), start: start}
	if err := l.locate(); err != nil {
		return fakepi.Exit{}, err
	}
	if done, err := l.inform(); done || err != nil {
		return fakepi.Exit{}, err
	}
	return l.run()
}

// launch is a process before its worker begins.
type launch struct {
	options  options
	mode     script.Mode
	start    *ledger.Start
	cwd      string
	agent    string // Pi's own folder
	files    settingsFiles
	settings fakepi.Settings
	told     []string // warnings about the settings
	models   catalog
	scope    []fakepi.ScopedModel // of the models
	sessions sessions
	log      *ledger.Log
	speed    float64
}

// locate finds out where the process is.
func (l *launch) locate() (err error) {
	if l.cwd, err = os.Getwd(); err != nil {
		return usageError("The current working directory no longer exists. Change to an existing directory and try again.")
	}
	if l.agent = os.Getenv("PI_CODING_AGENT_DIR"); l.agent == "" {
		l.agent = "~/.pi/agent"
	}
	if l.agent, err = l.absolute(l.agent); err != nil {
		return err
	}
	l.sessions = sessions{is16: l.options.is16(), cwd: l.cwd, agent: l.agent}
	if l.options.version || l.options.export != "" {
		return nil
	}
	l.files = settingsFiles{dialect: l.options.dialect, file: filepath.Join(l.agent, "settings.json")}
	l.readSettings(l.cwd, true, "startup session lookup")
	if !l.options.is16() {
		l.options.warn()
	}
	l.models = readModels(l.options.dialect, l.agent)
	dir := cmp.Or(l.options.sessionDir, os.Getenv("PI_CODING_AGENT_SESSION_DIR"), textOf(l.settings.Get("", "sessionDir")))
	if dir != "" && !filepath.IsAbs(dir) && dir[0] != '~' {
		l.sessions.custom = filepath.Clean(dir) // Pi names its sessions so, too
	} else if dir != "" {
		l.sessions.custom, err = l.absolute(dir)
	}
	return err
}

// homeDir is the user's home, without HOME that of the user database, as Node has it.
func homeDir() (string, error) {
	if home := os.Getenv("HOME"); home != "" {
		return home, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// absolute completes a path, of which ~ is the user's home.
func (l *launch) absolute(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := homeDir()
		if err != nil {
			return "", err
		}
		path = home + rest
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.cwd, path)
	}
	return filepath.Clean(path), nil
}

// inform does what needs no worker, and reports whether that was all. Where stdout is for records Pi says it on stderr.
func (l *launch) inform() (done bool, err error) {
	o := &l.options
	out := io.Writer(os.Stdout)
	if l.mode != script.ModeTUI && (!o.is16() || o.print || o.mode != "") {
		out = os.Stderr
	}
	switch {
	case o.version:
		if o.is16() {
			out = os.Stdout
		}
		_, err = fmt.Fprintln(out, versions[o.dialect])
	case o.export != "":
		if o.is16() {
			out = os.Stdout
		}
		output := ""
		if len(o.messages) > 0 {
			output = o.messages[0]
		}
		if output, err = l.sessions.export(o.export, output); err == nil {
			_, err = fmt.Fprintln(out, "Exported to: "+output)
		}
	case o.help:
		l.makeAgentFiles()
		o.warn()
		_, err = io.WriteString(out, piHelp)
	case o.models != nil:
		l.makeAgentFiles()
		err = l.listModels(out, *o.models)
	default:
		return false, nil
	}
	return true, err
}

// run starts the worker and plays it to its end. A start that fails is in the ledger too.
func (l *launch) run() (fakepi.Exit, error) {
	if err := l.openLedger(); err != nil {
		return fakepi.Exit{}, err
	}
	p, err := l.newProcess()
	if err != nil {
		code := 1
		if errors.Is(err, errDeclined) {
			code = 0
		}
		return fakepi.Exit{}, errors.Join(err, l.log.Append(&ledger.Exit{Code: code}))
	}
	defer p.stdout.release()
	defer p.stderr.release()
	play := (*process).run
	if l.mode == script.ModeTUI {
		play = runInteractive
	}
	exit, err := play(p)
	if err != nil {
		p.notes.note(&ledger.Exit{Code: 1})
	}
	return exit, err
}

// newProcess makes the worker and joins it to the process's surroundings.
func (l *launch) newProcess() (*process, error) {
	o := &l.options
	if err := o.check(); err != nil {
		return nil, err
	}
	var err error
	if l.speed, err = speedOf(os.Getenv("FAKEPI_TIME")); err != nil {
		return nil, err
	}
	played, err := readScript(o.script)
	if err != nil {
		return nil, err
	}
	steps, model := generation(played.For(script.DefaultActor), l.log.Generation())
	session, err := l.sessions.choose(o, l.dialogue())
	if err == nil && !o.noSession {
		err = makeFolder(l.sessions.folderOf(session))
	}
	if err == nil {
		err = l.sessions.missingCWD(session)
	}
	if err != nil {
		return nil, err
	}
	l.makeAgentFiles()
	l.readSettings(session.cwd, l.trusts(session.cwd), "runtime creation")
	if !o.is16() { // it reads them twice
		l.readSettings(session.cwd, true, "runtime creation")
	}
	l.findScope()
	if err := o.chooseModel(l.models.models); err != nil {
		o.warn()
		return nil, err
	}
	if len(o.unknown) > 0 {
		return nil, o.unknownOptions()
	}
	l.tellNoModels()
	o.warn()
	if l.models.models == nil { // otherwise the settings say which one is used
		o.model = cmp.Or(o.model, model)
	}
	p := &process{options: *o, mode: l.mode, speed: l.speed, notes: newNotes(l.log)}
	switch {
	case l.mode == script.ModeRPC:
		p.lines = readLines(os.Stdin)
	case l.mode.OneShot(): // it reads stdin to its end first (docs/pi-formats.md, section 1)
		err = o.readMessages(os.Stdin, l.cwd)
		steps = oneShot(steps, o.messages)
	}
	if l.mode == script.ModeTUI && session.history == nil {
		l.noteVersion()
	}
	if err == nil {
		err = l.join(p, session, steps, played.Files)
	}
	return p, err
}

func (o *options) unknownOptions() error {
	word := "option"
	if len(o.unknown) > 1 {
		word = "options"
	}
	return usageError("Unknown " + word + ": " + strings.Join(o.unknown, ", "))
}

// dialogue asks the user: on stderr where stdout is for a program.
func (l *launch) dialogue() *dialogue {
	d := &dialogue{version: versions[l.options.dialect], in: os.Stdin, out: os.Stderr}
	if l.mode == script.ModeTUI {
		d.out = os.Stdout
	}
	return d
}

// join makes the worker and what it works with.
func (l *launch) join(p *process, session opened, steps []script.Step, files map[string][]byte) (err error) {
	o := &l.options
	name := ""
	if o.name != nil {
		name = strings.TrimSpace(*o.name)
	}
	p.worker, err = fakepi.New(fakepi.Config{
		Steps: steps, Files: files, Seed: rand.Uint64(), Mode: l.mode, Driven: !l.mode.OneShot(), Dialect: o.dialect,
		Exec:  o.allowExec || os.Getenv("FAKEPI_ALLOW_EXEC") == "1",
		Epoch: time.Now(), CWD: session.cwd, PID: os.Getpid(), Tools: o.tools, System: o.systemPrompt(),
		Model: o.model, Provider: o.provider, Thinking: o.thinking, Models: l.models.models, Scope: l.scope, Settings: l.settings, Reread: l.reread,
		SessionID: session.id, SessionDir: l.sessions.folderOf(session), SessionPath: session.path, SessionName: name,
		NoSession: o.noSession, History: session.history, Sessions: disk{is16: o.is16()}, Savable: savable, Terminal: l.terminal(),
	})
	if err != nil {
		return err
	}
	p.session, p.settings = &sessionLog{exclusive: o.is16()}, &l.files
	if p.tools, err = newTools(session.cwd, l.log, os.Getenv("FAKEPI_LEDGER"), l.speed); err != nil {
		return err
	}
	p.stdout, p.stderr = newPipe(os.Stdout), newPipe(os.Stderr)
	p.signals = watchSignals(l.log != nil)
	if l.log != nil {
		p.parent = watchParent(l.start.ParentPID)
	}
	return nil
}

// speedOf reads FAKEPI_TIME.
func speedOf(text string) (float64, error) {
	switch text {
	case "", "real":
		return 1, nil
	case "virtual":
		return 0, nil
	}
	digits, ok := strings.CutPrefix(text, "x")
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || n == 0 {
		return 0, fmt.Errorf("%w; it is %q", errTime, text)
	}
	return float64(n), nil
}
