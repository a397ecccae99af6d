package engine

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// recovery is the half of the engine that acts, and that remembers: there is none without durable state.
//
// A step goes like this: what was seen is taken, by the observing half first; each worker is judged; then each open
// episode moves as far as it can (turn.go). Whatever changed is added to the journal, which folds it into the memory, and
// is committed once before the decision is returned: what a decision wants done is durable by then.
type recovery struct {
	log    *journal.Log
	memory *memory

	booted   int  // facts up to this observation are in the memory that the boot found
	caught   bool // what was told before the boot has come again, as far as it still counts
	seen     int  // last observation
	step     int  // steps so far: an answer is fresh in the step in which it came
	full     bool // the last commit found no room
	fullTold bool
	retry    time.Duration // on Boot: when to try again
	linkDown bool

	ownerKey    []byte            // that proves words of the owner and the operator
	roster      []watchdog.Worker // of the spawner, at the boot
	quarantined bool              // until each live worker was looked at (quarantine.go)
	deaths      []death
	beat        time.Duration // on Mono: the last heartbeat
	beats       int
	ack         int
	raised      map[string]bool // keys of escalations that were given since the boot
	withheld    map[string]bool // keys of commands that were taken back since their intents are not durable
	retell      []string        // notices that the last watchdog may not have sent
}

// retryFull is how often a full disk is tried again; beatEvery how often at least the watchdog proves that it turns
// (WDC-REST-005): whoever watches it waits no longer than for a silent worker.
const (
	retryFull = 30 * time.Second
	beatEvery = 5 * time.Minute
)

// compactAt is how much history a journal may hold before its state replaces it.
const compactAt = 1 << 20

// remember opens the journal of a boot.
func remember(boot *watchdog.Boot) (*recovery, error) {
	r := &recovery{memory: newMemory(), raised: map[string]bool{}, withheld: map[string]bool{}, roster: boot.Roster, ownerKey: boot.OwnerKey, beat: boot.Now.Mono}
	log, err := journal.Open(boot.State, boot.Now, r.memory.fold)
	if err != nil {
		return nil, err
	}
	r.log = log
	r.booted, r.seen, r.ack = r.memory.Known, r.memory.Acked, r.memory.Acked
	r.quarantined = boot.Incarnation > 1
	return r, r.log.Add(journal.Record{N: r.booted, At: boot.Now, Body: journal.Boot{Incarnation: boot.Incarnation}})
}

// add adds a record of this step. What cannot be journalled is a defect of the engine, not of a worker.
func (e *Engine) add(b journal.Body) {
	e.failed = errors.Join(e.failed, e.recovery.log.Add(journal.Record{N: e.recovery.seen, At: e.now, Body: b}))
}

// told reports whether an observation is in the memory that the boot found.
func (r *recovery) told(o *watchdog.Observation) bool { return o.N <= r.booted }

// admits reports whether an observation still counts: what a checkpoint holds does not, whatever comes again.
func (r *recovery) admits(o *watchdog.Observation) bool {
	if o.N <= r.memory.Acked {
		return false
	}
	t := r.memory.byWorker[o.Worker]
	return t == nil || o.N > t.ModelN
}

// take journals the facts that outlive the watchdog: outcomes, decisions of the owner, an operator's words.
func (e *Engine) take(o *watchdog.Observation, w *worker) {
	r := e.recovery
	switch b := o.Body.(type) {
	case watchdog.Link:
		r.linkDown = !b.Up
		for _, w := range e.workers {
			w.touched = true
		}
	case watchdog.Outcome:
		if !r.told(o) && r.memory.awaits(b.Key) {
			e.add(journal.Outcome{Key: b.Key, Result: b.Result, Reason: b.Reason, Digest: b.Digest, Token: b.Token})
		}
	case watchdog.Owner:
		e.owner(o, &b, w)
	case watchdog.Operator:
		e.operator(o, &b, w)
	}
	if w != nil {
		w.hands.take(o, e)
	}
}

