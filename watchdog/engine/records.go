package engine

import (
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// outRecord takes one record of the worker's stdout. Whatever its reader does not know changes nothing (WDC-OBS-002).
func (w *worker) outRecord(ev *agents.Event, m mark) {
	if ev.Kind == agents.Noise && !ev.Known {
		return
	}
	if understood := w.dialectOf(ev, m); !understood {
		return
	}
	w.sawOut = true
	if w.exit.proven {
		w.late(ev)
		return
	}
	r := &w.run
	switch ev.Kind {
	case agents.RunBegan:
		if w.doubt {
			w.stand.known = false // what was taken to stand may have ended unseen
		}
		r.start(m)
		w.boundary(m)
	case agents.RunEnded:
		r.stop(m, ev.Retry)
		w.boundary(m)
	case agents.Settled:
		w.settled(ev, m)
	case agents.TurnBegan:
		r.within(m)
		r.closeTurn()
		r.owe(m)
		w.boundary(m)
	case agents.TurnEnded:
		w.turnEnd(ev, m)
	case agents.MessageBegan:
		w.messageStart(ev, m)
	case agents.Delta:
		w.messageUpdate(ev, m)
	case agents.MessageEnded:
		w.messageEnd(ev, m)
	case agents.CallBegan:
		w.toolStart(ev, m)
	case agents.CallOutput:
		w.toolUpdate(ev, m)
	case agents.CallEnded:
		w.toolEnd(ev, m)
	default:
		w.betweenRuns(ev, m)
	}
}

// streamsOn takes an event that does nothing but move the progress: one more piece of a message that streams in peace.
// The worker is not judged afresh for it; the next look may come too early by as much, and is then set right.
func (w *worker) streamsOn(ev *agents.Event, m mark) bool {
	if ev.Kind != agents.Delta || w.stand.name() != watchdog.VerdictStreaming || w.run.terminal != ev.Terminal ||
		w.epi.open || w.doubt || w.cut || w.notes.attention >= w.progress.at {
		return false
	}
	w.progressed(m)
	return true
}

// betweenRuns takes the records that can stand anywhere: retries, compaction, dialogs, answers to commands.
func (w *worker) betweenRuns(ev *agents.Event, m mark) {
	switch ev.Kind {
	case agents.DelayBegan:
		w.retryStart(ev, m)
	case agents.DelayEnded:
		w.retryEnd(ev, m)
	case agents.CompactionBegan:
		w.compactionStart(ev, m)
	case agents.CompactionEnded:
		w.compactionEnd(ev, m)
	case agents.DialogAsked:
		w.request(ev, m)
	case agents.PromptTaken:
		w.promptTaken(ev, m)
	case agents.SessionChanged:
		w.sessionChanged()
	}
}

// boundary is progress at which the phase is certain again.
func (w *worker) boundary(m mark) {
	w.progressed(m)
	w.doubt, w.cut = false, false
}

// settled takes the terminal event; inside an open run it is the spurious one of two quick prompts (WDC-LIFE-002),
// unless the run's end may be what was not read.
func (w *worker) settled(ev *agents.Event, m mark) {
	r := &w.run
	r.terminal = true
	if r.open {
		if !w.doubt && !w.cut {
			return
		}
		r.stop(m, false)
	}
	r.settled, r.ended, r.retrying = true, false, false
	r.prompted, r.presumed, r.backingOff, r.compacting, r.due = false, false, false, false, false
	r.final.aborted = ev.Aborted
	w.boundary(m)
}

func (w *worker) messageStart(ev *agents.Event, m mark) {
	w.boundary(m)
	if ev.Role != agents.Assistant {
		return
	}
	r := &w.run
	r.within(m)
	r.closeTurn()
	r.message = true
	if !r.due {
		r.owe(m) // its request was not seen; the message is no token yet
	}
	if ev.Model != "" {
		r.modelName = ev.Model
		w.configure()
	}
}

func (w *worker) messageUpdate(ev *agents.Event, m mark) {
	r := &w.run
	if ev.Terminal {
		r.terminal = true
	}
	r.within(m)
	r.closeTurn() // a message streams: the ends of what was open were lost
	r.compacting = false
	r.message, r.streaming, r.due = true, true, false
	if ev.Words {
		r.trouble, r.refused = agents.TroubleNone, false
	}
	w.boundary(m) // in a message that streams nothing else is open
}

func (w *worker) messageEnd(ev *agents.Event, m mark) {
	w.boundary(m)
	switch ev.Role {
	case agents.Assistant:
		w.run.finish(&ev.Reply)
	case agents.User:
		w.loop.reset()
		w.run.owe(m)
	case agents.Result:
		w.run.endCall(ev.ID) // its end may have been lost
		w.run.saved(ev.ID)
		if len(w.run.calls) == 0 {
			w.run.owe(m)
		}
	}
}

// turnEnd holds the message once more, whose own end may have been lost or not understood.
func (w *worker) turnEnd(ev *agents.Event, m mark) {
	if w.run.message && ev.Role == agents.Assistant {
		w.run.finish(&ev.Reply)
	}
	w.run.closeTurn()
	w.boundary(m)
}

func (w *worker) retryStart(ev *agents.Event, m mark) {
	r := &w.run
	r.trouble, r.refused, r.ended, r.retrying = agents.TroubleNone, false, false, false
	r.backingOff = true
	w.retries++
	r.backoff = m.until(ev.Delay)
	r.backoff = r.backoff.until(w.limits.DeclaredGrace)
	r.owe(r.backoff)
	w.boundary(m)
}

func (w *worker) retryEnd(ev *agents.Event, m mark) {
	w.boundary(m)
	if ev.OK {
		return
	}
	r := &w.run
	r.backingOff, r.retrying, r.due = false, false, false
	if !r.open && !r.settled {
		r.ended, r.end = true, m
	}
}

// compactionStart counts from the first start: repeated markers do not extend it. One by command drops an open run
// without a further record, where there is no terminal event (docs/pi-formats.md, section 12).
func (w *worker) compactionStart(ev *agents.Event, m mark) {
	r := &w.run
	if r.compacting {
		return
	}
	if r.open && !r.terminal && ev.Manual {
		r.drop()
	}
	r.compacting, r.compaction = true, m
	w.boundary(m)
}

func (w *worker) compactionEnd(ev *agents.Event, m mark) {
	r := &w.run
	if r.open && w.doubt {
		r.stop(m, false) // no run is open beside a compaction: its end was not read
	}
	r.compacting = false
	w.resumed = later(w.resumed, m) // whatever it held up counts afresh
	if r.ended {
		r.end = m
	}
	if ev.Retry {
		r.ended = false
		r.owe(m)
	}
	w.boundary(m)
	w.compacted(ev, m)
}

// request opens a dialog.
func (w *worker) request(ev *agents.Event, m mark) {
	d := dialog{id: ev.ID, since: m, deadline: mark{at: never}}
	if w.run.call(w.run.lastCall) != nil {
		d.call = w.run.lastCall
	}
	if ev.Timeout > 0 {
		d.deadline = m.until(ev.Timeout)
	}
	w.run.ask(d)
}

// promptTaken takes the answer to a prompt.
func (w *worker) promptTaken(ev *agents.Event, m mark) {
	r := &w.run
	asked := r.prompted
	r.prompted = false
	bare := ev.Run == agents.RunUnsaid && asked
	if ev.OK && (bare || ev.Run == agents.RunStarts) && !r.open {
		r.owe(m)
		r.presumed = bare
	}
}

// sessionChanged forgets what ran in another session.
func (w *worker) sessionChanged() {
	r := &w.run
	w.run = run{
		terminal: r.terminal, modelName: r.modelName, head: r.head, revision: r.revision, tokens: r.tokens, cost: r.cost,
	}
	w.loop.reset()
	w.doubt = false
}

// inRecord takes what was sent to the worker. It is never progress.
func (w *worker) inRecord(ev *agents.Event, m mark) {
	r := &w.run
	switch ev.Kind {
	case agents.PromptSent:
		if !r.working() && !r.due && !r.prompted && !w.exit.proven {
			r.prompted, r.prompt = true, m
		}
	case agents.DialogAnswered:
		if r.answer(func(d *dialog) bool { return d.id == ev.ID }) {
			w.resumed = later(w.resumed, m)
		}
	}
}
