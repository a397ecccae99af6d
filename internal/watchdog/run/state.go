package run

import (
	"encoding/json"
	"hash/fnv"
	"strconv"
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// State is what a checkpoint holds of a worker at rest, as it is watched: with it nothing that was shown before is needed
// again.
type State struct {
	Generation int              `json:"generation"`
	Spawn      watchdog.Spawned `json:"spawn"`
	BootID     string           `json:"boot_id,omitempty"`
	Spawned    Mark             `json:"spawned"`
	Progress   Mark             `json:"progress"`
	Resumed    Mark             `json:"resumed"`
	Since      Mark             `json:"since"`
	Row        int              `json:"row"` // of the phase table
	Ends       ends             `json:"ends"`
	Run        savedRun         `json:"run"`
	SawOut     bool             `json:"saw_out,omitempty"`
	Terminal   bool             `json:"pty_seen,omitempty"`
	Pull       bool             `json:"pull,omitempty"`
	Dirty      bool             `json:"dirty,omitempty"`
	Retries    int              `json:"retries,omitempty"`
	Exit       *savedExit       `json:"exit,omitempty"`
	Mended     int              `json:"mended,omitempty"`
}

// Forks is what a checkpoint holds of the session file.
type Forks struct {
	Parents []uint64 `json:"parents,omitempty"` // of the session's last messages
	Forked  bool     `json:"forked,omitempty"`
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
	End      Mark           `json:"end"`
	Model    string         `json:"model,omitempty"`
	Head     string         `json:"head,omitempty"`
	LastKey  uint64         `json:"last_key,omitempty"`
	Tokens   int64          `json:"tokens,omitempty"`
	Cost     float64        `json:"cost,omitempty"`
}

type savedExit struct {
	At        Mark                 `json:"at"`
	Code      int                  `json:"code"`
	Signal    string               `json:"signal,omitempty"`
	Early     bool                 `json:"early,omitempty"`
	Before    watchdog.VerdictName `json:"before,omitempty"`
	Ambiguous bool                 `json:"ambiguous,omitempty"`
}

// MarshalJSON implements json.Marshaler: [at, n, seen].
func (m Mark) MarshalJSON() ([]byte, error) {
	text := append(make([]byte, 0, 48), '[')
	text = append(strconv.AppendInt(text, int64(m.At), 10), ',')
	text = append(strconv.AppendInt(text, int64(m.N), 10), ',')
	return append(strconv.AppendInt(text, int64(m.Seen), 10), ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Mark) UnmarshalJSON(data []byte) error {
	var v [3]int64
	err := json.Unmarshal(data, &v)
	*m = Mark{time.Duration(v[0]), int(v[1]), time.Duration(v[2])}
	return err
}

// Rests reports whether the worker is at rest, with nothing begun and nothing in doubt.
func (w *Worker) Rests() bool {
	r := &w.Run
	switch {
	case !w.stand.known || table[w.stand.row].kind != over: // above these rows stand those of all that can be open
		return false
	case r.Prompted || w.Doubt || w.cut || w.looks.conflict():
		return false
	}
	return !w.reader.Pending()
}

// State returns what a checkpoint holds of the worker.
func (w *Worker) State() (State, Forks) {
	r := &w.Run
	s := State{
		Generation: w.Generation, Spawn: w.Spawn, BootID: w.bootID, Spawned: w.Spawned, Progress: w.Progress, Resumed: w.Resumed,
		Since: w.stand.since, Row: w.stand.row, Ends: w.ends, SawOut: w.sawOut, Terminal: w.reports, Pull: w.pull, Dirty: w.dirty,
		Retries: w.Retries, Mended: w.mended,
		Run: savedRun{
			r.Ran, r.terminal, r.settled, r.quit, r.idle, r.refused, r.trouble,
			r.final.seen, r.final.stop, r.final.empty, r.final.calls, r.final.aborted, r.End, r.modelName, r.head, r.lastKey,
			r.Tokens, r.Cost,
		},
	}
	if x := &w.Exit; x.Proven {
		s.Exit = &savedExit{x.Mark, x.code, x.signal, x.Early, x.Before, x.ambiguous}
	}
	return s, Forks{w.forks.parents, w.forks.found}
}

// Restore makes a worker of its checkpoint.
func (watch *Watch) Restore(id string, s *State, f *Forks) *Worker {
	w := newWorker(id, s.Generation, watch)
	w.started(s.Spawn)
	w.bootID, w.Spawned, w.Progress, w.Resumed = s.BootID, s.Spawned, s.Progress, s.Resumed
	w.stand, w.ends, w.sawOut, w.reports = standing{s.Row, s.Since, true}, s.Ends, s.SawOut, s.Terminal
	w.pull, w.dirty, w.Retries, w.mended = s.Pull, s.Dirty, s.Retries, s.Mended
	r := &s.Run
	w.Run = Model{
		Ran: r.Ran, terminal: r.Terminal, settled: r.Settled, quit: r.Quit, idle: r.Idle, refused: r.Refused, trouble: r.Trouble,
		final: final{r.Seen, r.Stop, r.Empty, r.Calls, r.Aborted}, End: r.End, modelName: r.Model, head: r.Head, lastKey: r.LastKey,
		Tokens: r.Tokens, Cost: r.Cost,
	}
	if x := s.Exit; x != nil {
		w.Exit = Exit{Mark: x.At, Proven: true, code: x.Code, signal: x.Signal, Early: x.Early, Before: x.Before, ambiguous: x.Ambiguous}
	}
	w.forks = forks{f.Parents, f.Forked}
	w.configure()
	w.Touched = true
	watch.join(w)
	return w
}

// Frontier names the place at which a worker came to its stop, the same for two attempts that get no further: the phase,
// the last call. The head of the worktree is added when an attempt is made from there: a new commit is another place.
func (w *Worker) Frontier() string {
	phase := w.stand.name()
	if w.Found.Name == watchdog.VerdictDead {
		phase = w.Exit.Before
	}
	h := fnv.New64a()
	h.Write([]byte(phase))
	h.Write(strconv.AppendUint(nil, w.Run.lastKey, 16))
	return strconv.FormatUint(h.Sum64(), 16)
}
