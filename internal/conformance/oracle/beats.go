package oracle

import (
	"fmt"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
)

// beatDue is when the watchdog must have shown again that it turns (WDC-REST-005): it may be silent no longer than a worker
// may before the owner is told. What counts is since there is a worker to watch, and since its last boot.
func (o *Oracle) beatDue() time.Duration {
	if !o.cfg.Durable {
		return never
	}
	first := never
	for i := range o.workers {
		if w := &o.workers[i]; w.truth.Generation > 0 {
			first = min(first, w.acts.began)
		}
	}
	if first == never {
		return never
	}
	return after(max(o.beat, first, o.world.back), o.cfg.Policy.Attention+o.patience())
}

func (o *Oracle) overdueBeat() {
	if o.now.Mono <= o.beatDue() {
		return
	}
	last := o.beat
	o.beat = o.now.Mono // reported once a silence
	o.blame(mistakes.HeartbeatMissing, finding{
		expected: fmt.Sprintf("a heartbeat once per %s", o.cfg.Policy.Attention),
		actual:   fmt.Sprintf("none since %s", last),
	})
}
