package oracle

import (
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// foreign is what the subject was shown that nobody can understand: records of a dialect that there is not.
type foreign struct {
	opaque bool          // since the last record that tells the phase, one of them came
	since  time.Duration // that record's time
}

// record takes a record. A known one ends the ignorance if it tells the phase, whatever came before it.
func (f *foreign) record(r *trace.Record, now time.Duration) {
	switch {
	case r.Foreign:
		f.opaque = true
	case r.Tells:
		f.opaque, f.since = false, now
	}
}

// longest is the longest limit: however a silence is read that was not understood, it is past by then.
func longest(l *watchdog.Limits) time.Duration {
	return max(l.Stall, l.Startup, l.Settle, l.FirstTokenLimit(), l.StreamGapLimit(), l.Tool, l.Compaction)
}

// opaqueDue is when a worker that does nothing any more must be called at least inconclusive, though what it did last is
// not understood.
func (w *worker) opaqueDue() time.Duration {
	if !w.foreign.opaque || !w.truth.Stuck || w.verdict.Name == watchdog.VerdictInconclusive {
		return never
	}
	return w.pardon(after(max(w.foreign.since, w.truth.LastProgress), longest(&w.limits)+w.agreement()+w.patience()))
}

func (w *worker) overdueOpaque(now time.Duration) {
	if now > w.opaqueDue() {
		w.mistake(mistakes.Late, &w.verdict)
	}
}
