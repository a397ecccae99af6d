package run

import (
	"slices"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// sessionEntry takes one entry of a session file. The file shows finished messages only: no deltas, no dialogs, no
// starts and ends of tools. Where stdout is read as well, it says all of this better.
func (w *Worker) sessionEntry(ev *agents.Event, m Mark) {
	if w.acts && ev.Parent != 0 {
		w.forks.add(ev.Parent)
	}
	if w.sawOut {
		return
	}
	if w.Exit.Proven {
		w.late(ev)
		return
	}
	r := &w.Run
	switch ev.Kind {
	case agents.MessageEnded:
		w.sessionMessage(ev, m)
	case agents.Retried:
		r.trouble, r.refused, r.Ended, r.settled = agents.TroubleNone, false, false, false
		r.Open = true
		r.owe(m)
		w.boundary(m)
	case agents.Compacted:
		w.boundary(m)
	}
}

func (w *Worker) sessionMessage(ev *agents.Event, m Mark) {
	r := &w.Run
	switch ev.Role {
	case agents.User:
		if r.Open {
			r.closeTurn() // a steer waits for open calls; what a killed process left open stays so on disk for ever
		} else {
			r.start(m)
		}
		r.owe(m)
	case agents.Assistant:
		r.Ran = true // its beginning may have been lost
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
	if w.Spawn.Mode == watchdog.ModeTUI {
		r.due = false // whether a token has come shows on the screen alone
	}
	w.boundary(m)
}

// sessionCalls takes the calls of a message on disk. Of several the file shows no end until the slowest has ended, so
// that they are judged together and not one by one; a single one is known by its name.
func (w *Worker) sessionCalls(reply *agents.Reply, m Mark) {
	r := &w.Run
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

// forks finds a fork in a session file: two messages with one parent were written by two processes, or by one that went
// back in its tree. Nobody resumes such a session unasked (WDC-FENCE-004).
type forks struct {
	parents []uint64 // of the last messages
	found   bool
}

// keptParents is how many parents of entries are remembered.
const keptParents = 32

func (f *forks) add(parent uint64) {
	f.found = f.found || slices.Contains(f.parents, parent)
	f.parents = lastOf(append(f.parents, parent), keptParents)
}

// Forked reports whether a fork was found in the session file.
func (w *Worker) Forked() bool { return w.forks.found }

// lastOf returns the last n elements of a list, or all.
func lastOf[E any](list []E, n int) []E { return list[max(0, len(list)-n):] }
