package fakepi

import (
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// asking is a prompt that the client has sent and whose run has not begun.
type asking struct {
	active   bool
	answered bool
	lost     int            // other prompts that were written right behind and answered too: only one of them runs
	ids      []native.Value // of its line, and of a second one written right behind; none in a one-shot
	message  queued
	alone    bool // what waits when the run begins came behind the prompt
	verb     script.Prompt
	since    time.Duration
	at       time.Duration // when Pi answers, or begins if it has answered; never
}

// startDelay is from the answer to a real client's prompt to its run: what is written meanwhile is right behind it.
const startDelay = time.Millisecond

// prompt is the verb prompt: the client's line, and later its answer. A one-shot has its prompt from the command line.
func (w *Worker) prompt(i int, a script.Prompt) {
	if w.busy() && w.playsClient() {
		c := w.sent(native.CmdPrompt, w.texts[i])
		w.prompted(request{id: c.ID, name: c.Name, body: native.Object{{Key: "message", Value: native.String(c.Message.V)}}})
		return
	}
	if why := w.unaskable(); why != "" && w.mode.OneShot() {
		w.abandon(why)
		return
	}
	var ids []native.Value
	if w.playsClient() {
		ids = append(ids, w.sent(native.CmdPrompt, w.texts[i]).ID)
		if a.Twice {
			ids = append(ids, w.sent(native.CmdPrompt, w.texts[i]).ID)
		}
	}
	w.take(asking{ids: ids, message: queued{text: w.texts[i]}, verb: a})
}

// take keeps a prompt until Pi answers, which may be now.
func (w *Worker) take(q asking) {
	q.active, q.since, q.at = true, w.now, never
	w.asking = q
	if takes := q.verb.Takes; !takes.Never && w.hears() {
		w.asking.at = w.now + takes.D
	}
	if w.asking.at == w.now {
		w.accept()
	}
}

// sent writes a client's command with a message and returns it as Pi reads it.
func (w *Worker) sent(name, text string) *native.Command {
	c := &native.Command{Name: name, Message: native.Some(text)}
	w.clientSends(c)
	return c
}

// accept answers the prompt and starts its run, that of a real client a moment later.
func (w *Worker) accept() {
	if w.asking.answered {
		w.begin()
		return
	}
	a := w.asking.verb
	disposition := "started"
	if a.Handled {
		disposition = "handled"
	}
	for _, id := range w.asking.ids {
		w.respondData(id, native.CmdPrompt, w.rules.disposition(disposition))
	}
	switch {
	case a.Handled:
		w.asking = asking{}
	case a.ResponseOnly:
		w.asking = asking{}
		w.request()
	case w.driven:
		w.asking.answered = true
		w.asking.at = max(w.now+startDelay, w.freeAt())
	default:
		w.begin()
	}
}

// begin starts the run of the prompt that was answered.
func (w *Worker) begin() {
	q := w.asking
	w.asking = asking{}
	if w.rules.earlySettled {
		w.settleEarly = len(q.ids) - 1 + q.lost
	}
	q.message.at = q.since
	later := w.steering
	if q.alone {
		w.steering = nil
	}
	w.startRun(q.message)
	if q.alone {
		w.steering = later
	}
}

// freeAt is when a delay or compaction ends in which a dialect takes prompts; never: that is not known yet.
func (w *Worker) freeAt() time.Duration {
	switch {
	case w.retries.waiting:
		return w.retries.until
	case w.compaction.active:
		return never
	}
	return w.now
}

// freed lets a prompt that was answered in a delay or compaction begin, and reports whether there is one.
func (w *Worker) freed() bool {
	if w.asking.answered {
		w.asking.at = w.now
	}
	return w.asking.answered
}

// queue is the verbs steer and follow_up.
func (w *Worker) queue(i int, name string) {
	m := queued{text: w.texts[i], at: w.now}
	queue := &w.steering
	if name == native.CmdFollowUp {
		queue = &w.followUp
	}
	if !w.playsClient() {
		w.enqueue(queue, m)
		return
	}
	c := w.sent(name, m.text)
	if w.hears() {
		w.enqueue(queue, m)
		w.respondData(c.ID, name, w.rules.disposition("queued"))
	}
}
