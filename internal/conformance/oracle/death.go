package oracle

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// death is what the subject can know of the end of the worker's process.
type death struct {
	at     time.Duration // when the process ended; never if it lives
	known  bool          // proven to the subject: wait status, boot id or start time
	status bool          // its wait status was shown
	gone   int           // answered probes, confirm_every apart, that found no such process
	goneAt time.Duration
}

func (d *death) happened(now time.Duration) {
	if d.at == never {
		d.at = now
	}
}

func (d *death) prove(now time.Duration) {
	d.happened(now)
	d.known = true
}

// exitPending reports whether the process has ended and the subject has no proof of it yet.
func (w *worker) exitPending() bool { return w.death.at != never && !w.death.known }

// probed takes the answer to a probe as the subject was given it.
func (w *worker) probed(p *watchdog.Probe, o *watchdog.Observation) {
	if p.Result != watchdog.ProbeOK {
		w.facts.probesFail, w.looks.unsure, w.looks.deaf = true, true, true
		return
	}
	w.looks.deaf = w.looks.deaf && p.What != watchdog.WhatProcesses
	w.looks.fresh(o.At.Mono, w.limits.ConfirmEvery)
	if p.What != watchdog.WhatProcesses || w.death.known {
		return
	}
	i := slices.IndexFunc(p.Processes, func(q watchdog.Process) bool { return q.PID == w.spawn.PID })
	switch {
	case i >= 0 && p.Processes[i].Start == w.spawn.Start:
		w.death.gone, w.looks.unsure = 0, false
	case i >= 0:
		w.death.prove(o.At.Mono)
	case w.death.gone == 0 || o.At.Mono >= w.death.goneAt+w.limits.ConfirmEvery:
		w.death.gone, w.death.goneAt = w.death.gone+1, o.At.Mono
		w.looks.unsure = true
		w.facts.probesFail = w.facts.probesFail || w.death.at == never
	}
}

// judgeDeath judges a verdict that the worker's process is gone.
func (w *worker) judgeDeath(v *watchdog.Verdict) {
	d := &w.death
	f := finding{said: v.Name, actual: spell(v)}
	switch {
	case d.at == never:
		f.expected = fmt.Sprintf("%s: the process lives", w.truth.Phase)
		w.blame(mistakes.FalseDeath, f)
	case !d.known && d.gone <= w.limits.Confirmations:
		f.expected = fmt.Sprintf("inconclusive until independent proof, or %d looks that found no process", w.limits.Confirmations+1)
		w.blame(mistakes.FalseDeath, f)
	case !d.status && (w.truth.Phase == watchdog.VerdictDead || w.truth.Phase == watchdog.VerdictSettledUnproven):
		// without a wait status the two cannot be told apart
	case w.truth.Phase == watchdog.VerdictAwaitingQuota && w.quotaOver():
		// its wait was over: it is judged afresh
	case !d.known:
		// found out by probes; the phase that the exit met does not matter
	default:
		f.expected = string(w.truth.Phase)
		w.blame(mistakes.Misnamed, f)
	}
}

// quotaOver reports whether the wait for a quota of a worker that has ended may have come to its end before: where the end
// of the wait was shown only behind a crash, nobody knows when it was to be.
func (w *worker) quotaOver() bool {
	if w.quotaEnds.IsZero() {
		return w.o.world.boots > 0
	}
	return !w.o.now.Wall.Before(w.quotaEnds.Add(w.limits.DeclaredGrace))
}

// judgeExitFlag checks that a proven exit is noticed in a phase that it does not change.
func (w *worker) judgeExitFlag() {
	if w.flagless() {
		w.blame(mistakes.MissedDeath, finding{expected: fmt.Sprintf("%s, flagged exited", w.truth.Phase), actual: spell(&w.verdict)})
	}
}

func (w *worker) flagless() bool {
	if !w.truth.Exited || w.said.exited {
		return false
	}
	switch w.truth.Phase {
	case watchdog.VerdictSettled, watchdog.VerdictIdle, watchdog.VerdictAwaitingAuth, watchdog.VerdictAwaitingQuota:
		return true
	}
	return false
}

// noticeDue and deathDue are when an exit that nobody reported must be suspected, and called by its name. A wait and an
// end are not doubted on one probe.
func (w *worker) noticeDue() time.Duration {
	return w.pardon(after(w.death.at, w.look()+w.patience()+slack))
}

func (w *worker) deathDue() time.Duration {
	n := time.Duration(w.limits.Confirmations)
	return after(w.noticeDue(), w.agreement()+n*slack)
}

// overdueDeath checks that an exit that nobody reported was found by probing.
func (w *worker) overdueDeath() {
	now, v := w.o.now.Mono, &w.verdict
	gone := v.Name == watchdog.VerdictDead || v.Name == watchdog.VerdictSettledUnproven || w.said.exited
	if gone || !w.exitPending() || w.looks.deaf {
		return
	}
	f := finding{said: v.Name, actual: spell(v)}
	switch {
	case now > w.deathDue():
		f.expected = fmt.Sprintf("dead: the process ended %s ago and every probe shows it", now-w.death.at)
		w.blame(mistakes.DeathUnconfirmed, f)
	case now > w.noticeDue() && v.Name != watchdog.VerdictInconclusive && !w.situation.rule.wait:
		f.expected = fmt.Sprintf("a verdict that notices the exit of %s ago", now-w.death.at)
		w.blame(mistakes.MissedDeath, f)
	}
}
