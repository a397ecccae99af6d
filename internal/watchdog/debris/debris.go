// Package debris says what a worker that has ended left behind, and what that means: the class of its worktree, whether
// its task is closed, whether its gates have passed, which of its calls may have had an effect, and what its successor
// is told. It is the one copy of these rules: the engine, the recovery by hand and the judge all use it.
//
// It is pure: every function takes plain facts and looks at nothing.
package debris

// Class is what a worker left in its worktree (WDC-WORK-001).
type Class string

// The classes, in the order in which they are tried.
const (
	Orphaned    Class = "orphaned"    // the worktree is missing, the branch is left: make the worktree again
	HalfDone    Class = "half-done"   // uncommitted work: snapshot it, then do as the policy says
	Publishable Class = "publishable" // clean, ahead of the remote, all gates passed: publish and verify
	Resumable   Class = "resumable"   // clean, ahead of the remote: go on from there
	Empty       Class = "empty"       // clean, nothing ahead: start again in place
)

// Tree is what git says of a worktree, read afresh.
type Tree struct {
	Missing     bool // there is no worktree
	Dirty       bool // it holds work that is in no commit
	Ahead       int  // commits that the remote does not have
	GatesPassed bool // see GateAgainst
}

// Classify names what is left in a worktree.
func Classify(t Tree) Class {
	switch {
	case t.Missing:
		return Orphaned
	case t.Dirty:
		return HalfDone
	case t.Ahead > 0 && t.GatesPassed:
		return Publishable
	case t.Ahead > 0:
		return Resumable
	}
	return Empty
}

// OnlyReads reports whether a tool of Pi's own changes nothing. Any other tool may, and so may one that nobody knows.
func OnlyReads(tool string) bool {
	switch tool {
	case "read", "grep", "find", "ls":
		return true
	}
	return false
}
