package engine

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// outRecord takes one record of the worker's stdout. Whatever it does not know changes nothing (WDC-OBS-002).
func (w *worker) outRecord(m mark) {
	s := w.skim
	if s.Kind == native.KindMalformed {
		return
	}
	if understood := w.dialectOf(s, m); !understood {
		return
	}
	w.sawOut = true
	if w.exit.proven {
		w.late()
		return
	}
	r := &w.run
	switch s.Kind {
	case native.KindAgentStart:
		if w.doubt {
			w.stand.known = false // what was taken to stand may have ended unseen
		}
		r.start(m)
		w.boundary(m)
	case native.KindAgentEnd:
		r.stop(m, s.WillRetry)
		w.boundary(m)
	case native.KindAgentSettled:
		w.settled(s, m)
	case native.KindTurnStart:
		r.within(m)
		r.closeTurn()
		r.owe(m)
		w.boundary(m)
	case native.KindTurnEnd:
		w.turnEnd(s, m)
	case native.KindMessageStart:
		w.messageStart(s, m)
	case native.KindMessageUpdate:
		w.messageUpdate(s, m)
	case native.KindMessageEnd:
		w.messageEnd(s, m)
	case native.KindToolStart:
		w.toolStart(s, m)
	case native.KindToolUpdate:
		w.toolUpdate(s, m)
	case native.KindToolEnd:
		w.toolEnd(s, m)
	default:
		w.betweenRuns(s, m)
	}
}

// streamsOn takes a record that does nothing but move the progress: one more update of a message that streams in peace.
// The worker is not judged afresh for it; the next look may come too early by as much, and is then set right.
func (w *worker) streamsOn(m mark) bool {
	r := &w.run
	if w.skim.Delta == native.DeltaNone || w.skim.Delta == native.DeltaOther || w.stand.name() != watchdog.VerdictStreaming ||
		r.terminal == w.skim.Cumulative || w.epi.open || w.doubt || w.cut || w.notes.attention >= w.progress.at {
		return false
	}
	w.progressed(m)
	return true
}

// betweenRuns takes the records that can stand anywhere: retries, compaction, dialogs, responses.
func (w *worker) betweenRuns(s *native.Skimmed, m mark) {
	switch s.Kind {
	case native.KindRetryStart:
		w.retryStart(s, m)
	case native.KindRetryEnd:
		w.retryEnd(s, m)
	case native.KindCompactionStart:
		w.compactionStart(s, m)
	case native.KindCompactionEnd:
		w.compactionEnd(s, m)
	case native.KindUIRequest:
		w.request(s, m)
	case native.KindResponse:
		w.response(s, m)
	}
}

// boundary is progress at which the phase is certain again.
func (w *worker) boundary(m mark) {
	w.progressed(m)
	w.doubt, w.cut = false, false
}

// settled takes the terminal event; inside an open run it is the spurious one of two quick prompts (WDC-LIFE-002),
// unless the run's end may be what was not read.
func (w *worker) settled(s *native.Skimmed, m mark) {
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
	r.final.aborted = s.Aborted
	w.boundary(m)
}

func (w *worker) messageStart(s *native.Skimmed, m mark) {
	w.boundary(m)
	if s.Role != native.RoleAssistant {
		return
	}
	r := &w.run
	r.within(m)
	r.closeTurn()
	r.message = true
	if !r.due {
		r.owe(m) // its request was not seen; the message is no token yet
	}
	if model := name(s.Model); model != "" {
		r.modelName = model
		w.configure()
	}
}

func (w *worker) messageUpdate(s *native.Skimmed, m mark) {
	r := &w.run
	if !s.Cumulative {
		r.terminal = true
	}
	r.within(m)
	r.closeTurn() // a message streams: the ends of what was open were lost
	r.compacting = false
	r.message, r.streaming, r.due = true, true, false
	if s.Delta == native.DeltaText || s.Delta == native.DeltaThinking || s.Delta == native.DeltaToolCall {
		r.trouble, r.refused = troubleNone, false
	}
	w.boundary(m) // in a message that streams nothing else is open
}

