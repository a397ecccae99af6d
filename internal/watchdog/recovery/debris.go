package recovery

import (
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/internal/watchdog/evidence"
)

// Debris is what a worker left in its worktree (package debris).
type Debris = debris.Class

// The classes of debris.
const (
	Orphaned    = debris.Orphaned
	HalfDone    = debris.HalfDone
	Publishable = debris.Publishable
	Resumable   = debris.Resumable
	Empty       = debris.Empty
)

// Classify names what is left, from fresh facts. gatesDone says that a gate has passed that neither ran for the worker
// nor was reported by it (WDC-WORK-006).
func Classify(w *evidence.State, gatesDone bool) Debris {
	return debris.Classify(debris.Tree{Missing: w.Missing, Dirty: w.Dirty(), Ahead: w.Ahead(), GatesPassed: gatesDone})
}
