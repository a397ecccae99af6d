package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

const (
	errBusy       = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message."
	errCompacting = "Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry."
)

// message reads the text of a command; failure is JavaScript's complaint about one that is none.
func (w *Worker) message(r request) (m queued, failure string) {
	v := r.body.Get("message")
	if failure = javascript.NotString(v, "text", "startsWith"); failure != "" {
		return queued{}, failure
	}
	text, _ := v.(native.String)
	return queued{text: string(text), at: w.now, fromOther: true}, ""
}

// prompted is the command prompt.
func (w *Worker) prompted(r request) {
	m, failure := w.message(r)
	behavior := r.body.Get("streamingBehavior")
	switch {
	case failure != "":
		w.respond(r.id, r.name, failure)
	case w.asking.answered && !w.joinsRetry(): // Pi has not begun with the one before, and will not with this one
		w.asking.lost++
		w.respondData(r.id, r.name, w.rules.disposition("started"))
	case w.asking.active && w.rules.idleInDelay && !w.joinsRetry():
		w.asking.ids = append(slices.Clip(w.asking.ids), r.id)
	case w.compaction.manual():
		w.promptedInCompaction(r)
	case w.streaming():
		w.promptedInRun(r, m, behavior)
	default:
		w.promptedIdle(r, m)
	}
}

// promptedInRun is a prompt for a running agent, which must say how it is to be queued.
func (w *Worker) promptedInRun(r request, m queued, behavior native.Value) {
	answer := &native.Response{ID: r.id, Command: native.Some(r.name)}
	if !javascript.Truthy(behavior) {
		answer.Error = native.Some(errBusy)
		w.printIn(w.rules.joins, answer)
		return
	}
	if answer.Error = native.Some(w.attach(&m, r.body.Get("images"))); answer.Error.V != "" {
		w.printIn(w.rules.joins, answer)
		return
	}
	answer.Success, answer.Error, answer.Data = true, native.Opt[string]{}, w.rules.disposition("queued")
	w.inTurn(w.rules.joins.acts, func(w *Worker) {
		queue := &w.steering
		if behavior == native.Value(native.String("followUp")) {
			queue = &w.followUp
		}
		w.enqueue(queue, m)
	})
	w.printIn(w.rules.joins, answer)
}

// promptedIdle is a prompt that gets a run: now, or where a delay is not over yet behind that.
func (w *Worker) promptedIdle(r request, m queued) {
	if w.ended && w.freeAt() == w.now {
		w.settle(false)
	}
	w.flushBash()
	if why := w.unaskable(); why != "" {
		w.respond(r.id, r.name, why)
		return
	}
	if failure := w.illustrate(&m, r.body.Get("images")); failure != "" {
		w.respond(r.id, r.name, failure)
		return
	}
	if _, named := w.named(m.text); w.driven && (named || !w.retryAnswered()) {
		w.replyTo(r.id, m)
		return
	}
	if w.otherClients {
		w.serveOther()
	}
	w.respondData(r.id, r.name, w.rules.disposition("started"))
	if at := w.freeAt(); at > w.now {
		w.asking = asking{active: true, answered: true, message: m, since: w.now, at: at, alone: !w.waiting()}
		return
	}
	w.startRun(m)
}

// streaming reports whether Pi takes a prompt for one into a running agent.
func (w *Worker) streaming() bool {
	if w.rules.idleInDelay {
		return w.running || w.joinsRetry()
	}
	return w.running || w.ended || w.asking.active
}

// joinsRetry reports whether a prompt was accepted in a delay: its agent runs from then on, though no event says so before
// the delay is over.
func (w *Worker) joinsRetry() bool { return w.asking.answered && w.retries.waiting }

// promptedInCompaction is refused, or accepted for a run that nobody sees: the session listens to the summary alone.
func (w *Worker) promptedInCompaction(r request) {
	if w.rules.idleInDelay {
		w.respondData(r.id, r.name, w.rules.disposition("started"))
		return
	}
	w.respond(r.id, r.name, errCompacting)
}

// steered is the commands steer and follow_up. An idle Pi keeps the message for the next run.
func (w *Worker) steered(r request) {
	m, failure := w.message(r)
	if failure == "" {
		failure = w.attach(&m, r.body.Get("images"))
	}
	if failure != "" {
		w.respond(r.id, r.name, failure)
		return
	}
	queue := &w.steering
	if r.name == native.CmdFollowUp {
		queue = &w.followUp
	}
	w.enqueue(queue, m)
	w.respondData(r.id, r.name, w.rules.disposition("queued"))
}

// clearQueue is the command clear_queue.
func (w *Worker) clearQueue(r request) {
	data := &native.QueueData{Steering: textsOf(w.steering), FollowUp: textsOf(w.followUp)}
	w.steering, w.followUp = nil, nil
	w.printQueue()
	w.respondData(r.id, r.name, data)
}

// aborted is the command abort.
func (w *Worker) aborted(r request) {
	turn := 0
	switch {
	case w.retries.waiting && !w.rules.idleInDelay:
		turn = turnUndelayed
	case w.retries.waiting && !w.asking.answered:
		turn = turnUndelayedIdle
	case w.busy():
		turn = turnAborts
	}
	if w.heard != nil && !w.asking.answered {
		w.inTurn(turnDelay, (*Worker).cutDelay)
	}
	w.inTurn(turn, func(w *Worker) { w.abort([]native.Value{r.id}) })
}

// abortRetry is the command abort_retry. Where messages wait, some dialects go on with them.
func (w *Worker) abortRetry(r request) {
	if !w.retries.waiting {
		w.respond(r.id, r.name, "")
		return
	}
	w.inTurn(turnDelay, (*Worker).cutDelay)
	w.respond(r.id, r.name, "")
	w.inTurn(turnAborts, (*Worker).goOnUnretried)
}

// cutDelay ends the delay before a retry, unless another command of the same read has.
func (w *Worker) cutDelay() {
	if w.retries.waiting && !w.dialog.open && w.wedge == "" {
		w.cancelRetry()
	}
}

// goOnUnretried is what follows when a delay was cancelled, unless an abort of the same read has ended the work.
func (w *Worker) goOnUnretried() {
	if !w.ended {
		return
	}
	if w.rules.terminal && w.waiting() {
		if w.driven && w.rest.step > 0 {
			w.next, w.shift = w.rest.step, w.now-w.rest.asked // the request comes now, and not behind the delay
		}
		w.startRun()
		return
	}
	w.settle(false)
}

// retryAnswered reports whether the script has a reply behind the delay under way: the request that follows gets it, whoever
// has prompted meanwhile.
func (w *Worker) retryAnswered() bool {
	if !w.retries.waiting || w.next == len(w.steps) {
		return false
	}
	_, prompt := w.steps[w.next].Action.(script.Prompt)
	return !prompt
}

// busy reports whether Pi has work that has not settled.
func (w *Worker) busy() bool { return w.running || w.ended || w.compaction.active }

// State is what get_state says at an instant: a run has not settled, a delay included; a compaction is under way; and how
// many messages wait.
func (w *Worker) State(now time.Duration) (streaming, compacting bool, pending int) {
	streaming = w.running || w.joinsRetry() || w.ended && !w.rules.idleInDelay
	return streaming, w.compaction.active, len(w.steering) + len(w.followUp)
}
