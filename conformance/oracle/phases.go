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
	{phase: watchdog.Dead, wait: true},
	{phase: watchdog.AwaitingUser, limit: watchdog.LimitUserWait, wait: true},
	{phase: watchdog.AwaitingAuth, limit: watchdog.LimitUserWait, wait: true},
	{phase: watchdog.AwaitingQuota, limit: watchdog.LimitUserWait, wait: true},
	{phase: watchdog.Compacting, past: watchdog.StalledCompaction, limit: watchdog.LimitCompaction, bound: func(l *watchdog.Limits) time.Duration { return l.Compaction }, calm: true},
	{phase: watchdog.BackingOff, past: watchdog.SlowFirstToken, limit: watchdog.LimitDeclaredGrace, bound: (*watchdog.Limits).FirstTokenLimit, calm: true},
	{phase: watchdog.RunningTool, past: watchdog.StalledTool, limit: watchdog.LimitTool, bound: func(l *watchdog.Limits) time.Duration { return l.Tool }, calm: true},
	{phase: watchdog.Starting, past: watchdog.NeverStarted, limit: watchdog.LimitStartup, bound: func(l *watchdog.Limits) time.Duration { return l.Startup }},
	{phase: watchdog.AwaitingFirstToken, past: watchdog.SlowFirstToken, limit: watchdog.LimitFirstToken, bound: (*watchdog.Limits).FirstTokenLimit},
	{phase: watchdog.Streaming, past: watchdog.StalledStream, limit: watchdog.LimitStreamGap, bound: (*watchdog.Limits).StreamGapLimit},
	{phase: watchdog.Ending, past: watchdog.StalledEnding, limit: watchdog.LimitSettle, bound: func(l *watchdog.Limits) time.Duration { return l.Settle }},
	{phase: watchdog.Settled, wait: true},
	{phase: watchdog.SettledUnproven, wait: true},
	{phase: watchdog.Working, past: watchdog.Stalled, limit: watchdog.LimitStall, bound: func(l *watchdog.Limits) time.Duration { return l.Stall }},
	{phase: watchdog.Idle, wait: true},
}

// pastLimit reports whether a name is what a phase is called past its limit.
func pastLimit(name watchdog.VerdictName) bool {
	switch name {
	case watchdog.StalledCompaction, watchdog.StalledTool, watchdog.NeverStarted, watchdog.SlowFirstToken,
		watchdog.StalledStream, watchdog.StalledEnding, watchdog.Stalled:
		return true
	}
	return false
}
