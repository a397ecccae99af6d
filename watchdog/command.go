package watchdog

import "time"

// Command is one wish of the watchdog. The executor enforces its preconditions at the moment of the act, where a look
// before the act could only race.
type Command struct {
	Key        string // names one attempt; the same after the watchdog's own restart (WDC-SIDE-004)
	Kind       CommandKind
	Worker     string
	Generation int
	Cause      Cause
	Evidence   []int  // numbers of the observations that it rests on
	Text       string // for people; free of control sequences (WDC-SAFE-002)
	What       What   // of a probe or inspect
	Stream     Stream // of an inspect of WhatStream
	ToolCall   string // of a stop_tool
	Input      []byte // of a steer, input or answer
	Item       string // of an act under an owner's approval: the key of the proposal that was approved

	// Of a proposal: the first act that it asks leave for. The class of the act is what leave is given for.
	Act CommandKind

	// Of a respawn: Text is the brief for the successor, which takes up the predecessor's session. It says to read git's log
	// and status, to verify before a step is repeated, and to commit at milestones (WDC-WORK-003); it names, by their ids, the
	// calls whose effect is not known and those whose results were not saved (WDC-SIDE-001, WDC-SIDE-005).
	Session  string
	Snapshot string // digest of the snapshot that the brief names (WDC-EVID-006)
	Token    string // fencing token of the lease that it rests on (WDC-FENCE-003)

	Target   *Target   // the process must still be this one
	IfGen    int       // the worker's generation must still be this one; 0 = any
	IfDigest string    // the evidence must still have this digest; empty = any
	NotAfter time.Time // civil; without it a delayed command is never resolvable
}

// Target identifies a process beyond its pid (WDC-FENCE-001).
type Target struct {
	PID   int   `json:"pid"`
	Start int64 `json:"start"`
}

// CommandKind is what a command does.
type CommandKind string

// The vocabulary. It can say the wrong things too: a suite that cannot express a fault cannot catch it.
const (
	CmdNotify         CommandKind = "notify"
	CmdProbe          CommandKind = "probe"
	CmdInspect        CommandKind = "inspect"
	CmdSnapshot       CommandKind = "snapshot"
	CmdProveRestore   CommandKind = "prove_restore"
	CmdAbort          CommandKind = "abort"
	CmdStopTool       CommandKind = "stop_tool"
	CmdInterrupt      CommandKind = "interrupt"
	CmdTerminate      CommandKind = "terminate"
	CmdKill           CommandKind = "kill"
	CmdSteer          CommandKind = "steer"
	CmdInput          CommandKind = "input"
	CmdAnswer         CommandKind = "answer"
	CmdRespawn        CommandKind = "respawn"
	CmdAdopt          CommandKind = "adopt"
	CmdAcquireLease   CommandKind = "acquire_lease"
	CmdReleaseLease   CommandKind = "release_lease"
	CmdCommitWIP      CommandKind = "commit_wip"
	CmdPublish        CommandKind = "publish"
	CmdPropose        CommandKind = "propose"
	CmdEscalate       CommandKind = "escalate"
	CmdRepairRow      CommandKind = "repair_row"
	CmdLockWorktree   CommandKind = "lock_worktree"
	CmdRemoveWorktree CommandKind = "remove_worktree"
	CmdRemoveBranch   CommandKind = "remove_branch"
	CmdRemoveSession  CommandKind = "remove_session"
	CmdHeartbeat      CommandKind = "heartbeat"
)

// CommandKinds lists every command kind.
func CommandKinds() []CommandKind {
	return []CommandKind{
		CmdNotify, CmdProbe, CmdInspect, CmdSnapshot, CmdProveRestore, CmdAbort, CmdStopTool, CmdInterrupt, CmdTerminate, CmdKill,
		CmdSteer, CmdInput, CmdAnswer, CmdRespawn, CmdAdopt, CmdAcquireLease, CmdReleaseLease, CmdCommitWIP, CmdPublish, CmdPropose, CmdEscalate,
		CmdRepairRow, CmdLockWorktree, CmdRemoveWorktree, CmdRemoveBranch, CmdRemoveSession, CmdHeartbeat,
	}
}

// EffectClass groups commands by what they may cost. All classes but EffectNone are destructive.
type EffectClass string

// The effect classes (docs/verdicts.md, Terms).
const (
	EffectNone       EffectClass = ""
	EffectStopTurn   EffectClass = "stop_turn"
	EffectStopWorker EffectClass = "stop_worker"
	EffectRespawn    EffectClass = "respawn"
	EffectTaskState  EffectClass = "task_state"
	EffectPublish    EffectClass = "publish"
	EffectRemove     EffectClass = "remove"
)

// EffectClasses lists the classes that a policy permits or forbids.
func EffectClasses() []EffectClass {
	return []EffectClass{EffectStopTurn, EffectStopWorker, EffectRespawn, EffectTaskState, EffectPublish, EffectRemove}
}

var effectOf = map[CommandKind]EffectClass{
	CmdAbort: EffectStopTurn, CmdStopTool: EffectStopTurn,
	CmdInterrupt: EffectStopWorker, CmdTerminate: EffectStopWorker, CmdKill: EffectStopWorker,
	CmdSteer: EffectStopTurn, CmdInput: EffectStopTurn, CmdAnswer: EffectStopTurn,
	CmdRespawn: EffectRespawn, CmdAdopt: EffectTaskState,
	CmdCommitWIP: EffectTaskState, CmdRepairRow: EffectTaskState, CmdLockWorktree: EffectTaskState,
	CmdPublish:        EffectPublish,
	CmdRemoveWorktree: EffectRemove, CmdRemoveBranch: EffectRemove, CmdRemoveSession: EffectRemove,
}

// Effect returns the class of a command. Putting words into a worker (steer, input, answer) counts as stopping its turn.
func (k CommandKind) Effect() EffectClass { return effectOf[k] }

// Destructive reports whether a command of this kind can cost work.
func (k CommandKind) Destructive() bool { return k.Effect() != EffectNone }

// What a probe or inspect asks for.
type What string

// The questions. WhatState and WhatProcesses are probes, WhatStream and WhatWorld inspects.
const (
	WhatState     What = "state"     // Pi's get_state over rpc
	WhatProcesses What = "processes" // the process tree
	WhatStream    What = "stream"    // how many bytes a stream has now
	WhatWorld     What = "world"     // a digest of the worktree
)
