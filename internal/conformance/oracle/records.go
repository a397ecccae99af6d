package oracle

import (
	"fmt"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
)

// records is what the oracle keeps of the durable state of a subject. One that never stores anything has a memory of its
// own, of which nothing is known.
type records struct {
	used  bool // something was stored
	fresh bool // and made safe, since the last step with an act
	acted bool // in this step
}

// store takes what a step has stored.
func (r *records) store(s *trace.Step) {
	if r.acted {
		r.fresh, r.acted = false, false
	}
	r.used = r.used || len(s.Stored) > 0
	r.fresh = r.fresh && !s.Unsynced || len(s.Stored) > 0 && !s.Unsynced
}

// recorded: each transition is in the journal, and safe, before the act that rests on it (WDC-REST-002).
func (a *acting) recorded(o *order) {
	r := &a.w.o.records
	if a.w.o.cfg.Durable && r.used && !r.fresh && o.times == 1 {
		a.w.blame(mistakes.NotRecorded, finding{
			said:     o.Cause.Name,
			expected: "a record of the act that is safe before it is given", actual: fmt.Sprintf("nothing was stored and synced before %s", describe(&o.Command)),
		})
	}
	r.acted = true
}

// remembers: what the owner has approved is on record, so that they are not asked again behind a restart (WDC-GATE-004).
// It is another matter once something was done on it, or the worker, its worktree, its row or its operator has moved.
func (a *acting) remembers(o *order) {
	w := a.w
	for _, p := range a.orders {
		same := p != o && p.Kind == o.Kind && p.Act == o.Act && p.IfDigest == o.IfDigest && p.Generation == o.Generation
		at, yes := a.approved[p.Key]
		if !same || !yes || at >= w.o.world.back || at <= max(w.truth.LastProgress, a.turned) || a.last(o, on(p.Key)) != nil {
			continue
		}
		w.blame(mistakes.AskedAgain, finding{
			said:     o.Cause.Name,
			expected: "what the owner has approved under " + quote(p.Key), actual: "they are asked again under " + quote(o.Key),
		})
	}
}

// on picks the orders that rest on the owner's leave for an item.
func on(item string) func(*order) bool { return func(o *order) bool { return o.Item == item } }
