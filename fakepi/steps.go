package fakepi

import (
	"cmp"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// ready reports whether Pi can do the script's next step now. What it cannot do yet waits, and with it all that follows.
func (w *Worker) ready(a script.Action) bool {
	switch a := a.(type) {
	case script.Prompt:
		if w.driven {
			return false // the client's comes by Send
		}
	case script.Compacts:
		if w.driven && (w.mode == script.ModeRPC || w.mode == script.ModeTUI) && a.Reason == "manual" {
			return false // as above
		}
	case script.Asks:
		return !w.dialog.open
	case script.Does:
		return !w.dialog.open && !w.begins()
	case script.Tool:
		return w.free() && !w.gated() && (!w.callsOpen() || w.callOf(w.next, a) >= 0)
	case script.Refused:
		return !w.holds() && !w.callsOpen()
	}
	return !waitsForCalls(a) || w.free() && !w.callsOpen()
}

// waitsForCalls reports whether a step cannot come while a call of the last message is open.
func waitsForCalls(a script.Action) bool {
	switch a := a.(type) {
	case script.Prompt, script.Opens, script.Says, script.Thinks, script.Reports, script.Calls, script.Closes, script.Settles,
		script.Retries, script.Compacts, script.Refused:
		return true
	case script.Ends:
		return a.Of == ""
	}
	return false
}

// holds reports whether something holds Pi up that ends by itself or by an answer.
func (w *Worker) holds() bool {
	return w.dialog.open && w.dialog.call == "" || w.retries.waiting || w.compaction.active || w.resumeAt > 0 || w.asking.active
}

// free reports whether nothing is under way but calls.
func (w *Worker) free() bool { return !w.holds() && !w.stream.active() }

// gated reports whether a call waits for an answer before it begins: the next one is not prepared before that.
func (w *Worker) gated() bool {
	c := w.callByID(w.dialog.call)
	return w.dialog.open && c != nil && !c.begun
}

// callsOpen reports whether a call of the last message has started or is still to end.
func (w *Worker) callsOpen() bool {
	if w.reply.open {
		return false
	}
	for i := range w.calls {
		if c := &w.calls[i]; c.open() {
			return true
		}
	}
	return false
}

// playNext plays the script's next step. One that waited makes the rest of the script as late.
func (w *Worker) playNext() {
	i := w.next
	s := &w.steps[i]
	w.next++
	w.shift = max(w.shift, w.now-s.At)
	switch {
	case w.exited != nil:
		switch a := s.Action.(type) {
		case script.EOF:
			w.closeStream(a.Stream)
		case script.Does: // by a child that lives on
			w.does(i, a)
		}
	case w.dropped(s.Action):
	default:
		w.playStep(i, s.Action)
	}
}

// dropped reports whether nothing comes of a step: its run is gone, or all is silent for ever.
func (w *Worker) dropped(a script.Action) bool {
	switch a.(type) {
	case script.Steer, script.FollowUp:
		return w.driven
	case script.Prompt:
		return w.mode.OneShot() && w.leave != nil
	case script.Exits, script.Killed, script.EOF, script.Raw, script.Lingers, script.Stalls, script.Wedges:
		return false
	case script.Chatter, script.Notifies:
		return !w.hears()
	}
	if w.stalled {
		return true
	}
	switch a := a.(type) {
	case script.Compacts:
		return a.Reason != "manual" && (!w.running && !w.ended || !javascript.Truthy(w.autoCompaction()))
	case script.Asks:
		return !w.busy() && !w.asking.active && w.inRun()
	case script.Retries, script.Settles:
		return !w.running && !w.ended
	case script.Ends:
		return a.Of == "" && !w.running
	}
	return !w.running
}

// inRun reports whether the script has the step being played in a run, and not before or between them.
func (w *Worker) inRun() bool {
	for _, s := range slices.Backward(w.steps[:w.next-1]) {
		switch a := s.Action.(type) {
		case script.Settles:
			return false
		case script.Prompt:
			return !a.Handled && !a.ResponseOnly
		}
	}
	return false
}

func (w *Worker) playStep(i int, a script.Action) {
	switch a := a.(type) {
	case script.Prompt:
		w.prompt(i, a)
	case script.Steer:
		w.queue(i, native.CmdSteer)
	case script.FollowUp:
		w.queue(i, native.CmdFollowUp)
	case script.Opens:
		w.opens(a)
	case script.Reports:
		w.reply.reported, w.metered = &a, true
	case script.Says:
		w.stream = newStream(blockText, w.texts[i], a.Over, a.Chunks, w.now)
	case script.Thinks:
		if a.Text != (script.Text{}) {
			w.stream = newStream(blockThinking, w.texts[i], a.Over, a.Chunks, w.now)
		}
	case script.Calls:
		w.streamCall(i, a)
	case script.Tool:
		w.startTool(i, a)
	case script.Closes:
		w.closes(a)
	case script.Ends:
		w.ends(a)
	case script.Refused:
		w.refused(i, a)
	case script.Retries:
		w.retry(a)
	case script.Compacts:
		w.compact(i, a)
	case script.Settles:
		w.settles()
	default:
		w.playAside(i, a)
	}
}

// playAside plays the steps that concern the process or its surroundings more than the run.
func (w *Worker) playAside(i int, a script.Action) {
	switch a := a.(type) {
	case script.Does:
		w.does(i, a)
	case script.Asks:
		w.ask(a)
	case script.Notifies:
		w.startNoise(i, a.Every, a.Over)
	case script.Chatter:
		w.startNoise(i, a.Every, a.Over)
	case script.Raw:
		w.startNoise(i, a.Every, a.Over)
	case script.Stalls:
		w.stall()
	case script.Wedges:
		w.wedged(a.How)
	case script.Lingers:
		w.linger = true
		if w.reap {
			w.leave, w.reap = nil, false
		}
	case script.Exits:
		w.exits(i, a)
	case script.Killed:
		w.exit(Exit{Code: -1, Signal: a.Signal})
	case script.EOF:
		w.closeStream(a.Stream)
	}
}

// opens is the verb opens.
func (w *Worker) opens(a script.Opens) {
	w.answered()
	if !a.Headers {
		w.identify()
	}
}

// closes is the verb closes: the message ends, and its turn where no call is to run.
func (w *Worker) closes(a script.Closes) {
	stop := w.stopOf(a)
	w.ensureTurn()
	w.closeReply(w.endingOf(stop))
	if stop != "aborted" && len(w.calls) > 0 {
		return
	}
	w.calls = nil
	w.endTurn(nil)
	if stop == "stop" && !w.nextTurn(true) && w.driven && w.speaksOn() {
		w.rest = w.restFrom(w.next, w.steps[w.next-1].At)
		w.endRun(false)
		w.settle(false)
	}
}

// stopOf is why a message closes.
func (w *Worker) stopOf(a script.Closes) string {
	switch {
	case a.Stop != "":
		return string(a.Stop)
	case w.reply.open && len(w.calls) > 0:
		return "toolUse"
	}
	return "stop"
}

// ends is the verb ends: of a tool or compaction that runs never, or of the run.
func (w *Worker) ends(a script.Ends) {
	if a.Of == "" {
		if w.close(cmp.Or(string(a.Stop), "stop")) {
			w.endRun(a.WillRetry)
		}
		return
	}
	if w.compaction.active && w.compaction.label == a.Of {
		w.endCompaction()
		return
	}
	for i := range w.calls {
		if c := &w.calls[i]; c.open() && c.step >= 0 && w.steps[c.step].Label == a.Of {
			w.endNow(c)
			return
		}
	}
}

// endNow ends a call that would have run on.
func (w *Worker) endNow(c *call) {
	if !c.begun {
		w.beginCall(c)
	}
	w.changeWorld(c)
	w.endCall(c, outcome{failed: c.fails(), exited: true})
	w.endBatch()
}

// settles is the verb settles.
func (w *Worker) settles() {
	if !w.close("stop") {
		return
	}
	if w.running {
		w.endRun(false)
	}
	w.settle(false)
}
