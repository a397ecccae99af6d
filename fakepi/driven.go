package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// playsClient reports whether the script is the client of an rpc worker too.
func (w *Worker) playsClient() bool { return w.mode == script.ModeRPC && !w.driven }

// spareDelay is the time to the first token of the spare reply.
const spareDelay = 300 * time.Millisecond

// addSpare adds to a driven worker's script the reply to every prompt that the script does not know.
func (p *plan) addSpare() {
	p.otherClients = p.otherClients && !p.driven && p.mode == script.ModeRPC
	p.spare = len(p.steps)
	if !p.driven && !p.otherClients {
		return
	}
	var at time.Duration
	if n := len(p.steps); n > 0 {
		at = p.steps[n-1].At
	}
	for _, s := range []script.Step{
		{At: at, Action: script.Prompt{}},
		{At: at + spareDelay, Action: script.Says{Text: script.Text{Value: provider.Unscripted}}},
		{At: at + spareDelay, Action: script.Settles{}},
	} {
		p.steps = append(p.steps, s)
		p.texts = append(p.texts, textOf(s.Action).Value)
	}
}

// findPrompts notes the prompts of a driven worker's script.
func (p *plan) findPrompts() {
	for i, s := range p.steps[:p.spare] {
		if _, ok := s.Action.(script.Prompt); ok && p.driven {
			p.prompts.Add(i, p.texts[i])
		}
	}
}

// replyTo takes the prompt of a driven worker's client (docs/script.md, "Which reply"): the script goes on at its own pace
// behind the prompt of that text, or with what is left of a run, or behind its next prompt.
func (w *Worker) replyTo(id native.Value, m queued) {
	q := asking{ids: []native.Value{id}, message: m, alone: w.retries.waiting && !w.waiting()}
	q.message.fromOther = false // the script has a reply to it, which may be empty
	i, named := w.named(m.text)
	asked := w.rest.asked
	if !named && w.rest.step > 0 {
		w.next = w.rest.step
	} else {
		if !named {
			i = w.nextPrompt(func(script.Prompt) bool { return true })
		}
		q.verb, asked, w.next = w.steps[i].Action.(script.Prompt), w.steps[i].At, i+1
	}
	w.shift = w.now - asked
	if w.wedge == "" {
		w.stalled = false
	}
	w.take(q)
	if at := w.freeAt(); at > w.now && at != never {
		w.shift = at - asked // the request comes then
	}
}

// named finds the script's later prompt that a client's names, beside what was delivered behind an abort.
func (w *Worker) named(text string) (place int, ok bool) {
	from := w.next
	if i, ok := w.prompts.Next(from); ok && w.rest.step == 0 && len(w.rest.late) > 0 {
		from = i // what is left of the run that was aborted is passed over
	}
	return w.prompts.Find(append(slices.Clip(w.rest.late), text), from)
}

// heed gives a message that has waited the reply to the script's later prompt of the same text, if there is one, and reports
// whether there is.
func (w *Worker) heed(text string) bool {
	if w.aborting {
		w.rest.late = append(slices.Clip(w.rest.late), text)
		return false
	}
	i, ok := w.prompts.Named(text, w.next)
	if !ok || !getsRun(w.steps[i].Action.(script.Prompt)) {
		return false
	}
	w.goBehind(i)
	return true
}

// replyAhead gives a message that has waited, and for which the script has no reply left, the one to the next prompt that
// gets any, as [fakepi.example/internal/fakepi/model] does: it cannot tell the two apart.
func (w *Worker) replyAhead() { w.goBehind(w.nextPrompt(getsRun)) }

// goBehind lets the script go on behind one of its prompts, as if the request for it were made now.
func (w *Worker) goBehind(prompt int) {
	w.next, w.fromOther = prompt+1, false
	w.shift = w.now - w.steps[prompt].End()
}

func getsRun(p script.Prompt) bool { return !p.Takes.Never && !p.ResponseOnly && !p.Handled }

// nextPrompt finds the script's next prompt that fits; the spare one, which is the last, serves again and again.
func (w *Worker) nextPrompt(fits func(script.Prompt) bool) int {
	n := slices.IndexFunc(w.steps[w.next:], func(s script.Step) bool {
		p, ok := s.Action.(script.Prompt)
		return ok && fits(p)
	})
	if n < 0 {
		return w.spare
	}
	return w.next + n
}
