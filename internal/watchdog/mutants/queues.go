package mutants

import (
	"slices"

	"fakepi.example/watchdog"
)

// The lies of this file let one worker wait for another.

// pending is what was ordered and has no outcome yet, by key with its worker.
type pending map[string]string

// order notes what will have an outcome and takes a while, or may.
func (p pending) order(d *watchdog.Decision) {
	for i := range d.Commands {
		if c := &d.Commands[i]; slow(c) {
			p[c.Key] = c.Worker
		}
	}
}

// hear takes outcomes.
func (p pending) hear(o *watchdog.Observation) {
	if b, ok := o.Body.(watchdog.Outcome); ok {
		delete(p, b.Key)
	}
}

// other reports whether something is awaited of another worker.
func (p pending) other(worker string) bool {
	for _, w := range p {
		if w != worker {
			return true
		}
	}
	return false
}

func slow(c *watchdog.Command) bool {
	return c.Kind == watchdog.CmdSnapshot || c.Kind.Destructive() || is(c, watchdog.CmdAcquireLease, watchdog.CmdProveRestore)
}

// blocking reads nothing of other workers until the outcome of what it has ordered has come.
func blocking() lie {
	return around(func(_ watchdog.Boot, next watchdog.Watchdog) stepper {
		waiting := pending{}
		var unread []watchdog.Observation
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			for i := range seen {
				waiting.hear(&seen[i])
			}
			var shown, later []watchdog.Observation
			for _, o := range append(unread, seen...) {
				if b, ok := o.Body.(watchdog.Bytes); ok {
					b.Data = slices.Clone(b.Data)
					o.Body = b
				}
				if o.Worker != "" && waiting.other(o.Worker) {
					later = append(later, o)
				} else {
					shown = append(shown, o)
				}
			}
			unread = later
			d, err := next.Step(now, shown)
			waiting.order(&d)
			dropVerdicts(&d, func(v *watchdog.Verdict) bool { return waiting.other(v.Worker) })
			return d, err
		}
	})
}

// oneAct gives no order about a worker before the outcome of that about another has come.
func oneAct(watchdog.Boot) speech {
	waiting := pending{}
	var held []watchdog.Command
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			waiting.hear(&seen[i])
		}
		all := append(held, d.Commands...)
		held, d.Commands = nil, d.Commands[:0:0]
		for _, c := range all {
			if slow(&c) && waiting.other(c.Worker) {
				held = append(held, c)
				continue
			}
			if slow(&c) {
				waiting[c.Key] = c.Worker
			}
			d.Commands = append(d.Commands, c)
		}
	}
}
