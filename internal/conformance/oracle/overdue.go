package oracle

import (
	"fmt"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// schedule notes when the oracle must look next if nothing happens before.
func (w *worker) schedule() {
	w.due = min(w.lateDue(), w.untoldDue(), w.attentionDue(), w.reminderDue(), w.authDue(), w.loopDue(), w.quietDue(), w.opaqueDue())
	if w.exitPending() {
		w.due = min(w.due, w.noticeDue())
	}
}

// overdue is called when time has moved past due: what had to happen until then either has or is a finding.
func (w *worker) overdue() {
	if w.truth.Generation == 0 {
		return
	}
	w.refresh()
	now := w.o.now.Mono
	w.overdueDeath()
	if !w.exitPending() {
		w.overdueVerdict(now)
		w.overdueAttention(now)
		w.overdueReminder(now)
		w.overdueAuth(now)
		w.overdueLoop(now)
		w.overdueEnd(now)
		w.overdueOpaque(now)
	}
	w.overdueNotice(now)
	w.schedule()
	if w.due < now {
		w.due = now + w.limits.ConfirmEvery // found and reported, or still to be looked at
	}
}

// refresh takes what has changed without any news from the worker: its processes at work, a delay that ended.
func (w *worker) refresh() {
	t := w.o.cfg.Facts.Truth(w.index)
	w.learn(&t)
}

// pardon is a moment at which something is due, later where the subject has just come back from a crash: it has to look
// afresh first.
func (w *worker) pardon(due time.Duration) time.Duration {
	if w.o.world.boots == 0 || due == never {
		return due
	}
	return max(due, w.o.world.back+w.agreement()+w.look()+w.patience())
}

// lateDue is when a verdict past the limit must be confirmed.
func (w *worker) lateDue() time.Duration {
	if w.late || w.foreign.opaque || w.truth.Generation == 0 || w.situation.deadline == never {
		return never
	}
	v := &w.verdict
	if v.Status == watchdog.StatusConfirmed && (v.Name == w.situation.rule.past || v.Name == watchdog.VerdictLivelock || w.lost() && pastLimit(v.Name)) {
		return never
	}
	if v.Name == watchdog.VerdictInconclusive && (w.dim() || w.looks.unread) {
		return never
	}
	due := w.situation.due(w)
	if w.lost() {
		due = max(due, w.o.world.back+w.limits.Stall+w.agreement()+w.patience()+slack)
	}
	return w.pardon(due)
}

func (w *worker) overdueVerdict(now time.Duration) {
	due := w.lateDue()
	if now <= due {
		return
	}
	w.late = true
	w.blame(mistakes.Late, finding{
		said:     w.verdict.Name,
		expected: fmt.Sprintf("%s confirmed by %s: %s passed its limit at %s", w.situation.rule.past, due, w.truth.Phase, w.situation.deadline),
		actual:   spell(&w.verdict),
	})
}

// quietDue is when an end must be called so that no terminal event tells.
func (w *worker) quietDue() time.Duration {
	if w.verdict.Name != watchdog.VerdictEnding || w.situation.quiet == 0 || w.foreign.opaque || w.dim() || w.looks.doubt {
		return never
	}
	return w.pardon(w.situation.quiet)
}

func (w *worker) overdueEnd(now time.Duration) {
	if now > w.quietDue() {
		w.mistake(mistakes.Misnamed, &w.verdict)
	}
}

// untoldDue is when the owner must have been told of the standing verdict.
func (w *worker) untoldDue() time.Duration {
	v := &w.verdict
	if v.Status != watchdog.StatusConfirmed || w.notices.has(string(v.Name)) || w.excused() || w.lost() && v.Name == watchdog.VerdictInconclusive {
		return never
	}
	return w.pardon(w.said.confirmed + w.patience())
}

func (w *worker) overdueNotice(now time.Duration) {
	if now <= w.untoldDue() {
		return
	}
	name := w.verdict.Name
	w.notices.add(string(name), now) // reported once
	w.blame(mistakes.NoticeMissing, finding{
		said:     name,
		expected: fmt.Sprintf("a notice of %s by %s", name, w.said.confirmed+w.patience()),
		actual:   "the owner was not told",
	})
}
