package world

import (
	"time"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// observe adds an observation to those of the next step; l is nil for what concerns no single worker.
func (w *World) observe(b watchdog.Body, l *life) {
	w.number++
	o := watchdog.Observation{N: w.number, At: w.clocks.now(), Body: b}
	if l != nil {
		o.Worker, o.Generation = l.of.id, l.generation
	}
	w.seen = append(w.seen, o)
}

// describe says what the last observation means, if it holds a record.
func (w *World) describe(r *trace.Record) {
	if *r == (trace.Record{}) {
		return
	}
	r.N = w.number
	w.records = append(w.records, *r)
}

// stepSubject shows the subject what was observed, records what it decides, and has that carried out. While it is away
// what was observed is kept for it.
func (w *World) stepSubject(why trace.Why) {
	if w.over || w.away || w.restless(why) {
		return
	}
	now := w.clocks.now()
	w.store.begin()
	s := &w.step
	*s = trace.Step{Event: w.record(), Now: now, Why: why, Seen: w.seen, Again: w.again, Records: w.records}
	decision, err := w.subject.Step(now, w.shelter.show(w.seen))
	s.Err, s.Stored, s.Unsynced = err, w.store.wrote, w.store.memory.Synced() < w.store.memory.Size()
	var crash boundary
	cut := false
	if err == nil {
		crash, cut = w.cut(&decision)
	}
	s.Decision, s.Cut = arrived(decision, crash, cut), cut && !crash.whole
	s.Truths = w.known(why)
	for _, sink := range w.sinks {
		sink.Step(s)
	}
	w.store.wrote = w.store.wrote[:0]
	if s.Err != nil {
		w.over = true
		return
	}
	w.obey(&s.Decision, why)
	if cut {
		w.crash(crash)
	}
}

// arrived is what of a decision reaches the world: all of it, unless the subject crashes in the middle.
func arrived(d watchdog.Decision, crash boundary, cut bool) watchdog.Decision {
	if !cut || crash.whole {
		return d
	}
	if crash.sent == 0 {
		return watchdog.Decision{}
	}
	return watchdog.Decision{Commands: d.Commands[:crash.sent], Verdicts: d.Verdicts} // verdicts come first
}

// obey has a decision carried out.
func (w *World) obey(d *watchdog.Decision, why trace.Why) {
	w.remember(w.seen, d.Ack)
	w.seen, w.again, w.records = w.seen[:0], 0, w.records[:0]
	w.plan(d.Wake)
	if unprompted(why) {
		w.idle += len(d.Commands) // each of them comes back as an outcome
	}
	for i := range d.Commands {
		w.carryOut(&d.Commands[i])
	}
}

// known is what the subject can know of each worker now. News of one worker changes nothing about the others, unless
// the subject looks at the clock too.
func (w *World) known(why trace.Why) []trace.Truth {
	for i, k := range w.workers {
		if why > trace.WhyAnswer || k.shownNow || len(w.workers) <= fewWorkers {
			w.truths[i] = k.visible(w)
			k.shownNow = false
		}
	}
	return w.truths
}

// fewWorkers is how many workers are looked at in every step; of more, only those that something came from.
const fewWorkers = 8

// plan notes when the subject is to be stepped again. A moment in the past is one now; the oracle has seen it.
func (w *World) plan(wake time.Duration) {
	switch {
	case w.cfg.Poll > 0:
		w.wake = (w.clocks.mono/w.cfg.Poll + 1) * w.cfg.Poll
	case wake == 0:
		w.wake = never
	default:
		w.wake = max(wake, w.clocks.mono)
	}
}

// unprompted reports whether a step has no news from the world behind it, only the subject's own doing.
func unprompted(why trace.Why) bool {
	return why != trace.WhySeen && why != trace.WhyStart && why != trace.WhyBoot
}

// restless ends the history of a subject that wants to be stepped, or commands, without end although nothing happens.
func (w *World) restless(why trace.Why) bool {
	if !unprompted(why) {
		return false
	}
	if why != trace.WhyAnswer {
		w.rounds++
	}
	w.idle++
	if w.rounds <= maxRounds && w.idle <= spareIdle+2*int(w.horizon/time.Second) {
		return false
	}
	w.fault(trace.FaultSpin, -1, 0)
	w.over = true
	return true
}

// fault records something that was done to the world.
func (w *World) fault(kind trace.FaultKind, worker int, span time.Duration) {
	f := trace.Fault{Event: w.record(), Now: w.clocks.now(), Kind: kind, Worker: worker, Span: span}
	for _, s := range w.sinks {
		s.Fault(&f)
	}
}
