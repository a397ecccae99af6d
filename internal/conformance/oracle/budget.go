package oracle

import (
	"fmt"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// This file judges what attempts at a task cost.

// spend: attempts are bounded, and come ever later (WDC-BUDG-001, WDC-BUDG-004).
func (a *acting) spend(o *order) {
	if o.times > 1 {
		return
	}
	w, now := a.w, a.w.o.now.Boot
	o.start = a.neverStarted()
	l := &w.limits
	spent, window, total, gap := 0, 0, a.retries, never
	for _, p := range a.orders {
		if p == o || !attempt(p.Kind) || p.refunded() || p.at < a.rearmed {
			continue
		}
		switch {
		case w.truth.LastProgress-p.at >= l.Stability:
			spent = 0 // healthy for long enough since
		case p.start == o.start: // each has a budget of its own
			spent++
		}
		if p.Kind == watchdog.CmdRespawn && now-p.boot < l.RestartWindow {
			window++
		}
		total++
		gap = now - p.boot
	}
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	switch {
	case spent >= l.ResumeAttempts:
		f.expected = fmt.Sprintf("a person after %d attempts without stability", l.ResumeAttempts)
		w.blame(mistakes.BudgetExceeded, f)
	case o.Kind == watchdog.CmdRespawn && window >= l.Restarts:
		f.expected = fmt.Sprintf("at most %d restarts in %s", l.Restarts, l.RestartWindow)
		w.blame(mistakes.BudgetExceeded, f)
	case total >= l.AttemptsTotal:
		f.expected = fmt.Sprintf("a person after %d attempts, %d of them the worker's own retries", l.AttemptsTotal, a.retries)
		w.blame(mistakes.BudgetExceeded, f)
	case spent > 0 && gap < a.backoff(spent):
		f.expected = fmt.Sprintf("the next attempt at least %s behind the last", a.backoff(spent))
		f.actual += fmt.Sprintf(" after %s", gap)
		w.blame(mistakes.BackoffShort, f)
	}
}

// attempts counts the watchdog's attempts at the task and the workers' own retries, since budgets last began afresh.
func (a *acting) attempts() int {
	n := a.retries
	for _, o := range a.orders {
		if attempt(o.Kind) && !o.refunded() && o.at >= a.rearmed {
			n++
		}
	}
	return n
}

// neverStarted: a worker that never started has a budget of its own (WDC-LIFE-001), whatever the subject gives as its cause.
func (a *acting) neverStarted() bool {
	t := &a.w.truth
	return t.Phase == watchdog.VerdictStarting || t.Exited && a.w.before == watchdog.VerdictStarting
}

// attempt reports whether a command is one that a budget bounds.
func attempt(kind watchdog.CommandKind) bool {
	return kind == watchdog.CmdRespawn || kind == watchdog.CmdSteer || kind == watchdog.CmdInput
}

// unreachable is the reason of a command that nobody got.
const unreachable = "unreachable"

// refunded reports whether an attempt costs nothing: it was refused, or nobody got it. One that failed was made.
func (o *order) refunded() bool {
	return o.told && (o.result == watchdog.ResultRefused || o.result == watchdog.ResultFailed && o.reason == unreachable)
}

// backoffSlack is which part of the backoff an attempt must have waited at least: the rest is jitter.
const backoffSlack = 0.5

// backoff is how long the n-th attempt waits at least behind the one before (WDC-BUDG-004).
func (a *acting) backoff(n int) time.Duration {
	l := &a.w.limits
	d := float64(l.BackoffBase)
	for range min(n-1, 32) {
		d = min(d*l.BackoffFactor, float64(l.BackoffCap))
	}
	return time.Duration(min(d, float64(l.BackoffCap)) * backoffSlack)
}
