package fakepi

import (
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// asking is a prompt that the scripted client has sent and Pi has not answered.
type asking struct {
	active bool
	id     string
	second string // id of a second line, written right behind
	step   int
	since  time.Duration
	at     time.Duration // when Pi answers; never
}

// prompt is the verb prompt: the client's line, and later its answer. A one-shot has its prompt from the command line.
func (w *Worker) prompt(i int, a script.Prompt) {
	if w.busy() && w.mode == script.ModeRPC {
		w.prompted(w.sent(native.CmdPrompt, w.texts[i]))
		return
	}
	w.asking = asking{active: true, step: i, since: w.now, at: never}
	if w.mode == script.ModeRPC {
		w.asking.id = w.clientSends(&native.Command{Name: native.CmdPrompt, Message: native.Some(w.texts[i])})
		if a.Twice {
			w.asking.second = w.clientSends(&native.Command{Name: native.CmdPrompt, Message: native.Some(w.texts[i])})
		}
	}
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
	for _, id := range []string{asked.id, asked.second} {
		if id != "" {
			w.respondData(native.String(id), native.CmdPrompt, &native.PromptData{Disposition: disposition})
		}
	}
	switch {
	case a.Handled:
	case a.ResponseOnly:
		w.request()
	default:
		w.settleEarly = asked.second != ""
		w.startRun(queued{text: w.texts[asked.step], at: asked.since})
	}
}

// queue is the verbs steer and follow_up.
func (w *Worker) queue(i int, name string) {
	m := queued{text: w.texts[i], at: w.now}
	queue := &w.steering
	if name == native.CmdFollowUp {
		queue = &w.followUp
	}
	if w.mode != script.ModeRPC {
		w.enqueue(queue, m)
		return
	}
	c := w.sent(name, m.text)
	if w.hears() {
		w.enqueue(queue, m)
		w.respondData(c.ID, name, &native.PromptData{Disposition: "queued"})
	}
}
