package fakepi

import (
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// asking is a prompt that the scripted client has sent and Pi has not answered.
type asking struct {
	active bool
	ids    []native.Value // of its line, and of a second one written right behind; none in a one-shot
	text   string
	step   int
	since  time.Duration
	at     time.Duration // when Pi answers; never
}

// prompt is the verb prompt: the client's line, and later its answer. A one-shot has its prompt from the command line.
func (w *Worker) prompt(i int, a script.Prompt) {
	if w.busy() && w.playsClient() {
		w.prompted(w.sent(native.CmdPrompt, w.texts[i]))
		return
	}
	var ids []native.Value
	if w.playsClient() {
		ids = append(ids, w.sent(native.CmdPrompt, w.texts[i]).ID)
		if a.Twice {
			ids = append(ids, w.sent(native.CmdPrompt, w.texts[i]).ID)
		}
	}
	w.take(asking{ids: ids, text: w.texts[i], step: i}, a)
}

// take keeps a prompt until Pi answers, which may be now.
func (w *Worker) take(q asking, a script.Prompt) {
	q.active, q.since, q.at = true, w.now, never
	w.asking = q
	if !a.Takes.Never && w.hears() {
		w.asking.at = w.now + a.Takes.D
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

// accept answers the prompt and starts its run.
func (w *Worker) accept() {
	asked := w.asking
	a := w.steps[asked.step].Action.(script.Prompt)
	w.asking = asking{}
	disposition := "started"
	if a.Handled {
		disposition = "handled"
	}
	for _, id := range asked.ids {
		w.respondData(id, native.CmdPrompt, w.rules.disposition(disposition))
	}
	switch {
	case a.Handled:
	case a.ResponseOnly:
		w.request()
	default:
		w.settleEarly = w.rules.earlySettled && len(asked.ids) > 1
		w.startRun(queued{text: asked.text, at: asked.since})
	}
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
