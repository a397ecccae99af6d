// Package live runs a watchdog over a real worker.
//
// Each worker has a folder. Its holder (package holder) owns the process and writes down what its streams carry; Watch reads
// that log, steps the watchdog, and carries out what it decides. Watch may die at any moment: the worker goes on, and the
// next Watch of the same folder reads on where the last one had durably read (WDC-REST-001).
//
// This version observes: it looks, tells and saves evidence. A command that would touch the worker or its work is refused.
package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/gofrs/flock"

	"fakepi.example/internal/watchdog/journal/sqlite"
	"fakepi.example/internal/watchdog/live/clocks"
	"fakepi.example/internal/watchdog/live/spool"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// ErrWatched is wrapped by the error about a worker that another process watches already (WDC-REST-006).
var ErrWatched = errors.New("another piwatch watches this worker")

// ErrContract is wrapped by the error about a watchdog that asks without end.
var ErrContract = errors.New("the watchdog breaks its contract")

// maxRounds bounds the questions and answers at one moment.
const maxRounds = 64

// leaseTime is how long the journal's lease lasts. A watcher that has died is known by the lock that it no longer holds,
// so nobody waits for the end of its lease.
const leaseTime = 10 * 365 * 24 * time.Hour

// Options say how a worker is watched.
type Options struct {
	Folder Folder
	Policy watchdog.Policy
	Start  func(watchdog.Boot) (watchdog.Watchdog, error)
	Tell   func(Notice)           // what a person must hear
	Change func(watchdog.Verdict) // each changed verdict
	Failed func(error)            // what went wrong and does not end the watch
	// LookOnly refuses whatever is more than looking and telling, snapshots too.
	LookOnly bool
	// Seen and Decided, if set, get all that was observed, from the worker's start on, and all that was decided.
	Seen    func(watchdog.Observation) error
	Decided func(watchdog.Instant, *watchdog.Decision) error
}

// Watch watches the worker of a folder until it has exited and the watchdog has nothing more to say, or until the context
// ends; it then returns the context's error. The worker may have exited long before.
func Watch(ctx context.Context, o Options) (watchdog.Exited, error) {
	if _, err := o.Folder.ReadSpec(); err != nil {
		return watchdog.Exited{}, err
	}
	lock := flock.New(o.Folder.lock())
	if got, err := lock.TryLock(); err != nil {
		return watchdog.Exited{}, err
	} else if !got {
		return watchdog.Exited{}, fmt.Errorf("%w: %s; see piwatch status", ErrWatched, o.Folder)
	}
	defer func() { _ = lock.Unlock() }() // the end of the process would do it, too
	w, err := newWatch(o)
	if err != nil {
		return watchdog.Exited{}, err
	}
	defer w.close()
	return w.run(ctx)
}

// watch is a worker being watched.
type watch struct {
	Options
	spec     Spec
	spool    *spool.Spool
	store    *sqlite.Store
	news     *fsnotify.Watcher
	watchdog watchdog.Watchdog
	sizes    map[watchdog.Stream]int64 // bytes seen of each stream
	spawned  watchdog.Spawned
	exited   *watchdog.Exited
	status   Status
}

func newWatch(o Options) (_ *watch, err error) {
	w := &watch{Options: o, sizes: map[watchdog.Stream]int64{}}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.spec, err = o.Folder.ReadSpec(); err != nil {
		return nil, err
	}
	if w.status, err = o.Folder.readStatus(); err != nil {
		return nil, err
	}
	if w.spool, err = spool.Open(o.Folder.Spool()); err != nil {
		return nil, err
	}
	if w.news, err = fsnotify.NewWatcher(); err != nil {
		return nil, err
	}
	if err = w.news.Add(o.Folder.Spool()); err != nil {
		return nil, err
	}
	if w.store, err = sqlite.Open(o.Folder.journal()); err != nil {
		return nil, err
	}
	return w, w.boot()
}

// boot starts the watchdog on what its journal remembers.
func (w *watch) boot() error {
	now, err := clocks.Now()
	if err != nil {
		return err
	}
	state, err := w.acquire(now)
	if err != nil {
		return err
	}
	w.status.Incarnation++
	w.status.Watcher = os.Getpid()
	w.watchdog, err = w.Start(watchdog.Boot{
		Policy: w.Policy, Incarnation: w.status.Incarnation, Now: now, Spawner: watchdog.SpawnerPlain, State: state,
		Roster: []watchdog.Worker{{ID: w.spec.ID, Generation: w.spec.Generation, Task: w.spec.Task}},
	})
	if err != nil {
		return fmt.Errorf("start the watchdog: %w", err)
	}
	return w.Folder.writeStatus(&w.status)
}

