package oracle

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// take takes a verdict of the subject on this worker and judges it as it is given.
func (w *worker) take(v *watchdog.Verdict) {
	now := w.o.now.Mono
	again := w.verdict.Name == v.Name
	suspected := again && w.verdict.Status == watchdog.StatusSuspected
	if !again || w.verdict.Status == watchdog.StatusOK {
		w.settleEpisode()
		w.said = utterance{suspected: now}
	}
	if v.Status == watchdog.StatusConfirmed && (!again || w.verdict.Status != watchdog.StatusConfirmed) {
		w.said.confirmed = now
	}
	w.verdict = watchdog.Verdict{Name: v.Name, Status: v.Status}
	w.acts.flags = slices.Clone(v.Flags)
	w.said.exited = slices.Contains(v.Flags, watchdog.FlagExited)
	if w.said.right = w.situation.names(w, v); w.said.right {
		w.loops.since = never // who sees a limit passed need not name the loop before it
	}
	w.agreed(v, suspected)
	w.reasoned(v)
	w.detailed(v)
}

// names reports whether a verdict past a limit is right now.
func (s *situation) names(w *worker, v *watchdog.Verdict) bool {
	return v.Name == s.rule.past && s.past(w.o.now.Mono)
}

// standing judges the verdict that the subject stands by after a step, whether it has just given it or not.
func (w *worker) standing() {
	w.touched = false
	if w.truth.Generation == 0 {
		return
	}
	v := &w.verdict
	if v.Name == w.truth.Phase && v.Status == proper(v.Name) {
		w.settleEpisode()
		w.judgeExitFlag()
		w.schedule()
		return
	}
	w.judgeName(v)
	w.schedule()
}

// proper is the status of a phase that holds within its limit.
func proper(name watchdog.VerdictName) watchdog.Status {
	if name == watchdog.VerdictDead || name == watchdog.VerdictSettledUnproven {
		return watchdog.StatusConfirmed
	}
	return watchdog.StatusOK
}

// settleEpisode notes that an alarm that was right has ended.
func (w *worker) settleEpisode() {
	if w.said.right {
		w.facts.episodes++
		w.said.right = false
	}
}

// judgeName judges a standing verdict whose name is not simply that of the phase.
func (w *worker) judgeName(v *watchdog.Verdict) {
	if w.lost() && !pastLimit(v.Name) && (v.Name != watchdog.VerdictDead || w.death.known) {
		return // any phase may hold
	}
	switch {
	case w.foreign.opaque && v.Name != watchdog.VerdictInconclusive:
		w.judgeOpaque(v)
	case v.Name == watchdog.VerdictInconclusive:
		w.judgeInconclusive(v)
	case v.Name == watchdog.VerdictLivelock:
		w.judgeLivelock(v)
	case v.Name == watchdog.VerdictDead, v.Name == watchdog.VerdictSettledUnproven && w.death.at != never:
		w.judgeDeath(v)
	case w.exitPending():
		// what became of the process is still its to find out; overdue() sees that it does
	case pastLimit(v.Name):
		w.judgeAlarm(v)
	default:
		w.judgePhase(v)
	}
}

// judgeAlarm judges a verdict past a limit.
func (w *worker) judgeAlarm(v *watchdog.Verdict) {
	s, now := &w.situation, w.o.now.Mono
	if w.dim() {
		w.judgeDimAlarm(v)
		return
	}
	if v.Name == s.rule.past && s.past(now) {
		return
	}
	if w.lost() && now >= min(s.deadline, w.o.world.back+w.limits.Stall) {
		return
	}
	switch {
	case w.said.right:
		w.mistake(mistakes.Lingering, v)
		w.settleEpisode()
	case s.past(now):
		w.mistake(mistakes.Misnamed, v)
	default:
		w.mistake(mistakes.Early, v)
	}
}

