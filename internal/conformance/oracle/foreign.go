package oracle

import (
	"bytes"
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// foreign is what the subject was shown that nobody can understand: records of a dialect that there is not.
type foreign struct {
	opaque bool          // since the last record that tells the phase, one of them came
	since  time.Duration // that record's time
}

// bytes takes a piece of stdout. The types of records that only this scenario's workers write are listed.
func (f *foreign) bytes(data []byte, types []string, now time.Duration) {
	if len(types) == 0 {
		return
	}
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
		end := bytes.IndexByte(rest, '"')
		switch {
		case !ok || end < 0:
		case slices.Contains(types, string(rest[:end])):
			f.opaque = true
		case tellsPhase(native.KindOf(rest[:end])):
			f.opaque, f.since = false, now
		}
	}
}

// tellsPhase reports whether a record shows what a worker is doing, whatever came before it.
func tellsPhase(k native.Kind) bool {
	switch k {
	case native.KindAgentStart, native.KindTurnStart, native.KindMessageUpdate, native.KindMessageEnd, native.KindTurnEnd,
		native.KindAgentEnd, native.KindAgentSettled:
		return true
	}
	return false
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
	return w.pardon(after(max(w.foreign.since, w.truth.LastProgress), longest(&w.limits)+w.agreement()+w.o.cfg.Poll+slack))
}

func (w *worker) overdueOpaque(now time.Duration) {
	if now > w.opaqueDue() {
		w.mistake(mistakes.Late, &w.verdict)
	}
}
