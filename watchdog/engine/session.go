package engine

import "fakepi.example/fakepi/native"

// sessionEntry takes one entry of a session file. The file shows finished messages only: no deltas, no dialogs, no
// starts and ends of tools. Where stdout is read as well, it says all of this better.
func (w *worker) sessionEntry(m mark) {
	if w.sawOut {
		return
	}
	s := w.skim
	r := &w.run
	switch s.Kind {
	case native.KindMessageEntry:
		w.sessionMessage(s, m)
	case native.KindContextEdit: // a failed message was dropped for a retry
		r.trouble, r.refused, r.ended = troubleNone, false, false
		r.open = true
		r.owe(m)
		w.boundary(m)
	case native.KindCompactionEntry:
		w.boundary(m)
		w.compacted(s, m)
	}
}

func (w *worker) sessionMessage(s *native.Skimmed, m mark) {
	r := &w.run
	switch s.Role {
	case native.RoleUser:
		if r.open {
			r.closeTurn() // a steer waits for open calls; what a killed process left open stays so on disk for ever
		} else {
			r.start(m)
		}
		r.owe(m)
		w.loop.reset()
	case native.RoleAssistant:
		r.finish(s, w.wall)
		if r.called {
			r.called, r.anonymous = false, s.Calls
			break
		}
		r.stop(m, false)
	case native.RoleToolResult:
		if r.anonymous > 0 {
			r.anonymous--
		}
		if r.anonymous == 0 {
			r.owe(m)
		}
	default:
		return
	}
	w.boundary(m)
}
