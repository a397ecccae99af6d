package episode

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// model is what a checkpoint holds of a worker at rest: with it nothing that was shown before is needed again. A worker in
// a run has none: what it showed since its last rest is simply read again (WDC-REST-001).
type checkpoint struct {
	run.State
	Handled   int               `json:"handled,omitempty"`
	Facts     watchdog.Worktree `json:"facts"`
	FactsN    int               `json:"facts_n,omitempty"`
	HeadN     int               `json:"head_n,omitempty"`
	TaskRow   watchdog.Task     `json:"task_row"`
	TaskRowN  int               `json:"task_row_n,omitempty"`
	TaskRowAt time.Duration     `json:"task_row_at,omitempty"`
	Bounces   []string          `json:"bounces,omitempty"`
	run.Forks
}

// noteNews notes that a checkpoint does not hold an observation. Answers to looks are none: at rest nothing rests on them.
func (w *worker) noteNews(o *watchdog.Observation) {
	switch o.Body.(type) {
	case watchdog.Probe, watchdog.Inspect, watchdog.Outcome, watchdog.Owner, watchdog.Operator:
		if w.Rests() {
			return
		}
	}
	if w.news == 0 {
		w.news = o.N
	}
}

// checkpoint journals the model of each worker that has come to rest, and then how far everything is taken into account.
func (e *Episodes) checkpoint() {
	r := e
	ack, wrote := r.seen, false
	for _, w := range e.workers {
		if w.news != 0 && w.Rests() {
			if text, err := json.Marshal(w.checkpoint()); err == nil { // else all of it is read again
				e.add(journal.Model{Worker: w.ID, Generation: w.Generation, State: text})
				w.news, wrote = 0, true
			}
		}
		if w.news != 0 {
			ack = min(ack, w.news-1)
		}
	}
	if ack > r.memory.Acked && (wrote || ack-r.memory.Acked > lazyAck) {
		e.add(journal.Ack{N: ack})
	}
}

// lazyAck is how far an ack may lag behind where no checkpoint is written anyway.
const lazyAck = 64

func (w *worker) checkpoint() *checkpoint {
	state, forks := w.State()
	return &checkpoint{
		State: state, Handled: w.handled, Facts: w.facts, FactsN: w.factsN, HeadN: w.headN, TaskRow: w.row, TaskRowN: w.rowN,
		TaskRowAt: w.rowAt, Bounces: w.bounces, Forks: forks,
	}
}

// restored makes a worker of its checkpoint.
func (e *Episodes) restored(id string, c *checkpoint) *worker {
	return &worker{
		Worker: e.Restore(id, &c.State, &c.Forks), generation: c.Generation, handled: c.Handled, facts: c.Facts, factsN: c.FactsN, headN: c.HeadN,
		row: c.TaskRow, rowN: c.TaskRowN, rowSeen: c.TaskRowN, rowAt: c.TaskRowAt, bounces: c.Bounces,
	}
}

// resume brings back the workers that the journal has a checkpoint of, and the notices whose fate is not known.
func (e *Episodes) resume() error {
	r := e
	for _, t := range r.memory.Tasks {
		if len(t.Model) == 0 {
			continue
		}
		var c checkpoint
		if err := json.Unmarshal(t.Model, &c); err != nil {
			return fmt.Errorf("engine: the checkpoint of %s: %w", t.Worker, err)
		}
		e.join(e.restored(t.Worker, &c))
	}
	for _, key := range slices.Sorted(maps.Keys(r.memory.Notices)) {
		if !r.memory.Notices[key].Sent {
			r.unsent = append(r.unsent, key)
		}
	}
	return nil
}

// Compact replaces the journal's history by the state that it comes to, without the notices of generations that are over.
func (e *Episodes) Compact() error {
	r := e
	kept := *r.memory
	kept.Notices = map[string]*notice{}
	for key, n := range r.memory.Notices {
		if w := e.byID[n.Worker]; w == nil || !n.Sent || n.Generation >= w.Generation || isRemark(n.About) {
			kept.Notices[key] = n
		}
	}
	state, err := json.Marshal(&kept)
	if err != nil {
		return fmt.Errorf("engine: compact: %w", err)
	}
	switch err := r.log.Compact(e.Now, r.seen, state); {
	case errors.Is(err, journal.ErrFull):
		return nil // the history stays, and nothing is lost
	case err != nil:
		return fmt.Errorf("engine: compact: %w", err)
	}
	r.memory.Notices = kept.Notices
	return nil
}
