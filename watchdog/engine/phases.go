package engine

import (
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// row is one phase of a worker. One phase holds at a time: the first row of the table whose condition is true.
type row struct {
	phase watchdog.VerdictName
	past  watchdog.VerdictName // its name past the limit; "" where the limit only reminds, or there is none
	limit watchdog.Limit
	holds func(w *worker) bool
	count func(w *worker) mark                              // what the limit counts from; nil where none can pass
	bound func(w *worker, l *watchdog.Limits) time.Duration // nil where running_tool counts call by call
	kind  rowKind
}

// rowKind says what else may be made of a row.
type rowKind uint8

const (
	labouring rowKind = iota // silence here is the worker's: attention is due, a limit can pass
	excused                  // a tool, compaction or delay: no attention inside its limit
	waiting                  // a wait: nothing overrides it
	over                     // the end: nothing overrides it
)

// table is the phase table of docs/verdicts.md, in its order.
var table = []row{
	{phase: watchdog.VerdictDead, kind: over, holds: (*worker).isDead},
	{phase: watchdog.VerdictAwaitingUser, limit: watchdog.LimitUserWait, kind: waiting, holds: (*worker).awaitsUser},
	{phase: watchdog.VerdictAwaitingAuth, limit: watchdog.LimitUserWait, kind: waiting, holds: (*worker).awaitsAuth},
	{phase: watchdog.VerdictAwaitingQuota, limit: watchdog.LimitUserWait, kind: waiting, holds: (*worker).awaitsQuota},
	{phase: watchdog.VerdictCompacting, past: watchdog.VerdictStalledCompaction, limit: watchdog.LimitCompaction, kind: excused, holds: (*worker).compacts, count: (*worker).sinceCompaction, bound: compaction},
	{phase: watchdog.VerdictBackingOff, limit: watchdog.LimitDeclaredGrace, kind: excused, holds: (*worker).backsOff},
	{phase: watchdog.VerdictRunningTool, past: watchdog.VerdictStalledTool, limit: watchdog.LimitTool, kind: excused, holds: (*worker).runsTool},
	{phase: watchdog.VerdictStarting, past: watchdog.VerdictNeverStarted, limit: watchdog.LimitStartup, holds: (*worker).starts, count: (*worker).sinceStart, bound: startup},
	{phase: watchdog.VerdictAwaitingFirstToken, past: watchdog.VerdictSlowFirstToken, limit: watchdog.LimitFirstToken, holds: (*worker).awaitsToken, count: (*worker).sinceDue, bound: firstToken},
	{phase: watchdog.VerdictStreaming, past: watchdog.VerdictStalledStream, limit: watchdog.LimitStreamGap, holds: (*worker).streams, count: (*worker).sinceProgress, bound: streamGap},
	{phase: watchdog.VerdictEnding, past: watchdog.VerdictStalledEnding, limit: watchdog.LimitSettle, holds: (*worker).isEnding, count: (*worker).sinceEnd, bound: settle},
	{phase: watchdog.VerdictSettledUnproven, kind: over, holds: (*worker).isUnproven},
	{phase: watchdog.VerdictSettled, kind: over, holds: (*worker).isOver},
	{phase: watchdog.VerdictWorking, past: watchdog.VerdictStalled, limit: watchdog.LimitStall, holds: (*worker).works, count: (*worker).sinceProgress, bound: stall},
	{phase: watchdog.VerdictIdle, kind: over, holds: func(*worker) bool { return true }},
}

func compaction(_ *worker, l *watchdog.Limits) time.Duration { return l.Compaction }
func startup(_ *worker, l *watchdog.Limits) time.Duration    { return l.Startup }
func firstToken(_ *worker, l *watchdog.Limits) time.Duration { return l.FirstTokenLimit() }
func streamGap(_ *worker, l *watchdog.Limits) time.Duration  { return l.StreamGapLimit() }
func settle(_ *worker, l *watchdog.Limits) time.Duration     { return l.Settle }
func stall(_ *worker, l *watchdog.Limits) time.Duration      { return l.Stall }

func (w *worker) isDead() bool { return w.exit.early && w.exit.failed() }

func (w *worker) awaitsUser() bool { return len(w.run.dialogs) > 0 }

func (w *worker) awaitsAuth() bool {
	return w.run.refused && w.run.trouble == agents.TroubleAuth
}

func (w *worker) awaitsQuota() bool { return w.run.refused } // and by no credential

func (w *worker) compacts() bool { return w.run.compacting }

func (w *worker) backsOff() bool { return w.run.backingOff }

func (w *worker) runsTool() bool { return len(w.run.calls) > 0 || w.run.anonymous > 0 }

func (w *worker) starts() bool {
	if w.exit.proven || w.spawned.n == 0 {
		return false
	}
	switch w.spawn.Mode {
	case watchdog.ModeJSON, watchdog.ModePrint:
		return !w.run.ran
	case watchdog.ModeTUI:
		return !w.run.ran && !w.reports
	}
	return w.run.prompted
}

func (w *worker) awaitsToken() bool { return w.run.due && !w.run.streaming }

func (w *worker) streams() bool { return w.run.streaming || w.run.called }

func (w *worker) isEnding() bool {
	r := &w.run
	switch {
	case r.ended:
		return !r.retrying
	case r.terminal:
		return false
	}
	return r.open && r.final.seen
}

func (w *worker) isUnproven() bool { return w.isOver() && w.run.unproven() != "" }

// isOver reports whether the last run has come to its end.
func (w *worker) isOver() bool { return w.run.settled || w.run.quit }

// goesQuietly reports whether a worker is in the quiet that is its end where there is no terminal event.
func (w *worker) goesQuietly() bool {
	return table[w.stand.row].phase == watchdog.VerdictEnding && w.run.ended && !w.run.terminal
}

// quiet reports whether that has lasted long enough: a retry, a compaction or a run that followed would have been
// understood.
func (w *worker) quiet(at time.Duration) bool {
	r := &w.run
	return r.ended && !r.retrying && !r.unsure && !r.terminal && !r.compacting && at >= r.end.until(w.limits.Settle).at && !w.misses(r.end)
}

func (w *worker) works() bool { return w.run.working() }

func (w *worker) sinceCompaction() mark { return later(w.run.compaction, w.resumed) }
func (w *worker) sinceDue() mark        { return later(w.run.dueCount, w.resumed) }
func (w *worker) sinceProgress() mark   { return later(w.progress, w.resumed) }

func (w *worker) sinceStart() mark {
	if w.run.prompted {
		return later(w.run.prompt, w.resumed)
	}
	return later(w.spawned, w.resumed)
}

func (w *worker) sinceEnd() mark {
	if w.run.ended {
		return later(w.run.end, w.resumed)
	}
	return w.sinceProgress()
}

// standing is the phase that holds and since when.
type standing struct {
	row   int
	since mark
	known bool
}

func (s *standing) name() watchdog.VerdictName {
	if !s.known {
		return ""
	}
	return table[s.row].phase
}

// settlePhase finds the phase that holds at a moment and notes when it changes.
func (w *worker) settlePhase(m mark) {
	for i := range table {
		if !table[i].holds(w) {
			continue
		}
		if i != w.stand.row || !w.stand.known {
			w.stand = standing{row: i, since: m, known: true}
		}
		return
	}
}

// expire takes what the passing of time alone has changed up to a moment: dialogs that resolved themselves, a delay
// that is over, a quiet end.
func (w *worker) expire(at time.Duration) {
	r := &w.run
	for i := 0; i < len(r.dialogs); {
		d := r.dialogs[i]
		if d.deadline.at > at {
			i++
			continue
		}
		r.dialogs = append(r.dialogs[:i], r.dialogs[i+1:]...)
		w.resumed = later(w.resumed, d.deadline)
		w.settlePhase(w.resumed)
	}
	if r.backingOff && r.backoff.at <= at {
		r.backingOff = false
		w.settlePhase(r.backoff)
	}
	if w.quiet(at) {
		r.settled, r.ended = true, false
		w.settlePhase(r.end.until(w.limits.Settle))
	}
}

// deadline returns when the standing phase passes its limit and what that counts from.
func (w *worker) deadline() (time.Duration, mark) {
	r := &table[w.stand.row]
	switch {
	case len(w.run.calls) > 0 && r.phase == watchdog.VerdictRunningTool:
		_, at, count := w.firstPast()
		return at, count
	case r.phase == watchdog.VerdictRunningTool: // a session file alone shows no calls
		count := w.sinceProgress()
		return count.until(w.limits.Tool).at, count
	case r.count == nil:
		return never, w.stand.since
	}
	count := r.count(w)
	return count.until(r.bound(w, w.limits)).at, count
}

// tells reports whether the source can tell a phase from a user wait (WDC-OBS-008): stdout records and a terminal's
// program status can, a session file alone and an old terminal cannot.
func (w *worker) tells() bool {
	switch w.spawn.Mode {
	case watchdog.ModeRPC, watchdog.ModeJSON:
		return w.sawOut || w.spawn.Source == watchdog.SourceHeld
	}
	return w.sawOut || w.reports
}
