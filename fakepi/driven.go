package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/provider"
	"fakepi.example/fakepi/script"
)

// playsClient reports whether the script is the client of an rpc worker too.
func (w *Worker) playsClient() bool { return w.mode == script.ModeRPC && !w.driven }

// spareDelay is the time to the first token of the spare reply.
const spareDelay = 300 * time.Millisecond

// addSpare adds to a driven worker's script the reply to every prompt that the script does not know.
func (p *plan) addSpare() {
	p.guests = p.guests && !p.driven && p.mode == script.ModeRPC
	p.spare = len(p.steps)
	if !p.driven && !p.guests {
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

// replyTo takes the prompt of a driven worker's client: the script goes on behind its next prompt, at its own pace.
// What was left of the reply before is not played.
func (w *Worker) replyTo(id native.Value, m queued) {
	i := w.nextPrompt(func(script.Prompt) bool { return true })
	w.next = i + 1
	w.shift = w.now - w.steps[i].At
	if w.wedge == "" {
		w.stalled = false
	}
	m.guest = false // the script has a reply to it, which may be empty
	w.take(asking{ids: []native.Value{id}, message: m, step: i}, w.steps[i].Action.(script.Prompt))
}

// replyAhead gives a message that has waited, and for which the script has no reply left, the one to the next prompt that
// gets any, as [fakepi.example/fakepi/model] does: it cannot tell the two apart.
func (w *Worker) replyAhead() {
	i := w.nextPrompt(func(p script.Prompt) bool { return !p.Takes.Never && !p.ResponseOnly && !p.Handled })
	w.next, w.guest = i+1, false
	w.shift = w.now - w.steps[i].End()
}

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
