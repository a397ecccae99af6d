package oracle

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// reasoned judges the reason that a verdict gives (profile E). It is strict where a verdict alarms, and asks of the
// name of a healthy phase only that its reason is not a wrong one.
func (w *worker) reasoned(v *watchdog.Verdict) {
	if !w.o.cfg.Explain {
		return
	}
	alarm := v.Status != watchdog.StatusOK
	if alarm && (v.Cause.Phase == "" || len(v.Evidence) == 0) {
		w.blame(mistakes.ReasonMissing, finding{said: v.Name, expected: "a cause and evidence", actual: fmt.Sprintf("%s because of %s on %d observations", spell(v), reason(v.Cause), len(v.Evidence))})
	}
	if v.Status == watchdog.StatusSuspected && v.Next <= w.o.now.Mono && v.Name != watchdog.VerdictLivelock && v.Name != watchdog.VerdictInconclusive {
		w.blame(mistakes.ReasonMissing, finding{said: v.Name, expected: "the time of the next check", actual: fmt.Sprintf("next %s at %s", v.Next, w.o.now.Mono)})
	}
	w.inTime(v)
	for _, e := range v.Evidence {
		w.known(v, &e)
	}
	if pastLimit(v.Name) && w.said.right {
		w.rightCause(v)
		w.rightTurn(v)
	}
}

// inTime checks when a verdict began and when the worker is looked at again: not later than the limit passes.
func (w *worker) inTime(v *watchdog.Verdict) {
	now := w.o.now.Mono
	if v.Since < 0 || v.Since > now {
		w.blame(mistakes.SinceWrong, finding{said: v.Name, expected: fmt.Sprintf("a time from 0s to %s", now), actual: fmt.Sprintf("%s since %s", spell(v), v.Since)})
	}
	s := &w.situation
	latest := after(max(s.lenient, now), w.look()+w.patience())
	if v.Next != 0 && (v.Next < now || s.deadline != never && v.Name == w.truth.Phase && v.Next > latest || v.Status == watchdog.StatusSuspected && v.Name == s.rule.past && v.Next > after(now, w.agreement()+w.look()+w.patience())) {
		w.blame(mistakes.NextWrong, finding{said: v.Name, expected: fmt.Sprintf("a check from %s to %s", now, latest), actual: fmt.Sprintf("next at %s", v.Next)})
	}
}

// known checks one piece of evidence: an observation of this worker and generation that was shown, with its age.
func (w *worker) known(v *watchdog.Verdict, e *watchdog.Evidence) {
	now := w.o.now.Mono
	switch {
	case e.N < 1 || e.N > len(w.o.seen):
		w.wrongEvidence(v, fmt.Sprintf("observation %d was never shown", e.N))
		return
	case e.Generation != w.truth.Generation:
		w.wrongEvidence(v, fmt.Sprintf("observation %d is said to be of generation %d", e.N, e.Generation))
	}
	s := w.o.seen[e.N-1]
	if s.worker != int32(w.index) || int(s.generation) != w.truth.Generation {
		w.wrongEvidence(v, fmt.Sprintf("observation %d is not of this worker's generation", e.N))
		return
	}
	if age := now - s.at; (e.Age - age).Abs() > time.Millisecond {
		w.wrongEvidence(v, fmt.Sprintf("observation %d is %s old, not %s", e.N, age, e.Age))
	}
}

func (w *worker) wrongEvidence(v *watchdog.Verdict, actual string) {
	w.blame(mistakes.ReasonWrong, finding{
		said:     v.Name,
		expected: fmt.Sprintf("evidence of generation %d with its age", w.truth.Generation),
		actual:   actual,
	})
}

// rightCause checks phase and limit of a right alarm.
func (w *worker) rightCause(v *watchdog.Verdict) {
	s := &w.situation
	phases := []watchdog.VerdictName{s.rule.phase}
	limits := []watchdog.Limit{s.rule.limit}
	switch {
	case s.dead:
		limits = append(limits, watchdog.LimitSettle)
	case s.rule.phase == watchdog.VerdictBackingOff:
		phases = append(phases, watchdog.VerdictAwaitingFirstToken)
		limits = append(limits, watchdog.LimitFirstToken)
	}
	if slices.Contains(phases, v.Cause.Phase) && slices.Contains(limits, v.Cause.Limit) {
		return
	}
	w.blame(mistakes.ReasonWrong, finding{
		said:     v.Name,
		expected: fmt.Sprintf("phase %s, limit %s", s.rule.phase, limits[len(limits)-1]),
		actual:   reason(v.Cause),
	})
}

// rightTurn checks that an alarm rests on this turn, and on what began the silence.
func (w *worker) rightTurn(v *watchdog.Verdict) {
	if len(v.Evidence) == 0 {
		return
	}
	first, last := v.Evidence[0].N, v.Evidence[0].N
	for _, e := range v.Evidence {
		first, last = min(first, e.N), max(last, e.N)
	}
	f := finding{said: v.Name, expected: fmt.Sprintf("evidence of the turn that began with observation %d and of the phase that began with %d", w.turn.start, w.turn.phase)}
	switch {
	case first < w.turn.start:
		f.actual = fmt.Sprintf("observation %d, which is of an earlier turn", first)
		w.blame(mistakes.ReasonWrong, f)
	case last < w.turn.phase:
		f.actual = fmt.Sprintf("nothing later than observation %d", last)
		w.blame(mistakes.ReasonWrong, f)
	}
}

// explained judges the reason that a command gives (profile E).
func (w *worker) explained(c *watchdog.Command) {
	if !w.o.cfg.Explain {
		return
	}
	if c.Kind == watchdog.CmdHeartbeat || w.o.ofItself(c) {
		return // it is about the watchdog itself
	}
	if c.Cause == (watchdog.Cause{}) || len(c.Evidence) == 0 {
		w.blame(mistakes.ReasonMissing, finding{said: c.Cause.Name, expected: "a cause and evidence for every command", actual: fmt.Sprintf("%s on %d observations", describe(c), len(c.Evidence))})
	}
	looks := c.Kind == watchdog.CmdProbe || c.Kind == watchdog.CmdInspect // they may be about anything
	if n := len(c.Evidence); n > 0 && !looks && pastLimit(c.Cause.Name) && w.said.right && slices.Max(c.Evidence) < w.turn.start && !w.loops.torn {
		w.blame(mistakes.EvidenceOld, finding{
			said: c.Cause.Name, expected: fmt.Sprintf("evidence of the turn that began with observation %d", w.turn.start),
			actual: fmt.Sprintf("%s on %d", describe(c), c.Evidence),
		})
	}
	for _, n := range c.Evidence {
		if n < 1 || n > len(w.o.seen) || w.o.seen[n-1].worker != int32(w.index) {
			w.blame(mistakes.ReasonWrong, finding{said: c.Cause.Name, expected: "evidence that was shown of this worker", actual: fmt.Sprintf("%s on observation %d", describe(c), n)})
		}
	}
}
