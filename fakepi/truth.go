package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Phase is one of the phases of docs/verdicts.md, always as within its limit: limits belong to the watchdog.
type Phase string

// The phases, in the order of the table: the first that holds is the worker's.
const (
	Dead               Phase = "dead"
	AwaitingUser       Phase = "awaiting_user"
	AwaitingAuth       Phase = "awaiting_auth"
	AwaitingQuota      Phase = "awaiting_quota"
	Compacting         Phase = "compacting"
	BackingOff         Phase = "backing_off"
	RunningTool        Phase = "running_tool"
	Starting           Phase = "starting"
	AwaitingFirstToken Phase = "awaiting_first_token"
	Streaming          Phase = "streaming"
	Ending             Phase = "ending"
	Settled            Phase = "settled"
	SettledUnproven    Phase = "settled_unproven"
	Working            Phase = "working"
	Idle               Phase = "idle"
)

// Truth is a worker's true state at an instant: what no watchdog can ask.
type Truth struct {
	Phase         Phase
	Since         time.Duration // when the phase's limit last began to count
	LastProgress  time.Duration // progress as of docs/verdicts.md, CPU of a tool's children included
	DeclaredUntil time.Duration // end of an announced delay, a dialog's timeout, a tool's own timeout; 0: none
	Stuck         bool          // a run is open or asked for, nobody is waited for, and no progress will come
	Calls         []string      // ids of the calls that run, in call order
	Slowest       string        // the one of them that has been without progress for longest: Since counts from there
	Dialog        string        // id of the open dialog
	Exited        bool
	Proven        bool // settled, with a good end
}

// Truth answers for the state at now, which must not be before the last step.
func (w *Worker) Truth(now time.Duration) Truth {
	if w.exited != nil {
		return Truth{
			Phase: w.final, Since: w.finalSince, LastProgress: w.lastProgress, Exited: true, Proven: w.final == Settled,
		}
	}
	if w.leaving() {
		return w.parting
	}
	t := Truth{
		Phase: w.phaseAt(now), LastProgress: max(w.lastProgress, w.busyUntil(now)), Calls: w.openIDs, Dialog: w.dialog.id,
	}
	t.Since, t.DeclaredUntil = w.counts(t.Phase, now)
	if len(w.openIDs) > 0 {
		c, _ := w.slowest(now)
		t.Slowest = c.id
	}
	if t.Phase.open() {
		t.Since = max(t.Since, w.answeredAt) // an answer is judged afresh (WDC-WAIT-003)
	}
	t.Proven = t.Phase == Settled
	t.Stuck = t.Phase.open() && !w.ahead(now)
	return t
}

// open reports whether a phase asks for progress: nobody is waited for and work is under way.
func (p Phase) open() bool {
	switch p {
	case Dead, AwaitingUser, AwaitingAuth, AwaitingQuota, Settled, SettledUnproven, Idle:
		return false
	}
	return true
}

// phaseAt is the phase table (docs/verdicts.md) for a living worker, computed from what it does.
func (w *Worker) phaseAt(now time.Duration) Phase {
	switch {
	case w.dialog.open && !w.dialog.answered:
		return AwaitingUser
	case w.trouble == troubleAuth:
		return AwaitingAuth
	case w.trouble == troubleQuota:
		return AwaitingQuota
	case w.compaction.active:
		return Compacting
	case w.retries.waiting && now < w.retries.declared:
		return BackingOff
	case len(w.openIDs) > 0:
		return RunningTool
	case w.asking.active, w.mode.OneShot() && !w.ran:
		return Starting
	case w.owed, w.retries.waiting, w.resumeAt > 0:
		return AwaitingFirstToken
	case w.reply.token, w.running && len(w.calls) > 0:
		return Streaming
	case w.isEnding():
		return Ending
	case w.isOver() && w.proven():
		return Settled
	case w.isOver():
		return SettledUnproven
	case w.running, w.ended:
		return Working
	}
	return Idle
}

// isEnding: a run that has ended waits for the terminal event. In a dialect without one, a final message waits for the
// run's end, and that for what follows by itself.
func (w *Worker) isEnding() bool {
	if w.rules.terminal {
		return w.ended && !w.pledged
	}
	return w.running && w.replied() || w.ended && w.goesOn()
}

// isOver reports whether all work is at its end, be it told or not.
func (w *Worker) isOver() bool { return w.settled || w.ended && !w.rules.terminal }

// replied reports whether the run has a finished reply.
func (w *Worker) replied() bool {
	return slices.ContainsFunc(w.messages, func(m native.Message) bool {
		_, ok := m.(*native.AssistantMessage)
		return ok
	})
}

// goesOn reports whether the script has a retry or compaction behind the run's end.
func (w *Worker) goesOn() bool {
	for _, s := range w.steps[w.next:] {
		switch a := s.Action.(type) {
		case script.Retries:
			return !a.Hidden
		case script.Compacts:
			return a.Reason != "manual"
		case script.Chatter, script.Notifies, script.Steer, script.FollowUp, script.Raw, script.Lingers:
			continue
		}
		return false
	}
	return false
}

