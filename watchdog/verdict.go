package watchdog

import "time"

// VerdictName is a phase of a worker, or what a phase is called past its limit.
type VerdictName string

// The phases within their limit, as in the phase table of the engine.
const (
	VerdictDead               VerdictName = "dead"
	VerdictAwaitingUser       VerdictName = "awaiting_user"
	VerdictAwaitingAuth       VerdictName = "awaiting_auth"
	VerdictAwaitingQuota      VerdictName = "awaiting_quota"
	VerdictCompacting         VerdictName = "compacting"
	VerdictBackingOff         VerdictName = "backing_off"
	VerdictRunningTool        VerdictName = "running_tool"
	VerdictStarting           VerdictName = "starting"
	VerdictAwaitingFirstToken VerdictName = "awaiting_first_token"
	VerdictStreaming          VerdictName = "streaming"
	VerdictEnding             VerdictName = "ending"
	VerdictSettled            VerdictName = "settled"
	VerdictSettledUnproven    VerdictName = "settled_unproven"
	VerdictWorking            VerdictName = "working"
	VerdictIdle               VerdictName = "idle"
)

// The names past a limit, and the two that override the limit verdicts.
const (
	VerdictStalledCompaction VerdictName = "stalled_compaction"
	VerdictStalledTool       VerdictName = "stalled_tool"
	VerdictNeverStarted      VerdictName = "never_started"
	VerdictSlowFirstToken    VerdictName = "slow_first_token"
	VerdictStalledStream     VerdictName = "stalled_stream"
	VerdictStalledEnding     VerdictName = "stalled_ending"
	VerdictStalled           VerdictName = "stalled"
	VerdictLivelock          VerdictName = "livelock"
	VerdictInconclusive      VerdictName = "inconclusive"
)

// VerdictNames lists every verdict name, phases first, in the order of the phase table.
func VerdictNames() []VerdictName {
	return []VerdictName{
		VerdictDead, VerdictAwaitingUser, VerdictAwaitingAuth, VerdictAwaitingQuota, VerdictCompacting, VerdictBackingOff, VerdictRunningTool, VerdictStarting,
		VerdictAwaitingFirstToken, VerdictStreaming, VerdictEnding, VerdictSettled, VerdictSettledUnproven, VerdictWorking, VerdictIdle,
		VerdictStalledCompaction, VerdictStalledTool, VerdictNeverStarted, VerdictSlowFirstToken, VerdictStalledStream, VerdictStalledEnding, VerdictStalled,
		VerdictLivelock, VerdictInconclusive,
	}
}

// limitsPast names the limit behind each verdict that silence alone brings about.
var limitsPast = map[VerdictName]Limit{
	VerdictNeverStarted:      LimitStartup,
	VerdictSlowFirstToken:    LimitFirstToken,
	VerdictStalledStream:     LimitStreamGap,
	VerdictStalledTool:       LimitTool,
	VerdictStalledCompaction: LimitCompaction,
	VerdictStalledEnding:     LimitSettle,
	VerdictStalled:           LimitStall,
}

// LimitPast returns the limit that a silence has passed where it is called n; it is false for a name that silence alone does
// not bring about.
func (n VerdictName) LimitPast() (Limit, bool) {
	limit, ok := limitsPast[n]
	return limit, ok
}

// Status says how sure a verdict is.
type Status string

// OK covers waits and healthy phases. Past a limit a verdict is suspected until the confirmations agreed.
const (
	StatusOK        Status = "ok"
	StatusSuspected Status = "suspected"
	StatusConfirmed Status = "confirmed"
)

// Limit names one limit of the policy.
type Limit string

// The limits that a cause can name.
const (
	LimitNone          Limit = ""
	LimitStall         Limit = "stall"
	LimitStartup       Limit = "startup"
	LimitSettle        Limit = "settle"
	LimitDeclaredGrace Limit = "declared_grace"
	LimitFirstToken    Limit = "first_token"
	LimitStreamGap     Limit = "stream_gap"
	LimitTool          Limit = "tool"
	LimitCompaction    Limit = "compaction"
	LimitUserWait      Limit = "user_wait"
	LimitAttention     Limit = "attention"
	LimitLoopRepeats   Limit = "loop_repeats"
	LimitAttempts      Limit = "attempts_total"
	LimitCost          Limit = "cost_usd"
	LimitTokens        Limit = "tokens"
)

// Cause is why: the phase that the worker was in and the limit that it passed. For a command, Name is the verdict that
// it answers; a notice before any verdict names LimitAttention, a reminder LimitUserWait.
type Cause struct {
	Name  VerdictName `json:"name,omitempty"` // of a command: the verdict
	Phase VerdictName `json:"phase,omitempty"`
	Limit Limit       `json:"limit,omitempty"`
}

// Evidence is one observation that a verdict rests on.
type Evidence struct {
	N          int           // observation number
	Age        time.Duration // on Mono, when the verdict was given
	Generation int
}

// Verdict is what the watchdog believes of one worker.
type Verdict struct {
	Worker     string
	Generation int
	Name       VerdictName
	Status     Status
	Since      time.Duration // on Mono: when the phase began, or the count of silence for a verdict past a limit
	Cause      Cause
	Evidence   []Evidence
	Vetoes     []string      // what keeps the watchdog from acting: "pull_request"
	Next       time.Duration // on Mono: when it will look again; 0 = when something happens
	Flags      []Flag
	Detail     Detail
}

// Flag is a fact beside the verdict's name.
type Flag string

// The flags. Dirty and ambiguous belong to dead (WDC-DEAD-002); exited to a phase that an exit does not change.
const (
	FlagExited    Flag = "exited"
	FlagDirty     Flag = "dirty"
	FlagAmbiguous Flag = "ambiguous"
)

// Detail names what the verdict is about, as far as it applies.
type Detail struct {
	Calls      []string  `json:"calls,omitempty"`       // open tool calls, oldest first
	Holder     int       `json:"holder,omitempty"`      // pid that holds a tool's pipe (WDC-TOOL-005)
	Terminal   int       `json:"terminal,omitempty"`    // pid that waits at a terminal prompt
	Until      time.Time `json:"until,omitzero"`        // civil: known end of a quota wait
	Credential string    `json:"credential,omitempty"`  // of an auth wait
	Dialog     string    `json:"dialog,omitempty"`      // id of the unanswered dialog
	Reason     string    `json:"reason,omitempty"`      // why settled_unproven or inconclusive
	DeadChain  bool      `json:"dead_chain,omitempty"`  // the call's process tree has ended (WDC-TOOL-007)
	StopReason string    `json:"stop_reason,omitempty"` // of the last message
}
