package world

import (
	"math"
	"time"

	"fakepi.example/internal/conformance/trace"
)

// never is a moment that does not come.
const never = time.Duration(math.MaxInt64)

// The sources of events that are no worker's; worker i is source i.
const (
	sourceWorld   = -1
	sourcePeople  = -2
	sourceSubject = -3
	// sourceExecutor - i is the executor for worker i.
	sourceExecutor = -4
)

const (
	// maxRounds is how often the subject is stepped at one instant without any news before it is said to spin.
	maxRounds = 64
	// spareIdle is how often it may be stepped without news but of its own commands, beyond twice a second.
	spareIdle = 10_000
)

// next takes the event that comes next and moves the clocks to it. Where events of different sources fall on one
// instant, the chooser says which of them comes first.
func (w *World) next() event {
	w.events++
	at := min(w.queue.heap[0].at, w.wake)
	if at > w.clocks.mono {
		w.clocks.mono = at
		w.rounds = 0
		now := w.clocks.now()
		for _, s := range w.sinks {
			s.Advance(now)
		}
	}
	return w.pick(at)
}

// pick takes one of the events that are due at an instant.
func (w *World) pick(at time.Duration) event {
	if w.queue.heap[0].at > at {
		return w.wakeEvent()
	}
	first := w.queue.pop()
	if w.wake > at && (w.queue.len() == 0 || w.queue.heap[0].at > at) {
		return first
	}
	w.turn = append(w.turn[:0], first)
	for w.queue.len() > 0 && w.queue.heap[0].at == at {
		w.turn = append(w.turn, w.queue.pop())
	}
	if w.wake == at {
		w.turn = append(w.turn, event{at: at, priority: prioWake, source: sourceSubject, kind: evWake})
	}
	return w.choose()
}

func (w *World) wakeEvent() event {
	e := event{at: w.wake, source: sourceSubject, kind: evWake}
	w.wake = never
	return e
}

// choose picks a source among the events of this instant, takes its first event and puts the others back. What is said
// to come last comes behind all others, and the end of the history behind that.
func (w *World) choose() event {
	w.firsts = w.firsts[:0]
	for i := range w.turn {
		if w.turn[i].priority < prioLate && w.isFirst(i) {
			w.firsts = append(w.firsts, i)
		}
	}
	if len(w.firsts) == 0 { // only what comes last
		w.firsts = append(w.firsts, 0)
	}
	picked := w.firsts[0]
	if n := len(w.firsts); n > 1 {
		picked = w.firsts[w.chooser.Choose(Choice{Point: PointOrder, N: n, At: w.clocks.mono})]
	}
	for i, e := range w.turn {
		if i != picked && e.kind != evWake {
			w.queue.insert(e)
		}
	}
	if w.turn[picked].kind == evWake {
		return w.wakeEvent()
	}
	return w.turn[picked]
}

// isFirst reports whether an event of this instant is the first of its source.
func (w *World) isFirst(i int) bool {
	for j := range i {
		if w.turn[j].source == w.turn[i].source {
			return false
		}
	}
	return true
}

// handle lets an event happen.
func (w *World) handle(e event) {
	switch e.kind {
	case evWorker:
		w.workers[e.worker].due(w, e)
	case evStep:
		w.play(e.ref)
	case evAnswer:
		w.answer(e.ref)
	case evEffect:
		w.takeEffect(e.ref)
	case evDecision:
		w.decided(e.ref)
		w.stepSubject(trace.WhySeen)
	case evHeal:
		w.heal()
		w.stepSubject(trace.WhySeen)
	case evBoot:
		w.boot()
	case evWake:
		w.stepSubject(w.whyWoken())
	case evEnd:
		if e.at >= w.horizon {
			w.end()
		}
	}
}

func (w *World) whyWoken() trace.Why {
	if w.cfg.Poll > 0 {
		return trace.WhyPoll
	}
	return trace.WhyWake
}

// lengthen moves the horizon on: behind a fault at a moment that a choice has added there is as much time as behind the
// last step of the timeline.
func (w *World) lengthen(fault time.Duration) {
	if to := fault + w.settling; to > w.horizon {
		w.horizon = to
		w.queue.push(event{at: to, priority: prioEnd, source: sourceWorld, kind: evEnd})
	}
}

// end closes the history.
func (w *World) end() {
	w.over = true
	now := w.clocks.now()
	for _, s := range w.sinks {
		s.End(now)
	}
}
