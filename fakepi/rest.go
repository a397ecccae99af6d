package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// rest is where the script goes on behind a run that has ended before it does: a step, and the time of the request to which
// that belongs.
type rest struct {
	step  int // 0: nothing is left
	asked time.Duration
	late  []string // texts that were delivered behind an abort: they get their turn with the next prompt
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
				return rest{step: i, asked: min(asked, s.At)}
			}
		case script.Opens, script.Says, script.Calls, script.Refused, script.Stalls:
			return rest{step: i, asked: min(asked, s.At)}
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
	return rest{step: i, asked: asked}
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
