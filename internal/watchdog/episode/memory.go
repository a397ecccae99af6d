package episode

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// memory is what the engine knows across its own restarts: a fold of the journal, and nothing else (WDC-REST-002). The
// running engine changes it only by adding records. Its JSON form is the state that compacts a journal.
type memory struct {
	Incarnation int                `json:"incarnation"`
	Known       int                `json:"known"` // the last observation that a record takes into account
	Acked       int                `json:"acked"`
	Tasks       []*task            `json:"tasks,omitempty"` // in the order of their first record
	Queue       []queued           `json:"queue,omitempty"`
	Notices     map[string]*notice `json:"notices,omitempty"`
	byWorker    map[string]*task   // index of Tasks
	byKey       map[string]*intent // index of the intents of open episodes
}

// notice is a notice to the owner; the owner has it once its outcome is known.
type notice struct {
	Worker     string         `json:"worker"`
	Generation int            `json:"generation"`
	About      string         `json:"about"`
	Cause      watchdog.Cause `json:"cause"`
	Text       string         `json:"text,omitempty"` // until it was heard
	Anchor     int            `json:"anchor,omitempty"`
	Sent       bool           `json:"sent,omitempty"`
}

// queued is a command that an outage of the spawner holds back.
type queued struct {
	Key    string `json:"key"`
	Worker string `json:"worker"`
}

// task is the durable model of one worker's task, over all generations.
type task struct {
	Worker     string          `json:"worker"`
	Model      json.RawMessage `json:"model,omitempty"` // the last checkpoint of the observed model (checkpoint.go)
	ModelN     int             `json:"model_n,omitempty"`
	Episode    *episode        `json:"episode,omitempty"` // the open one
	Episodes   int             `json:"episodes,omitempty"`
	Spent      []spent         `json:"spent,omitempty"`
	Operator   watchdog.Intent `json:"operator,omitempty"`   // stop or pause while it holds
	Intended   time.Time       `json:"intended,omitzero"`    // civil: when the operator said the last of it
	Rearmed    int             `json:"rearmed,omitempty"`    // number of the operator's last word that arms again
	Frontier   string          `json:"frontier,omitempty"`   // where the last attempt came to its stop
	Parked     string          `json:"parked,omitempty"`     // why it was handed to a person
	Escalation string          `json:"escalation,omitempty"` // key under which the owner was told of it
	Escalated  bool            `json:"escalated,omitempty"`  // and has heard it
	Approvals  []approval      `json:"approvals,omitempty"`
	Calls      []journal.Call  `json:"calls,omitempty"` // of the last generation that came to its stop
	Detected   detection       `json:"told"`            // the last detection
}

// detection is a verdict past a limit that was recorded; it is recorded once.
type detection struct {
	Generation int                  `json:"generation,omitempty"`
	Name       watchdog.VerdictName `json:"name,omitempty"`
	Status     watchdog.Status      `json:"status,omitempty"`
	Since      time.Duration        `json:"since,omitempty"`
}

// spent is one spending that may count.
type spent struct {
	Budget journal.Budget `json:"budget"`
	Amount int            `json:"amount"`
	Key    string         `json:"key"`
	At     stamp          `json:"at"`
}

// stamp is a moment on the clocks that durable timers are measured on.
type stamp struct {
	Mono   time.Duration `json:"mono"`
	Boot   time.Duration `json:"boot"`
	BootID string        `json:"boot_id,omitempty"`
}

func stampOf(at watchdog.Instant) stamp { return stamp{at.Mono, at.Boot, at.BootID} }

// age is how much time went by since the stamp, in suspend too. After a reboot it is at least what the host is up for.
func (s stamp) age(now watchdog.Instant) time.Duration {
	if s.BootID != now.BootID {
		return now.Boot
	}
	return now.Boot - s.Boot
}

// approval is a decision of the owner as it was recorded.
type approval struct {
	N        int       `json:"n"`
	Item     string    `json:"item"`
	Approve  bool      `json:"approve"`
	Digest   string    `json:"digest,omitempty"`
	NotAfter time.Time `json:"not_after,omitzero"`
	Given    time.Time `json:"given,omitzero"`
}

// intent is a command that was given, or was about to be.
type intent struct {
	Key     string               `json:"key"`
	Kind    watchdog.CommandKind `json:"kind"`
	Visit   int                  `json:"visit"` // of the episode's state that it was given in
	At      stamp                `json:"at"`
	N       int                  `json:"n"`
	Digest  string               `json:"digest,omitempty"`
	Result  watchdog.Result      `json:"result,omitempty"` // empty: not known yet
	Reason  string               `json:"reason,omitempty"`
	Found   string               `json:"found,omitempty"` // digest that a snapshot captured
	Token   string               `json:"token,omitempty"`
	Lost    bool                 `json:"lost,omitempty"` // the watchdog ended before an outcome came: unknown (WDC-SIDE-003)
	Repeats int                  `json:"repeats,omitempty"`
}

