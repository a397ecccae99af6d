package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// suspicion is the time from the first verdict past a limit until the worker is healthy or ended, as it is judged: with
// durable state an episode of recovery stands beside it (episode.go).
type suspicion struct {
	open      bool
	name      watchdog.VerdictName
	count     time.Duration // what the silence counts from: a later count is another episode
	lastCheck time.Duration
	checks    int
	evidence  []mark // that a check rested on
	confirmed bool
	told      bool // the owner was told of the confirmed verdict
}

// finding is the verdict that holds now.
type finding struct {
	name     watchdog.VerdictName
	status   watchdog.Status
	limit    watchdog.Limit
	count    mark
	reason   string
	deadline time.Duration // when the phase passes its limit
	past     bool
}

// bySilence reports whether further silence confirms the finding: a repetition and a conflict of sources need other proof.
func (f *finding) bySilence() bool {
	return f.name != watchdog.VerdictLivelock && f.reason != "conflict"
}

// shown is what was last said of a worker; a verdict is given again when it differs.
type shown struct {
	name     watchdog.VerdictName
	status   watchdog.Status
	phase    watchdog.VerdictName
	reason   string
	revision int // of the calls or dialogs that the detail names
	holder   int
	terminal int
	dead     bool
	exited   bool
	dirty    bool
	vetoed   bool
	vetoes   string // of the half that acts
	until    time.Time
}

// judge gives the verdict that holds now, tells the owner, asks for looks, and sets when to judge again.
func (w *worker) judge(e *Engine) {
	now := e.now
	w.touched = false
	w.expire(now.Mono)
	w.quotaOver(now)
	w.settlePhase(mark{at: now.Mono})
	f := w.find(now.Mono, e.judges())
	w.follow(&f, now.Mono)
	w.tell(e, &f)
	w.look(e, &f)
	w.next = w.wake(e, &f) // after tell and look: what they did is not due again
	w.found = f
	w.show(e, &f)
}

// find names what the worker is in. A limit is not judged right after a suspend, before a fresh look.
func (w *worker) find(now, judges time.Duration) finding {
	r := &table[w.stand.row]
	f := finding{name: r.phase, status: watchdog.StatusOK, limit: r.limit}
	f.deadline, f.count = w.deadline()
	switch {
	case r.phase == watchdog.VerdictDead:
		f.status = watchdog.StatusConfirmed
		return f
	case r.phase == watchdog.VerdictSettledUnproven:
		f.status, f.reason = watchdog.StatusConfirmed, w.run.unproven()
		return f
	case r.kind == over && w.lostTrack():
		f.limit, f.count = watchdog.LimitStall, w.resumed
		f.deadline = w.resumed.until(w.limits.Stall).at
		if now >= f.deadline {
			f.name, f.status, f.past, f.reason = watchdog.VerdictInconclusive, watchdog.StatusSuspected, true, "gap"
		}
		return f
	case r.kind == waiting || r.kind == over:
		return f
	case w.looks.conflict():
		f.name, f.status, f.reason, f.past = watchdog.VerdictInconclusive, watchdog.StatusSuspected, "conflict", true
		f.limit = watchdog.LimitNone
		return f
	case w.loop.found() && !w.goesQuietly() && (w.loop.proven() || now < f.deadline):
		f.name, f.status, f.limit, f.past = watchdog.VerdictLivelock, watchdog.StatusSuspected, watchdog.LimitLoopRepeats, true
		f.count = w.loop.since()
		if w.loop.proven() {
			f.status = watchdog.StatusConfirmed
		}
		return f
	}
	if now < f.deadline || w.vetoed() || now < judges && !w.epi.open {
		return f
	}
	f.name, f.status, f.past = r.past, watchdog.StatusSuspected, true
	switch {
	case !w.tells():
		f.name, f.reason = watchdog.VerdictInconclusive, "source"
	case w.doubt, w.unread():
		f.name, f.reason = watchdog.VerdictInconclusive, "gap"
	case w.misses(f.count):
		f.name, f.reason = watchdog.VerdictInconclusive, "dialect"
	}
	return f
}

// lostTrack reports whether a gap has swallowed what an acting engine has to know: that nothing seems to run may be
// ignorance alone.
func (w *worker) lostTrack() bool { return w.hands != nil && w.doubt && !w.exit.proven }

