package watchdog

import (
	"cmp"
	"time"
)

// Observation is one thing that happened, stamped by whoever held the source: Pi's own events carry no time.
type Observation struct {
	N          int     // global number, rising
	At         Instant // when it happened, not when it was delivered
	Worker     string  // empty for what concerns no single worker (Link)
	Generation int     // the start of the worker that it belongs to
	Body       Body
}

// Body is what was observed: one of the types of this file, by value.
type Body interface{ Kind() ObservationKind }

// ObservationKind names a Body in JSON.
type ObservationKind string

// The kinds of observations.
const (
	KindBytes    ObservationKind = "bytes"
	KindClosed   ObservationKind = "closed"
	KindFile     ObservationKind = "file"
	KindGap      ObservationKind = "gap"
	KindSpawned  ObservationKind = "spawned"
	KindExited   ObservationKind = "exited"
	KindOutcome  ObservationKind = "outcome"
	KindProbe    ObservationKind = "probe"
	KindInspect  ObservationKind = "inspect"
	KindWorktree ObservationKind = "worktree"
	KindTask     ObservationKind = "task"
	KindOwner    ObservationKind = "owner"
	KindOperator ObservationKind = "operator"
	KindLink     ObservationKind = "link"
)

// ObservationKinds lists every kind of observation.
func ObservationKinds() []ObservationKind {
	return []ObservationKind{
		KindBytes, KindClosed, KindFile, KindGap, KindSpawned, KindExited, KindOutcome, KindProbe, KindInspect,
		KindWorktree, KindTask, KindOwner, KindOperator, KindLink,
	}
}

// Stream names a byte stream of a worker.
type Stream string

// The streams. In is what was sent to the worker's stdin, whoever sent it: Pi never confirms the answer to a dialog.
const (
	StreamOut     Stream = "out"
	StreamErr     Stream = "err"
	StreamIn      Stream = "in"
	StreamSession Stream = "session"
	StreamPTY     Stream = "pty"
)

// Bytes is a piece of a stream, cut anywhere; splitting it into lines is the watchdog's work (WDC-OBS-001).
type Bytes struct {
	Stream Stream
	Offset int64 // of Data[0] in the stream
	Data   []byte
}

// Closed says that a stream ended. The worker may still run.
type Closed struct {
	Stream Stream `json:"stream"`
}

// File says that a followed file shrank or became another file; reading restarts at offset 0 (WDC-OBS-006).
type File struct {
	Stream Stream     `json:"stream"`
	Change FileChange `json:"change"`
}

// FileChange is what became of a followed file.
type FileChange string

// What may become of a followed file.
const (
	FileTruncated FileChange = "truncated"
	FileReplaced  FileChange = "replaced"
)

// Gap says that bytes of a stream were dropped or left unread. From then on the stream proves no silence until bytes,
// an Inspect or a successful Probe come (WDC-OBS-007).
type Gap struct {
	Stream  Stream `json:"stream"`
	Missing int64  `json:"missing"` // bytes; -1 if not known
}

// Mode is how a worker was started.
type Mode string

// The modes of Pi. JSON and print end by themselves after one task.
const (
	ModeRPC   Mode = "rpc"
	ModeJSON  Mode = "json"
	ModePrint Mode = "print"
	ModeTUI   Mode = "tui"
)

// OneShot reports whether a worker of this mode ends by itself after its task.
func (m Mode) OneShot() bool { return m == ModeJSON || m == ModePrint }

// Source says how the watchdog comes by a worker's bytes.
type Source string

// The sources. A held stream is unbroken unless a Gap says otherwise, so an empty step on it proves silence; of a
// followed file only an Inspect proves that nothing was written (WDC-STALL-003).
const (
	SourceHeld     Source = "held"
	SourceFollowed Source = "followed"
)

// DefaultAgent is the agent of a worker whose spawner names none.
const DefaultAgent = "pi"

