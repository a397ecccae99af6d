package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/agentdir"
	"fakepi.example/internal/fakepi/cli/disk"
	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/cli/stdio"
	"fakepi.example/internal/fakepi/cli/system"
	"fakepi.example/internal/fakepi/cli/terminal"
	"fakepi.example/internal/fakepi/ledger"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

var errTime = errors.New("FAKEPI_TIME must be real, virtual, or x and a whole number from 1 to 4294967295, as x60")

// launch is a process before its worker begins.
type launch struct {
	options  options
	rules    launchRules
	mode     script.Mode
	start    *ledger.Start
	cwd      string
	agent    string // Pi's own folder
	files    agentdir.SettingsFiles
	settings fakepi.Settings
	system   fakepi.SystemPrompt
	models   agentdir.Models
	accounts agentdir.Accounts
	scope    []fakepi.ScopedModel // of the models
	sessions sessions
	log      *ledger.Log
	speed    float64
}

// locate finds out where the process is.
func (l *launch) locate() (err error) {
	if l.cwd, err = os.Getwd(); err != nil {
		return refusal.UsageError("The current working directory no longer exists. Change to an existing directory and try again.")
	}
	l.agent = disk.InFolder(l.cwd, disk.UnderTilde(cmp.Or(os.Getenv("PI_CODING_AGENT_DIR"), "~/.pi/agent")))
	l.sessions = sessions{rules: sessionRulesOf(l.options.dialect), cwd: l.cwd, agent: l.agent}
	if l.options.version || l.options.export != "" {
		return nil
	}
	l.files = agentdir.SettingsFiles{Dialect: l.options.dialect, Dir: l.agent}
	l.diagnoseSettings(l.readSettings(l.cwd, true), "startup session lookup")
	if l.rules.reportsAtOnce {
		_ = l.options.flush()
	}
	l.sessions.custom = l.sessionDir()
	return nil
}

// sessionDir is the folder that is to hold the sessions in the place of Pi's own; empty: none. Pi names sessions of a
// relative one so, too.
func (l *launch) sessionDir() string {
	dir := disk.Of(l.options.dialect).Path(l.options.sessionDir)
	if dir == "" {
		dir = disk.UnderTilde(cmp.Or(os.Getenv("PI_CODING_AGENT_SESSION_DIR"), native.Text(l.settings.Get("", "sessionDir"))))
	}
	if dir == "" {
		return ""
	}
	return filepath.Clean(dir)
}

// newProcess makes the worker and joins it to the process's surroundings.
func (l *launch) newProcess() (*process, error) {
	o := &l.options
	if err := o.check(); err != nil {
		return nil, err
	}
	story, err := l.readStory()
	if err != nil {
		return nil, err
	}
	session, err := l.openSession()
	if err == nil {
		err = o.checkName()
	}
	if err != nil {
		return nil, err
	}
	if err := l.prepare(session.cwd, session.history != nil); err != nil {
		return nil, err
	}
	if l.mode != script.ModeRPC { // it reads stdin to its end first (docs/pi-formats.md, section 1)
		if err := o.readMessages(os.Stdin, l.cwd, l.resizesImages()); err != nil {
			return nil, err
		}
	}
	if err := l.report(); err != nil {
		return nil, err
	}
	if l.mode == script.ModeTUI && session.history == nil {
		l.noteVersion()
	}
	return l.join(session, story)
}

// story is what the script says of this start.
type story struct {
	steps []script.Step
	files map[string][]byte
	model string
}

func (l *launch) readStory() (s story, err error) {
	if l.speed, err = speedOf(os.Getenv("FAKEPI_TIME")); err != nil {
		return s, err
	}
	switch text := os.Getenv("FAKEPI_ALLOW_EXEC"); text {
	case "1":
		l.options.allowExec = true
	case "", "0":
	default:
		return s, fmt.Errorf("FAKEPI_ALLOW_EXEC must be 1, which lets commands run, or 0; got %q", text)
	}
	played, err := readScript(l.options.script)
	if err != nil {
		return s, err
	}
	s.files = played.Files
	s.steps, s.model = generation(played.For(script.DefaultActor), l.log.Generation())
	return s, nil
}