// mistake records that the standing verdict is not what the truth asks for.
func (w *worker) mistake(s mistakes.Mistake, v *watchdog.Verdict) {
	if !w.isBlamed(s, v.Name) { // a wrong verdict stands for many steps
		w.blame(s, finding{said: v.Name, expected: w.expected(), actual: spell(v)})
	}
}

// judgePhase judges the name of a phase that is not the one that holds.
func (w *worker) judgePhase(v *watchdog.Verdict) {
	now := w.o.now.Mono
	if v.Name == w.truth.Phase {
		w.blame(mistakes.Misnamed, finding{
			said:     v.Name,
			expected: fmt.Sprintf("%s with status %s", v.Name, proper(v.Name)),
			actual:   spell(v),
		})
		return
	}
	quiet := v.Name == watchdog.VerdictEnding && now <= w.situation.quiet
	presumed := w.presumed && (v.Name == watchdog.VerdictAwaitingFirstToken || v.Name == watchdog.VerdictIdle || over(v.Name))
	if quiet || presumed || w.dim() || w.looks.doubt || w.old.covers(v.Name, now) || w.isOver(now) || w.overUnseen(v.Name) {
		return
	}
	w.mistake(mistakes.Misnamed, v)
}

// isOver reports whether what the worker had declared is over: a delay or a dialog's timeout that ends at this very
// instant, so that the phase is a matter of order, or a quota that has come back and leaves the worker to be judged
// afresh.
func (w *worker) isOver(now time.Duration) bool {
	switch {
	case w.truth.Until == 0:
		return false
	case w.truth.Phase == watchdog.VerdictAwaitingQuota:
		return !w.o.now.Wall.Before(w.reset.Add(w.limits.DeclaredGrace))
	}
	return now == w.truth.Until
}

// overUnseen reports whether a worker is called idle that has settled out of sight: get_state does not tell the two
// apart.
func (w *worker) overUnseen(name watchdog.VerdictName) bool {
	return w.facts.gap && name == watchdog.VerdictIdle && over(w.truth.Phase)
}

// judgeInconclusive judges an admission of ignorance: it needs a reason that the subject was shown.
func (w *worker) judgeInconclusive(v *watchdog.Verdict) {
	excused := w.foreign.opaque || w.dim() || w.looks.broken || w.looks.unsure || w.exitPending() || w.looks.unread
	if excused {
		return
	}
	w.mistake(mistakes.Misnamed, v)
}

// judgeOpaque judges a verdict that stands although a record came that nobody understands: the phase may be any, and so
// nothing is past its limit, nor at its end (WDC-OBS-003).
func (w *worker) judgeOpaque(v *watchdog.Verdict) {
	if w.truth.Exited || !pastLimit(v.Name) && !(over(v.Name) && !over(w.truth.Phase)) {
		return
	}
	f := finding{said: v.Name, expected: "inconclusive past a limit: a record came that no known dialect has", actual: spell(v)}
	w.blame(mistakes.Unfounded, f)
}

// judgeDimAlarm judges a verdict past a limit from a source that shows finished messages only: it cannot tell work from
// a wait (WDC-OBS-008), unless the terminal says what it is doing.
func (w *worker) judgeDimAlarm(v *watchdog.Verdict) {
	if w.looks.telling && !w.situation.rule.wait && w.situation.past(w.o.now.Mono) {
		return
	}
	w.blame(mistakes.Early, finding{
		said:     v.Name,
		expected: "inconclusive: the source cannot tell this phase from a user wait",
		actual:   spell(v),
	})
}

// expected says what the truth asks for now.
func (w *worker) expected() string {
	s, now := &w.situation, w.o.now.Mono
	switch {
	case s.deadline == never:
		return string(w.truth.Phase)
	case s.past(now):
		return fmt.Sprintf("%s, for %s passed its limit %s ago", s.rule.past, w.truth.Phase, now-s.deadline)
	}
	return fmt.Sprintf("%s, whose limit is not passed for another %s", w.truth.Phase, (s.deadline - now).Round(time.Millisecond))
}
