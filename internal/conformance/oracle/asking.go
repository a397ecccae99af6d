package oracle

import (
	"fmt"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// askedOften is how many probes of the state are compared: the last gap between them has to be twice the first.
const askedOften = 8

// probes judges how often a worker is asked for its state that waits for a quota of which no end is known: less and less often
// (WDC-PAUSE-003).
func (w *worker) probes(c *watchdog.Command) {
	if w.truth.Phase != watchdog.VerdictAwaitingQuota || w.truth.Until != 0 || w.truth.Exited || w.lost() {
		w.quotaAsked = w.quotaAsked[:0]
		return
	}
	if c.Kind != watchdog.CmdProbe || c.What != watchdog.WhatState {
		return
	}
	w.quotaAsked = append(w.quotaAsked, w.o.now.Mono)
	n := len(w.quotaAsked)
	if n < askedOften {
		return
	}
	first, last := w.quotaAsked[1]-w.quotaAsked[0], w.quotaAsked[n-1]-w.quotaAsked[n-2]
	if last < 2*first {
		w.blame(mistakes.AskedTooOften, finding{
			said: w.verdict.Name, expected: fmt.Sprintf("a gap of %s at least between the last of %d probes of the state", 2*first, n), actual: last.String(),
		})
	}
}