// openSession opens the session that the command line asks for, and makes its folder.
func (l *launch) openSession() (opened, error) {
	session, err := l.sessions.choose(&l.options, l.dialogue())
	if err == nil && !l.options.noSession {
		err = nodefs.MakeFolder(l.sessions.folderOf(session))
	}
	if err == nil {
		err = l.sessions.missingCWD(session)
	}
	return session, err
}

// dialogue asks the user: on stderr where stdout is for a program.
func (l *launch) dialogue() *dialogue {
	d := &dialogue{version: l.rules.version, in: os.Stdin, out: os.Stderr}
	if l.mode == script.ModeTUI {
		d.out = os.Stdout
	}
	return d
}

// join makes the worker and what it works with.
func (l *launch) join(session opened, story story) (*process, error) {
	o := &l.options
	if l.mode.OneShot() {
		story.steps = story.oneShot(o.messages)
	}
	worker, err := fakepi.New(l.config(session, story))
	if err != nil {
		return nil, err
	}
	tools, err := newTools(session.cwd, l.log, os.Getenv("FAKEPI_LEDGER"), l.speed)
	if err != nil {
		return nil, err
	}
	p := &process{
		worker: worker, rules: processRulesOf(o.dialect), mode: l.mode, speed: l.speed, notes: newNotes(l.log), tools: tools,
		session: &sessionLog{exclusive: l.sessions.rules.exclusive}, settings: &l.files,
		signals: watchSignals(l.log != nil, l.terminalSignals()...),
	}
	p.stdout, p.stderr = stdio.NewPipes(os.Stdout, os.Stderr)
	if l.mode == script.ModeRPC {
		p.lines = stdio.ReadLines(os.Stdin)
	}
	if l.log != nil {
		p.parent = system.WatchParent(l.start.ParentPID)
	}
	return p, nil
}

// config is that of the worker.
func (l *launch) config(session opened, story story) fakepi.Config {
	o := &l.options
	c := fakepi.Config{
		Steps: story.steps, Files: story.files, Seed: rand.Uint64(), Mode: l.mode, Driven: !l.mode.OneShot(), Dialect: o.dialect,
		Exec:  o.allowExec,
		Epoch: time.Now(), CWD: session.cwd, PID: os.Getpid(), Tools: o.tools, System: l.system, Images: o.images,
		Model: o.model, Provider: o.provider, Thinking: o.thinking, Models: l.models.List, Broken: l.brokenProviders(), Scope: l.scope, Settings: l.settings, Reread: l.reread,
		SessionID: session.id, SessionDir: l.sessions.folderOf(session), SessionPath: session.path,
		NoSession: o.noSession, History: session.history, Sessions: disk.Of(o.dialect), Savable: savable, Terminal: l.terminal(),
	}
	if l.models.List == nil { // otherwise the settings say which one is used
		c.Model = cmp.Or(o.model, story.model)
	}
	if o.name != nil {
		c.SessionName = strings.TrimSpace(*o.name)
	}
	return c
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

// terminal describes the terminal of an interactive worker; others have none.
func (l *launch) terminal() fakepi.Terminal {
	if l.mode != script.ModeTUI {
		return fakepi.Terminal{}
	}
	mode := cmp.Or(l.options.tuiMode, native.Text(l.settings.Get("", "tuiMode")))
	t := fakepi.Terminal{
		Status:   terminal.ProgramStatus(os.Getenv("PI_PROGRAM_STATUS")),
		Progress: l.settings.Get("terminal", "showTerminalProgress") == native.Value(native.Bool(true)), Regular: mode == "regular",
		Speed: l.speed, Still: l.speed == 0, Dir: disk.UnderHome(l.cwd), Prompts: l.options.messages,
	}
	if cols, rows, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		t.Cols, t.Rows = cols, rows
	}
	return t
}
