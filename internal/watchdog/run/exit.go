package run

import (
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// Exit is the proof that the process ended: a wait status, another process under its pid, another boot.
type Exit struct {
	Mark
	Proven    bool
	code      int
	signal    string
	Early     bool                 // it came before the run's own end
	Before    watchdog.VerdictName // the phase that it met
	ambiguous bool                 // a call had begun whose end is not known
	Calls     []Effect             // these calls
}

// failed reports whether the process was killed or gave an error status.
func (x *Exit) failed() bool { return x.signal != "" || x.code != 0 }

// exited takes the proof of an exit, once. It closes whatever the process had open; a run that had come to its end,
// a wait for a credential or a quota, and an idle worker keep their phase (WDC-DEAD-004).
func (w *Worker) exited(x Exit) {
	if w.Exit.Proven {
		return
	}
	r := &w.Run
	x.Before = w.stand.name()
	x.ambiguous = r.anonymous > 0
	for i := range r.Calls {
		x.ambiguous = x.ambiguous || !debris.OnlyReads(r.Calls[i].Tool)
		x.Calls = append(x.Calls, Effect{r.Calls[i].ID, r.Calls[i].Tool})
	}
	r.answer(func(*dialog) bool { return true })
	if (r.Ended || r.settled) && !r.terminal && !r.retrying {
		r.settled, r.Ended = true, false
		if w.Spawn.Mode.OneShot() && !x.failed() {
			// This dialect compacts last, and never prints the end (docs/pi-formats.md, section 12).
			r.Compacting = false
		}
	}
	w.settlePhase(x.Mark)
	switch w.stand.name() {
	case watchdog.VerdictSettled, watchdog.VerdictSettledUnproven, watchdog.VerdictIdle, watchdog.VerdictAwaitingAuth, watchdog.VerdictAwaitingQuota:
	default:
		x.Early = true
	}
	if w.lostTrack() {
		x.Early = true // what it was at when it ended is not known: it counts as unfinished
	}
	w.Exit = x
	w.looks.gone, w.looks.foreign = 0, false
	if !x.Early {
		return
	}
	r.closeTurn()
	r.Open, r.due, r.Ended, r.retrying, r.Prompted = false, false, false, false, false
	r.Compacting, r.backingOff, r.settled = false, false, false
	r.quit = !x.failed()
}

// late takes a record that is read after the exit that it was written before: whoever waits for the process may be
// faster than the reader of its output. It can prove that the run had come to its end, and opens nothing.
func (w *Worker) late(ev *agents.Event) {
	r := &w.Run
	if !w.Exit.Early {
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
		w.Exit.Early, r.quit, r.settled = false, false, true
		r.refused = r.trouble != agents.TroubleNone
	}
}
