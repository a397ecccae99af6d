package engine

import "fakepi.example/watchdog"

// quotaOver ends a quota wait after its known end and grace; the worker is then judged afresh, unless it has exited.
func (w *worker) quotaOver(now watchdog.Instant) {
	r := &w.run
	if w.exit.proven || !r.refused || !r.quota.Known || now.Wall.Before(r.quota.Until.Add(w.limits.DeclaredGrace)) {
		return
	}
	r.refused = false
	m := mark{at: now.Mono, n: w.stand.since.n, seen: w.stand.since.seen}
	w.resumed = later(w.resumed, m)
	w.settlePhase(m)
}
