package ledger

import "time"

// Kind is the kind of a record.
type Kind string

// Event is what a record tells: a pointer to one of the structs of this package.
type Event interface{ kind() Kind }

// Start is the first record of every worker. A start for --version or --help leaves none.
type Start struct {
	Argv       []string `json:"argv"` // as given; the process then erases them
	CWD        string   `json:"cwd"`
	ParentPID  int      `json:"parent_pid"`
	Parent     string   `json:"parent"` // name of the parent's program; empty if it could not be read
	PGID       int      `json:"pgid"`
	SID        int      `json:"sid"`
	StartTicks uint64   `json:"start_ticks"` // when the process started, in clock ticks since boot, as /proc has it
	BootID     string   `json:"boot_id"`
	FDs        []string `json:"fds"`     // what file descriptors 0, 1 and 2 are: "pipe:[4711]", "/dev/null"; "" if closed
	Ignored    []string `json:"ignored"` // signals that were ignored at the start
	Blocked    []string `json:"blocked"`
	UID        int      `json:"uid"`
	Path       string   `json:"path"` // of the environment: PATH, HOME, TERM
	Home       string   `json:"home"`
	Term       string   `json:"term"`
	Dialect    string   `json:"dialect"` // of Pi that is played
	Script     string   `json:"script"`  // the file that is played; empty: none
}

// Stdin is one line that came on stdin, without its line feed.
type Stdin struct {
	Offset int64  `json:"offset"` // of its first byte
	Line   string `json:"line,omitempty"`
	Bytes  []byte `json:"bytes,omitempty"` // instead of Line where it is not UTF-8
}

// StdinEOF is the end of stdin.
type StdinEOF struct{}

// Signal is a signal that came, other than SIGKILL and SIGSTOP. Who sent it is not known: Go does not say.
type Signal struct {
	Name    string `json:"name"`    // "SIGTERM"
	Handled bool   `json:"handled"` // by Pi; the others then do what the kernel does by default
}

// ParentDeath is the end of the process that started the worker.
type ParentDeath struct {
	PID int `json:"parent_pid"`
}

// Truth is a change of the worker's true state, which its client cannot ask for.
type Truth struct {
	Phase        string        `json:"phase"`            // as in docs/verdicts.md
	Since        time.Duration `json:"since_ns"`         // when the phase's limit began to count, in the worker's time
	LastProgress time.Duration `json:"last_progress_ns"` // in the worker's time
	At           time.Duration `json:"at_ns"`            // the worker's time of this record
	Stuck        bool          `json:"stuck"`            // no progress will come
	Calls        []string      `json:"calls"`            // ids of the tool calls that run
	Dialog       string        `json:"dialog,omitempty"` // id of the open dialog
}

// Delta is a write to a stream.
type Delta struct {
	Stream   string `json:"stream"` // "out", "err", "pty"
	Offset   int64  `json:"offset"` // of its first byte
	Length   int    `json:"length"`
	Progress bool   `json:"progress"` // it is progress in the sense of docs/verdicts.md
}

// ToolChild is the start or the end of a process of a tool.
type ToolChild struct {
	PID     int    `json:"child_pid"` // also its process group and session
	Call    string `json:"call"`
	Command string `json:"command"`
	Ended   bool   `json:"ended"`
	Killed  bool   `json:"killed"` // the worker has ended it
}

// Effect is what a tool has done to the world, or tried to.
type Effect struct {
	What    string `json:"what"` // write, append, edit, commit, push, run
	Call    string `json:"call"`
	Path    string `json:"path,omitempty"`
	Remote  string `json:"remote,omitempty"`
	Command string `json:"command,omitempty"`
	Code    int    `json:"code,omitempty"`  // exit status of a command; below 0 the number of the signal that ended it
	Error   string `json:"error,omitempty"` // why nothing came of it
}

// SessionWrite is a write to the session file.
type SessionWrite struct {
	Path   string `json:"path"`
	Length int    `json:"length"` // bytes
	Type   string `json:"type"`   // of the entry; empty: no entry
	ID     string `json:"id,omitempty"`
}

// Settled is the end of a run, when nothing more follows by itself.
type Settled struct {
	Proven bool `json:"proven"` // with a good end
}

// Exit is the last record of a worker that ends by itself or by a signal that it has seen.
type Exit struct {
	Code   int    `json:"code"`             // -1 if by a signal
	Signal string `json:"signal,omitempty"` // by which it ends
}

func (*Start) kind() Kind        { return "start" }
func (*Stdin) kind() Kind        { return "stdin" }
func (*StdinEOF) kind() Kind     { return "stdin_eof" }
func (*Signal) kind() Kind       { return "signal" }
func (*ParentDeath) kind() Kind  { return "parent_death" }
func (*Truth) kind() Kind        { return "truth" }
func (*Delta) kind() Kind        { return "delta" }
func (*ToolChild) kind() Kind    { return "tool_child" }
func (*Effect) kind() Kind       { return "effect" }
func (*SessionWrite) kind() Kind { return "session_write" }
func (*Settled) kind() Kind      { return "settled" }
func (*Exit) kind() Kind         { return "exit" }

// events makes an event of each kind.
var events = map[Kind]func() Event{
	"start":         func() Event { return new(Start) },
	"stdin":         func() Event { return new(Stdin) },
	"stdin_eof":     func() Event { return new(StdinEOF) },
	"signal":        func() Event { return new(Signal) },
	"parent_death":  func() Event { return new(ParentDeath) },
	"truth":         func() Event { return new(Truth) },
	"delta":         func() Event { return new(Delta) },
	"tool_child":    func() Event { return new(ToolChild) },
	"effect":        func() Event { return new(Effect) },
	"session_write": func() Event { return new(SessionWrite) },
	"settled":       func() Event { return new(Settled) },
	"exit":          func() Event { return new(Exit) },
}
