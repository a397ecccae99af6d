package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
)

// abort ends the run and answers the commands that asked for it. An open dialog keeps it waiting, a wedged worker does
// not obey (docs/pi-formats.md, section 7).
func (w *Worker) abort(ids []native.Value) {
	switch {
	case w.dialog.open:
		w.dialog.aborts = append(w.dialog.aborts[:len(w.dialog.aborts):len(w.dialog.aborts)], ids...)
		return
	case w.wedge != "":
		return
	case w.endsUnread():
		w.cutUnread.aborts = append(slices.Clip(w.cutUnread.aborts), ids...)
		return
	}
	if !w.compaction.active || w.rules.stopsCompaction {
		w.aborting = true
		w.abortRun()
	}
	for _, id := range ids {
		w.respond(id, native.CmdAbort, "")
	}
}

// abortRun ends whatever is under way.
func (w *Worker) abortRun() {
	if w.backpressure || w.cutUnread.active {
		w.endUnreadReply()
	}
	switch {
	case w.compaction.active:
		w.abortCompaction()
		if w.ended {
			w.settle(true)
		}
	case w.retries.waiting:
		w.cancelRetry()
		if w.asking.answered { // its run has begun, unseen
			w.begin()
			w.aborting = true
			w.abortTurn()
			w.endRun(false)
		}
		w.settle(true)
	case w.running:
		w.abortTurn()
		w.endRun(false)
		w.settle(true)
	case w.ended:
		w.settle(true)
	}
	w.owed, w.resumeAt = false, 0
}

// abortTurn ends the open turn: its calls and an empty reply after them, or the reply that streams or is due.
func (w *Worker) abortTurn() {
	switch {
	case len(w.calls) > 0 && !w.reply.open:
		w.abortCalls()
		w.rest = w.restBehindCalls()
		w.startTurn()
		if len(w.steering) > 0 {
			w.deliver() // Pi looks whether one waits before it looks at the abort
		}
		w.closeReply(ending{stop: "aborted", err: w.rules.abortedLate, instead: true})
		w.endTurn(nil)
	case w.reply.open:
		w.closeReply(w.endingOf("aborted"))
		w.endTurn(nil)
	case w.owed:
		w.closeReply(ending{stop: "aborted", err: w.rules.abortedRequest})
		w.endTurn(nil)
	case w.turn:
		w.endTurn(nil)
	}
	w.calls = nil
}

// abortCalls ends every call of the message.
func (w *Worker) abortCalls() {
	for i := range w.calls {
		c := &w.calls[i]
		if c.ended {
			continue
		}
		if !c.started {
			c.started, c.startAt = true, w.now
			w.print(&native.ToolStart{ToolCallID: c.id, ToolName: c.name, Args: c.args}, false)
		}
		if !c.begun && w.rules.beginsAborted {
			w.beginCall(c)
		}
		w.endCall(c, stopped(c))
	}
	w.sayResults()
}

// stopped is the outcome of a tool that was stopped, at work or before.
func stopped(c *call) outcome {
	if c.begun && c.name == "bash" {
		return outcome{note: "Command aborted", failed: true}
	}
	return outcome{text: "Operation aborted", failed: true, unrun: !c.begun}
}
