package fakepi

import (
	"cmp"
	"errors"
	"path"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

var (
	// ErrDialect: the worker does not speak this dialect.
	ErrDialect = errors.New("dialect not supported")
	// ErrScript: the steps cannot be played; errors.As finds a [*script.Error].
	ErrScript = errors.New("script cannot be played")
)

// Config says what one generation of a worker is and does. Only Steps is needed.
type Config struct {
	Steps    []script.Step     // of this worker alone, resolved, in order of time; what follows a second spawn is not played
	Files    map[string][]byte // payload files of the script
	Seed     uint64            // of every id
	Mode     script.Mode       // default: that of the spawn step, or rpc
	Epoch    time.Time         // civil time at 0
	CWD      string
	Model    string // default: that of the spawn step, of the session that goes on, or of the settings
	Provider string
	Tools    ToolChoice
	System   SystemPrompt
	Images   []native.Block // that go along with the first prompt
	Thinking string         // the thinking level; default: that of the session that goes on, or of the settings
	Models   []native.Model // those there are, in Pi's order; nil: one of the worker's own; empty: none that could be asked
	Scope    []ScopedModel  // of these, those between which sessions change; empty: all
	Broken   []string       // providers of these that cannot be asked, as shows with each request
	Settings Settings
	// Reread reads anew what a session that a command begins finds in a working directory, as Pi does; nil: it is as it was.
	Reread  func(cwd string) Surroundings
	Dialect native.Dialect // pi-1.6, the default, or pi-0.73
	PID     int

	// Driven: a real client prompts, by [Worker.Send]. The steps after a prompt of the script are the reply to one of the
	// client's (docs/script.md, "Which reply"), and what the script's own client would send is left out.
	Driven bool

	// OtherClients: besides the script's own client another one may prompt, by [Worker.Send]. What is left of the script is then
	// not played; the prompt gets a short reply, or none where the script stalls again. Of rpc workers.
	OtherClients bool

	// Exec: who runs the worker carries out effects of kind run and tells their end by [Worker.Ran]. Without it a script
	// that has them is refused.
	Exec bool

	Terminal Terminal // of an interactive worker

	SessionID   string   // default: a UUIDv7 made from Seed and Epoch
	SessionDir  string   // default: the folder of CWD under /home/dev/.pi/agent
	SessionPath string   // default: in SessionDir, by Pi's name
	SessionName string   // default: none, or that of the history
	NoSession   bool     // nothing is saved
	History     *History // the session that goes on; nil: a new one
	Sessions    Sessions // other session files; nil: there are none
	// Savable says why a session's file, which has begun or not, cannot be written, nil if it can; the error's text is as Pi
	// tells it. Nil: it always can.
	Savable func(path string, begun bool) error
}

// Surroundings are what a session finds when it begins.
type Surroundings struct {
	Settings Settings
	Models   []native.Model
	Broken   []string // as in Config
	System   SystemPrompt
}

// plan is what never changes in a worker's life; clones share it.
type plan struct {
	files        map[string][]byte
	seed         uint64
	mode         script.Mode
	epoch        time.Time
	startCWD     string // that of the process
	asked        asked
	tools        ToolChoice
	own          bool // the worker made its model itself
	scope        []ScopedModel
	thinks       bool // the script thinks aloud
	read         func(cwd string) Surroundings
	sessions     Sessions
	savable      func(path string, begun bool) error
	pid          int
	rules        *rules
	driven       bool
	otherClients bool
	spare        int              // of steps: the prompt that serves where the script has no more
	prompts      provider.Prompts // by steps; a driven worker's
	exec         bool
	terminal     Terminal

	spawn       script.Spawn
	start       time.Duration
	steps       []script.Step
	texts       []string // of steps: the text that a step says, types or writes
	progress    []bool   // whether a step from here on is progress, before one that ends all progress
	sessionName string
}

func newPlan(c Config) (*plan, error) {
	rules, err := rulesOf(c.Dialect)
	if err != nil {
		return nil, err
	}
	p := &plan{
		files: c.Files, seed: c.Seed, epoch: c.Epoch, pid: c.PID, rules: rules,
		startCWD: cmp.Or(c.CWD, "/home/dev/project"), read: c.Reread, sessions: c.Sessions, savable: c.Savable, scope: c.Scope,
		tools:  c.Tools,
		spawn:  script.Spawn{Mode: script.ModeRPC},
		driven: c.Driven, otherClients: c.OtherClients, exec: c.Exec, terminal: c.Terminal, sessionName: c.SessionName,
	}
	if p.epoch.IsZero() {
		p.epoch = time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)
	}
	if p.pid == 0 {
		p.pid = 4200
	}
	if err := p.takeSteps(c.Steps); err != nil {
		return nil, err
	}
	p.mode = script.Mode(cmp.Or(string(c.Mode), string(p.spawn.Mode)))
	p.ask(c)
	p.addSpare()
	p.findPrompts()
	p.findProgress()
	return p, nil
}

// stamp is the civil time of an instant in epoch milliseconds, as messages carry it.
func (p *plan) stamp(at time.Duration) int64 { return p.epoch.Add(at).UnixMilli() }

// iso is the civil time of an instant, as headers and entries carry it.
func (p *plan) iso(at time.Duration) string { return string(native.AppendISO(nil, p.stamp(at))) }

// sessionFile names the file of a session that began at an instant (docs/pi-formats.md, section 5).
func (p *plan) sessionFile(dir, id string, at time.Duration) string {
	when := strings.NewReplacer(":", "-", ".", "-").Replace(p.iso(at))
	return path.Join(dir, when+"_"+id+".jsonl")
}

// SessionFolder names the folder of the sessions of a working directory (docs/pi-formats.md, section 5).
func SessionFolder(cwd string) string {
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(cwd, "/")) + "--"
}