func newMemory() *memory {
	return &memory{Notices: map[string]*notice{}, byWorker: map[string]*task{}, byKey: map[string]*intent{}}
}

// task returns the task of a worker, which begins with its first record.
func (m *memory) task(worker string) *task {
	t := m.byWorker[worker]
	if t == nil {
		t = &task{Worker: worker}
		m.byWorker[worker] = t
		m.Tasks = append(m.Tasks, t)
	}
	return t
}

// fold takes one record: live and in a replay alike.
func (m *memory) fold(r journal.Record) error {
	m.Known = max(m.Known, r.N)
	switch b := r.Body.(type) {
	case journal.Start:
		return m.restore(b.State)
	case journal.Boot:
		m.boot(b)
	case journal.Ack:
		m.Acked = b.N
	case journal.Model:
		t := m.task(b.Worker)
		t.Model, t.ModelN = b.State, r.N
	case journal.Episode:
		m.task(b.Worker).move(b, stampOf(r.At), r.N, m)
	case journal.Verdict:
		m.task(b.Worker).Detected = detection{b.Generation, b.Name, b.Status, b.Since}
	case journal.Intent:
		m.intend(b, r)
	case journal.Outcome:
		m.outcome(b)
	case journal.Spending:
		m.task(b.Task).spend(b, stampOf(r.At))
	case journal.Approval:
		m.approve(b, r.N)
	case journal.Operator:
		m.task(b.Worker).operate(b, r.N)
	case journal.Notice:
		m.Notices[b.Key] = &notice{Worker: b.Worker, Generation: b.Generation, About: b.About, Cause: b.Cause, Text: b.Text, Anchor: b.Anchor}
	case journal.Queue:
		m.queue(b)
	case journal.Call:
		t := m.task(b.Worker)
		t.Calls = append(t.Calls, b)
	}
	return nil
}

// restore takes a compacted state for all that came before.
func (m *memory) restore(state []byte) error {
	if len(state) == 0 {
		return nil
	}
	if err := json.Unmarshal(state, m); err != nil {
		return fmt.Errorf("engine: the state in the journal: %w", err)
	}
	for _, t := range m.Tasks {
		m.byWorker[t.Worker] = t
		if t.Episode != nil {
			for _, i := range t.Episode.Intents {
				m.byKey[i.Key] = i
			}
		}
	}
	return nil
}

// boot: what was on its way when the watchdog ended has an outcome that nobody knows.
func (m *memory) boot(b journal.Boot) {
	m.Incarnation = b.Incarnation
	for _, t := range m.Tasks {
		if t.Episode == nil {
			continue
		}
		for _, i := range t.Episode.Intents {
			i.Lost = i.Result == ""
		}
	}
}

// intend notes a command that is about to be given. The same key again is the same attempt once more.
func (m *memory) intend(b journal.Intent, r journal.Record) {
	m.unqueue(b.Key)
	t := m.task(b.Worker)
	if b.Command == watchdog.CmdEscalate {
		t.Escalation, t.Escalated = b.Key, false
	}
	ep := t.Episode
	if ep == nil {
		return
	}
	if i := m.byKey[b.Key]; i != nil {
		i.At, i.N, i.Visit, i.Lost, i.Result, i.Reason = stampOf(r.At), r.N, ep.Visit, false, "", ""
		i.Repeats++
		return
	}
	i := &intent{Key: b.Key, Kind: b.Command, Visit: ep.Visit, At: stampOf(r.At), N: r.N, Digest: b.Digest}
	ep.Intents = append(ep.Intents, i)
	m.byKey[b.Key] = i
}

// outcome notes how a command ended.
func (m *memory) outcome(b journal.Outcome) {
	if n := m.Notices[b.Key]; n != nil {
		n.Sent, n.Text = true, ""
	}
	if t := m.escalates(b.Key); t != nil {
		t.Escalated = b.Result == watchdog.ResultDone
	}
	i := m.byKey[b.Key]
	if i == nil {
		return
	}
	i.Result, i.Reason, i.Found, i.Token, i.Lost = b.Result, b.Reason, b.Digest, b.Token, false
}

