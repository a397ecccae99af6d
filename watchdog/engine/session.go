package engine

import (
	"encoding/json"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// sessionEntry takes one entry of a session file. The file shows finished messages only: no deltas, no dialogs, no
// starts and ends of tools. Where stdout is read as well, it says all of this better.
func (w *worker) sessionEntry(line []byte, m mark) {
	if w.hands != nil && w.skim.Kind == native.KindMessageEntry {
		w.hands.fork(w.skim.ParentID)
	}
	if w.sawOut {
		return
	}
	if w.exit.proven {
		w.late()
		return
	}
	s := w.skim
	r := &w.run
	w.dialect.detector.Observe(s)
	switch s.Kind {
	case native.KindMessageEntry:
		w.sessionMessage(line, m)
	case native.KindContextEdit: // a failed message was dropped for a retry
		r.trouble, r.refused, r.ended, r.settled = troubleNone, false, false, false
		r.open = true
		r.owe(m)
		w.boundary(m)
	case native.KindCompactionEntry:
		w.boundary(m)
	}
}

func (w *worker) sessionMessage(line []byte, m mark) {
	s, r := w.skim, &w.run
	switch s.Role {
	case native.RoleUser:
		if r.open {
			r.closeTurn() // a steer waits for open calls; what a killed process left open stays so on disk for ever
		} else {
			r.start(m)
		}
		r.owe(m)
	case native.RoleAssistant:
		r.ran = true // its beginning may have been lost
		r.finish(s, w.wall)
		if r.called {
			w.sessionCalls(line, m)
			break
		}
		if !w.pty.seen { // a terminal that reports its status says itself when the run ends
			r.stop(m, false)
			r.unsure = w.mayRetry(s)
		}
	case native.RoleToolResult:
		r.final = final{} // another message follows
		r.endCall(name(s.ToolCallID))
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

// mayRetry reports whether a failed message may be followed by a retry of which the file tells nothing: only newer
// dialects drop the message by an entry.
func (w *worker) mayRetry(s *native.Skimmed) bool {
	dialect, _ := w.dialect.detector.Dialect()
	return s.Stop == native.StopError && w.run.trouble == troubleNone && dialect != native.Pi16
}

// sessionCalls takes the calls of a message on disk. Of several the file shows no end until the slowest has ended, so
// that they are judged together and not one by one; a single one is known by its name.
func (w *worker) sessionCalls(line []byte, m mark) {
	r := &w.run
	r.called = false
	if w.skim.Calls > 1 {
		r.anonymous = w.skim.Calls
		return
	}
	var entry struct {
		Message struct {
			Content []struct {
				Type                string
				ID, Name, Arguments json.RawMessage
			}
		}
	}
	_ = json.Unmarshal(line, &entry) // where it fails, nothing is known but that there is a call
	for _, b := range entry.Message.Content {
		if b.Type == "toolCall" {
			w.openCall(nameOf(b.ID), nameOf(b.Name), b.Arguments, m)
		}
	}
	if len(r.calls) == 0 {
		r.anonymous = 1
	}
}