// Spawned says that a generation of a worker started.
type Spawned struct {
	Agent      string `json:"agent,omitempty"`   // what kind of agent it is; empty: DefaultAgent
	Version    string `json:"version,omitempty"` // of the agent, as far as the spawner knows
	Mode       Mode   `json:"mode"`
	Source     Source `json:"source"`
	Parent     bool   `json:"parent"` // the holder is the worker's parent and will report its exit
	Task       string `json:"task,omitempty"`
	Model      string `json:"model,omitempty"`
	PID        int    `json:"pid"`
	Start      int64  `json:"start"` // start time of the process, in ticks since boot: with pid and boot id its identity
	Session    string `json:"session,omitempty"`
	Worktree   string `json:"worktree,omitempty"`
	Credential string `json:"credential,omitempty"` // name of the credential in use, never its value
	Autonomous bool   `json:"autonomous"`           // false: a person works in this session
}

// SameAgent reports whether two workers are of one kind and version of agent.
func (s *Spawned) SameAgent(other *Spawned) bool {
	return cmp.Or(s.Agent, DefaultAgent) == cmp.Or(other.Agent, DefaultAgent) && s.Version == other.Version
}

// Exited is the proof that a process ended: its wait status. Who holds the streams as well shows what the process wrote
// first.
type Exited struct {
	Code   int    `json:"code"`             // -1 if ended by a signal
	Signal string `json:"signal,omitempty"` // "SIGKILL"
}

// Result is how a command ended.
type Result string

// Refused means that a precondition was false: certainly no effect, and the key is still free. Unknown is neither
// failed nor done (WDC-SIDE-003).
const (
	ResultDone    Result = "done"
	ResultFailed  Result = "failed"
	ResultRefused Result = "refused"
	ResultUnknown Result = "unknown"
)

// Outcome is how a command of the watchdog ended.
type Outcome struct {
	Key    string `json:"key"`
	Result Result `json:"result"`
	Reason string `json:"reason,omitempty"`
	Digest string `json:"digest,omitempty"` // of what a snapshot captured
	Token  string `json:"token,omitempty"`  // fencing token of an acquired lease: a newer lease has another one
}

// ProbeResult says what became of a probe. Failed and unknown say nothing about the worker (WDC-OBS-005).
type ProbeResult string

// The results of a probe.
const (
	ProbeOK      ProbeResult = "ok"
	ProbeFailed  ProbeResult = "failed"
	ProbeUnknown ProbeResult = "unknown"
)

// Probe is the answer to a probe command.
type Probe struct {
	Key        string      `json:"key"`
	What       What        `json:"what"`             // as asked
	Source     string      `json:"source,omitempty"` // who answered: "rpc", "proc", "tmux", a tracker's name
	Result     ProbeResult `json:"result"`
	Text       string      `json:"text,omitempty"`       // the source's own words, for people only
	State      *RPCState   `json:"state,omitempty"`      // of WhatState
	Processes  []Process   `json:"processes,omitempty"`  // of WhatProcesses, in pid order: the worker and its descendants
	Generation int         `json:"generation,omitempty"` // newest generation of the task that the spawner knows
}

// RPCState is Pi's answer to get_state, as far as a watchdog needs it.
type RPCState struct {
	Streaming  bool `json:"streaming"`
	Compacting bool `json:"compacting"`
	Pending    int  `json:"pending"` // queued messages
}

// Process is one process of a worker's tree.
type Process struct {
	PID       int
	Parent    int
	Start     int64         // ticks since boot
	CPU       time.Duration // used so far, user and system
	IO        int64         // bytes read and written so far
	State     string        // one letter as in /proc: R, S, D, T, Z
	Role      Role
	ToolCall  string // id of the call that it works for
	HoldsPipe bool   // has the tool's output pipe open
	ReadsTTY  bool   // is blocked reading a terminal
}

// Role is what a process is in a worker's tree.
type Role string

// The roles.
const (
	RoleAgent Role = "agent" // Pi itself
	RoleShell Role = "shell" // the shell that a tool call started
	RoleTool  Role = "tool"  // a descendant of that shell
)

