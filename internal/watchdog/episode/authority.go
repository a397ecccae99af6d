package episode

import (
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// This file takes the words of the owner and the operator, and only theirs: a word counts if its caller was proven not to
// descend from a worker, or if it is signed with the owner's key and later than the last one on the same thing, since what
// is signed may be shown again by anybody (WDC-GATE-007).

// owner journals a decision of the owner.
func (e *Episodes) owner(o *watchdog.Observation, b *watchdog.Owner, w *worker) {
	r := e
	switch {
	case r.remembered(o):
	case b.Caller == watchdog.CallerOutside, b.Signed(r.ownerKey, o.Worker) && b.Given.After(r.memory.lastWord(b.Item)):
		e.add(journal.Approval{
			Item: b.Item, Approve: b.Approve, Digest: b.Digest, NotAfter: b.NotAfter, Given: b.Given, Signature: b.Signature,
		})
	default:
		e.unproven(o, w)
	}
}

// operator journals an intent of the operator. What the owner did not hear while a stop held is news then: a notice that was
// sent has a key, and is not sent again.
func (e *Episodes) operator(o *watchdog.Observation, b *watchdog.Operator, w *worker) {
	r := e
	switch {
	case r.remembered(o):
	case b.Caller == watchdog.CallerOutside, b.Signed(r.ownerKey, o.Worker) && b.Given.After(r.memory.lastIntent(o.Worker)):
		e.add(journal.Operator{Worker: o.Worker, Intent: b.Intent, Given: b.Given})
		if w != nil {
			w.Renotify()
		}
	default:
		e.unproven(o, w)
	}
}

// unproven records that a word was left out: once per generation and kind, since whoever forges one may forge many.
func (e *Episodes) unproven(o *watchdog.Observation, w *worker) {
	if w != nil && w.drops(o) {
		e.add(journal.Drop{Worker: w.ID, Generation: o.Generation, What: string(o.Body.Kind()), Reason: "nobody knows whose word it is"})
	}
}

// lastWord is when the owner last said something about an item, on the civil clock.
func (m *memory) lastWord(item string) time.Time {
	var last time.Time
	for _, t := range m.Tasks {
		for i := range t.Approvals {
			if a := &t.Approvals[i]; a.Item == item && a.Given.After(last) {
				last = a.Given
			}
		}
	}
	return last
}

// lastIntent is the same of the operator about a worker.
func (m *memory) lastIntent(worker string) time.Time {
	if t := m.byWorker[worker]; t != nil {
		return t.Intended
	}
	return time.Time{}
}
