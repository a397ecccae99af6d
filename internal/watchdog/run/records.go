package run

import (
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// outRecord takes one record of the worker's stdout. Whatever its reader does not know changes nothing (WDC-OBS-002).
func (w *Worker) outRecord(ev *agents.Event, m Mark) {
	if ev.Kind == agents.Noise && !ev.Known {
		return
	}
	if understood := w.dialectOf(ev, m); !understood {
		return
	}
	w.sawOut = true
	if w.Exit.Proven {
		w.late(ev)
		return
	}
	r := &w.Run
	switch ev.Kind {
	case agents.RunBegan:
		if w.Doubt {
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
func (w *Worker) streamsOn(ev *agents.Event, m Mark) bool {
	if ev.Kind != agents.Delta || w.stand.name() != watchdog.VerdictStreaming || w.Run.terminal != ev.Terminal ||
		w.alarm.open || w.Doubt || w.cut || w.notes.attention >= w.Progress.At {
		return false
	}
	w.progressed(m)
	return true
}

// betweenRuns takes the records that can stand anywhere: retries, compaction, dialogs, answers to commands.
func (w *Worker) betweenRuns(ev *agents.Event, m Mark) {
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
func (w *Worker) boundary(m Mark) {
	w.progressed(m)
	w.Doubt, w.cut = false, false
}

// settled takes the terminal event; inside an open run it is the spurious one of two quick prompts (WDC-LIFE-002),
// unless the run's end may be what was not read.
func (w *Worker) settled(ev *agents.Event, m Mark) {
	r := &w.Run
	r.terminal = true
	if r.Open {
		if !w.Doubt && !w.cut {
			return
		}
		r.stop(m, false)
	}
	r.settled, r.Ended, r.retrying = true, false, false
	r.Prompted, r.presumed, r.backingOff, r.Compacting, r.due = false, false, false, false, false
	r.final.aborted = ev.Aborted
	w.boundary(m)
}

func (w *Worker) messageStart(ev *agents.Event, m Mark) {
	w.boundary(m)
	if ev.Role != agents.Assistant {
		return
	}
	r := &w.Run
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

func (w *Worker) messageUpdate(ev *agents.Event, m Mark) {
	r := &w.Run
	if ev.Terminal {
		r.terminal = true
	}
	r.within(m)
	r.closeTurn() // a message streams: the ends of what was open were lost
	r.Compacting = false
	r.message, r.streaming, r.due = true, true, false
	if ev.Words {
		if r.refused && r.trouble == agents.TroubleAuth {
			w.mended = m.N
		}
		r.trouble, r.refused = agents.TroubleNone, false
	}
	w.boundary(m) // in a message that streams nothing else is open
}

func (w *Worker) messageEnd(ev *agents.Event, m Mark) {
	w.boundary(m)
	switch ev.Role {
	case agents.Assistant:
		w.Run.finish(&ev.Reply)
		if stop := ev.Reply.Stop; stop != agents.StopError && stop != agents.StopAborted {
			w.loop.worked()
		}
	case agents.User:
		w.loop.reset()
		w.Run.owe(m)
	case agents.Result:
		w.Run.endCall(ev.ID) // its end may have been lost
		w.Run.saved(ev.ID)
		if len(w.Run.Calls) == 0 {
			w.Run.owe(m)
		}
	}
}

// turnEnd holds the message once more, whose own end may have been lost or not understood.
func (w *Worker) turnEnd(ev *agents.Event, m Mark) {
	if w.Run.message && ev.Role == agents.Assistant {
		w.Run.finish(&ev.Reply)
	}
	w.Run.closeTurn()
	w.boundary(m)
}

func (w *Worker) retryStart(ev *agents.Event, m Mark) {
	r := &w.Run
	r.trouble, r.refused, r.Ended, r.retrying = agents.TroubleNone, false, false, false
	r.backingOff = true
	w.Retries++
	r.backoff = m.Until(ev.Delay)
	r.backoff = r.backoff.Until(w.Limits.DeclaredGrace)
	r.owe(r.backoff)
	w.boundary(m)
}

func (w *Worker) retryEnd(ev *agents.Event, m Mark) {
	w.boundary(m)
	if ev.OK {
		return
	}
	r := &w.Run
	r.backingOff, r.retrying, r.due = false, false, false
	if !r.Open && !r.settled {
		r.Ended, r.End = true, m
	}
}

// compactionStart counts from the first start: repeated markers do not extend it. One by command drops an open run
// without a further record, where there is no terminal event (docs/pi-formats.md, section 12).
func (w *Worker) compactionStart(ev *agents.Event, m Mark) {
	r := &w.Run
	if r.Compacting {
		return
	}
	if r.Open && !r.terminal && ev.Manual {
		r.drop()
	}
	r.Compacting, r.compaction = true, m
	w.boundary(m)
}

func (w *Worker) compactionEnd(ev *agents.Event, m Mark) {
	r := &w.Run
	if r.Open && w.Doubt {
		r.stop(m, false) // no run is open beside a compaction: its end was not read
	}
	r.Compacting = false
	w.Resumed = later(w.Resumed, m) // whatever it held up counts afresh
	if r.Ended {
		r.End = m
	}
	if ev.Retry {
		r.Ended = false
		r.owe(m)
	}
	w.boundary(m)
	w.compacted(ev, m)
}

// request opens a dialog.
func (w *Worker) request(ev *agents.Event, m Mark) {
	d := dialog{id: ev.ID, since: m, deadline: Mark{At: never}}
	if w.Run.call(w.Run.lastCall) != nil {
		d.call = w.Run.lastCall
	}
	if ev.Timeout > 0 {
		d.deadline = m.Until(ev.Timeout)
	}
	w.Run.ask(d)
}

// promptTaken takes the answer to a prompt.
func (w *Worker) promptTaken(ev *agents.Event, m Mark) {
	r := &w.Run
	asked := r.Prompted
	r.Prompted = false
	bare := ev.Run == agents.RunUnsaid && asked
	if ev.OK && (bare || ev.Run == agents.RunStarts) && !r.Open {
		r.owe(m)
		r.presumed = bare
	}
}

// sessionChanged forgets what ran in another session.
func (w *Worker) sessionChanged() {
	r := &w.Run
	w.Run = Model{
		terminal: r.terminal, modelName: r.modelName, head: r.head, revision: r.revision, Tokens: r.Tokens, Cost: r.Cost,
	}
	w.loop.reset()
	w.Doubt = false
}

// inRecord takes what was sent to the worker. It is never progress.
func (w *Worker) inRecord(ev *agents.Event, m Mark) {
	r := &w.Run
	switch ev.Kind {
	case agents.PromptSent:
		if !r.working() && !r.due && !r.Prompted && !w.Exit.Proven {
			r.Prompted, r.Prompt = true, m
		}
	case agents.DialogAnswered:
		if r.answer(func(d *dialog) bool { return d.id == ev.ID }) {
			w.Resumed = later(w.Resumed, m)
		}
	}
}
