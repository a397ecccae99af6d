package oracle

import (
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// This file judges the removal of worktrees and what is said in favour of it.

// tidies: a worktree is proposed for removal when nobody needs it and its work is proven done, as the subject was shown
// (WDC-WORK-007).
func (a *acting) tidies(o *order) {
	if o.Act.Effect() != watchdog.EffectRemove {
		return
	}
	why := a.occupied()
	if why == "" {
		why = a.undone()
	}
	if why != "" {
		a.w.blame(mistakes.CleanupUnproven, finding{
			said:     o.Cause.Name,
			expected: "no cleanup: " + why, actual: describe(&o.Command) + " of " + string(o.Act),
		})
	}
}

// undone says why the work in a worktree is not proven done, or "".
func (a *acting) undone() string {
	w := a.w
	tree := treeFacts{Worktree: a.tree}
	switch {
	case !w.lost() && (!w.truth.Exited || w.truth.Phase != watchdog.VerdictSettled):
		return "its worker has not settled and exited"
	case debris.StatusOf(a.row.Status) != debris.Finished:
		return "the tracker does not have the task as done"
	case a.treeAt == -never:
		return "nobody has looked at it"
	case tree.Missing || tree.Dirty || tree.Midway || tree.Ahead > 0:
		return "not all of it is at the remote"
	}
	return debris.GateAgainst(tree.Head, tree.Gates)
}

// occupied says who uses a worktree or its session, or "".
func (a *acting) occupied() string {
	if a.w.truth.Exited && a.live()+a.descendants() > 0 {
		return "something of its worker runs"
	}
	own := &a.w.spawn
	for i := range a.w.o.workers {
		w := &a.w.o.workers[i]
		s := &w.spawn
		if w != a.w && w.truth.Generation > 0 && !w.truth.Exited &&
			(s.Session != "" && s.Session == own.Session || s.Worktree != "" && s.Worktree == own.Worktree) {
			return w.id + " works in it"
		}
	}
	now := a.w.o.now.Wall
	if a.row.Lease != "" && a.row.Lease != watchdog.LeaseHolder && now.Before(a.row.LeaseUntil) {
		return a.row.Lease + " holds the lease"
	}
	return ""
}

// restorable: a removal rests on a snapshot that was proven to restore (WDC-EVID-005).
func (a *acting) restorable(o *order) {
	proven := a.last(o, func(p *order) bool {
		return p.Kind == watchdog.CmdProveRestore && p.told && p.result == watchdog.ResultDone
	})
	snapshot := a.last(o, ofKind(watchdog.CmdSnapshot))
	if proven == nil || snapshot == nil || proven.n < snapshot.n {
		a.w.blame(mistakes.RestoreUnproven, finding{said: o.Cause.Name, expected: "a proof that the last snapshot restores", actual: describe(&o.Command)})
	}
}
