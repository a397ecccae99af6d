package run

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
	holds func(w *Worker) bool
	count func(w *Worker) Mark                              // what the limit counts from; nil where none can pass
	bound func(w *Worker, l *watchdog.Limits) time.Duration // nil where running_tool counts call by call
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
	{phase: watchdog.VerdictDead, kind: over, holds: (*Worker).isDead},
	{phase: watchdog.VerdictAwaitingUser, limit: watchdog.LimitUserWait, kind: waiting, holds: (*Worker).awaitsUser},
	{phase: watchdog.VerdictAwaitingAuth, limit: watchdog.LimitUserWait, kind: waiting, holds: (*Worker).awaitsAuth},
	{phase: watchdog.VerdictAwaitingQuota, limit: watchdog.LimitUserWait, kind: waiting, holds: (*Worker).awaitsQuota},
	{phase: watchdog.VerdictCompacting, past: watchdog.VerdictStalledCompaction, limit: watchdog.LimitCompaction, kind: excused, holds: (*Worker).compacts, count: (*Worker).sinceCompaction, bound: compaction},
	{phase: watchdog.VerdictBackingOff, limit: watchdog.LimitDeclaredGrace, kind: excused, holds: (*Worker).backsOff},
	{phase: watchdog.VerdictRunningTool, past: watchdog.VerdictStalledTool, limit: watchdog.LimitTool, kind: excused, holds: (*Worker).runsTool},
	{phase: watchdog.VerdictStarting, past: watchdog.VerdictNeverStarted, limit: watchdog.LimitStartup, holds: (*Worker).starts, count: (*Worker).sinceStart, bound: startup},
	{phase: watchdog.VerdictAwaitingFirstToken, past: watchdog.VerdictSlowFirstToken, limit: watchdog.LimitFirstToken, holds: (*Worker).awaitsToken, count: (*Worker).sinceDue, bound: firstToken},
	{phase: watchdog.VerdictStreaming, past: watchdog.VerdictStalledStream, limit: watchdog.LimitStreamGap, holds: (*Worker).streams, count: (*Worker).sinceProgress, bound: streamGap},
	{phase: watchdog.VerdictEnding, past: watchdog.VerdictStalledEnding, limit: watchdog.LimitSettle, holds: (*Worker).isEnding, count: (*Worker).sinceEnd, bound: settle},
	{phase: watchdog.VerdictSettledUnproven, kind: over, holds: (*Worker).isUnproven},
	{phase: watchdog.VerdictSettled, kind: over, holds: (*Worker).isOver},
	{phase: watchdog.VerdictWorking, past: watchdog.VerdictStalled, limit: watchdog.LimitStall, holds: (*Worker).works, count: (*Worker).sinceProgress, bound: stall},
	{phase: watchdog.VerdictIdle, kind: over, holds: func(*Worker) bool { return true }},
}

func compaction(_ *Worker, l *watchdog.Limits) time.Duration { return l.Compaction }
func startup(_ *Worker, l *watchdog.Limits) time.Duration    { return l.Startup }
func firstToken(_ *Worker, l *watchdog.Limits) time.Duration { return l.FirstTokenLimit() }
func streamGap(_ *Worker, l *watchdog.Limits) time.Duration  { return l.StreamGapLimit() }
func settle(_ *Worker, l *watchdog.Limits) time.Duration     { return l.Settle }
func stall(_ *Worker, l *watchdog.Limits) time.Duration      { return l.Stall }

func (w *Worker) isDead() bool { return w.Exit.Early && w.Exit.failed() }

func (w *Worker) awaitsUser() bool { return len(w.Run.dialogs) > 0 }

func (w *Worker) awaitsAuth() bool {
	return w.Run.refused && w.Run.trouble == agents.TroubleAuth
}

func (w *Worker) awaitsQuota() bool { return w.Run.refused } // and by no credential

func (w *Worker) compacts() bool { return w.Run.Compacting }

func (w *Worker) backsOff() bool { return w.Run.backingOff }

func (w *Worker) runsTool() bool { return len(w.Run.Calls) > 0 || w.Run.anonymous > 0 }

func (w *Worker) starts() bool {
	if w.Exit.Proven || w.Spawned.N == 0 {
		return false
	}
	switch w.Spawn.Mode {
	case watchdog.ModeJSON, watchdog.ModePrint:
		return !w.Run.Ran
	case watchdog.ModeTUI:
		return !w.Run.Ran && !w.reports
	}
	return w.Run.Prompted
}

func (w *Worker) awaitsToken() bool { return w.Run.due && !w.Run.streaming }

func (w *Worker) streams() bool { return w.Run.streaming || w.Run.called }