// acquire gets the journal. Who had it before is dead: we hold its lock.
func (w *watch) acquire(now watchdog.Instant) (journal.Writer, error) {
	name := fmt.Sprintf("piwatch %d", os.Getpid())
	state, err := w.store.Acquire(name, now, leaseTime)
	var held *journal.HeldError
	if !errors.As(err, &held) {
		return state, err
	}
	if err := w.store.Evict(held.Lease.Fence); err != nil {
		return nil, err
	}
	return w.store.Acquire(name, now, leaseTime)
}

func (w *watch) close() {
	if w.news != nil {
		_ = w.news.Close()
	}
	if w.spool != nil {
		_ = w.spool.Close()
	}
	if w.store != nil {
		_ = w.store.Close()
	}
}

// run steps the watchdog on news and on its wake-ups.
func (w *watch) run(ctx context.Context) (watchdog.Exited, error) {
	timer := time.NewTimer(0) // the first step comes at once
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return watchdog.Exited{}, ctx.Err()
		case _, open := <-w.news.Events:
			if !open {
				return watchdog.Exited{}, errors.New("the spool can no longer be followed")
			}
		case err := <-w.news.Errors:
			w.Failed(fmt.Errorf("follow the spool: %w", err)) // events may be lost; the next brings all
		case <-timer.C:
		}
		wake, err := w.step(ctx)
		if err != nil {
			return watchdog.Exited{}, err
		}
		if w.exited != nil {
			w.status.Exit = w.exited
			return *w.exited, w.Folder.writeStatus(&w.status)
		}
		if wake >= 0 {
			timer.Reset(wake)
		}
	}
}

// step shows the watchdog all that is new and carries out what it decides, until it has no more to say for now. It returns
// after how long it wants to look again; less than 0 is never.
func (w *watch) step(ctx context.Context) (time.Duration, error) {
	for range maxRounds {
		seen, err := w.unread()
		if err != nil {
			return 0, err
		}
		now, err := clocks.Now()
		if err != nil {
			return 0, err
		}
		d, err := w.watchdog.Step(now, seen)
		if err != nil {
			return 0, fmt.Errorf("the watchdog: %w", err)
		}
		if err := w.carryOut(ctx, now, &d); err != nil {
			return 0, err
		}
		if len(d.Commands) > 0 {
			continue // each has an outcome that the watchdog waits for
		}
		if d.Wake == 0 {
			return -1, nil
		}
		return max(0, d.Wake-now.Mono), nil
	}
	return 0, fmt.Errorf("%w: it asked more than %d times at one moment", ErrContract, maxRounds)
}

// unread returns what was observed since the last look. After a restart that begins behind what was acknowledged.
func (w *watch) unread() ([]watchdog.Observation, error) {
	var seen []watchdog.Observation
	err := w.spool.Next(func(o watchdog.Observation) error {
		if w.Seen != nil {
			if err := w.Seen(o); err != nil {
				return err
			}
		}
		switch b := o.Body.(type) {
		case watchdog.Bytes:
			w.sizes[b.Stream] = b.Offset + int64(len(b.Data))
		case watchdog.Spawned:
			w.spawned = b
		case watchdog.Exited:
			w.exited = &b
		}
		if o.N > w.status.Ack {
			seen = append(seen, o)
		}
		return nil
	})
	return seen, err
}

// carryOut records what was decided and does it, in order.
func (w *watch) carryOut(ctx context.Context, now watchdog.Instant, d *watchdog.Decision) error {
	if w.Decided != nil {
		if err := w.Decided(now, d); err != nil {
			return err
		}
	}
	for i := range d.Verdicts {
		w.status.note(&d.Verdicts[i], now)
		w.Change(d.Verdicts[i])
	}
	if len(d.Verdicts) > 0 || d.Ack > w.status.Ack || len(d.Commands) > 0 {
		w.status.Ack = max(w.status.Ack, d.Ack)
		if err := w.Folder.writeStatus(&w.status); err != nil { // before anybody is told
			return err
		}
	}
	told := w.status.Told
	for i := range d.Commands {
		if err := w.execute(ctx, &d.Commands[i]); err != nil {
			return err
		}
	}
	if w.status.Told == told {
		return nil
	}
	return w.Folder.writeStatus(&w.status)
}

// answer writes down what became of a command, for the watchdog to see in the next step.
func (w *watch) answer(body watchdog.Body) error {
	now, err := clocks.Now()
	if err != nil {
		return err
	}
	_, err = w.spool.Append(watchdog.Observation{At: now, Worker: w.spec.ID, Generation: w.spec.Generation, Body: body})
	return err
}