// vetoed reports whether an open pull request excuses the silence: it vetoes the catch-all limit alone (WDC-STALL-005).
func (w *worker) vetoed() bool {
	return w.pull && table[w.stand.row].phase == watchdog.VerdictWorking
}

// follow opens, confirms and closes the episode. Progress moves the count, and with it the episode ends.
func (w *worker) follow(f *finding, now time.Duration) {
	ep := &w.epi
	bad := f.status != watchdog.StatusOK
	switch {
	case !bad:
		ep.open, ep.told = false, false
		return
	case !ep.open || ep.name != f.name || ep.count != f.count.at && f.name != watchdog.VerdictLivelock:
		*ep = suspicion{open: true, name: f.name, count: f.count.at, lastCheck: now}
	case f.bySilence() && w.attested() && now >= ep.lastCheck+w.limits.ConfirmEvery:
		ep.checks, ep.lastCheck = ep.checks+1, now
	}
	if f.bySilence() && (f.status == watchdog.StatusConfirmed || ep.checks >= w.limits.Confirmations) {
		ep.confirmed = true
		f.status = watchdog.StatusConfirmed
	}
}

// attested reports whether a step without news proves silence: only on a held, unbroken stream (WDC-STALL-003).
func (w *worker) attested() bool { return w.spawn.Source == watchdog.SourceHeld && !w.broken }

// checked counts a fresh look that found the worker still silent, where silence is what is to be confirmed.
func (w *worker) checked(m mark) {
	ep := &w.epi
	if !ep.open || ep.confirmed || !w.found.bySilence() || m.at < ep.lastCheck+w.limits.ConfirmEvery {
		return
	}
	ep.checks, ep.lastCheck = ep.checks+1, m.at
	ep.evidence = append(ep.evidence, m)
}

// show gives the verdict if it differs from the last one.
func (w *worker) show(e *Engine, f *finding) {
	s := shown{
		name: f.name, status: f.status, phase: table[w.stand.row].phase, reason: f.reason,
		exited: w.exit.proven, dirty: w.dirty && f.name == watchdog.VerdictDead, vetoed: w.vetoed() && e.now.Mono >= f.deadline,
	}
	switch s.phase {
	case watchdog.VerdictAwaitingUser:
		s.revision = w.run.revision
	case watchdog.VerdictAwaitingQuota:
		s.until = w.run.quota.Until
	case watchdog.VerdictRunningTool:
		s.revision = w.run.revision
		if f.past {
			s.revision = -w.countPast(e.now.Mono)
		}
		if len(w.run.calls) > 0 {
			c, _, _ := w.firstPast()
			s.holder, s.terminal, s.dead = c.holder, c.terminal, c.dead && f.past
		}
	}
	var vetoes []string
	if f.status != watchdog.StatusOK {
		vetoes = w.vetoes(e)
		s.vetoes = strings.Join(vetoes, " ")
	}
	if s == w.shown {
		return
	}
	w.shown = s
	v := w.verdict(e, f, &s)
	v.Vetoes = append(v.Vetoes, vetoes...)
	e.decision.Verdicts = append(e.decision.Verdicts, v)
	if e.recovery != nil {
		w.hands.verdict = &v
	}
}

// countPast counts the calls that are past their limit.
func (w *worker) countPast(now time.Duration) (n int) {
	for i := range w.run.calls {
		if at, _ := w.run.calls[i].deadline(w); at <= now {
			n++
		}
	}
	return n
}

// verdict spells the finding out.
func (w *worker) verdict(e *Engine, f *finding, s *shown) watchdog.Verdict {
	v := watchdog.Verdict{
		Worker: w.id, Generation: w.generation, Name: f.name, Status: f.status, Since: w.stand.since.at,
		Cause:    w.cause(f),
		Evidence: w.evidence(e.now.Mono, f),
		Detail:   w.detail(e.now.Mono, f, s),
	}
	if f.past {
		v.Since = f.count.at
	}
	if w.next != never {
		v.Next = w.next
	}
	if s.vetoed {
		v.Vetoes = append(v.Vetoes, "pull_request")
	}
	if s.exited {
		v.Flags = append(v.Flags, watchdog.FlagExited)
	}
	if f.name == watchdog.VerdictDead && w.dirty {
		v.Flags = append(v.Flags, watchdog.FlagDirty)
	}
	if f.name == watchdog.VerdictDead && w.exit.ambiguous {
		v.Flags = append(v.Flags, watchdog.FlagAmbiguous)
	}
	return v
}

