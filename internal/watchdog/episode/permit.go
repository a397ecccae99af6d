package episode

import (
	"fmt"
	"slices"

	"fakepi.example/watchdog"
)

// This file holds the owner's leave: what the policy permits, proposals, and approvals bound to what the owner saw.

// classOf is the effect class of an aim.
func classOf(aim State) watchdog.EffectClass {
	switch aim {
	case StopTool, Abort, Steer:
		return watchdog.EffectStopTurn
	case Interrupt, Terminate, Kill, Reap:
		return watchdog.EffectStopWorker
	case CommitWIP, Repair:
		return watchdog.EffectTaskState
	case Publish:
		return watchdog.EffectPublish
	case Remove:
		return watchdog.EffectRemove
	}
	return watchdog.EffectRespawn
}

// actOf is the first command after an aim.
func actOf(aim State) watchdog.CommandKind {
	switch aim {
	case Steer:
		return watchdog.CmdInput
	case Reap:
		return watchdog.CmdTerminate
	case Lease:
		return watchdog.CmdRespawn
	}
	return watchdog.CommandKind(aim)
}

// asks reports whether an aim that the policy does not forbid is the owner's to decide. A removal always is, half-done work
// unless the policy has it committed, and a successor for a task that the tracker does not have as open.
func (t *turn) asks(aim State) bool {
	p := t.w.Limits.Effects[classOf(aim)]
	return p == watchdog.PermitAsk || aim == Remove || aim == Lease && (t.halfDone() || !t.w.mayGoOn())
}

// halfDone reports whether the successor would find uncommitted work.
func (t *turn) halfDone() bool { return t.w.facts.Dirty && !t.w.facts.Missing }

// plan looks up whether the aim is permitted, and proposes it where the owner is to be asked (WDC-GATE-001).
func (t *turn) plan() event {
	aim := t.ep.Aim
	if stops(aim) && aim != Steer || aim == Repair {
		if on := t.heals(); on != "" {
			return on
		}
	}
	if aim == Steer && t.w.Exit.Proven {
		return t.heals()
	}
	if t.isAttempt(aim) {
		if t.why = t.exhausted(); t.why != "" {
			return onExhausted
		}
		if t.samePlace() {
			t.why = "twice in a row at the same place"
			return onSameplace
		}
	}
	switch {
	case t.w.Limits.Effects[classOf(aim)] == watchdog.PermitNever:
		t.why = "the policy forbids " + string(classOf(aim))
		return onForbidden
	case t.mayNow(aim):
		return onPermitted
	}
	t.propose(aim)
	return onAsked
}

// propose asks the owner for leave: item, command, reason and what undoes it, bound to the digest of the evidence.
func (t *turn) propose(aim State) {
	c := t.command(t.key("propose_"+string(aim)), watchdog.CmdPropose)
	c.Act, c.IfDigest, c.IfGen = actOf(aim), t.digest(), 0
	c.NotAfter = t.e.Now.Wall.Add(t.w.Limits.UserWait)
	reason := string(t.ep.Cause.Name)
	if aim == Lease && !t.w.mayGoOn() {
		reason += fmt.Sprintf(", and the tracker has the task as %q", t.w.row.Status)
	}
	c.Text = fmt.Sprintf("%s: %s generation %d. Reason: %s. Evidence: %s. To undo it: %s.",
		c.Act, t.w.ID, t.ep.Generation, reason, c.IfDigest, undo(aim, t.w.row.Status))
	t.give(c)
}

// undo says how an act is taken back.
func undo(aim State, row string) string {
	switch aim {
	case StopTool, Abort, Steer:
		return "prompt the worker again"
	case CommitWIP:
		return "git reset --soft HEAD~1"
	case Repair:
		return "set the row back to " + row
	case Publish:
		return "the remote's former head is in the evidence"
	case Remove:
		return "git worktree add; the branch stays, and the snapshot is proven to restore"
	case Lease:
		return "stop the successor; worktree and branch are as the snapshot has them"
	}
	return "resume the session; the snapshot has the worktree"
}

// digest is that of the evidence that stands.
func (t *turn) digest() string {
	if s := t.ep.snapshot(); s != nil {
		return s.Found
	}
	return ""
}

// approval waits for the owner's word on the last proposal. Evidence that has changed voids it (WDC-GATE-002), in the step of
// the proposal too.
func (t *turn) approval() event {
	aim := t.ep.Aim
	switch {
	case stops(aim) && aim != Steer, aim == Repair:
		if on := t.heals(); on != "" {
			return on
		}
	case aim == Steer && (t.w.Exit.Proven || t.w.Run.Open):
		return t.heals()
	case aim == Reap && t.freshTree() && len(t.remaining()) == 0:
		return onClear
	case aim == Remove && t.unneeded() == onKept:
		return onKept
	}
	p := t.ep.last(watchdog.CmdPropose)
	if d := t.w.facts; d.Digest != "" && t.w.factsN >= p.N && d.Digest != p.Digest && aim != Repair {
		if stops(aim) {
			return onStale
		}
		return onChanged
	}
	if t.lost(p) {
		t.propose(aim) // the owner may not have got it
		return ""
	}
	for i := range slices.Backward(t.t.Approvals) {
		a := &t.t.Approvals[i]
		switch {
		case a.Item != p.Key:
			continue
		case !a.Approve && t.t.Rearmed > a.N:
			return onRearmed
		case !a.Approve && aim == Remove:
			return onDeclined
		case !a.Approve:
			t.why = "the owner said no"
			return onRefused
		case a.expired(t.e.Now):
			return onExpired
		case t.holds(a) && !t.crowded():
			return onApproved
		}
		return ""
	}
	return ""
}

// holds reports whether a yes holds now: of what was proposed, for the evidence that was shown, unexpired.
func (t *turn) holds(a *approval) bool {
	return a.Digest == t.digest() && !a.expired(t.e.Now)
}

func (a *approval) expired(now watchdog.Instant) bool {
	return !a.NotAfter.IsZero() && !now.Wall.Before(a.NotAfter)
}

// leave returns the approval under which an aim may be carried out: the owner's last word on each item counts, and leave
// for one act of a class is leave for that class in this episode.
func (t *turn) leaveFor(aim State) *approval {
	for i := range slices.Backward(t.t.Approvals) {
		a := &t.t.Approvals[i]
		item := t.e.memory.byKey[a.Item]
		if classOf(aimOf(item.Key)) != classOf(aim) {
			continue
		}
		if !a.Approve || item.Digest != a.Digest {
			return nil
		}
		if t.holds(a) {
			return a
		}
	}
	return nil
}

// aimOf is the aim that a proposal's key names.
func aimOf(key string) State { return State(stepOf(key)[len("propose_"):]) }

// mayNow reports whether an aim may be carried out at this instant.
func (t *turn) mayNow(aim State) bool {
	switch {
	case t.w.Limits.Effects[classOf(aim)] == watchdog.PermitNever:
		return false
	case t.asks(aim):
		return t.leaveFor(aim) != nil
	}
	return true
}

// underLeave binds a command to the owner's approval, where it needs one.
func (t *turn) underLeave(c watchdog.Command) watchdog.Command {
	aim := t.ep.State
	if aim == Successor {
		aim = Lease
	}
	if !t.asks(aim) {
		return c
	}
	if a := t.leaveFor(aim); a != nil {
		c.Item, c.IfDigest = a.Item, a.Digest
		if !a.NotAfter.IsZero() && a.NotAfter.Before(c.NotAfter) {
			c.NotAfter = a.NotAfter
		}
	}
	return c
}
