package oracle

import (
	"time"

	"fakepi.example/watchdog"
)

// This file tells the words of the owner and the operator from those that could be a worker's (WDC-GATE-007).

// decided reports whether a decision is the owner's.
func (a *acting) decided(b *watchdog.Owner) bool {
	if b.Caller == watchdog.CallerOutside {
		return true
	}
	var last time.Time
	for i := range a.decisions {
		if d := &a.decisions[i]; d.Item == b.Item && d.Given.After(last) {
			last = d.Given
		}
	}
	return b.Signed(a.w.o.cfg.OwnerKey, a.w.id) && b.Given.After(last)
}

// intended reports whether an intent is the operator's.
func (a *acting) intended(b *watchdog.Operator) bool {
	last := a.said
	if b.Caller != watchdog.CallerOutside && !(b.Signed(a.w.o.cfg.OwnerKey, a.w.id) && b.Given.After(last)) {
		return false
	}
	if b.Given.After(last) {
		a.said = b.Given
	}
	return true
}