// escalates returns the task whose escalation has a key, or nil.
func (m *memory) escalates(key string) *task {
	for _, t := range m.Tasks {
		if t.Escalation == key {
			return t
		}
	}
	return nil
}

// awaits reports whether the outcome of a key is of interest.
func (m *memory) awaits(key string) bool {
	return m.byKey[key] != nil || m.Notices[key] != nil || m.escalates(key) != nil
}

// approve notes the owner's word on a proposal, which proves that they got it. A word on anything else is none.
func (m *memory) approve(b journal.Approval, n int) {
	i := m.byKey[b.Item]
	if i == nil || i.Kind != watchdog.CmdPropose {
		return
	}
	i.Result, i.Lost = watchdog.ResultDone, false
	for _, t := range m.Tasks {
		if t.Episode != nil && t.Episode.owns(i) {
			t.Approvals = append(t.Approvals, approval{N: n, Item: b.Item, Approve: b.Approve, Digest: b.Digest, NotAfter: b.NotAfter, Given: b.Given})
		}
	}
}

func (m *memory) queue(b journal.Queue) {
	m.unqueue(b.Key)
	if b.Step == journal.Queued {
		m.Queue = append(m.Queue, queued{b.Key, b.Worker})
	}
}

func (m *memory) unqueue(key string) {
	for i := range m.Queue {
		if m.Queue[i].Key == key {
			m.Queue = append(m.Queue[:i:i], m.Queue[i+1:]...)
			return
		}
	}
}

// queues reports whether a command of the worker is held back.
func (m *memory) queues(key string) bool {
	for i := range m.Queue {
		if m.Queue[i].Key == key {
			return true
		}
	}
	return false
}

// move takes a transition of the task's episode.
func (t *task) move(b journal.Episode, at stamp, n int, m *memory) {
	switch b.Step {
	case journal.Opened:
		t.Episodes = b.ID
		t.Episode = &episode{
			ID: b.ID, Generation: b.Generation, Cause: b.Cause, State: State(b.State), Aim: State(b.Aim), Since: at, Opened: at, OpenedN: n, EnteredN: n,
		}
	case journal.Closed:
		if t.Episode != nil {
			t.Episode.forget(m)
		}
		t.Episode, t.Parked, t.Approvals = nil, "", nil
	case journal.Moved:
		if t.Episode != nil {
			t.moveOn(b, at, n)
		}
	}
}

// moveOn takes one that leaves the episode open.
func (t *task) moveOn(b journal.Episode, at stamp, n int) {
	ep := t.Episode
	ep.Visit++
	ep.State, ep.Since, ep.EnteredN = State(b.State), at, n
	if b.Cause.Name != "" {
		ep.Cause = b.Cause
	}
	if b.Aim != "" {
		ep.Aim = State(b.Aim)
	}
	if b.Frontier != "" {
		ep.Frontier = b.Frontier
	}
	switch ep.State {
	case Again:
		if ep.Ended == (stamp{}) {
			ep.Ended = at
		}
	case Watch:
		t.Frontier = ep.Frontier
	case Human:
		t.Parked = b.Reason
	}
}

// spend notes a spending. Amounts of one key add up; what has come to nothing is forgotten.
func (t *task) spend(b journal.Spending, at stamp) {
	if b.Key == stableKey {
		t.Spent = slices.DeleteFunc(t.Spent, func(s spent) bool {
			return s.Budget == journal.BudgetStart || s.Budget == journal.BudgetResume || s.Budget == journal.BudgetRestart
		})
		t.Frontier = ""
	}
	for i := range t.Spent {
		if s := &t.Spent[i]; s.Key == b.Key && s.Budget == b.Budget {
			if s.Amount += b.Amount; s.Amount <= 0 {
				t.Spent = append(t.Spent[:i], t.Spent[i+1:]...)
			} else if b.Amount == 0 {
				s.At = at
			}
			return
		}
	}
	if b.Amount > 0 {
		t.Spent = append(t.Spent, spent{b.Budget, b.Amount, b.Key, at})
	}
}

// operate takes an operator's word. To arm again forgets what was spent and where attempts came to their stop.
func (t *task) operate(b journal.Operator, n int) {
	if b.Given.After(t.Intended) {
		t.Intended = b.Given
	}
	switch b.Intent {
	case watchdog.IntentStop, watchdog.IntentPause:
		t.Operator = b.Intent
	case watchdog.IntentResume:
		t.Operator = ""
	case watchdog.IntentRearm:
		t.Spent, t.Frontier, t.Rearmed, t.Escalation, t.Escalated = nil, "", n, "", false
	}
}