// drop records that something of an older generation was left out (WDC-FENCE-002): once per generation and kind.
func (e *Engine) drop(o *watchdog.Observation, w *worker) {
	if e.recovery != nil && !e.recovery.told(o) && w.drops(o) {
		e.add(journal.Drop{Worker: w.id, Generation: o.Generation, What: string(o.Body.Kind())})
	}
}

// drops reports whether something of this generation and kind is left out for the first time.
func (w *worker) drops(o *watchdog.Observation) bool {
	key := dropKey{o.Generation, o.Body.Kind()}
	if w.hands.dropped[key] {
		return false
	}
	if w.hands.dropped == nil {
		w.hands.dropped = map[dropKey]bool{}
	}
	w.hands.dropped[key] = true
	return true
}

// recover lets the episodes move, commits, and sets what the decision says of durability.
func (e *Engine) recover() error {
	r := e.recovery
	e.heartbeat() // on a full disk too: it rests on no record
	if e.now.Boot < r.retry {
		e.decision.Wake = sooner(e.decision.Wake, e.now.Mono+r.retry-e.now.Boot)
		e.decision.Ack = r.ack
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
func (e *Engine) commit() error {
	r := e.recovery
	err := r.log.Commit()
	switch {
	case err == nil:
		if r.full {
			r.full, r.fullTold = false, false
			e.touchAll()
			e.decision.Wake = e.now.Mono + 1
		}
		r.ack = r.memory.Acked
	case errors.Is(err, journal.ErrFull):
		r.full, r.retry = true, e.now.Boot+retryFull
		e.withhold()
		e.touchAll()
		e.decision.Wake = sooner(e.decision.Wake, e.now.Mono+retryFull)
		e.tellFull()
	default:
		return fmt.Errorf("engine: %w", err)
	}
	e.decision.Ack = r.ack
	if r.log.History() > compactAt {
		return e.compact()
	}
	return nil
}

// withhold takes back what rests on records that are not durable. Their intents are then as after a crash: not known to
// have been given.
func (e *Engine) withhold() {
	kept := e.decision.Commands[:0]
	for _, c := range e.decision.Commands {
		switch c.Kind {
		case watchdog.CmdProbe, watchdog.CmdInspect, watchdog.CmdNotify, watchdog.CmdHeartbeat:
			kept = append(kept, c)
		default:
			e.recovery.withheld[c.Key] = true
		}
	}
	e.decision.Commands = kept
}

func (e *Engine) touchAll() {
	for _, w := range e.workers {
		w.touched = true
	}
}

// tellFull tells the owner once that nothing can be made durable.
func (e *Engine) tellFull() {
	r := e.recovery
	if r.fullTold || len(e.workers) == 0 {
		return
	}
	r.fullTold = true
	w := e.workers[0]
	e.decision.Commands = append(e.decision.Commands, watchdog.Command{
		Key: fmt.Sprintf("disk-full/%d/%d", r.memory.Incarnation, r.step), Kind: watchdog.CmdNotify, Worker: w.id, Generation: w.generation,
		Text: "there is no room for the journal: nothing will be stopped or started until there is",
	})
}

// heartbeat proves that the watchdog turns.
func (e *Engine) heartbeat() {
	r := e.recovery
	if len(e.workers) == 0 {
		return
	}
	every := min(beatEvery, e.policy.Attention)
	if e.now.Mono-r.beat >= every {
		r.beat = e.now.Mono
		r.beats++
		w := e.workers[0]
		e.decision.Commands = append(e.decision.Commands, watchdog.Command{
			Key: "heartbeat/" + strconv.Itoa(r.memory.Incarnation) + "/" + strconv.Itoa(r.beats), Kind: watchdog.CmdHeartbeat,
			Worker: w.id, Generation: w.generation,
		})
	}
	e.decision.Wake = sooner(e.decision.Wake, r.beat+every)
}

// sooner returns the earlier of two wake-ups, of which the first may be none.
func sooner(wake, at time.Duration) time.Duration {
	if wake == 0 {
		return at
	}
	return min(wake, at)
}
