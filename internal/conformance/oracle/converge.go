package oracle

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

type treeFacts = trace.Tree

// massLeast is how many deaths at least make an incident (WDC-FLEET-002); they must be over half of the workers too.
const massLeast = 5

// passing is the end of one worker as it was shown.
type passing struct {
	worker int
	at     time.Duration
}

// mass is when the end of a worker became part of an incident, as it was shown: of enough deaths within one window.
func (o *Oracle) mass(worker int) (at time.Duration, incident bool) {
	for _, last := range o.deaths {
		n, among := 0, false
		for _, d := range o.deaths {
			if d.at <= last.at && last.at-d.at <= o.cfg.Policy.MassWindow {
				n++
				among = among || d.worker == worker && d.at == o.workers[worker].acts.died
			}
		}
		if among && n >= massLeast && 2*n > len(o.workers) {
			at, incident = max(at, last.at), true
		}
	}
	return at, incident
}

// crowded: recoveries at one time are bounded (WDC-FLEET-003).
func (o *Oracle) crowded() {
	n := 0
	var last *worker
	for i := range o.workers {
		if w := &o.workers[i]; w.acts.recovering {
			n, last = n+1, w
		}
	}
	if n > o.cfg.Policy.Recoveries {
		last.blame(mistakes.TooManyRecoveries, finding{
			expected: fmt.Sprintf("at most %d recoveries at one time", o.cfg.Policy.Recoveries),
			actual:   fmt.Sprintf("%d", n),
		})
	}
}

// converge: at the end of a history, when every fault has ended long since, each worker is well, or at its end, or a
// person's (WDC-REST-001, WDC-BUDG-002).
func (a *acting) converge() {
	w := a.w
	t := w.o.cfg.Facts.Truth(w.index)
	if t.Generation == 0 || a.well(&t) || a.handed() {
		return
	}
	state := fmt.Sprintf("%s since %s", t.Phase, t.Since)
	if t.Exited {
		state += ", exited"
	}
	w.blame(mistakes.LeftAlone, finding{said: w.verdict.Name, expected: "a worker that is well, or the owner's to decide", actual: state + ", and nobody was asked"})
}

// well reports whether nothing is to be done about a worker.
func (a *acting) well(t *trace.Truth) bool {
	w := a.w
	switch {
	case t.Exited && a.intent != "":
		return true
	case t.Exited && (a.published() || a.finished()):
		return true
	case t.Exited:
		unknowable := w.lost() && t.QuietEnd && w.verdict.Name == watchdog.VerdictIdle // get_state says so in a delay, too
		return t.Phase != watchdog.VerdictDead || unknowable
	case a.live() > 1:
		return false
	}
	return !t.Stuck || w.foreign.opaque || w.dim() || !w.situation.past(w.o.now.Mono)
}

// published reports whether all that a worker has done is at the remote, by the watchdog's doing.
func (a *acting) published() bool {
	tree := a.w.o.cfg.Facts.Tree(a.w.index)
	return !tree.Dirty && tree.Ahead == 0 && a.last(nil, func(o *order) bool { return o.Kind == watchdog.CmdPublish && o.acted }) != nil
}

// finished reports whether the tracker has the task as done and the world agrees, or the gates prove it: clean, all at the
// remote, no gate against it.
func (a *acting) finished() bool {
	tree := a.w.o.cfg.Facts.Tree(a.w.index)
	if tree.Dirty || tree.Ahead > 0 {
		return false
	}
	return debris.GatesPassed(tree.Head, tree.Gates) || len(tree.Gates) == 0 && debris.StatusOf(a.row.Status) == debris.Finished
}

// handed reports whether a worker is a person's: there is an operator's word, a veto, an escalation that stands, or a
// proposal that was not approved; or the owner, who wants to be asked, was told.
func (a *acting) handed() bool {
	w := a.w
	if a.intent != "" || a.vetoed() != "" || a.handedOver && !a.unheard() {
		return true
	}
	if a.atTerminal() && w.notices.has(string(w.verdict.Name)) {
		return true // a tool waits for somebody at its terminal
	}
	if w.verdict.Name == watchdog.VerdictInconclusive && w.notices.has(string(watchdog.VerdictInconclusive)) {
		return true // who does not know may do no more
	}
	p := a.last(nil, ofKind(watchdog.CmdPropose))
	if p != nil && a.undecided(p) {
		return true
	}
	asks := w.limits.Effects[watchdog.EffectRespawn] != watchdog.PermitAuto || w.limits.Effects[watchdog.EffectStopWorker] != watchdog.PermitAuto
	return asks && p == nil && w.notices.has(string(w.verdict.Name))
}

// undecided reports whether a proposal is the owner's to decide, or was refused: not if they have armed again since.
func (a *acting) undecided(p *order) bool {
	n := a.lastWord(p.Key)
	return n < 0 || !a.decisions[n].Approve && n >= a.rearms.decisions
}

// unheard reports whether the owner has refused a proposal and armed again, and nothing came of it but an escalation
// (WDC-BUDG-005).
func (a *acting) unheard() bool {
	p := a.last(nil, ofKind(watchdog.CmdPropose))
	if p == nil || a.undecided(p) || a.decisions[a.lastWord(p.Key)].Approve {
		return false
	}
	return a.last(nil, func(o *order) bool { return o.at >= a.rearmed && o.Kind != watchdog.CmdEscalate }) == nil
}

// lastWord is the place of the owner's last word on an item among their decisions, or -1.
func (a *acting) lastWord(item string) int {
	for n, d := range slices.Backward(a.decisions) {
		if d.Item == item {
			return n
		}
	}
	return -1
}
