package world

import (
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// Agent is a kind of workers. A spawn of the scenario names the kind by its name in Config.Agents, and may name a version.
type Agent interface {
	// Start makes the process that plays a part of the script. Nothing of it is played yet.
	Start(Part) (Process, error)
}

// Part is what one process plays.
type Part struct {
	Spawn  script.Spawn
	Steps  []script.Step // of this worker, from its spawn on
	Files  map[string][]byte
	Epoch  time.Time // civil time at 0
	Seed   uint64
	CWD    string
	PID    int
	Others bool // somebody else than the script may write to its stdin
}

// Process is a worker's process. It has no clock: whoever plays it says what time it is, and never goes back. What it
// writes is appended to out, in order, and belongs to the caller from then on.
type Process interface {
	// Next is when it does something by itself, and false if it never does.
	Next() (time.Duration, bool)
	// Step plays all that is due at now or before.
	Step(now time.Duration, out []Output) []Output
	// Send writes lines to its stdin.
	Send(now time.Duration, lines []byte, out []Output) []Output
	// Signal sends a signal to its own process, or to one that it has started.
	Signal(now time.Duration, pid int, signal string, out []Output) []Output
	// Clone returns an independent copy.
	Clone() Process

	// Truth is the state at now; the worker and its generation are the caller's to fill in.
	Truth(now time.Duration) trace.Truth
	// Processes appends the process tree.
	Processes(now time.Duration, all []watchdog.Process) []watchdog.Process
	// Changes counts what it and its tools have done to the worktree.
	Changes() (writes, commits, pushed int)
	// State is what it says when it is asked for its state.
	State(now time.Duration) watchdog.RPCState

	// Ask returns the line that asks it for its state.
	Ask(key string) []byte
	// Line returns what a command writes to its stdin.
	Line(c *watchdog.Command) []byte
	// Answer returns the line by which a person answers or cancels its open dialog; nil if there is none.
	Answer(value string, cancel bool) []byte
}

// Output is one write of a process, the end of one of its streams, or its exit.
type Output struct {
	Stream   watchdog.Stream
	Data     []byte // never overwritten later; nil: progress that prints nothing
	Record   trace.Record
	Closed   bool // the stream ended
	Exit     *watchdog.Exited
	Progress bool // in the sense of docs/verdicts.md
}
