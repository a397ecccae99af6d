// Package engine is the reference watchdog: pure and deterministic.
//
// A step runs two halves. The watching one (package run) takes what each worker's agent did, and facts of the world, into a
// model of its run, and gives verdicts, notices and looks. With durable state the acting one (package episode) follows: it
// stops, saves, asks, starts a successor or hands over to a person. What an agent did its reader says (package agents):
// nothing else parses what an agent wrote.
//
// It has no clock, no goroutine and no I/O; its decisions depend on nothing but the policy, the state and what Step was
// given.
package engine

import (
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/agents/pi"
	"fakepi.example/internal/watchdog/episode"
	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
)

// Engine implements watchdog.Watchdog.
type Engine struct {
	policy   watchdog.Policy
	readers  run.Readers
	decision watchdog.Decision
	ack      int
	watch    *run.Watch
	acts     *episode.Episodes // nil without durable state: the engine then watches, and does not act
}

// Option changes an engine that is about to start.
type Option func(*Engine)

// WithReader has the workers of an agent read by another reader than the engine's own, which reads Pi.
func WithReader(agent string, reader agents.Factory) Option {
	return func(e *Engine) { e.readers[agent] = reader }
}

// New starts an engine under the boot's policy. With a state it goes on where the journal in it ends; the error is then
// that of package journal. Without one it watches and tells, and does not act.
func New(boot watchdog.Boot, options ...Option) (*Engine, error) {
	e := &Engine{policy: boot.Policy, readers: run.Readers{pi.Name: pi.New}}
	for _, option := range options {
		option(e)
	}
	e.watch = run.New(&e.policy, e.readers, &e.decision)
	if boot.State == nil {
		return e, nil
	}
	var err error
	e.acts, err = episode.New(&boot, &e.policy, e.watch)
	return e, err
}

// Step implements watchdog.Watchdog. The slices of the decision are reused by the next Step.
func (e *Engine) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	d := &e.decision
	d.Commands, d.Verdicts, d.Wake = d.Commands[:0], d.Verdicts[:0], 0
	e.watch.Advance(now)
	if e.acts != nil {
		e.acts.Begin()
	}
	for i := range seen {
		e.observe(&seen[i])
	}
	e.watch.Seen()
	if e.acts != nil {
		e.acts.Quarantine()
	}
	for _, w := range e.watch.Workers {
		if e.watch.Judge(w) && e.acts != nil {
			e.acts.Due(w)
		}
		e.watch.Wake(w.Next)
	}
	d.Ack = e.ack
	if e.acts != nil {
		err := e.acts.Act()
		return *d, err
	}
	return *d, nil
}

// observe hands one observation to both halves.
func (e *Engine) observe(o *watchdog.Observation) {
	e.ack = max(e.ack, o.N)
	if e.acts != nil && !e.acts.Admits(o) {
		return
	}
	if o.Worker != "" {
		w, old := e.watch.Worker(o)
		if e.acts != nil {
			e.acts.Meet(o, w, old)
		}
		if old {
			return
		}
		e.watch.Observe(w, o)
	}
	if e.acts != nil {
		e.acts.Take(o)
	}
}
