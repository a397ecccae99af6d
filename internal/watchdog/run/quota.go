package run

import "fakepi.example/watchdog"

// quotaOver ends a quota wait after its known end and grace; the worker is then judged afresh, unless it has exited.
func (w *Worker) quotaOver(now watchdog.Instant) {
	r := &w.Run
	if w.Exit.Proven || !r.refused || !r.quota.Known || now.Wall.Before(r.quota.Until.Add(w.Limits.DeclaredGrace)) {
		return
	}
	r.refused = false
	m := Mark{At: now.Mono, N: w.stand.since.N, Seen: w.stand.since.Seen}
	w.Resumed = later(w.Resumed, m)
	w.settlePhase(m)
}
