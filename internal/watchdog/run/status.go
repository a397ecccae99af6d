package run

import "fakepi.example/internal/watchdog/agents"

// terminalDialog is the id of the dialog that a terminal reports; it has no other.
const terminalDialog = "terminal"

// status takes what a terminal reports of its program into the run. What is read of a terminal after its program's exit opens nothing.
func (w *Worker) status(ev *agents.Event, m Mark) {
	if w.Exit.Proven {
		return
	}
	r := &w.Run
	r.terminal = true
	w.Doubt, w.cut = false, false // whatever was lost, this is its state
	if ev.State != agents.StateBlocked && r.answer(func(d *dialog) bool { return d.id == terminalDialog }) {
		w.Resumed = later(w.Resumed, m)
	}
	switch ev.State {
	case agents.StateWorking:
		if !r.Open {
			r.start(m)
			r.due = false // the terminal does not show when a request is due
			w.boundary(m)
		}
	case agents.StateBlocked:
		if len(r.dialogs) == 0 {
			r.ask(dialog{id: terminalDialog, since: m, deadline: Mark{At: never}})
		}
	case agents.StateDone:
		r.stop(m, false)
		r.settled, r.Ended = true, false
		w.boundary(m)
	case agents.StateFailed:
		r.stop(m, false)
		r.settled, r.Ended = true, false
		r.final = final{seen: true, stop: agents.StopError}
		r.trouble = ev.Trouble
		r.refused = r.trouble != agents.TroubleNone
		w.boundary(m)
	case agents.StateIdle:
		if r.Open {
			r.stop(m, false)
			r.settled, r.Ended = true, false
			r.final.aborted = true
			w.boundary(m)
		}
	}
}