// Inspect is the answer to an inspect command: a fresh look that took nothing from a cache.
type Inspect struct {
	Key    string `json:"key"`
	What   What   `json:"what"`
	Stream Stream `json:"stream,omitempty"` // of WhatStream
	Offset int64  `json:"offset"`           // bytes that the stream has now; -1 if it could not be read
	World  string `json:"world,omitempty"`  // of WhatWorld: digest of the worktree, without times; empty if not known
}

// Worktree is a fact about a worker's worktree, read from git.
type Worktree struct {
	Missing  bool   `json:"missing,omitempty"`
	Dirty    bool   `json:"dirty"`
	Ahead    int    `json:"ahead"` // commits that the remote has not
	Head     string `json:"head,omitempty"`
	Remote   string `json:"remote,omitempty"`
	Intended string `json:"intended,omitempty"` // the head that a publish would give the remote
	Midway   bool   `json:"midway,omitempty"`   // in the middle of a merge or rebase
	Gates    []Gate `json:"gates,omitempty"`
	Digest   string `json:"digest,omitempty"`
}

// Gate is a check that the task has to pass before it counts as done.
type Gate struct {
	Name   string     `json:"name"`
	Status GateStatus `json:"status"`
	By     string     `json:"by,omitempty"`   // who reported it: a worker's word is none (WDC-WORK-006)
	Head   string     `json:"head,omitempty"` // the commit that it ran on
}

// GateStatus says how a gate stands.
type GateStatus string

// How a gate may stand.
const (
	GateAbsent  GateStatus = "absent"
	GateRunning GateStatus = "running"
	GatePassed  GateStatus = "passed"
	GateFailed  GateStatus = "failed"
)

// LeaseHolder is what a tracker calls the holder of a lease that the watchdog has acquired.
const LeaseHolder = "watchdog"

// Task is a row of the tracker.
type Task struct {
	ID          string    `json:"id"`
	Status      string    `json:"status"`
	Assignee    string    `json:"assignee,omitempty"`
	Lease       string    `json:"lease,omitempty"` // who holds it; LeaseHolder is the watchdog itself
	LeaseUntil  time.Time `json:"lease_until,omitzero"`
	Heartbeat   time.Time `json:"heartbeat,omitzero"` // zero = never set, neither fresh nor old (WDC-CLOCK-002)
	PullRequest bool      `json:"pull_request,omitempty"`
	Gates       []string  `json:"gates,omitempty"`
	Vetoes      []string  `json:"vetoes,omitempty"`
}

// Owner is a decision of the owner on one item of a plan.
type Owner struct {
	Item     string    `json:"item"`
	Approve  bool      `json:"approve"`
	Digest   string    `json:"digest,omitempty"` // of the evidence that the owner saw
	NotAfter time.Time `json:"not_after,omitzero"`
	Proof
}

// Operator is an intent that the operator recorded for a worker.
type Operator struct {
	Intent Intent `json:"intent"`
	Proof
}

// Intent is what an operator wants of a worker.
type Intent string

// The intents.
const (
	IntentStop   Intent = "stop"
	IntentPause  Intent = "pause"
	IntentResume Intent = "resume"
	IntentRearm  Intent = "rearm" // budgets start afresh
)

// Link says whether the spawner can be reached.
type Link struct {
	Up bool `json:"up"`
}

// Kind implements Body.
func (Bytes) Kind() ObservationKind    { return KindBytes }
func (Closed) Kind() ObservationKind   { return KindClosed }
func (File) Kind() ObservationKind     { return KindFile }
func (Gap) Kind() ObservationKind      { return KindGap }
func (Spawned) Kind() ObservationKind  { return KindSpawned }
func (Exited) Kind() ObservationKind   { return KindExited }
func (Outcome) Kind() ObservationKind  { return KindOutcome }
func (Probe) Kind() ObservationKind    { return KindProbe }
func (Inspect) Kind() ObservationKind  { return KindInspect }
func (Worktree) Kind() ObservationKind { return KindWorktree }
func (Task) Kind() ObservationKind     { return KindTask }
func (Owner) Kind() ObservationKind    { return KindOwner }
func (Operator) Kind() ObservationKind { return KindOperator }
func (Link) Kind() ObservationKind     { return KindLink }
