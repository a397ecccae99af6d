package mutants

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/watchdog"
)

// second is how often the poller looks, and how late the late one is where the suite woke it exactly.
const second = time.Second

// poll asks to be woken every second.
func poll(watchdog.Boot) speech {
	return func(now watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) { wakeBy(d, now.Mono+second) }
}

// late holds back what it is to confirm for one declared poll. What no longer holds by then is never said.
func late(boot watchdog.Boot) speech {
	l := lateness{by: max(boot.Poll, second), confirmed: map[string]watchdog.VerdictName{}}
	return func(now watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		dropVerdicts(d, func(v *watchdog.Verdict) bool { return l.hold(now.Mono, v) })
		dropCommands(d, l.keep)
		l.release(now.Mono, d)
	}
}

type lateness struct {
	by        time.Duration
	held      []held                          // at most one of a worker
	confirmed map[string]watchdog.VerdictName // what was said to be so of a worker
}

// held is a verdict that is held back, with what is to be told of it.
type held struct {
	since, given time.Duration // when it was first to be said, and when as it stands
	verdict      watchdog.Verdict
	notices      []watchdog.Command
}

func (l *lateness) of(worker string) *held {
	for i := range l.held {
		if l.held[i].verdict.Worker == worker {
			return &l.held[i]
		}
	}
	return nil
}

// hold takes a confirmed alarm, once; any other verdict overtakes what is held of its worker.
func (l *lateness) hold(now time.Duration, v *watchdog.Verdict) bool {
	confirms := v.Status == watchdog.Confirmed && alarming(v)
	h := l.of(v.Worker)
	switch {
	case confirms && l.confirmed[v.Worker] == v.Name:
		return false
	case confirms && h != nil && h.verdict.Name == v.Name:
		h.verdict, h.given = *v, now
		return true
	}
	delete(l.confirmed, v.Worker)
	l.held = slices.DeleteFunc(l.held, func(h held) bool { return h.verdict.Worker == v.Worker })
	if confirms {
		l.held = append(l.held, held{since: now, given: now, verdict: *v})
	}
	return confirms
}

// keep takes the notices of a verdict that is held back.
func (l *lateness) keep(c *watchdog.Command) bool {
	h := l.of(c.Worker)
	if h == nil || !tells(c) {
		return false
	}
	h.notices = append(h.notices, *c)
	return true
}

// release says what was held back long enough, as of now.
func (l *lateness) release(now time.Duration, d *watchdog.Decision) {
	l.held = slices.DeleteFunc(l.held, func(h held) bool {
		if now < h.since+l.by {
			wakeBy(d, h.since+l.by)
			return false
		}
		for i := range h.verdict.Evidence {
			h.verdict.Evidence[i].Age += now - h.given
		}
		if h.verdict.Next <= now {
			h.verdict.Next = 0
		}
		l.confirmed[h.verdict.Worker] = h.verdict.Name
		d.Verdicts = append(d.Verdicts, h.verdict)
		d.Commands = append(d.Commands, h.notices...)
		return true
	})
}

// wordy says what rests on what in its notices.
func wordy(watchdog.Boot) speech {
	return func(now watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Commands {
			if c := &d.Commands[i]; c.Kind == watchdog.Notify {
				c.Text += fmt.Sprintf(" (%s in %s, by observations %d, written at %s)", c.Cause.Name, c.Cause.Phase, c.Evidence, now.Mono)
			}
		}
	}
}