// cause is the phase and the limit; an exit names the phase that it met.
func (w *worker) cause(f *finding) watchdog.Cause {
	c := watchdog.Cause{Name: f.name, Phase: table[w.stand.row].phase, Limit: f.limit}
	if w.exit.early {
		c.Phase = w.exit.before
	}
	if f.name == watchdog.VerdictStalledTool && len(w.run.calls) > 0 {
		if call, _, count := w.firstPast(); call.dead && count.at == later(call.deadSince, w.resumed).at {
			c.Limit = watchdog.LimitSettle
		}
	}
	return c
}

// evidence lists what the finding rests on: what began the phase, what its count stands at, the checks.
func (w *worker) evidence(now time.Duration, f *finding) []watchdog.Evidence {
	marks := []mark{w.stand.since, f.count}
	switch table[w.stand.row].phase {
	case watchdog.VerdictAwaitingUser:
		marks = append(marks, w.run.dialogs[0].since)
	case watchdog.VerdictRunningTool:
		for i := range w.run.calls {
			marks = append(marks, w.run.calls[i].start)
		}
	}
	if f.name == watchdog.VerdictLivelock {
		marks = append(marks, w.loop.marks()...)
	}
	switch f.reason {
	case "conflict":
		marks = append(marks, w.looks.goneAt)
	case "dialect":
		marks = append(marks, w.dialect.odd)
	}
	if w.epi.open {
		marks = append(marks, w.epi.evidence...)
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.n, b.n) })
	var out []watchdog.Evidence
	for _, m := range marks {
		if m.n > 0 && (len(out) == 0 || out[len(out)-1].N != m.n) {
			out = append(out, watchdog.Evidence{N: m.n, Age: now - m.seen, Generation: w.generation})
		}
	}
	return out
}

// detail names what the verdict is about.
func (w *worker) detail(now time.Duration, f *finding, s *shown) watchdog.Detail {
	d := watchdog.Detail{Reason: f.reason}
	switch s.phase {
	case watchdog.VerdictAwaitingUser:
		d.Dialog = debris.Printable(strings.TrimPrefix(w.run.dialogs[0].id, `"`))
	case watchdog.VerdictAwaitingAuth:
		d.Credential = w.spawn.Credential
	case watchdog.VerdictAwaitingQuota:
		d.Until = w.run.quota.Until
	case watchdog.VerdictRunningTool:
		for i := range w.run.calls {
			c := &w.run.calls[i]
			if at, _ := c.deadline(w); !f.past || at <= now {
				d.Calls = append(d.Calls, debris.Printable(c.id))
			}
		}
		d.Holder, d.Terminal, d.DeadChain = s.holder, s.terminal, s.dead
	case watchdog.VerdictSettled, watchdog.VerdictSettledUnproven:
		if w.run.final.seen {
			d.StopReason = w.run.final.stop.String()
		}
	}
	return d
}

// wake is when to judge again if nothing happens.
func (w *worker) wake(e *Engine, f *finding) time.Duration {
	now := e.now.Mono
	at := never
	soonest := func(t time.Duration) {
		if t > now {
			at = min(at, t)
		}
	}
	if f.status == watchdog.StatusOK {
		soonest(max(f.deadline, e.judges()))
	}
	if f.past {
		for i := range w.run.calls {
			t, _ := w.run.calls[i].deadline(w)
			soonest(t)
		}
	}
	soonest(w.expiry(e.now))
	soonest(w.noticeDue(e, f))
	soonest(w.lookDue(f))
	return at
}

// civilEvery is how often the civil clock is looked at: it goes on in a suspend, and nobody tells when it jumps.
const civilEvery = time.Minute

// expiry is when the passing of time alone next changes the phase.
func (w *worker) expiry(now watchdog.Instant) time.Duration {
	at := never
	for i := range w.run.dialogs {
		at = min(at, w.run.dialogs[i].deadline.at)
	}
	if w.run.backingOff {
		at = min(at, w.run.backoff.at)
	}
	if w.run.ended && !w.run.terminal && !w.run.retrying {
		at = min(at, w.run.end.until(w.limits.Settle).at)
	}
	if w.run.refused && w.run.quota.Known && !w.exit.proven {
		left := w.run.quota.Until.Add(w.limits.DeclaredGrace).Sub(now.Wall)
		at = min(at, now.Mono+min(max(left, time.Second), civilEvery))
	}
	return at
}