func (w *Worker) isEnding() bool {
	r := &w.Run
	switch {
	case r.Ended:
		return !r.retrying
	case r.terminal:
		return false
	}
	return r.Open && r.final.seen
}

func (w *Worker) isUnproven() bool { return w.isOver() && w.Run.unproven() != "" }

// isOver reports whether the last run has come to its end.
func (w *Worker) isOver() bool { return w.Run.settled || w.Run.quit }

// goesQuietly reports whether a worker is in the quiet that is its end where there is no terminal event.
func (w *Worker) goesQuietly() bool {
	return table[w.stand.row].phase == watchdog.VerdictEnding && w.Run.Ended && !w.Run.terminal
}

// quiet reports whether that has lasted long enough: a retry, a compaction or a run that followed would have been
// understood.
func (w *Worker) quiet(at time.Duration) bool {
	r := &w.Run
	return r.Ended && !r.retrying && !r.unsure && !r.terminal && !r.Compacting && at >= r.End.Until(w.Limits.Settle).At && !w.misses(r.End)
}

func (w *Worker) works() bool { return w.Run.working() }

func (w *Worker) sinceCompaction() Mark { return later(w.Run.compaction, w.Resumed) }
func (w *Worker) sinceDue() Mark        { return later(w.Run.dueCount, w.Resumed) }
func (w *Worker) sinceProgress() Mark   { return later(w.Progress, w.Resumed) }

func (w *Worker) sinceStart() Mark {
	if w.Run.Prompted {
		return later(w.Run.Prompt, w.Resumed)
	}
	return later(w.Spawned, w.Resumed)
}

func (w *Worker) sinceEnd() Mark {
	if w.Run.Ended {
		return later(w.Run.End, w.Resumed)
	}
	return w.sinceProgress()
}

// standing is the phase that holds and since when.
type standing struct {
	row   int
	since Mark
	known bool
}

func (s *standing) name() watchdog.VerdictName {
	if !s.known {
		return ""
	}
	return table[s.row].phase
}

// Phase is the phase that holds, or "" before anything was seen.
func (w *Worker) Phase() watchdog.VerdictName { return w.stand.name() }

// Since is what began the phase that holds.
func (w *Worker) Since() Mark { return w.stand.since }

// Over reports whether the worker has come to an end: nothing is expected of it.
func (w *Worker) Over() bool { return table[w.stand.row].kind == over }

// settlePhase finds the phase that holds at a moment and notes when it changes.
func (w *Worker) settlePhase(m Mark) {
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
func (w *Worker) expire(at time.Duration) {
	r := &w.Run
	for i := 0; i < len(r.dialogs); {
		d := r.dialogs[i]
		if d.deadline.At > at {
			i++
			continue
		}
		r.dialogs = append(r.dialogs[:i], r.dialogs[i+1:]...)
		w.Resumed = later(w.Resumed, d.deadline)
		w.settlePhase(w.Resumed)
	}
	if r.backingOff && r.backoff.At <= at {
		r.backingOff = false
		w.settlePhase(r.backoff)
	}
	if w.quiet(at) {
		r.settled, r.Ended = true, false
		w.settlePhase(r.End.Until(w.Limits.Settle))
	}
}

// deadline returns when the standing phase passes its limit and what that counts from.
func (w *Worker) deadline() (time.Duration, Mark) {
	r := &table[w.stand.row]
	switch {
	case len(w.Run.Calls) > 0 && r.phase == watchdog.VerdictRunningTool:
		_, at, count := w.FirstPast()
		return at, count
	case r.phase == watchdog.VerdictRunningTool: // a session file alone shows no calls
		count := w.sinceProgress()
		return count.Until(w.Limits.Tool).At, count
	case r.count == nil:
		return never, w.stand.since
	}
	count := r.count(w)
	return count.Until(r.bound(w, w.Limits)).At, count
}

// tells reports whether the source can tell a phase from a user wait (WDC-OBS-008): stdout records and a terminal's
// program status can, a session file alone and an old terminal cannot.
func (w *Worker) tells() bool {
	switch w.Spawn.Mode {
	case watchdog.ModeRPC, watchdog.ModeJSON:
		return w.sawOut || w.Spawn.Source == watchdog.SourceHeld
	}
	return w.sawOut || w.reports
}

// Row is a row of the phase table, as docs/verdicts.md has it.
type Row struct {
	Name, Past watchdog.VerdictName
	Limit      watchdog.Limit
}

// Rows lists the rows of the phase table in their order.
func Rows() []Row {
	var list []Row
	for _, r := range table {
		list = append(list, Row{r.phase, r.past, r.limit})
	}
	return list
}