func (w *worker) messageEnd(s *native.Skimmed, m mark) {
	w.boundary(m)
	switch s.Role {
	case native.RoleAssistant:
		w.run.finish(s, w.wall)
	case native.RoleUser:
		w.loop.reset()
		w.run.owe(m)
	case native.RoleToolResult:
		w.run.endCall(name(s.ToolCallID)) // its end may have been lost
		w.run.saved(name(s.ToolCallID))
		if len(w.run.calls) == 0 {
			w.run.owe(m)
		}
	}
}

// turnEnd holds the message once more, whose own end may have been lost or not understood.
func (w *worker) turnEnd(s *native.Skimmed, m mark) {
	if w.run.message && s.Role == native.RoleAssistant {
		w.run.finish(s, w.wall)
	}
	w.run.closeTurn()
	w.boundary(m)
}

func (w *worker) retryStart(s *native.Skimmed, m mark) {
	r := &w.run
	r.trouble, r.refused, r.ended, r.retrying = troubleNone, false, false, false
	r.backingOff = true
	w.retries++
	r.backoff = m.until(s.Delay)
	r.backoff = r.backoff.until(w.limits.DeclaredGrace)
	r.owe(r.backoff)
	w.boundary(m)
}

func (w *worker) retryEnd(s *native.Skimmed, m mark) {
	w.boundary(m)
	if s.Success {
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
func (w *worker) compactionStart(s *native.Skimmed, m mark) {
	r := &w.run
	if r.compacting {
		return
	}
	if r.open && !r.terminal && string(s.Reason) == "manual" {
		r.drop()
	}
	r.compacting, r.compaction = true, m
	w.boundary(m)
}

func (w *worker) compactionEnd(s *native.Skimmed, m mark) {
	r := &w.run
	if r.open && w.doubt {
		r.stop(m, false) // no run is open beside a compaction: its end was not read
	}
	r.compacting = false
	w.resumed = later(w.resumed, m) // whatever it held up counts afresh
	if r.ended {
		r.end = m
	}
	if s.WillRetry {
		r.ended = false
		r.owe(m)
	}
	w.boundary(m)
	w.compacted(s, m)
}

// request opens a dialog for the methods that block; the rest is decoration (WDC-WAIT-002).
func (w *worker) request(s *native.Skimmed, m mark) {
	if !s.Method.Blocks() {
		return
	}
	d := dialog{id: idOf(s.ID), since: m, deadline: mark{at: never}}
	if w.run.call(w.run.lastCall) != nil {
		d.call = w.run.lastCall
	}
	if s.Timeout > 0 {
		d.deadline = m.until(s.Timeout)
	}
	w.run.ask(d)
}

// response takes the answers that change a run: to a prompt, and to a change of session.
func (w *worker) response(s *native.Skimmed, m mark) {
	r := &w.run
	switch string(s.Command) {
	case "prompt":
		asked := r.prompted
		r.prompted = false
		bare := s.Disposition == native.DispositionNone && asked
		if s.Success && (bare || s.Disposition == native.DispositionStarted) && !r.open {
			r.owe(m)
			r.presumed = bare
		}
	case "new_session", "switch_session", "fork", "clone":
		if s.Success && !s.Cancelled {
			w.run = run{
				terminal: r.terminal, modelName: r.modelName, head: r.head, revision: r.revision, tokens: r.tokens, cost: r.cost,
			}
			w.loop.reset()
			w.doubt = false
		}
	}
}

// inRecord takes one line that was sent to the worker's stdin. It is never progress.
func (w *worker) inRecord(m mark) {
	s := w.skim
	r := &w.run
	switch s.Kind {
	case native.KindPrompt:
		if !r.working() && !r.due && !r.prompted && !w.exit.proven {
			r.prompted, r.prompt = true, m
		}
	case native.KindUIResponse:
		id := idOf(s.ID)
		if r.answer(func(d *dialog) bool { return d.id == id }) {
			w.resumed = later(w.resumed, m)
		}
	}
}

// idOf is the id of a dialog, any JSON value. A string keeps its opening quote: the text of a number is not the number.
func idOf(text []byte) string {
	if len(text) >= 2 && text[0] == '"' {
		return `"` + nameOf(text)
	}
	return name(text)
}

// nameOf is name for an id that may be any JSON value.
func nameOf(text []byte) string {
	if len(text) >= 2 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	return name(text)
}

// name copies an id or name out of a line, unescaped and bounded.
func name(raw []byte) string { return debris.Bound(native.Unescape(raw)) }
