package fakepi

import (
	"iter"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/tui"
)

// typed is bytes that the terminal sends: keys, and its answers to questions.
func (w *Worker) typed(data []byte) {
	w.act(w.tui.ui.Type(w.now, data))
	w.written(false)
}

// act does what keys ask for. Once the worker is on its way out they ask for nothing.
func (w *Worker) act(actions iter.Seq[tui.Action]) {
	for a := range actions {
		switch {
		case w.leaving() || !w.alive():
			return
		case w.takesPick(a):
			continue
		}
		switch a.Kind {
		case tui.Submit:
			w.submit(a.Text)
		case tui.FollowUp:
			w.submitLater(a.Text)
		case tui.Interrupt:
			w.interrupt()
		case tui.Dequeue:
			w.dequeue()
		case tui.Answer:
			w.answerKeys(&native.UIResponse{Value: native.Some(a.Text)})
		case tui.Cancel:
			w.answerKeys(&native.UIResponse{Cancelled: native.Some(true)})
		case tui.Exit:
			w.quit()
		case tui.Suspend:
			w.suspend()
		case tui.NextModel:
			w.cycleModel(request{name: native.CmdCycleModel})
		case tui.NextLevel:
			w.cycleThinkingLevel(request{name: native.CmdCycleThinkingLevel})
		case tui.Models:
			w.pickModel("")
		}
		w.written(false)
	}
}

// submit is a text with enter: a command, a steer into the run, or a prompt.
func (w *Worker) submit(text string) {
	if w.order(text) {
		return
	}
	w.tui.ui.Remember(text)
	switch {
	case w.losesPrompt():
	case w.busy():
		w.enqueue(&w.steering, queued{text: text, at: w.now, fromOther: true})
	case w.driven:
		w.flushBash()
		w.replyTo(nil, queued{text: text, at: w.now, fromOther: true})
	default:
		w.startRun(queued{text: text, at: w.now, fromOther: true})
	}
}

// losesPrompt reports whether nobody waits for a prompt: Pi 0.73 does not before the run is over that one began, and knows
// of none in the delay before a retry, or behind a session that it left in a run.
func (w *Worker) losesPrompt() bool {
	return !w.rules.tuiByHand && w.driven && (w.retries.waiting || w.tui.lost && !w.busy())
}

func (w *Worker) submitLater(text string) {
	if !w.busy() || w.losesPrompt() {
		w.submit(text)
		return
	}
	w.tui.ui.Remember(text)
	w.enqueue(&w.followUp, queued{text: text, at: w.now, fromOther: true})
}

// interrupt is escape: it ends what is under way, and what waits goes back to the prompt.
func (w *Worker) interrupt() {
	switch {
	case w.retries.waiting:
		w.abortRetry(request{name: native.CmdAbortRetry})
	case w.compaction.active: // what waits does not go back
		w.abortCompaction()
	case w.busy():
		w.dequeue()
		w.abort(nil)
	case len(w.bashes) > 0:
		w.cancelBash()
	default:
		if w.tui.ui.Escape(w.now) {
			w.pickNothing("Session Tree")
		}
	}
}

// dequeue puts the messages that wait back to the prompt.
func (w *Worker) dequeue() {
	texts := append(textsOf(w.steering), textsOf(w.followUp)...)
	if len(texts) == 0 {
		return
	}
	w.steering, w.followUp = nil, nil
	w.printQueue()
	w.tui.ui.Edit(w.now, strings.Join(texts, "\n\n"))
}

// answerKeys takes an answer to the dialog, from which the user's yes and no are read as Pi reads them.
func (w *Worker) answerKeys(u *native.UIResponse) {
	r := w.dialog.react(u)
	if u.Value.Set && u.Value.V == tui.No && len(w.dialog.asks.Options) == 0 {
		r = reactionNo
	}
	w.answer(r)
}

// paintAnswered shows that the dialog has closed, however that came. Behind the menu the program begins.
func (w *Worker) paintAnswered() {
	if w.tui.ui == nil {
		return
	}
	if !w.tui.open {
		w.tui.ui.CloseMenu(w.now)
		w.openScreen()
		return
	}
	w.tui.ui.Unask(w.now)
	w.unblock()
	w.written(false)
}
