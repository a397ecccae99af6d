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

// rest is where the script goes on behind a run that has ended before it does: a step, and the time of the request to which
// that belongs.
type rest struct {
	step  int // 0: nothing is left
	asked time.Duration
}

// restBehind is what is left behind a reply that failed: what the script tells of the request that Pi makes by itself then.
func (w *Worker) restBehind(failed int) rest {
	i := w.inRunFrom(failed + 1)
	if i == w.spare {
		return rest{}
	}
	s := &w.steps[i]
	switch a := s.Action.(type) {
	case script.Retries:
		if a.Hidden || a.Cancelled.Given() {
			return rest{}
		}
	case script.Compacts:
		if a.Reason != "overflow" || a.Fails || !s.HasDur {
			return rest{}
		}
	default:
		return rest{}
	}
	return w.restFrom(i+1, s.End())
}

// restBehindCalls is what is left behind calls that were aborted, if their results do not say so: then the model, which sees
// nothing else, cannot tell the next text from one that has waited for them.
func (w *Worker) restBehindCalls() rest {
	if w.saysStopped() {
		return rest{}
	}
	batch, asked := w.lastBatch()
	for i := w.next; i < w.spare; i++ {
		s := &w.steps[i]
		switch a := s.Action.(type) {
		case script.Tool:
			if a.Batch != batch {
				return rest{i, min(asked, s.At)}
			}
		case script.Opens, script.Says, script.Calls, script.Refused, script.Stalls:
			return rest{i, min(asked, s.At)}
		case script.Prompt, script.Settles:
			return rest{}
		}
	}
	return rest{}
}

// saysStopped reports whether one of the last results says that Pi has stopped its call.
func (w *Worker) saysStopped() bool {
	for _, m := range slices.Backward(w.messages) {
		result, ok := m.(*native.ToolResultMessage)
		if !ok {
			return false
		}
		for _, b := range result.Content {
			if t, ok := b.(*native.TextBlock); ok && provider.Stopped(t.Text) {
				return true
			}
		}
	}
	return false
}

// lastBatch is the number of the calls that the script told of last, and when the last of them would have ended.
func (w *Worker) lastBatch() (batch int, end time.Duration) {
	for i := range w.steps {
		tool, ok := w.steps[i].Action.(script.Tool)
		if !ok || i >= w.next && tool.Batch != batch {
			continue
		}
		if tool.Batch != batch {
			end = 0
		}
		batch, end = tool.Batch, max(end, w.steps[i].End())
	}
	return batch, end
}

// restFrom is what is left from a step on, unless the run ends there.
func (w *Worker) restFrom(i int, asked time.Duration) rest {
	if next := w.inRunFrom(i); next < w.spare {
		switch a := w.steps[next].Action.(type) {
		case script.Settles:
			return rest{}
		case script.Ends:
			if a.Of == "" {
				return rest{}
			}
		}
	}
	return rest{i, asked}
}

// inRunFrom finds the first step from one on that is of the run, and none that may come at any time.
func (w *Worker) inRunFrom(i int) int {
	for ; i < w.spare; i++ {
		switch w.steps[i].Action.(type) {
		case script.Chatter, script.Notifies, script.Steer, script.FollowUp, script.Raw, script.Lingers:
		default:
			return i
		}
	}
	return i
}

// speaksOn reports whether the script has a further reply in a run that has come to where Pi stops unless a message waits.
func (w *Worker) speaksOn() bool {
	for i := w.inRunFrom(w.next); i < w.spare; i++ {
		switch a := w.steps[i].Action.(type) {
		case script.Thinks:
			if a.Text != (script.Text{}) {
				return true
			}
		case script.Opens, script.Says, script.Calls, script.Tool, script.Refused:
			return true
		default:
			return false
		}
	}
	return false
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
	q.message.guest = false // the script has a reply to it, which may be empty
	i, named := w.prompts.Named(m.text, w.next)
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

// heed gives a message that has waited the reply to the script's later prompt of the same text, if there is one, and reports
// whether there is.
func (w *Worker) heed(text string) bool {
	i, ok := w.prompts.Named(text, w.next)
	if !ok || w.aborting || !getsRun(w.steps[i].Action.(script.Prompt)) {
		return false
	}
	w.goBehind(i)
	return true
}

// replyAhead gives a message that has waited, and for which the script has no reply left, the one to the next prompt that
// gets any, as [fakepi.example/fakepi/model] does: it cannot tell the two apart.
func (w *Worker) replyAhead() { w.goBehind(w.nextPrompt(getsRun)) }

// goBehind lets the script go on behind one of its prompts, as if the request for it were made now.
func (w *Worker) goBehind(prompt int) {
	w.next, w.guest = prompt+1, false
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
