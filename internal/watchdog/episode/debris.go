package episode

import (
	"fmt"
	"slices"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// This file holds the states of an episode between the end of the worker and the start of its successor: what still runs
// of it, what it has left, and what becomes of that.

// descendants waits until nothing of the worker runs: Pi's bash children have a session of their own, survive its death and
// run to their end (WDC-ACT-007).
func (t *turn) descendants() event {
	switch {
	case !t.w.Exit.Proven:
		return onReaped // this episode is not about what runs
	case t.ep.here(watchdog.CmdSnapshot) != nil:
		return t.remain() // as was seen when it was begun
	case !t.freshTree():
		return ""
	case t.self() != nil && !t.w.Spawn.Parent:
		return "" // two sources disagree: look again
	case len(t.remaining()) == 0 && t.reaping():
		return onReaped
	case len(t.remaining()) == 0:
		return onClear
	}
	patience := t.w.Limits.Grace
	if t.w.tree.worked {
		patience = t.w.Limits.Tool
	}
	if !t.elapsed(t.ep.Since, patience) {
		t.wakeAt(t.e.Now.Mono + t.w.Limits.ConfirmEvery) // they may end by themselves
		return ""
	}
	return t.remain()
}

// remain takes what does not end to be ended, after a snapshot: another one where it goes on while that is taken.
func (t *turn) remain() event {
	if t.saved() {
		t.aim = Reap
		return onRemain
	}
	if t.snapshotted() && t.unhurried() {
		t.takeSnapshot()
	}
	return ""
}

// saved reports whether a snapshot stands that was started after the last progress (WDC-EVID-001).
func (t *turn) saved() bool {
	s := t.ep.snapshot()
	return s != nil && s.N >= t.w.Progress.N
}

// reap ends what is left, each process by its identity, politely first.
func (t *turn) reap() event {
	if !t.mayNow(Reap) {
		return onExpired
	}
	if len(t.w.vetoes(t.e)) > 0 || !t.freshTree() {
		return ""
	}
	left := t.remaining()
	switch {
	case len(left) == 0:
		return onClear
	case !t.saved():
		return onStale
	}
	for i := range left {
		if t.reapOne(&left[i]) {
			t.why = fmt.Sprintf("process %d survives SIGKILL", left[i].PID)
			return onImmovable
		}
	}
	return ""
}

// reapOne gives a process its next signal, and reports whether it has had the last one without effect.
func (t *turn) reapOne(p *watchdog.Process) bool {
	kind := watchdog.CmdTerminate
	if last := t.lastReap(p.PID); last != nil {
		switch {
		case t.lost(last), last.Result == watchdog.ResultRefused && t.refusals() <= maxRefusals:
			kind = last.Kind
		case !t.elapsed(last.At, t.w.Limits.Grace):
			return false
		case last.Kind == watchdog.CmdKill:
			return true
		default:
			kind = watchdog.CmdKill
		}
	}
	c := t.underLeave(t.command(t.key(fmt.Sprintf("reap_%s_%d", kind, p.PID)), kind))
	c.Target = &watchdog.Target{PID: p.PID, Start: p.Start}
	c.IfDigest = "" // what is left of the worker may still write
	c.Text = "a descendant outlives the worker"
	t.give(c)
	t.wakeAt(t.e.Now.Mono + t.w.Limits.Grace)
	return false
}

// lastReap returns the last signal that a process got, or nil.
func (t *turn) lastReap(pid int) *intent {
	for _, in := range slices.Backward(t.ep.Intents) {
		for _, k := range []watchdog.CommandKind{watchdog.CmdTerminate, watchdog.CmdKill} {
			if stepOf(in.Key) == fmt.Sprintf("reap_%s_%d", k, pid) {
				return in
			}
		}
	}
	return nil
}

// again takes the snapshot after the true last write.
func (t *turn) again() event {
	if !t.snapshotted() {
		return ""
	}
	return onSaved
}

// classify looks at what the worker has left, in this order: orphaned, half-done, publishable, resumable, empty
// (WDC-WORK-001).
func (t *turn) classify() event {
	if !t.freshWorld() {
		return ""
	}
	h := t.w
	d := &h.facts
	switch {
	case t.cleaning() && t.unneeded() == onKept:
		return onKept
	case h.world.digest != t.digest():
		return onChanged
	case t.cleaning():
		return onFinished
	case done(&h.row) && !d.Dirty && d.Ahead == 0 && (len(d.Gates) == 0 || debris.GatesPassed(d.Head, d.Gates)):
		return onDone
	case h.bounced():
		t.why = "the task goes to and fro between " + h.bounces[0] + " and " + h.bounces[1]
		return onManual
	case d.Midway:
		t.why = "git is in the middle of a merge or rebase"
		return onManual
	case len(t.w.vetoes(t.e)) > 0:
		return ""
	}
	return t.planFor(debris.Classify(debris.Tree{
		Missing: d.Missing, Dirty: d.Dirty, Ahead: d.Ahead, GatesPassed: debris.GatesPassed(d.Head, d.Gates),
	}))
}

// planFor sets what becomes of a class of debris.
func (t *turn) planFor(c debris.Class) event {
	t.why, t.aim = string(c), Lease
	switch c {
	case debris.HalfDone:
		if t.w.Limits.Dirty == watchdog.DirtyCommitWIP {
			t.aim = CommitWIP
		}
		return onHalfDone
	case debris.Publishable:
		t.aim = Publish
		return onPublishable
	}
	return onResumable
}

// mayGoOn reports whether nothing that was seen of the task's row speaks against going on with it unasked. Only a row whose
// word is known for an open task permits that; where there is no row, or it has no word, nobody says that it is closed
// (WDC-WORK-006).
func (w *worker) mayGoOn() bool { return w.row.Status == "" || debris.StatusOf(w.row.Status).Open() }

// done reports whether a tracker has a task as done. That alone is a claim: it counts together with the worktree.
func done(row *watchdog.Task) bool { return debris.StatusOf(row.Status) == debris.Finished }

// commit has the half-done work committed. What it came to shows in the worktree.
func (t *turn) commit() event {
	return t.change(watchdog.CmdCommitWIP, CommitWIP, "commit the half-done work", func() bool {
		return !t.w.facts.Dirty
	})
}

// publish publishes, and believes what the remote has (WDC-ACT-002, WDC-SIDE-002).
func (t *turn) publish() event {
	return t.change(watchdog.CmdPublish, Publish, "publish what has passed its gates", func() bool {
		d := &t.w.facts
		return d.Remote != "" && (d.Remote == d.Intended || d.Remote == d.Head)
	})
}

// change gives a command that changes worktree or remote, once: an outcome that is not known is looked up before it is
// given again, and one that claims to be done is believed when a fresh look has its effect.
func (t *turn) change(kind watchdog.CommandKind, aim State, text string, effect func() bool) event {
	i := t.ep.here(kind)
	if i != nil && !t.lost(i) && !i.unheard() {
		return t.came(i, effect)
	}
	key := t.key(string(kind))
	switch {
	case kind == watchdog.CmdPublish && t.queued(key, kind) || len(t.w.vetoes(t.e)) > 0 || !t.freshWorld():
		return ""
	case effect():
		return t.achieved()
	case t.w.world.digest != t.digest():
		return onChanged
	case !t.mayNow(aim):
		return onExpired
	}
	c := t.underLeave(t.command(key, kind))
	c.IfDigest, c.Text = t.digest(), text
	t.give(c)
	t.wakeAt(t.e.Now.Mono + snapshotTime*t.w.Limits.Grace)
	return ""
}

// came finds out what a command has come to that changes worktree or remote.
func (t *turn) came(i *intent, effect func() bool) event {
	switch {
	case i.Result == watchdog.ResultRefused:
		return onChanged
	case i.Result == watchdog.ResultFailed:
		t.why = i.Reason
		return onFailed
	case i.Result == "" && !t.elapsed(i.At, snapshotTime*t.w.Limits.Grace):
		return ""
	case !t.freshWorld():
		return ""
	case effect():
		return t.achieved()
	case i.Result == watchdog.ResultDone:
		t.why = "it claims to be done, and its effect is not there"
		return onFailed
	}
	t.why = "whether it is done is not known"
	return onFailed
}

// achieved: what was to be done is, by whomever; what was written meanwhile is another matter, and nobody's yet
// (WDC-WORK-001).
func (t *turn) achieved() event {
	if t.w.facts.Dirty {
		return onChanged
	}
	return onDone
}
