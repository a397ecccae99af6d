package oracle

import (
	"time"

	"fakepi.example/watchdog"
)

// rule is one row of the phase table (docs/verdicts.md) as a judge reads it.
type rule struct {
	phase watchdog.VerdictName
	past  watchdog.VerdictName // its name past the limit; "" if there is none
	limit watchdog.Limit
	bound func(*watchdog.Limits) time.Duration // nil: no limit of its own
	wait  bool                                 // something is waited for that is not the worker's to do: no alarm, however long
	calm  bool                                 // silence inside the limit draws no attention
}

// ruleOf returns the row of a phase.
func ruleOf(phase watchdog.VerdictName) rule {
	for i := range rules {
		if rules[i].phase == phase {
			return rules[i]
		}
	}
	return rule{phase: phase, wait: true}
}

// rules is the phase table. The order does not matter here: the script knows which phase holds.
var rules = []rule{
	{phase: watchdog.VerdictDead, wait: true},
	{phase: watchdog.VerdictAwaitingUser, limit: watchdog.LimitUserWait, wait: true},
	{phase: watchdog.VerdictAwaitingAuth, limit: watchdog.LimitUserWait, wait: true},
	{phase: watchdog.VerdictAwaitingQuota, limit: watchdog.LimitUserWait, wait: true},
	{phase: watchdog.VerdictCompacting, past: watchdog.VerdictStalledCompaction, limit: watchdog.LimitCompaction, bound: func(l *watchdog.Limits) time.Duration { return l.Compaction }, calm: true},
	{phase: watchdog.VerdictBackingOff, past: watchdog.VerdictSlowFirstToken, limit: watchdog.LimitDeclaredGrace, bound: (*watchdog.Limits).FirstTokenLimit, calm: true},
	{phase: watchdog.VerdictRunningTool, past: watchdog.VerdictStalledTool, limit: watchdog.LimitTool, bound: func(l *watchdog.Limits) time.Duration { return l.Tool }, calm: true},
	{phase: watchdog.VerdictStarting, past: watchdog.VerdictNeverStarted, limit: watchdog.LimitStartup, bound: func(l *watchdog.Limits) time.Duration { return l.Startup }},
	{phase: watchdog.VerdictAwaitingFirstToken, past: watchdog.VerdictSlowFirstToken, limit: watchdog.LimitFirstToken, bound: (*watchdog.Limits).FirstTokenLimit},
	{phase: watchdog.VerdictStreaming, past: watchdog.VerdictStalledStream, limit: watchdog.LimitStreamGap, bound: (*watchdog.Limits).StreamGapLimit},
	{phase: watchdog.VerdictEnding, past: watchdog.VerdictStalledEnding, limit: watchdog.LimitSettle, bound: func(l *watchdog.Limits) time.Duration { return l.Settle }},
	{phase: watchdog.VerdictSettled, wait: true},
	{phase: watchdog.VerdictSettledUnproven, wait: true},
	{phase: watchdog.VerdictWorking, past: watchdog.VerdictStalled, limit: watchdog.LimitStall, bound: func(l *watchdog.Limits) time.Duration { return l.Stall }},
	{phase: watchdog.VerdictIdle, wait: true},
}

// pastLimit reports whether a name is what a phase is called past its limit.
func pastLimit(name watchdog.VerdictName) bool {
	_, past := name.LimitPast()
	return past
}
