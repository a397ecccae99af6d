// Package engine is the reference watchdog's decision core: pure and deterministic.
//
// It reads each worker's native stream into a small model of its run (run.go, session.go, status.go), finds the phase
// that the model is in by one table (phases.go), gives a verdict when the phase's limit is passed (judge.go), asks for
// fresh looks where it must not trust silence (looks.go), and tells the owner (notices.go).
//
// With durable state it acts, too. What it must remember is a fold of its journal (memory.go, durable.go), with
// checkpoints of workers at rest (checkpoint.go). Each worker's episode is one state machine, given as a table
// (episode.go, docs/episode.md), which moves once a step (turn.go): up to the end of the worker (stop.go), over what it
// left (debris.go) to its successor or a person (successor.go), as the policy, the owner (permit.go) and the budgets
// (budget.go) allow.
//
// It has no clock, no goroutine and no I/O; its decisions depend on nothing but the policy, the state and what Step was
// given.
package engine

import (
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/agents/pi"
	"fakepi.example/watchdog"
)

// Engine implements watchdog.Watchdog.
type Engine struct {
	policy   watchdog.Policy
	workers  []*worker // in the order of their first observation
	byID     map[string]*worker
	now      watchdog.Instant
	started  bool
	first    bool            // this is the first step
	woke     time.Duration   // on Mono: when the host last returned from suspend
	notified map[string]bool // credentials whose loss was told (WDC-PAUSE-004)
	decision watchdog.Decision
	readers  readers
	ack      int
	recovery *recovery // nil without durable state: the engine then observes, and does not act
	failed   error     // of this step: it cannot be journalled
}

// New starts an engine under the boot's policy. With a state it goes on where the journal in it ends; the error is then
// that of package journal. Without one it observes and tells, and does not act.
func New(boot watchdog.Boot, options ...Option) (*Engine, error) {
	e := &Engine{
		readers:  readers{pi.Name: pi.New},
		policy:   boot.Policy,
		byID:     map[string]*worker{},
		woke:     -afterWake, // never
		notified: map[string]bool{},
	}
	for _, option := range options {
		option(e)
	}
	if boot.State == nil {
		return e, nil
	}
	var err error
	if e.recovery, err = remember(&boot); err != nil {
		return nil, err
	}
	return e, e.resume()
}

// readers finds who reads what an agent of a name writes.
type readers map[string]agents.Factory

// of makes a reader for the agent that the spawner names. One that nobody knows is read as one whose records nobody
// understands.
func (r readers) of(agent, version string) agents.Reader {
	if agent == "" {
		agent = watchdog.DefaultAgent
	}
	if make, ok := r[agent]; ok {
		return make(version)
	}
	return new(agents.Opaque)
}

// Option changes an engine that is about to start.
type Option func(*Engine)

// WithReader has the workers of an agent read by another reader than the engine's own, which reads Pi.
func WithReader(agent string, reader agents.Factory) Option {
	return func(e *Engine) { e.readers[agent] = reader }
}

// afterWake is how long after a suspend no limit is judged, so that the look that judges is a fresh one (WDC-PAUSE-005).
const afterWake = time.Second

// suspendJitter is the least difference between the two monotonic clocks that is taken for a suspend.
const suspendJitter = 100 * time.Millisecond

// Step implements watchdog.Watchdog. The slices of the decision are reused by the next Step.
func (e *Engine) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	e.first = !e.started
	e.advance(now)
	e.decision.Commands = e.decision.Commands[:0]
	e.decision.Verdicts = e.decision.Verdicts[:0]
	if e.recovery != nil {
		e.recovery.step++
	}
	for i := range seen {
		e.observe(&seen[i])
	}
	if e.first {
		e.reboot(now)
	}
	e.decision.Wake = 0
	if e.recovery != nil {
		e.quarantine()
	}
	for _, w := range e.workers {
		if w.touched || w.next <= now.Mono {
			w.judge(e)
			if w.hands != nil {
				w.hands.due = true
			}
		}
		if w.next != never {
			e.decision.Wake = sooner(e.decision.Wake, w.next)
		}
	}
	e.decision.Ack = e.ack
	if e.recovery != nil {
		err := e.recover()
		return e.decision, err
	}
	return e.decision, nil
}

// advance takes the new time and notices a suspend: Boot went on while Mono stood still.
func (e *Engine) advance(now watchdog.Instant) {
	if e.started && (now.Boot-now.Mono)-(e.now.Boot-e.now.Mono) > suspendJitter {
		e.woke = now.Mono
	}
	if e.started && now.BootID != e.now.BootID {
		e.reboot(now)
	}
	e.now, e.started = now, true
}

// reboot ends what ran in an earlier boot of the host.
func (e *Engine) reboot(now watchdog.Instant) {
	for _, w := range e.workers {
		w.rebooted(now)
	}
}

// observe hands one observation to its worker. What an older generation left is dropped; what belongs to a newer one
// than was announced starts that generation without its particulars.
func (e *Engine) observe(o *watchdog.Observation) {
	e.ack = max(e.ack, o.N)
	if e.recovery != nil {
		if !e.recovery.admits(o) {
			return
		}
		e.recovery.seen = max(e.recovery.seen, o.N)
	}
	if o.Worker == "" {
		if e.recovery != nil {
			e.take(o, nil)
		}
		return
	}
	w := e.byID[o.Worker]
	if w == nil {
		w = newWorker(o.Worker, o.Generation, e)
		if e.recovery != nil {
			w.hands = new(hands)
		}
		e.byID[o.Worker] = w
		e.workers = append(e.workers, w)
	}
	switch {
	case o.Generation < w.generation:
		e.drop(o, w)
		return
	case o.Generation > w.generation:
		w.restart(o.Generation)
	}
	if e.recovery != nil {
		w.noteNews(o)
	}
	w.observe(o, e)
	if e.recovery != nil {
		e.take(o, w)
	}
}
