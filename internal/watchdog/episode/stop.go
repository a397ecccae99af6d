package episode

import (
	"slices"
	"time"

	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
)

// This file holds the states of an episode up to the end of the worker: from the verdict through the ladder.

// verdict waits for the confirmations, and for whatever keeps the engine from acting: a veto, a quarantine, the number of
// recoveries at one time.
func (t *turn) verdict() event {
	if t.cleaning() {
		return t.tidy()
	}
	switch on := t.heals(); {
	case on == onEnded:
		if t.blocked() {
			return ""
		}
		return onEnded
	case on != "":
		return on
	case t.aboutRow():
		if t.blocked() {
			return ""
		}
		return onRowWrong
	case t.f.Name == watchdog.VerdictInconclusive && t.f.Status == watchdog.StatusConfirmed:
		t.why = "no source can tell what the worker is in: " + t.f.Reason
		return onUnclear
	case t.f.Name == watchdog.VerdictInconclusive, t.blocked():
		return ""
	case t.reaping():
		return onLingers
	case t.f.Status != watchdog.StatusConfirmed:
		return ""
	}
	return onConfirmed
}

// blocked reports whether something keeps the episode from going on.
func (t *turn) blocked() bool {
	r := t.e
	return len(t.w.vetoes(t.e)) > 0 || r.held(t) || t.crowded()
}

// crowded reports whether as many recoveries are under way as there may be; the worker's turn comes when one is over.
func (t *turn) crowded() bool {
	t.w.waits = t.e.busy() >= t.w.Limits.Recoveries
	return t.w.waits
}

// evidence takes the snapshot without which nothing is stopped (WDC-EVID-001).
func (t *turn) evidence() event {
	if on := t.heals(); on != "" {
		return on
	}
	if !t.snapshotted() || !t.surveyed() {
		return ""
	}
	t.aim = t.firstRung()
	return onSaved
}

// surveyed reports whether the worktree was looked at after the snapshot; after a while without an answer that has to do.
func (t *turn) surveyed() bool {
	s := t.ep.snapshot()
	if t.w.world.n > s.N {
		return true
	}
	t.freshWorld()
	return t.elapsed(s.At, t.w.Limits.ConfirmEvery)
}

// snapshotTime is how long a snapshot may take before its outcome counts as unknown, in graces.
const snapshotTime = 12

// snapshotted takes a snapshot in this visit of the state, again under a new key if one fails, and reports whether it is
// done.
func (t *turn) snapshotted() bool {
	i := t.ep.here(watchdog.CmdSnapshot)
	switch {
	case i == nil, i.Reason == "changed":
		if !t.unhurried() {
			return false
		}
	case t.lost(i):
	case i.Result == watchdog.ResultDone && i.Found != "":
		return true
	case i.Result == "" || i.Result == watchdog.ResultUnknown:
		if !t.elapsed(i.At, snapshotTime*t.w.Limits.Grace) {
			return false
		}
	case !t.elapsed(i.At, t.pause(t.tries())):
		return false
	}
	t.takeSnapshot()
	return false
}

func (t *turn) takeSnapshot() {
	c := t.command(t.key("snapshot"), watchdog.CmdSnapshot)
	c.Text = "evidence before anything is changed"
	c.NotAfter = t.e.Now.Wall.Add(snapshotTime * t.w.Limits.Grace)
	t.give(c)
	t.wakeAt(t.e.Now.Mono + snapshotTime*t.w.Limits.Grace)
}

// hasty is how many snapshots of an episode may follow at once on what has voided the one before.
const hasty = 4

// unhurried reports whether it is time for a snapshot: in a worktree that does not come to rest each further one waits
// longer.
func (t *turn) unhurried() bool {
	n := -hasty
	for _, i := range t.ep.Intents {
		if i.Kind == watchdog.CmdSnapshot {
			n++
		}
	}
	return n < 0 || t.elapsed(t.ep.last(watchdog.CmdSnapshot).At, t.pause(n+1))
}

// tries counts the commands of the state's present visit.
func (t *turn) tries() int {
	n := 0
	for _, i := range t.ep.Intents {
		if i.Visit == t.ep.Visit {
			n++
		}
	}
	return n
}

