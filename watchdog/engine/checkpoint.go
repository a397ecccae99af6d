package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// model is what a checkpoint holds of a worker at rest: with it nothing that was shown before is needed again. A worker in
// a run has none: what it showed since its last rest is simply read again (WDC-REST-001).
type model struct {
	Generation int               `json:"generation"`
	Spawn      watchdog.Spawned  `json:"spawn"`
	BootID     string            `json:"boot_id,omitempty"`
	Spawned    mark              `json:"spawned"`
	Progress   mark              `json:"progress"`
	Resumed    mark              `json:"resumed"`
	Since      mark              `json:"since"`
	Row        int               `json:"row"` // of the phase table
	Ends       ends              `json:"ends"`
	Run        savedRun          `json:"run"`
	SawOut     bool              `json:"saw_out,omitempty"`
	Terminal   bool              `json:"pty_seen,omitempty"`
	Pull       bool              `json:"pull,omitempty"`
	Dirty      bool              `json:"dirty,omitempty"`
	Retries    int               `json:"retries,omitempty"`
	Exit       *savedExit        `json:"exit,omitempty"`
	Handled    int               `json:"handled,omitempty"`
	Facts      watchdog.Worktree `json:"facts"`
	FactsN     int               `json:"facts_n,omitempty"`
	HeadN      int               `json:"head_n,omitempty"`
	TaskRow    watchdog.Task     `json:"task_row"`
	TaskRowN   int               `json:"task_row_n,omitempty"`
	TaskRowAt  time.Duration     `json:"task_row_at,omitempty"`
	Bounces    []string          `json:"bounces,omitempty"`
	Parents    []uint64          `json:"parents,omitempty"` // of the session's last messages
	Forked     bool              `json:"forked,omitempty"`
}

type savedRun struct {
	Ran      bool           `json:"ran,omitempty"`
	Terminal bool           `json:"terminal,omitempty"`
	Settled  bool           `json:"settled,omitempty"`
	Quit     bool           `json:"quit,omitempty"`
	Idle     bool           `json:"idle,omitempty"`
	Refused  bool           `json:"refused,omitempty"`
	Trouble  agents.Trouble `json:"trouble,omitempty"`
	Seen     bool           `json:"seen,omitempty"` // of the last message
	Stop     agents.Stop    `json:"stop,omitempty"`
	Empty    bool           `json:"empty,omitempty"`
	Calls    int            `json:"calls,omitempty"`
	Aborted  bool           `json:"aborted,omitempty"`
	End      mark           `json:"end"`
	Model    string         `json:"model,omitempty"`
	Head     string         `json:"head,omitempty"`
	LastKey  uint64         `json:"last_key,omitempty"`
	Tokens   int64          `json:"tokens,omitempty"`
	Cost     float64        `json:"cost,omitempty"`
}

type savedExit struct {
	At        mark                 `json:"at"`
	Code      int                  `json:"code"`
	Signal    string               `json:"signal,omitempty"`
	Early     bool                 `json:"early,omitempty"`
	Before    watchdog.VerdictName `json:"before,omitempty"`
	Ambiguous bool                 `json:"ambiguous,omitempty"`
}

