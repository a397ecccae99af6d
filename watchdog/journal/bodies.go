package journal

import (
	"time"

	"fakepi.example/watchdog"
)

// Body is what a record says: one of the types of this file, by value. A new kind is a type with its two methods and a
// row in bodies; a changed one is a new version (see format).
type Body interface {
	Kind() Kind
	// members writes or reads the members of the body's JSON form, and returns the body as it then is.
	members(f *form) Body
}

// Kind names a Body in JSON.
type Kind string

// The kinds of records.
const (
	KindStart    Kind = "start"
	KindBoot     Kind = "boot"
	KindAck      Kind = "ack"
	KindModel    Kind = "model"
	KindEpisode  Kind = "episode"
	KindVerdict  Kind = "verdict"
	KindIntent   Kind = "intent"
	KindOutcome  Kind = "outcome"
	KindSpending Kind = "spending"
	KindApproval Kind = "approval"
	KindOperator Kind = "operator"
	KindNotice   Kind = "notice"
	KindQueue    Kind = "queue"
	KindCall     Kind = "call"
	KindDrop     Kind = "drop"
)

// bodies holds an empty body of each kind.
var bodies = map[Kind]Body{
	KindStart: Start{}, KindBoot: Boot{}, KindAck: Ack{}, KindModel: Model{}, KindEpisode: Episode{},
	KindVerdict: Verdict{}, KindIntent: Intent{}, KindOutcome: Outcome{}, KindSpending: Spending{},
	KindApproval: Approval{}, KindOperator: Operator{}, KindNotice: Notice{}, KindQueue: Queue{},
	KindCall: Call{}, KindDrop: Drop{},
}

// Start begins a journal, or a part of it in another version. With a State it replaces everything before it: whoever folds
// takes the state, and leaves its own as it is for a Start without one.
type Start struct {
	Version int    // of the records from here on
	State   []byte // JSON, in the form of whoever folds; empty = as it was
}

// Boot says that the watchdog started.
type Boot struct {
	Incarnation int
	Fence       int64 // of the Writer
}

// Ack says that no observation up to number N is needed again. The Decision that said so may be lost in a crash: then they
// come again, and are to be skipped.
type Ack struct {
	N int
}

// Model is what the engine has made of a worker's observations up to the record's N, so that an Ack may let go of them.
type Model struct {
	Worker     string
	Generation int
	State      []byte // JSON, in the form of whoever folds
}

// Episode is a transition of an episode.
type Episode struct {
	ID         int // of the episode, rising
	Worker     string
	Generation int
	Step       EpisodeStep
	State      string // of the episode's state machine, from now on
	Aim        string // the state to which an approval leads; empty = it stays as it was
	Cause      watchdog.Cause
	Frontier   string // where the worker came to its stop, the same for two attempts that stopped at one place
	Reason     string // for people
}

// EpisodeStep says which transition it is.
type EpisodeStep string

// The steps of an episode.
const (
	Opened EpisodeStep = "opened"
	Moved  EpisodeStep = "moved"
	Closed EpisodeStep = "closed"
)

// Verdict is a detection (WDC-ALERT-003): a changed verdict, as it was told.
type Verdict struct {
	Worker     string
	Generation int
	Episode    int // 0 = none
	Name       watchdog.VerdictName
	Status     watchdog.Status
	Since      time.Duration // on Mono
	Cause      watchdog.Cause
	Evidence   []int // observation numbers
}

// Intent is a command that is about to be given. Without an Outcome, whether it had an effect is unknown (WDC-SIDE-003).
type Intent struct {
	Key        string // the same after a restart (WDC-SIDE-004)
	Command    watchdog.CommandKind
	Worker     string
	Generation int
	Episode    int
	Cause      watchdog.Cause
	Evidence   []int
	Digest     string // of the evidence that it is bound to
	NotAfter   time.Time
}

// Outcome is how a command ended.
type Outcome struct {
	Key    string
	Result watchdog.Result
	Reason string
	Digest string // of what a snapshot captured
	Token  string // of an acquired lease
}

// Spending is what an act costs, recorded before it (WDC-BUDG-001).
type Spending struct {
	Task   string
	Budget Budget
	Amount int    // negative: a refund, since the command was refused
	Key    string // of the command
}

// Budget names what is spent.
type Budget string

// The budgets of a task.
const (
	BudgetStart   Budget = "start" // of a worker that never started
	BudgetResume  Budget = "resume"
	BudgetRestart Budget = "restart"
	BudgetAttempt Budget = "attempt"
	BudgetTokens  Budget = "tokens"
	BudgetCost    Budget = "cost" // in millionths of a US dollar
)

// Approval is a decision of the owner (WDC-GATE-004).
type Approval struct {
	Item      string
	Approve   bool
	Digest    string // of the evidence that the owner saw
	NotAfter  time.Time
	Given     time.Time // civil: when the owner said it
	Signature string    // empty: the caller was the proof
}

// Operator is what an operator wants of a worker: a stop, a pause, its end, or that budgets start afresh.
type Operator struct {
	Worker string
	Intent watchdog.Intent
	Given  time.Time // civil: when the operator said it
}

// Notice is a word to the owner, once per episode and kind (WDC-ALERT-002).
type Notice struct {
	Key        string
	Worker     string
	Generation int
	Episode    int
	About      string // a verdict's name, or a limit's: attention, user_wait
	Cause      watchdog.Cause
	Text       string // as it was told
	Anchor     int    // number of the observation that the silence or wait counts from
}

// Call is an entry of the ledger of calls with side effects (WDC-SIDE-001): one whose result the worker, or its successor,
// does not know.
type Call struct {
	Worker     string
	Generation int
	ID         string
	Tool       string
	State      CallState
}

// CallState says what is known of the effect of a call.
type CallState string

// What may be known. A call whose end was told and not saved has happened, although the model will be told that it gave no
// result (WDC-SIDE-005).
const (
	CallUnknown   CallState = "unknown"   // it had begun
	CallConfirmed CallState = "confirmed" // it ended, and its result is not saved
)

// Drop says that something came and was left out: of an older generation (WDC-FENCE-002), or a word that may be a worker's
// own (WDC-GATE-007).
type Drop struct {
	Worker     string
	Generation int    // that it belongs to
	What       string // kind of the observation
	Reason     string // empty: of an older generation
}

// Queue is a step of a command that an outage of the spawner holds back (WDC-QUEUE-001). An Intent with its key takes it
// from the queue.
type Queue struct {
	Key        string
	Step       QueueStep
	Command    watchdog.CommandKind
	Worker     string
	Generation int
	Reason     string // why it was dropped
}

// QueueStep says what became of a queued command.
type QueueStep string

// The steps of a queued command.
const (
	Queued  QueueStep = "queued"
	Dropped QueueStep = "dropped"
)
