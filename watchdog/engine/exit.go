package engine

import (
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// exit is the proof that the process ended: a wait status, another process under its pid, another boot.
type exit struct {
	mark
	proven    bool
	code      int
	signal    string
	early     bool                 // it came before the run's own end
	before    watchdog.VerdictName // the phase that it met
	ambiguous bool                 // a call had begun whose end is not known
	calls     []effect             // these calls
}

// failed reports whether the process was killed or gave an error status.
func (x *exit) failed() bool { return x.signal != "" || x.code != 0 }

// exited takes the proof of an exit, once. It closes whatever the process had open; a run that had come to its end,
// a wait for a credential or a quota, and an idle worker keep their phase (WDC-DEAD-004).
func (w *worker) exited(x exit) {
	if w.exit.proven {
		return
	}
	r := &w.run
	x.before = w.stand.name()
	x.ambiguous = r.anonymous > 0
	for i := range r.calls {
		x.ambiguous = x.ambiguous || !debris.OnlyReads(r.calls[i].tool)
		x.calls = append(x.calls, effect{r.calls[i].id, r.calls[i].tool})
	}
	r.answer(func(*dialog) bool { return true })
	if (r.ended || r.settled) && !r.terminal && !r.retrying {
		r.settled, r.ended = true, false
		if w.spawn.Mode.OneShot() && !x.failed() {
			// This dialect compacts last, and never prints the end (docs/pi-formats.md, section 12).
			r.compacting = false
		}
	}
	w.settlePhase(x.mark)
	switch w.stand.name() {
	case watchdog.VerdictSettled, watchdog.VerdictSettledUnproven, watchdog.VerdictIdle, watchdog.VerdictAwaitingAuth, watchdog.VerdictAwaitingQuota:
	default:
		x.early = true
	}
	if w.lostTrack() {
		x.early = true // what it was at when it ended is not known: it counts as unfinished
	}
	w.exit = x
	w.looks.gone, w.looks.foreign = 0, false
	if !x.early {
		return
	}
	r.closeTurn()
	r.open, r.due, r.ended, r.retrying, r.prompted = false, false, false, false, false
	r.compacting, r.backingOff, r.settled = false, false, false
	r.quit = !x.failed()
}

// late takes a record that is read after the exit that it was written before: whoever waits for the process may be
// faster than the reader of its output. It can prove that the run had come to its end, and opens nothing.
func (w *worker) late(ev *agents.Event) {
	r := &w.run
	if !w.exit.early {
		return
	}
	ends := false
	switch ev.Kind {
	case agents.MessageEnded:
		if ev.Role == agents.Assistant {
			r.finish(&ev.Reply)
			ends = ev.Saved && !r.called
			r.called = false
		}
	case agents.RunEnded:
		ends = !r.terminal && !ev.Retry
	case agents.Settled:
		ends = true
		r.final.aborted = ev.Aborted
	}
	if ends && r.final.seen {
		w.exit.early, r.quit, r.settled = false, false, true
		r.refused = r.trouble != agents.TroubleNone
	}
}
