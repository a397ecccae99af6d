package run

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// alarm is the time from the first verdict past a limit until the worker is healthy or ended, as it is judged. With
// durable state an episode of recovery stands beside it (package episode).
type alarm struct {
	open      bool
	name      watchdog.VerdictName
	count     time.Duration // what the silence counts from: a later count is another episode
	lastCheck time.Duration
	checks    int
	evidence  []Mark // that a check rested on
	confirmed bool
	noticed   bool // the owner was told of the confirmed verdict
}

// Finding is the verdict that holds now.
type Finding struct {
	Name     watchdog.VerdictName
	Status   watchdog.Status
	limit    watchdog.Limit
	count    Mark
	Reason   string
	deadline time.Duration // when the phase passes its limit
	Past     bool
}

// bySilence reports whether further silence confirms the finding: a repetition and a conflict of sources need other proof.
func (f *Finding) bySilence() bool {
	return f.Name != watchdog.VerdictLivelock && f.Reason != "conflict"
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
func (w *Worker) judge(watch *Watch) {
	now := watch.Now
	w.Touched = false
	w.expire(now.Mono)
	w.quotaOver(now)
	w.settlePhase(Mark{At: now.Mono})
	f := w.find(now.Mono, watch.judges())
	w.follow(&f, now.Mono)
	w.tell(watch, &f)
	w.look(watch, &f)
	w.Next = w.wake(watch, &f) // after tell and look: what they did is not due again
	w.Found = f
	w.show(watch, &f)
}

// find names what the worker is in. A limit is not judged right after a suspend, before a fresh look.
func (w *Worker) find(now, judges time.Duration) Finding {
	r := &table[w.stand.row]
	f := Finding{Name: r.phase, Status: watchdog.StatusOK, limit: r.limit}
	f.deadline, f.count = w.deadline()
	switch {
	case r.phase == watchdog.VerdictDead:
		f.Status = watchdog.StatusConfirmed
		return f
	case r.phase == watchdog.VerdictSettledUnproven:
		f.Status, f.Reason = watchdog.StatusConfirmed, w.Run.unproven()
		return f
	case r.kind == over && w.lostTrack():
		f.limit, f.count = watchdog.LimitStall, w.Resumed
		f.deadline = w.Resumed.Until(w.Limits.Stall).At
		if now >= f.deadline {
			f.Name, f.Status, f.Past, f.Reason = watchdog.VerdictInconclusive, watchdog.StatusSuspected, true, "gap"
		}
		return f
	case r.kind == waiting || r.kind == over:
		return f
	case w.looks.conflict():
		f.Name, f.Status, f.Reason, f.Past = watchdog.VerdictInconclusive, watchdog.StatusSuspected, "conflict", true
		f.limit = watchdog.LimitNone
		return f
	case w.loop.found() && !w.goesQuietly() && (w.loop.proven() || now < f.deadline):
		f.Name, f.Status, f.limit, f.Past = watchdog.VerdictLivelock, watchdog.StatusSuspected, watchdog.LimitLoopRepeats, true
		f.count = w.loop.since()
		if w.loop.proven() {
			f.Status = watchdog.StatusConfirmed
		}
		return f
	}
	if now < f.deadline || w.Vetoed() || now < judges && !w.alarm.open {
		return f
	}
	f.Name, f.Status, f.Past = r.past, watchdog.StatusSuspected, true
	switch {
	case !w.tells():
		f.Name, f.Reason = watchdog.VerdictInconclusive, "source"
	case w.Doubt, w.unread():
		f.Name, f.Reason = watchdog.VerdictInconclusive, "gap"
	case w.misses(f.count):
		f.Name, f.Reason = watchdog.VerdictInconclusive, "dialect"
	}
	return f
}

// lostTrack reports whether a gap has swallowed what an acting engine has to know: that nothing seems to run may be
// ignorance alone.
func (w *Worker) lostTrack() bool { return w.acts && w.Doubt && !w.Exit.Proven }

// Vetoed reports whether an open pull request excuses the silence: it vetoes the catch-all limit alone (WDC-STALL-005).
func (w *Worker) Vetoed() bool {
	return w.pull && table[w.stand.row].phase == watchdog.VerdictWorking
}

// follow opens, confirms and closes the episode. Progress moves the count, and with it the episode ends.
func (w *Worker) follow(f *Finding, now time.Duration) {
	ep := &w.alarm
	bad := f.Status != watchdog.StatusOK
	switch {
	case !bad:
		ep.open, ep.noticed = false, false
		return
	case !ep.open || ep.name != f.Name || ep.count != f.count.At && f.Name != watchdog.VerdictLivelock:
		*ep = alarm{open: true, name: f.Name, count: f.count.At, lastCheck: now}
	case f.bySilence() && w.attested() && now >= ep.lastCheck+w.Limits.ConfirmEvery:
		ep.checks, ep.lastCheck = ep.checks+1, now
	}
	if f.bySilence() && (f.Status == watchdog.StatusConfirmed || ep.checks >= w.Limits.Confirmations) {
		ep.confirmed = true
		f.Status = watchdog.StatusConfirmed
	}
}

// attested reports whether a step without news proves silence: only on a held, unbroken stream (WDC-STALL-003).
func (w *Worker) attested() bool { return w.Spawn.Source == watchdog.SourceHeld && !w.broken }

// checked counts a fresh look that found the worker still silent, where silence is what is to be confirmed.
func (w *Worker) checked(m Mark) {
	ep := &w.alarm
	if !ep.open || ep.confirmed || !w.Found.bySilence() || m.At < ep.lastCheck+w.Limits.ConfirmEvery {
		return
	}
	ep.checks, ep.lastCheck = ep.checks+1, m.At
	ep.evidence = append(ep.evidence, m)
}

// show gives the verdict if it differs from the last one.
func (w *Worker) show(watch *Watch, f *Finding) {
	s := shown{
		name: f.Name, status: f.Status, phase: table[w.stand.row].phase, reason: f.Reason,
		exited: w.Exit.Proven, dirty: w.dirty && f.Name == watchdog.VerdictDead, vetoed: w.Vetoed() && watch.Now.Mono >= f.deadline,
	}
	switch s.phase {
	case watchdog.VerdictAwaitingUser:
		s.revision = w.Run.revision
	case watchdog.VerdictAwaitingQuota:
		s.until = w.Run.quota.Until
	case watchdog.VerdictRunningTool:
		s.revision = w.Run.revision
		if f.Past {
			s.revision = -w.countPast(watch.Now.Mono)
		}
		if len(w.Run.Calls) > 0 {
			c, _, _ := w.FirstPast()
			s.holder, s.terminal, s.dead = c.holder, c.Terminal, c.dead && f.Past
		}
	}
	var vetoes []string
	if f.Status != watchdog.StatusOK && watch.partner != nil {
		vetoes = watch.partner.Vetoes(w)
		s.vetoes = strings.Join(vetoes, " ")
	}
	if s == w.shown {
		return
	}
	w.shown = s
	v := w.verdict(watch, f, &s)
	v.Vetoes = append(v.Vetoes, vetoes...)
	watch.Decision.Verdicts = append(watch.Decision.Verdicts, v)
	if w.acts {
		w.Given = &v
	}
}

// countPast counts the calls that are past their limit.
func (w *Worker) countPast(now time.Duration) (n int) {
	for i := range w.Run.Calls {
		if at, _ := w.Run.Calls[i].deadline(w); at <= now {
			n++
		}
	}
	return n
}

// verdict spells the finding out.
func (w *Worker) verdict(watch *Watch, f *Finding, s *shown) watchdog.Verdict {
	v := watchdog.Verdict{
		Worker: w.ID, Generation: w.Generation, Name: f.Name, Status: f.Status, Since: w.stand.since.At,
		Cause:    w.Cause(f),
		Evidence: w.Evidence(watch.Now.Mono, f),
		Detail:   w.detail(watch.Now.Mono, f, s),
	}
	if f.Past {
		v.Since = f.count.At
	}
	if w.Next != never {
		v.Next = w.Next
	}
	if s.vetoed {
		v.Vetoes = append(v.Vetoes, "pull_request")
	}
	if s.exited {
		v.Flags = append(v.Flags, watchdog.FlagExited)
	}
	if f.Name == watchdog.VerdictDead && w.dirty {
		v.Flags = append(v.Flags, watchdog.FlagDirty)
	}
	if f.Name == watchdog.VerdictDead && w.Exit.ambiguous {
		v.Flags = append(v.Flags, watchdog.FlagAmbiguous)
	}
	return v
}

// Cause is the phase and the limit; an exit names the phase that it met.
func (w *Worker) Cause(f *Finding) watchdog.Cause {
	c := watchdog.Cause{Name: f.Name, Phase: table[w.stand.row].phase, Limit: f.limit}
	if w.Exit.Early {
		c.Phase = w.Exit.Before
	}
	if f.Name == watchdog.VerdictStalledTool && len(w.Run.Calls) > 0 {
		if call, _, count := w.FirstPast(); call.dead && count.At == later(call.deadSince, w.Resumed).At {
			c.Limit = watchdog.LimitSettle
		}
	}
	return c
}

// Evidence lists what the finding rests on: what began the phase, what its count stands at, the checks.
func (w *Worker) Evidence(now time.Duration, f *Finding) []watchdog.Evidence {
	marks := []Mark{w.stand.since, f.count}
	switch table[w.stand.row].phase {
	case watchdog.VerdictAwaitingUser:
		marks = append(marks, w.Run.dialogs[0].since)
	case watchdog.VerdictRunningTool:
		for i := range w.Run.Calls {
			marks = append(marks, w.Run.Calls[i].start)
		}
	}
	if f.Name == watchdog.VerdictLivelock {
		marks = append(marks, w.loop.marks()...)
	}
	switch f.Reason {
	case "conflict":
		marks = append(marks, w.looks.goneAt)
	case "dialect":
		marks = append(marks, w.dialect.odd)
	}
	if w.alarm.open {
		marks = append(marks, w.alarm.evidence...)
	}
	slices.SortFunc(marks, func(a, b Mark) int { return cmp.Compare(a.N, b.N) })
	var out []watchdog.Evidence
	for _, m := range marks {
		if m.N > 0 && (len(out) == 0 || out[len(out)-1].N != m.N) {
			out = append(out, watchdog.Evidence{N: m.N, Age: now - m.Seen, Generation: w.Generation})
		}
	}
	return out
}

// detail names what the verdict is about.
func (w *Worker) detail(now time.Duration, f *Finding, s *shown) watchdog.Detail {
	d := watchdog.Detail{Reason: f.Reason}
	switch s.phase {
	case watchdog.VerdictAwaitingUser:
		d.Dialog = debris.Printable(strings.TrimPrefix(w.Run.dialogs[0].id, `"`))
	case watchdog.VerdictAwaitingAuth:
		d.Credential = w.Spawn.Credential
	case watchdog.VerdictAwaitingQuota:
		d.Until = w.Run.quota.Until
	case watchdog.VerdictRunningTool:
		for i := range w.Run.Calls {
			c := &w.Run.Calls[i]
			if at, _ := c.deadline(w); !f.Past || at <= now {
				d.Calls = append(d.Calls, debris.Printable(c.ID))
			}
		}
		d.Holder, d.Terminal, d.DeadChain = s.holder, s.terminal, s.dead
	case watchdog.VerdictSettled, watchdog.VerdictSettledUnproven:
		if w.Run.final.seen {
			d.StopReason = w.Run.final.stop.String()
		}
	}
	return d
}

// wake is when to judge again if nothing happens.
func (w *Worker) wake(watch *Watch, f *Finding) time.Duration {
	now := watch.Now.Mono
	at := never
	soonest := func(t time.Duration) {
		if t > now {
			at = min(at, t)
		}
	}
	if f.Status == watchdog.StatusOK {
		soonest(max(f.deadline, watch.judges()))
	}
	if f.Past {
		for i := range w.Run.Calls {
			t, _ := w.Run.Calls[i].deadline(w)
			soonest(t)
		}
	}
	soonest(w.expiry(watch.Now))
	soonest(w.noticeDue(watch, f))
	soonest(w.lookDue(f))
	return at
}

// civilEvery is how often the civil clock is looked at: it goes on in a suspend, and nobody tells when it jumps.
const civilEvery = time.Minute

// expiry is when the passing of time alone next changes the phase.
func (w *Worker) expiry(now watchdog.Instant) time.Duration {
	at := never
	for i := range w.Run.dialogs {
		at = min(at, w.Run.dialogs[i].deadline.At)
	}
	if w.Run.backingOff {
		at = min(at, w.Run.backoff.At)
	}
	if w.Run.Ended && !w.Run.terminal && !w.Run.retrying {
		at = min(at, w.Run.End.Until(w.Limits.Settle).At)
	}
	if w.Run.refused && w.Run.quota.Known && !w.Exit.Proven {
		left := w.Run.quota.Until.Add(w.Limits.DeclaredGrace).Sub(now.Wall)
		at = min(at, now.Mono+min(max(left, time.Second), civilEvery))
	}
	return at
}
