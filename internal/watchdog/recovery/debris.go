package recovery

import "fakepi.example/internal/watchdog/evidence"

// Debris is what a worker left in its worktree, in the order in which it is judged (WDC-WORK-001).
type Debris string

// The classes of debris.
const (
	Orphaned    Debris = "orphaned"    // the tree is missing, the branch is left: recreate the worktree
	HalfDone    Debris = "half-done"   // dirty: snapshot, then as the policy says
	Publishable Debris = "publishable" // clean, ahead, gates done: run the gate again, publish, verify
	Resumable   Debris = "resumable"   // clean, ahead
	Empty       Debris = "empty"       // clean, nothing ahead: restart in place
)

// Classify names what is left, from fresh facts. gatesDone says that a gate has passed that neither ran for the worker
// nor was reported by it (WDC-WORK-006).
func Classify(w *evidence.State, gatesDone bool) Debris {
	switch {
	case w.Missing:
		return Orphaned
	case w.Dirty():
		return HalfDone
	case w.Ahead() > 0 && gatesDone:
		return Publishable
	case w.Ahead() > 0:
		return Resumable
	}
	return Empty
}
