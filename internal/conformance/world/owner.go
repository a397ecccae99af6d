package world

import (
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// owner is the person who decides what the watchdog proposes. What the scenario has them say holds for all proposals that
// fit, those before and those to come; the last word on a proposal counts.
type owner struct {
	rulings   []script.Decides
	proposals []proposal
	decisions []decision
	signed    []said
}

type proposal struct {
	key    string
	worker int
	act    watchdog.CommandKind
	digest string
}

// decision is an answer on its way.
type decision struct {
	proposal int
	script.Decides
}

// rules takes what the owner says from now on.
func (w *World) rules(d script.Decides) {
	w.people.rulings = append(w.people.rulings, d)
	for i := range w.people.proposals {
		if w.people.proposals[i].fits(d) {
			w.decides(i, d)
		}
	}
}

// proposed lets the owner hear a proposal.
func (w *World) proposed(c *watchdog.Command) {
	p := proposal{key: c.Key, worker: w.byID[c.Worker], act: c.Act, digest: c.IfDigest}
	w.people.proposals = append(w.people.proposals, p)
	for i := len(w.people.rulings) - 1; i >= 0; i-- {
		if d := w.people.rulings[i]; p.fits(d) {
			w.decides(len(w.people.proposals)-1, d)
			return
		}
	}
}

// fits reports whether a ruling is about a proposal: by its key, the kind of the act, or its class.
func (p *proposal) fits(d script.Decides) bool {
	return d.Item == "" || d.Item == p.key || d.Item == string(p.act) || d.Item == string(p.act.Effect())
}

// handDelay is how long the owner takes at least.
const handDelay = time.Millisecond

// decides sends the owner's answer on its way.
func (w *World) decides(proposal int, d script.Decides) {
	w.people.decisions = append(w.people.decisions, decision{proposal, d})
	w.queue.push(event{
		at: w.clocks.mono + max(d.After.D, handDelay), priority: prioPeople, source: sourcePeople, kind: evDecision, ref: len(w.people.decisions) - 1,
	})
}

// decided tells the subject what the owner has decided, on what they were shown.
func (w *World) decided(ref int) {
	d := &w.people.decisions[ref]
	p := &w.people.proposals[d.proposal]
	o := watchdog.Owner{Item: p.key, Approve: d.Approve, Digest: p.digest}
	if d.Valid.Given() {
		o.NotAfter = w.clocks.now().Wall.Add(d.Valid.D)
	}
	k := w.workers[p.worker]
	if word, ok := w.word(o, d.By, k.id); ok {
		w.observe(word, k.life)
	}
}
