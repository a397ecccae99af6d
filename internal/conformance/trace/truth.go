package trace

import (
	"time"

	"fakepi.example/watchdog"
)

// Truth is what the script knows about a worker at one moment and the subject has to find out. Times are on the
// script's clock, which is Instant.Mono.
type Truth struct {
	Worker       string               // whose it is
	Generation   int                  // 0 before the first spawn
	Phase        watchdog.VerdictName // the row of the phase table (docs/verdicts.md) that holds
	Since        time.Duration        // when the phase's limit started to count, or started anew
	LastProgress time.Duration
	Until        time.Duration // end of an announced delay, of a dialog's or a tool's own timeout; 0 = none
	Stuck        bool          // no remaining event of this worker is progress, whatever it is not sent
	Calls        []string      // open tool calls, oldest first
	Slowest      string        // the one of them that has been without progress for longest: Since counts from there
	Dialog       string        // id of the unanswered dialog
	Exited       bool
	Proven       bool // settled with a good end
	QuietEnd     bool // its agent writes nothing behind the end of its last run
}

// Facts answers for what a subject could find out by asking: the oracle compares it with what the subject claims.
type Facts interface {
	// Truth is what holds now, be it shown to the subject or not.
	Truth(worker int) Truth
	// Processes is the worker's process tree now.
	Processes(worker int) []watchdog.Process
	// World is the digest of the worker's worktree now.
	World(worker int) string
	// Tree is the worktree of the worker's task now.
	Tree(worker int) Tree
}

// Tree is the worktree of a task as it is, be it shown to the subject or not.
type Tree struct {
	watchdog.Worktree
	Wrote time.Duration // when a process of a worker changed it last; 0 = never
}