// firstRung is the lowest rung of the ladder that fits: the tool before the turn before the worker (WDC-TOOL-006). A turn
// can be aborted over rpc only: keys in a terminal are no remedy (WDC-ACT-006).
func (t *turn) firstRung() State {
	switch {
	case t.aboutRow():
		return Repair
	case t.reaping():
		return Interrupt
	case t.f.Name == watchdog.VerdictStalledTool && len(t.w.Run.Calls) > 0:
		return StopTool
	}
	return t.above(StopTool)
}

// above is the rung above another one.
func (t *turn) above(s State) State {
	switch s {
	case StopTool:
		if t.w.Spawn.Mode == watchdog.ModeRPC {
			return Abort
		}
		return Interrupt
	case Abort:
		return Interrupt
	case Interrupt:
		return Terminate
	}
	return Kill
}

// stops reports whether an aim is to stop the worker or its turn: it falls with the verdict.
func stops(aim State) bool {
	switch aim {
	case StopTool, Abort, Interrupt, Terminate, Kill, Steer:
		return true
	}
	return false
}

// rung gives one command of the ladder, if a look that was answered in this step agrees (WDC-ACT-004).
func (t *turn) rung() event {
	if on := t.heals(); on != "" {
		return on
	}
	switch {
	case soft(watchdog.CommandKind(t.ep.State)) && t.cutShort(watchdog.CommandKind(t.ep.State)):
		return onGiven
	case t.ep.State == StopTool && len(t.w.Run.Calls) == 0:
		return onHealed // the call is over
	case !t.mayNow(t.ep.State):
		return onExpired
	case !t.confirmed() && !t.reaping(), len(t.w.vetoes(t.e)) > 0:
		return ""
	case !t.freshTree() || t.self() == nil:
		return ""
	}
	kind := watchdog.CommandKind(t.ep.State)
	c := t.underLeave(t.command(t.key(string(kind)), kind))
	c.Target = &watchdog.Target{PID: t.w.Spawn.PID, Start: t.w.Spawn.Start}
	c.Text = "still " + string(t.f.Name) + " at a fresh look"
	if kind == watchdog.CmdStopTool {
		call, _, _ := t.w.FirstPast()
		c.ToolCall = call.ID
	}
	t.give(c)
	return onGiven
}

// cutShort reports whether a soft rung of the episode, of one of the kinds, has ended the turn: before a restart, say, and
// then it is adopted, not repeated (WDC-SIDE-002).
func (t *turn) cutShort(kinds ...watchdog.CommandKind) bool {
	run := &t.w.Run
	return t.ep.last(kinds...) != nil && !run.Open && !run.Compacting && run.CutShort()
}

// confirmed reports whether a verdict for which something may be stopped has its confirmations. After a restart the phase
// may be lost: that the owner knows of it, too, is no leave to act (WDC-OBS-008).
func (t *turn) confirmed() bool {
	return t.f.Status == watchdog.StatusConfirmed && t.f.Name != watchdog.VerdictInconclusive
}

// ownTail reports whether the last progress may be the tail that our own abort made the worker print.
func (t *turn) ownTail() bool {
	i := t.ep.last(watchdog.CmdAbort, watchdog.CmdStopTool)
	return i != nil && t.w.Progress.At >= i.At.Mono && t.w.Run.CutShort()
}

// ladder lists the kinds of the rungs.
var ladder = []watchdog.CommandKind{watchdog.CmdStopTool, watchdog.CmdAbort, watchdog.CmdInterrupt, watchdog.CmdTerminate, watchdog.CmdKill}

// soft reports whether a rung ends a turn, and not the worker.
func soft(k watchdog.CommandKind) bool { return k == watchdog.CmdAbort || k == watchdog.CmdStopTool }

// verify sees whether a rung had its effect, whatever its outcome claims (WDC-ACT-002, WDC-SIDE-003). A rung that the
// worker ignores in its present state is followed by the next after its grace like any other (WDC-ACT-008).
func (t *turn) verify() event {
	i := t.ep.last(ladder...)
	w := t.w
	over := w.Over() || w.Run.Ended && !w.Run.Compacting && t.elapsed(i.At, w.Limits.Grace)
	soft := soft(i.Kind)
	switch {
	case w.Exit.Proven:
		return t.heals()
	case soft && over && w.Run.CutShort():
		if t.aim = Steer; w.Spawn.Mode != watchdog.ModeRPC {
			t.aim = Interrupt // nobody can prompt it
		}
		return onStopped
	case soft && over:
		return onHealed // it had come to its end by itself
	case !soft && t.heals() != "":
		return onHealed
	case i.Result == watchdog.ResultRefused && t.refusals() <= maxRefusals:
		return onRefused
	case t.lost(i):
		t.aim = State(i.Kind)
		return onLost
	case !t.elapsed(i.At, w.Limits.Grace):
		return ""
	case t.heals() != "":
		return onHealed // the call has ended, or the abort came too late
	case !soft && (!t.freshTree() || t.self() == nil):
		return "" // gone, it seems: the proof is on its way
	case i.Kind == watchdog.CmdKill:
		t.why = "the process survives SIGKILL"
		return onImmovable
	}
	t.aim = t.above(State(i.Kind))
	return onIneffective
}

