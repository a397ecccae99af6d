package engine

import (
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// sessionEntry takes one entry of a session file. The file shows finished messages only: no deltas, no dialogs, no
// starts and ends of tools. Where stdout is read as well, it says all of this better.
func (w *worker) sessionEntry(ev *agents.Event, m mark) {
	if w.hands != nil && ev.Parent != 0 {
		w.hands.fork(ev.Parent)
	}
	if w.sawOut {
		return
	}
	if w.exit.proven {
		w.late(ev)
		return
	}
	r := &w.run
	switch ev.Kind {
	case agents.MessageEnded:
		w.sessionMessage(ev, m)
	case agents.Retried:
		r.trouble, r.refused, r.ended, r.settled = agents.TroubleNone, false, false, false
		r.open = true
		r.owe(m)
		w.boundary(m)
	case agents.Compacted:
		w.boundary(m)
	}
}

func (w *worker) sessionMessage(ev *agents.Event, m mark) {
	r := &w.run
	switch ev.Role {
	case agents.User:
		if r.open {
			r.closeTurn() // a steer waits for open calls; what a killed process left open stays so on disk for ever
		} else {
			r.start(m)
		}
		r.owe(m)
	case agents.Assistant:
		r.ran = true // its beginning may have been lost
		r.finish(&ev.Reply)
		if r.called {
			w.sessionCalls(&ev.Reply, m)
			break
		}
		if !w.reports { // a terminal that reports its status says itself when the run ends
			r.stop(m, false)
			r.unsure = ev.Reply.Unsure
		}
	case agents.Result:
		r.final = final{} // another message follows
		r.endCall(ev.ID)
		r.anonymous = max(0, r.anonymous-1)
		r.owe(m) // but as long as a call is open, that is what it is in
	default:
		return
	}
	if w.spawn.Mode == watchdog.ModeTUI {
		r.due = false // whether a token has come shows on the screen alone
	}
	w.boundary(m)
}

// sessionCalls takes the calls of a message on disk. Of several the file shows no end until the slowest has ended, so
// that they are judged together and not one by one; a single one is known by its name.
func (w *worker) sessionCalls(reply *agents.Reply, m mark) {
	r := &w.run
	r.called = false
	switch {
	case reply.Calls > 1:
		r.anonymous = reply.Calls
	case reply.HasCall:
		w.openCall(reply.Single, m)
	default:
		r.anonymous = 1
	}
}
