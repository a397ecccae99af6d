package oracle

import (
	"time"

	"fakepi.example/watchdog"
)

// situation is what the truth means under the policy: which names are right now, and from when on another one is.
type situation struct {
	rule     rule
	count    time.Duration // when the limit started to count
	deadline time.Duration // from here on the name past the limit may be given
	lenient  time.Duration // from here on it must be: later than deadline where the page leaves a choice
	dead     bool          // the deadline is that of a dead chain of processes
	quiet    time.Duration // without a terminal event: until then an end may be called ending, from then on it may not
}

// read works out the situation of a worker from its truth.
func (s *situation) read(w *worker) {
	t := &w.truth
	if phase := w.visible(t.Phase); s.rule.phase != phase {
		s.rule = ruleOf(phase)
	}
	s.count, s.dead, s.quiet = t.Since, false, 0
	if over(t.Phase) && t.QuietEnd && !t.Exited {
		s.quiet = after(t.Since, w.limits.Settle+w.patience())
	}
	if s.rule.bound == nil {
		s.deadline, s.lenient = never, never
		return
	}
	limit := s.rule.bound(w.limitsOf(t.Slowest))
	s.deadline = after(t.Since, limit)
	s.lenient = max(s.deadline, after(w.looks.gapAt, limit))
	grace := w.limits.DeclaredGrace
	switch s.rule.phase {
	case watchdog.VerdictBackingOff:
		s.deadline, s.lenient = after(t.Until, limit), after(t.Until, grace+limit)
	case watchdog.VerdictAwaitingFirstToken:
		if w.facts.delayed {
			s.lenient += grace // the count may start at the end of the delay or of its grace
		}
	case watchdog.VerdictRunningTool:
		s.deadline = max(s.deadline, t.Until)
		s.lenient = max(s.lenient, after(t.Until, grace)) + w.look()
		s.readChain(w)
	case watchdog.VerdictWorking:
		if w.facts.pulled {
			s.deadline, s.lenient = never, never
		}
	}
}

// over reports whether all work is at its end.
func over(phase watchdog.VerdictName) bool {
	return phase == watchdog.VerdictSettled || phase == watchdog.VerdictSettledUnproven
}

// visible is a phase as the source can show it: a terminal shows no deltas, so whether a token has come cannot be told,
// and only the catch-all limit can be judged.
func (w *worker) visible(phase watchdog.VerdictName) watchdog.VerdictName {
	if w.spawn.Mode == watchdog.ModeTUI && (phase == watchdog.VerdictAwaitingFirstToken || phase == watchdog.VerdictStreaming) {
		return watchdog.VerdictWorking
	}
	return phase
}

// readChain shortens the wait for a tool whose process tree has ended and whose pipe nobody holds (WDC-TOOL-007).
func (s *situation) readChain(w *worker) {
	since := w.chainSince()
	if since == never {
		return
	}
	if at := after(max(since, s.count), w.limits.Settle); at < s.deadline {
		s.deadline, s.dead = at, true
		s.lenient = min(s.lenient, at+2*w.look())
	}
}

// due is when the verdict past the limit must be confirmed at the latest.
func (s *situation) due(w *worker) time.Duration {
	agree := w.agreement()
	due := after(s.lenient, agree+w.patience())
	if w.o.world.slept && s.lenient < w.o.world.woke+w.look() {
		due = max(due, after(w.o.world.woke, agree+w.look()+w.patience()))
	}
	if w.spawn.Source == watchdog.SourceFollowed || w.facts.gap {
		due = after(due, slack)
	}
	return due
}

// past reports whether the limit has passed.
func (s *situation) past(now time.Duration) bool { return now >= s.deadline }

// limitsOf returns the limits that hold for the call whose limit is judged, if there is one.
func (w *worker) limitsOf(call string) *watchdog.Limits {
	if call == "" || len(w.o.cfg.Policy.Overrides) == 0 {
		return &w.limits
	}
	if l, ok := w.loops.limits(call); ok {
		return l
	}
	return &w.limits
}

// after adds without overflow.
func after(t, d time.Duration) time.Duration {
	if t > never-d {
		return never
	}
	return t + d
}

// leeway is a name that was right a moment ago, before the truth changed without any news of it.
type leeway struct {
	name  watchdog.VerdictName
	until time.Duration
}

func (l *leeway) covers(name watchdog.VerdictName, now time.Duration) bool {
	return l.name == name && now <= l.until
}

// silence is how long the worker has not progressed, as the limit attention counts it: minus waits and declared delays.
type silence struct {
	from   time.Duration // progress, moved on by what is discounted
	waited time.Duration // when the standing wait or delay began
	left   time.Duration // when the last one ended
}

// phase discounts the phase that ends now if it was a wait or a delay.
func (s *silence) phase(ending rule, now time.Duration) {
	if ending.wait || ending.phase == watchdog.VerdictBackingOff {
		s.from += now - max(s.waited, s.from)
		s.left = now
	}
	s.waited = now
}

// attentionWindow is when the owner is to be told of the silence: not before the first moment, and by the second.
func (w *worker) attentionWindow() (from, by time.Duration) {
	from = w.silent.from + w.limits.Attention
	count := max(w.truth.Since, w.truth.LastProgress, w.silent.left, w.looks.gapAt)
	if w.o.world.slept {
		count = max(count, w.o.world.woke-w.limits.Attention)
	}
	return from, count + w.limits.Attention + w.patience()
}
