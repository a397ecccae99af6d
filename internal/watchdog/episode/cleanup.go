package episode

import (
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// This file holds what becomes of the worktree of a worker that has settled and exited, and whose task the tracker has as
// done: where looks agree that it is, the owner is asked whether it may be removed (WDC-WORK-007). Nothing else removes one.

// finished reports whether a worker's end may be one to clean up after. What was looked at is looked at again when the row
// or the facts of the worktree are shown anew.
func (t *turn) finished() bool {
	h := t.w
	return t.w.Exit.Proven && t.f.Name == watchdog.VerdictSettled && done(&h.row) && max(h.rowSeen, h.factsN) > h.kept &&
		t.w.Limits.Effects[watchdog.EffectRemove] != watchdog.PermitNever
}

// cleaning reports whether the episode is about a worktree that is not needed any more.
func (t *turn) cleaning() bool { return t.ep.Aim == Remove }

// needed says what a worktree is still needed for as far as is known, or "".
func (t *turn) needed() string {
	h := t.w
	d, row := &h.facts, &h.row
	switch other := t.sharer(); {
	case !done(row):
		return "the tracker does not have the task as done"
	case row.Lease != watchdog.LeaseHolder && t.e.Now.Wall.Before(row.LeaseUntil):
		return debris.Printable(row.Lease) + " holds the lease"
	case other != "":
		return other
	case t.self() != nil || len(t.remaining()) > 0:
		return "something of the worker runs"
	case d.Missing:
		return "there is none" // any more, by a command that was given before a restart or by somebody else
	case d.Dirty || d.Midway || d.Ahead > 0:
		return "not all of it is at the remote"
	case !debris.GatesPassed(d.Head, d.Gates):
		return "its gates have not passed"
	}
	return ""
}

// tidy looks whether a worktree is needed, before anything is done about it.
func (t *turn) tidy() event {
	if t.blocked() || !t.knownWorld() || !t.freshTree() {
		return ""
	}
	return t.unneeded()
}

// unneeded reports that the worktree may go, or that it stays.
func (t *turn) unneeded() event {
	if t.why = t.needed(); t.why != "" {
		return onKept
	}
	return onFinished
}

// prove has it proven that the snapshot restores what lies there, byte for byte (WDC-EVID-005).
func (t *turn) prove() event {
	i := t.ep.here(watchdog.CmdProveRestore)
	switch {
	case t.unneeded() == onKept:
		return onKept
	case i == nil || t.lost(i):
		c := t.command(t.key("prove_restore"), watchdog.CmdProveRestore)
		c.IfDigest, c.Text = t.digest(), "a worktree is removed only if its evidence restores"
		c.NotAfter = t.e.Now.Wall.Add(snapshotTime * t.w.Limits.Grace)
		t.give(c)
		t.wakeAt(t.e.Now.Mono + snapshotTime*t.w.Limits.Grace)
		return ""
	case i.Found == t.digest():
		return onProven
	case i.Result == "" && !t.elapsed(i.At, snapshotTime*t.w.Limits.Grace):
		return ""
	}
	return onFailed
}

// remove removes the worktree if it is what the owner was shown, and looks that were answered in this visit agree that
// nobody needs it. The branch stays.
func (t *turn) remove() event {
	if i := t.ep.here(watchdog.CmdRemoveWorktree); i != nil && !t.lost(i) {
		return t.came(i, func() bool { return t.w.facts.Missing })
	}
	switch {
	case len(t.w.vetoes(t.e)) > 0 || !t.knownWorld() || !t.freshTree():
		return ""
	case t.unneeded() == onKept:
		return onKept
	case t.w.world.digest != t.digest():
		return onChanged
	case !t.mayNow(Remove):
		return onExpired
	}
	c := t.underLeave(t.command(t.key("remove"), watchdog.CmdRemoveWorktree))
	c.Text = "the task is done, all of it is at the remote, and the owner has agreed"
	t.give(c)
	t.wakeAt(t.e.Now.Mono + snapshotTime*t.w.Limits.Grace)
	return ""
}

// keep leaves a worktree that the owner keeps, until they arm again or it has new commits, with their word or after it.
func (t *turn) keep() event {
	if max(t.t.Rearmed, t.w.headN) >= t.ep.EnteredN {
		return onRearmed
	}
	return ""
}
