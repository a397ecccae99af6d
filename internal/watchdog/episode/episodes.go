package episode

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// Episodes is the half of the engine that acts, and that remembers: there is none without durable state.
//
// A step goes like this: what was seen is taken, by the watching half first; each worker is judged; then each open
// episode moves as far as it can (turn.go). Whatever changed is added to the journal, which folds it into the memory, and
// is committed once before the decision is returned: what a decision wants done is durable by then.
type Episodes struct {
	*run.Watch
	policy  *watchdog.Policy
	workers []*worker // those of the watch, in its order
	byID    map[string]*worker
	failed  error // of this step: it cannot be journalled

	log    *journal.Log
	memory *memory

	booted      int  // facts up to this observation are in the memory that the boot found
	caught      bool // what was told before the boot has come again, as far as it still counts
	seen        int  // last observation
	step        int  // steps so far: an answer is fresh in the step in which it came
	full        bool // the last commit found no room
	fullNoticed bool
	retry       time.Duration // on Boot: when to try again
	linkDown    bool

	ownerKey    []byte            // that proves words of the owner and the operator
	roster      []watchdog.Worker // of the spawner, at the boot
	quarantined bool              // until each live worker was looked at (quarantine.go)
	deaths      []death
	beat        time.Duration // on Mono: the last heartbeat
	beats       int
	ack         int
	raised      map[string]bool // keys of escalations that were given since the boot
	withheld    map[string]bool // keys of commands that were taken back since their intents are not durable
	unsent      []string        // notices that the last watchdog may not have sent
}

// retryFull is how often a full disk is tried again; beatEvery how often at least the watchdog proves that it turns
// (WDC-REST-005): whoever watches it waits no longer than for a silent worker.
const (
	retryFull = 30 * time.Second
	beatEvery = 5 * time.Minute
)

// compactAt is how much history a journal may hold before its state replaces it.
const compactAt = 1 << 20

// New starts to act on what is watched, where the journal in the boot's state ends. Its errors are those of package journal.
func New(boot *watchdog.Boot, policy *watchdog.Policy, watch *run.Watch) (*Episodes, error) {
	e := &Episodes{
		Watch: watch, policy: policy, byID: map[string]*worker{}, memory: newMemory(), raised: map[string]bool{}, withheld: map[string]bool{},
		roster: boot.Roster, ownerKey: boot.OwnerKey, beat: boot.Now.Mono,
	}
	watch.Join(e)
	log, err := journal.Open(boot.State, boot.Now, e.memory.fold)
	if err != nil {
		return nil, err
	}
	e.log = log
	e.booted, e.seen, e.ack = e.memory.Known, e.memory.Acked, e.memory.Acked
	e.quarantined = boot.Incarnation > 1
	if err := e.log.Add(journal.Record{N: e.booted, At: boot.Now, Body: journal.Boot{Incarnation: boot.Incarnation}}); err != nil {
		return nil, err
	}
	return e, e.resume()
}

// Begin begins a step.
func (e *Episodes) Begin() { e.step++ }

// Admits reports whether an observation still counts: what a checkpoint holds does not, whatever comes again.
func (e *Episodes) Admits(o *watchdog.Observation) bool {
	if o.N <= e.memory.Acked {
		return false
	}
	if t := e.memory.byWorker[o.Worker]; t != nil && o.N <= t.ModelN {
		return false
	}
	e.seen = max(e.seen, o.N)
	return true
}

// Meet prepares for an observation of a worker, before it is watched; one of an older generation is dropped.
func (e *Episodes) Meet(o *watchdog.Observation, watched *run.Worker, old bool) {
	w := e.byID[watched.ID]
	if w == nil {
		w = &worker{Worker: watched, generation: watched.Generation}
		e.join(w)
	}
	if old {
		e.drop(o, w)
		return
	}
	if w.generation != w.Generation {
		w.renew()
	}
	w.noteNews(o)
}

func (e *Episodes) join(w *worker) {
	e.byID[w.ID] = w
	e.workers = append(e.workers, w)
}

// Due says that a worker was judged anew: its episode is to be moved.
func (e *Episodes) Due(watched *run.Worker) { e.byID[watched.ID].due = true }

// Vetoes implements run.Partner.
func (e *Episodes) Vetoes(w *run.Worker) []string { return e.byID[w.ID].vetoes(e) }

// Asked implements run.Partner.
func (e *Episodes) Asked(w *run.Worker, key string) bool { return e.byID[w.ID].tree.awaits(key) }

// Incarnation implements run.Partner.
func (e *Episodes) Incarnation() int { return e.memory.Incarnation }

// Full reports whether the last commit found no room.
func (e *Episodes) Full() bool { return e.full }

// Memory returns all that is remembered, as JSON.
func (e *Episodes) Memory() ([]byte, error) { return json.Marshal(e.memory) }

// Replay returns what a journal comes to, as Memory does.
func Replay(data []byte) ([]byte, error) {
	m := newMemory()
	if _, err := journal.Replay(data, m.fold); err != nil {
		return nil, err
	}
	return json.Marshal(m)
}

// add adds a record of this step. What cannot be journalled is a defect of the engine, not of a worker.
func (e *Episodes) add(b journal.Body) {
	e.failed = errors.Join(e.failed, e.log.Add(journal.Record{N: e.seen, At: e.Now, Body: b}))
}