// MarshalJSON implements json.Marshaler: [at, n, seen].
func (m mark) MarshalJSON() ([]byte, error) {
	text := append(make([]byte, 0, 48), '[')
	text = append(strconv.AppendInt(text, int64(m.at), 10), ',')
	text = append(strconv.AppendInt(text, int64(m.n), 10), ',')
	return append(strconv.AppendInt(text, int64(m.seen), 10), ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *mark) UnmarshalJSON(data []byte) error {
	var v [3]int64
	err := json.Unmarshal(data, &v)
	*m = mark{time.Duration(v[0]), int(v[1]), time.Duration(v[2])}
	return err
}

// noteNews notes that a checkpoint does not hold an observation. Answers to looks are none: at rest nothing rests on them.
func (w *worker) noteNews(o *watchdog.Observation) {
	switch o.Body.(type) {
	case watchdog.Probe, watchdog.Inspect, watchdog.Outcome, watchdog.Owner, watchdog.Operator:
		if w.rests() {
			return
		}
	}
	if w.news == 0 {
		w.news = o.N
	}
}

// rests reports whether the worker is at rest, with nothing begun and nothing in doubt.
func (w *worker) rests() bool {
	r := &w.run
	switch {
	case !w.stand.known || table[w.stand.row].kind != over: // above these rows stand those of all that can be open
		return false
	case r.prompted || w.doubt || w.cut || w.looks.conflict():
		return false
	}
	return !w.reader.Pending()
}

// checkpoint journals the model of each worker that has come to rest, and then how far everything is taken into account.
func (e *Engine) checkpoint() {
	r := e.recovery
	ack, wrote := r.seen, false
	for _, w := range e.workers {
		if w.news != 0 && w.rests() {
			if text, err := json.Marshal(w.model()); err == nil { // else all of it is read again
				e.add(journal.Model{Worker: w.id, Generation: w.generation, State: text})
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

func (w *worker) model() *model {
	r, h := &w.run, w.hands
	m := &model{
		Generation: w.generation, Spawn: w.spawn, BootID: w.bootID, Spawned: w.spawned, Progress: w.progress, Resumed: w.resumed,
		Since: w.stand.since, Row: w.stand.row, Ends: w.ends, SawOut: w.sawOut, Terminal: w.reports, Pull: w.pull, Dirty: w.dirty,
		Retries: w.retries, Handled: h.handled, Facts: h.facts, FactsN: h.factsN, HeadN: h.headN, TaskRow: h.row, TaskRowN: h.rowN, TaskRowAt: h.rowAt,
		Bounces: h.bounces, Parents: h.parents, Forked: h.forked,
		Run: savedRun{
			r.ran, r.terminal, r.settled, r.quit, r.idle, r.refused, r.trouble,
			r.final.seen, r.final.stop, r.final.empty, r.final.calls, r.final.aborted, r.end, r.modelName, r.head, r.lastKey,
			r.tokens, r.cost,
		},
	}
	if x := &w.exit; x.proven {
		m.Exit = &savedExit{x.mark, x.code, x.signal, x.early, x.before, x.ambiguous}
	}
	return m
}

// restored makes a worker of its checkpoint.
func (e *Engine) restored(id string, m *model) *worker {
	w := newWorker(id, m.Generation, e)
	w.started(m.Spawn)
	w.bootID, w.spawned, w.progress, w.resumed = m.BootID, m.Spawned, m.Progress, m.Resumed
	w.stand, w.ends, w.sawOut, w.reports = standing{m.Row, m.Since, true}, m.Ends, m.SawOut, m.Terminal
	w.pull, w.dirty, w.retries = m.Pull, m.Dirty, m.Retries
	s := &m.Run
	w.run = run{
		ran: s.Ran, terminal: s.Terminal, settled: s.Settled, quit: s.Quit, idle: s.Idle, refused: s.Refused, trouble: s.Trouble,
		final: final{s.Seen, s.Stop, s.Empty, s.Calls, s.Aborted}, end: s.End, modelName: s.Model, head: s.Head, lastKey: s.LastKey,
		tokens: s.Tokens, cost: s.Cost,
	}
	if x := m.Exit; x != nil {
		w.exit = exit{mark: x.At, proven: true, code: x.Code, signal: x.Signal, early: x.Early, before: x.Before, ambiguous: x.Ambiguous}
	}
	w.hands = new(hands)
	h := w.hands
	h.handled, h.facts, h.factsN, h.headN = m.Handled, m.Facts, m.FactsN, m.HeadN
	h.row, h.rowN, h.rowTold, h.rowAt, h.bounces = m.TaskRow, m.TaskRowN, m.TaskRowN, m.TaskRowAt, m.Bounces
	h.parents, h.forked = m.Parents, m.Forked
	w.configure()
	w.touched = true
	return w
}

// resume brings back the workers that the journal has a checkpoint of, and the notices whose fate is not known.
func (e *Engine) resume() error {
	r := e.recovery
	for _, t := range r.memory.Tasks {
		if len(t.Model) == 0 {
			continue
		}
		var m model
		if err := json.Unmarshal(t.Model, &m); err != nil {
			return fmt.Errorf("engine: the checkpoint of %s: %w", t.Worker, err)
		}
		w := e.restored(t.Worker, &m)
		e.byID[w.id] = w
		e.workers = append(e.workers, w)
	}
	for _, key := range slices.Sorted(maps.Keys(r.memory.Notices)) {
		if !r.memory.Notices[key].Sent {
			r.retell = append(r.retell, key)
		}
	}
	return nil
}

// compact replaces the journal's history by the state that it comes to, without the notices of generations that are over.
func (e *Engine) compact() error {
	r := e.recovery
	kept := *r.memory
	kept.Notices = map[string]*told{}
	for key, n := range r.memory.Notices {
		if w := e.byID[n.Worker]; w == nil || !n.Sent || n.Generation >= w.generation {
			kept.Notices[key] = n
		}
	}
	state, err := json.Marshal(&kept)
	if err != nil {
		return fmt.Errorf("engine: compact: %w", err)
	}
	switch err := r.log.Compact(e.now, r.seen, state); {
	case errors.Is(err, journal.ErrFull):
		return nil // the history stays, and nothing is lost
	case err != nil:
		return fmt.Errorf("engine: compact: %w", err)
	}
	r.memory.Notices = kept.Notices
	return nil
}