// counts is since when the limit of a phase counts, and until when the worker has declared it to last.
func (w *Worker) counts(p Phase, now time.Duration) (since, until time.Duration) {
	switch p {
	case AwaitingUser:
		return w.dialog.since, declared(w.dialog.timeout)
	case AwaitingAuth, AwaitingQuota:
		return w.troubleAt, w.quotaUntil
	case Compacting:
		return w.compaction.since, 0
	case BackingOff:
		return w.retries.since, w.retries.declared
	case RunningTool:
		return w.countsCalls(now)
	case Starting:
		if w.asking.active {
			return w.asking.since, 0
		}
		return w.start, 0
	case AwaitingFirstToken:
		if w.retries.waiting {
			return w.retries.declared, 0
		}
		if w.resumeAt > 0 {
			return w.since, 0
		}
		return w.owedAt, 0
	case Ending, Settled, SettledUnproven:
		if w.running {
			return w.lastProgress, 0
		}
		return w.since, 0
	case Idle:
		return w.start, 0
	}
	return w.lastProgress, 0
}

func declared(at time.Duration) time.Duration {
	if at == never {
		return 0
	}
	return at
}

// countsCalls is the count of the slowest open call, and its own timeout.
func (w *Worker) countsCalls(now time.Duration) (since, until time.Duration) {
	c, since := w.slowest(now)
	if c.run.Timeout.Given() {
		until = max(c.startAt, c.beginAt) + c.paused + c.run.Timeout.D
	}
	return since, until
}

// slowest is the open call that has been without progress for longest, and since when. There is one.
func (w *Worker) slowest(now time.Duration) (slowest *call, since time.Duration) {
	since = never
	for i := range w.calls {
		c := &w.calls[i]
		if !c.open() {
			continue
		}
		if last := max(c.progress, w.lastBusy(c, now)); last < since {
			slowest, since = c, last
		}
	}
	return slowest, since
}

// busyUntil is when a descendant of an open call last used CPU.
func (w *Worker) busyUntil(now time.Duration) time.Duration {
	var last time.Duration
	for i := range w.calls {
		if c := &w.calls[i]; c.open() {
			last = max(last, w.lastBusy(c, now))
		}
	}
	return last
}

func (w *Worker) lastBusy(c *call, now time.Duration) time.Duration {
	if used := w.busyFor(c, now); used > 0 {
		return c.beginAt + c.paused + used
	}
	return 0
}

// ahead reports whether an event of progress is still to come, whatever is not sent to the worker.
func (w *Worker) ahead(now time.Duration) bool {
	if w.stalled {
		return false
	}
	hangs := w.compaction.active && w.compaction.end == never || w.asking.active && w.asking.at == never
	for i := range w.calls {
		c := &w.calls[i]
		if !c.open() {
			continue
		}
		if c.movesAfter(now) {
			return true
		}
		hangs = true
	}
	switch {
	case w.stream.active(), w.retries.waiting, w.resumeAt > 0 && w.resumeAt != never,
		w.compaction.active && w.compaction.end != never, w.asking.active && w.asking.at != never:
		return true
	case hangs:
		return w.aheadOfHang()
	}
	return w.plan.progress[w.next]
}

// movesAfter reports whether a call will show progress: its end, new output, CPU.
func (c *call) movesAfter(now time.Duration) bool {
	if c.lasts() != never {
		return true
	}
	if c.run.Child != script.ChildBusy && !c.run.Bursts.Given() {
		return false
	}
	return c.active() == never || !c.begun || c.working(now) < c.active()
}

// aheadOfHang is ahead where something has to be ended by the script itself: only steps that need not wait for it
// count.
func (w *Worker) aheadOfHang() bool {
	for _, s := range w.steps[w.next:] {
		switch a := s.Action.(type) {
		case script.Ends:
			return a.Of != "" || a.Stop == script.StopAborted
		case script.Tool:
			return w.sharesBatch(a)
		case script.Raw:
			if a.Progress {
				return true
			}
		case script.Says, script.Thinks, script.Calls, script.Opens, script.Closes, script.Settles, script.Refused,
			script.Retries, script.Prompt, script.Compacts:
			return false
		}
		if endsProgress(s.Action) {
			return false
		}
	}
	return false
}

// sharesBatch reports whether a tool is a further call of the message whose calls run.
func (w *Worker) sharesBatch(a script.Tool) bool {
	for i := range w.calls {
		if c := &w.calls[i]; c.step >= 0 && w.steps[c.step].Action.(script.Tool).Batch == a.Batch {
			return true
		}
	}
	return false
}

// meets notes the phase that an end will meet: the dialog is void by then.
func (w *Worker) meets() {
	w.dialog = dialog{}
	w.final = w.phaseAt(w.now)
	w.finalSince, _ = w.counts(w.final, w.now)
}

// noteEnd makes of the phase that the end has met the one that stays (docs/verdicts.md, row dead).
func (w *Worker) noteEnd(e Exit) {
	if !w.final.open() {
		return
	}
	w.final, w.finalSince = SettledUnproven, w.now
	if e.Code != 0 {
		w.final = Dead
	}
}