// remembered reports whether an observation is in the memory that the boot found.
func (r *Episodes) remembered(o *watchdog.Observation) bool { return o.N <= r.booted }

// Take journals the facts that outlive the watchdog: outcomes, decisions of the owner, an operator's words.
func (e *Episodes) Take(o *watchdog.Observation) {
	w := e.byID[o.Worker] // nil of what concerns no single one
	switch b := o.Body.(type) {
	case watchdog.Link:
		e.linkDown = !b.Up
		e.touchAll()
	case watchdog.Outcome:
		if !e.remembered(o) && e.memory.awaits(b.Key) {
			e.add(journal.Outcome{Key: b.Key, Result: b.Result, Reason: b.Reason, Digest: b.Digest, Token: b.Token})
		}
	case watchdog.Owner:
		e.owner(o, &b, w)
	case watchdog.Operator:
		e.operator(o, &b, w)
	}
	if w != nil {
		w.take(o, e)
	}
}

// drop records that something of an older generation was left out (WDC-FENCE-002): once per generation and kind.
func (e *Episodes) drop(o *watchdog.Observation, w *worker) {
	if !e.remembered(o) && w.drops(o) {
		e.add(journal.Drop{Worker: w.ID, Generation: o.Generation, What: string(o.Body.Kind())})
	}
}

// drops reports whether something of this generation and kind is left out for the first time.
func (w *worker) drops(o *watchdog.Observation) bool {
	key := dropKey{o.Generation, o.Body.Kind()}
	if w.dropped[key] {
		return false
	}
	if w.dropped == nil {
		w.dropped = map[dropKey]bool{}
	}
	w.dropped[key] = true
	return true
}

// Act lets the episodes move, commits, and sets what the decision says of durability.
func (e *Episodes) Act() error {
	r := e
	e.heartbeat() // on a full disk too: it rests on no record
	if e.Now.Boot < r.retry {
		e.Decision.Wake = sooner(e.Decision.Wake, e.Now.Mono+r.retry-e.Now.Boot)
		e.Decision.Ack = r.ack
		return nil
	}
	if r.caught && !r.full {
		e.retell()
		e.episodes()
	}
	e.checkpoint()
	if e.failed != nil {
		return e.failed
	}
	return e.commit()
}

// commit makes the step durable. A full disk leaves only what costs nothing: looks, and the word to the owner that nothing
// is durable now (WDC-EVID-007).
func (e *Episodes) commit() error {
	r := e
	err := r.log.Commit()
	switch {
	case err == nil:
		if r.full {
			r.full, r.fullNoticed = false, false
			e.touchAll()
			e.Decision.Wake = e.Now.Mono + 1
		}
		r.ack = r.memory.Acked
	case errors.Is(err, journal.ErrFull):
		r.full, r.retry = true, e.Now.Boot+retryFull
		e.withhold()
		e.touchAll()
		e.Decision.Wake = sooner(e.Decision.Wake, e.Now.Mono+retryFull)
		e.tellFull()
	default:
		return fmt.Errorf("engine: %w", err)
	}
	e.Decision.Ack = r.ack
	if r.log.History() > compactAt {
		return e.Compact()
	}
	return nil
}

// withhold takes back what rests on records that are not durable. Their intents are then as after a crash: not known to
// have been given.
func (e *Episodes) withhold() {
	kept := e.Decision.Commands[:0]
	for _, c := range e.Decision.Commands {
		switch c.Kind {
		case watchdog.CmdProbe, watchdog.CmdInspect, watchdog.CmdNotify, watchdog.CmdHeartbeat:
			kept = append(kept, c)
		default:
			e.withheld[c.Key] = true
		}
	}
	e.Decision.Commands = kept
}

func (e *Episodes) touchAll() {
	for _, w := range e.workers {
		w.Touched = true
	}
}

// tellFull tells the owner once that nothing can be made durable.
func (e *Episodes) tellFull() {
	r := e
	if r.fullNoticed || len(e.workers) == 0 {
		return
	}
	r.fullNoticed = true
	w := e.workers[0]
	e.Decision.Commands = append(e.Decision.Commands, watchdog.Command{
		Key: fmt.Sprintf("disk-full/%d/%d", r.memory.Incarnation, r.step), Kind: watchdog.CmdNotify, Worker: w.ID, Generation: w.Generation,
		Text: "there is no room for the journal: nothing will be stopped or started until there is",
	})
}

// heartbeat proves that the watchdog turns.
func (e *Episodes) heartbeat() {
	r := e
	if len(e.workers) == 0 {
		return
	}
	every := min(beatEvery, e.policy.Attention)
	if e.Now.Mono-r.beat >= every {
		r.beat = e.Now.Mono
		r.beats++
		w := e.workers[0]
		e.Decision.Commands = append(e.Decision.Commands, watchdog.Command{
			Key: "heartbeat/" + strconv.Itoa(r.memory.Incarnation) + "/" + strconv.Itoa(r.beats), Kind: watchdog.CmdHeartbeat,
			Worker: w.ID, Generation: w.Generation,
		})
	}
	e.Decision.Wake = sooner(e.Decision.Wake, r.beat+every)
}

// sooner returns the earlier of two wake-ups, of which the first may be none.
func sooner(wake, at time.Duration) time.Duration {
	if wake == 0 {
		return at
	}
	return min(wake, at)
}