// maxRefusals is how many commands of an episode may be refused before a person is asked what is wrong.
const maxRefusals = 3

// refusals counts the commands of the episode that were refused.
func (t *turn) refusals() int {
	n := 0
	for _, i := range t.ep.Intents {
		if i.Result == watchdog.ResultRefused {
			n++
		}
	}
	return n
}

// refused is the last of them, or nil.
func (t *turn) refused() *intent {
	for _, i := range slices.Backward(t.ep.Intents) {
		if i.Result == watchdog.ResultRefused {
			return i
		}
	}
	return nil
}

// steer lets a turn that our own abort has ended go on, once in an episode (WDC-ACT-006). A steer to an idle worker waits
// for the next prompt (docs/pi-formats.md, section 6), so it is a prompt.
func (t *turn) steer() event {
	i := t.ep.here(watchdog.CmdInput)
	w := t.w
	switch {
	case w.Exit.Proven:
		return t.heals()
	case i != nil && !t.lost(i):
		return t.steered(i)
	case i != nil && max(w.Run.Prompt.N, w.Run.End.N) > i.N:
		return onGiven // before a restart, and the worker has it
	case w.Run.Open, w.Run.Prompted:
		return onHealed
	case w.Doubt:
		return "" // get_state is asked whether a run is open
	case i != nil && w.Resumed.N > i.N:
		t.why = "whether the prompt was heard is lost with what the worker wrote"
		return onFailed
	case !t.mayNow(Steer):
		return onExpired
	case len(w.vetoes(t.e)) > 0:
		return ""
	case !t.elapsed(t.ep.Since, t.backoff()), !t.freshTree() || t.self() == nil:
		return ""
	}
	c := t.underLeave(t.command(t.key("steer"), watchdog.CmdInput))
	c.Target = &watchdog.Target{PID: w.Spawn.PID, Start: w.Spawn.Start}
	c.Input = w.Prompt(c.Key, t.nudge())
	c.Text = "take up the turn that was aborted"
	t.spendResume(c.Key)
	t.give(c)
	return ""
}

func (t *turn) steered(i *intent) event {
	switch i.Result {
	case watchdog.ResultRefused:
		t.refund(i.Key)
		return onFailed
	case watchdog.ResultFailed:
		return onFailed
	case "":
		if !t.w.Run.Open && !t.elapsed(i.At, t.w.Limits.Grace) {
			return ""
		}
	}
	return onGiven
}

// watch waits for the first progress after the steer or of the successor. What goes wrong from here is another episode.
func (t *turn) watch() event {
	w := t.w
	since := w.Spawned
	if w.Generation == t.ep.Generation {
		i := t.ep.last(watchdog.CmdInput)
		since = run.Mark{At: i.At.Mono, N: i.N}
	}
	switch {
	case w.Progress.N > since.N && w.Run.Ran && t.f.Status == watchdog.StatusOK:
		return onHealthy
	case t.f.Status == watchdog.StatusConfirmed && t.f.Name != watchdog.VerdictSettledUnproven, w.Exit.Proven:
		return onWorse
	case t.f.Name != watchdog.VerdictSettledUnproven:
	case w.Generation > t.ep.Generation:
		return onWorse
	case t.elapsed(t.ep.Since, w.Limits.Startup):
		t.why = "the worker does not take up what our abort has ended"
		return onFailed
	}
	return ""
}

// pause is how long a try waits after the n-th failure of a thing that costs nothing.
func (t *turn) pause(n int) time.Duration {
	d := t.w.Limits.Grace
	for range n - 1 {
		d = min(2*d, t.w.Limits.BackoffCap)
	}
	return d
}
