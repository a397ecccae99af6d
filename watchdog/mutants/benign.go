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
	l := lateness{by: max(boot.Poll, second)}
	return func(now watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		l.hold(now.Mono, d)
		l.release(now.Mono, d)
	}
}

type lateness struct {
	by   time.Duration
	held []held // at most one of a worker
}

// held is a verdict that is held back, with what is to be told of it.
type held struct {
	verdict watchdog.Verdict
	notices []watchdog.Command
	since   time.Duration
}

func (l *lateness) of(worker string) *held {
	for i := range l.held {
		if l.held[i].verdict.Worker == worker {
			return &l.held[i]
		}
	}
	return nil
}

// hold takes confirmed alarms out of a decision, and forgets those that another verdict overtakes.
func (l *lateness) hold(now time.Duration, d *watchdog.Decision) {
	dropVerdicts(d, func(v *watchdog.Verdict) bool {
		l.held = slices.DeleteFunc(l.held, func(h held) bool { return h.verdict.Worker == v.Worker })
		confirms := v.Status == watchdog.Confirmed && alarming(v)
		if confirms {
			l.held = append(l.held, held{verdict: *v, since: now})
		}
		return confirms
	})
	dropCommands(d, func(c *watchdog.Command) bool {
		h := l.of(c.Worker)
		if h == nil || !tells(c) {
			return false
		}
		h.notices = append(h.notices, *c)
		return true
	})
}

// release says what was held back long enough, as of now.
func (l *lateness) release(now time.Duration, d *watchdog.Decision) {
	l.held = slices.DeleteFunc(l.held, func(h held) bool {
		if now < h.since+l.by {
			wakeBy(d, h.since+l.by)
			return false
		}
		for i := range h.verdict.Evidence {
			h.verdict.Evidence[i].Age += now - h.since
		}
		if h.verdict.Next <= now {
			h.verdict.Next = 0
		}
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
