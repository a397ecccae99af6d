package mutants

import (
	"slices"

	"fakepi.example/watchdog"
)

// The lies of this file are about the time in which the spawner cannot be reached, and about who shares what.

// behindTheTimes reads nothing of the workers while the spawner cannot be reached, and first of all does what has waited.
func behindTheTimes() lie {
	return around(func(_ watchdog.Boot, next watchdog.Watchdog) stepper {
		down := false
		var unread []watchdog.Observation
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			var shown []watchdog.Observation
			back := false
			for _, o := range seen {
				if b, ok := o.Body.(watchdog.Bytes); ok {
					b.Data = slices.Clone(b.Data)
					o.Body = b
				}
				l, link := o.Body.(watchdog.Link)
				back = back || link && l.Up && down
				if link {
					down = !l.Up
				}
				if _, spoken := o.Body.(watchdog.Bytes); down && spoken {
					unread = append(unread, o)
				} else {
					shown = append(shown, o)
				}
			}
			d, err := next.Step(now, shown)
			if !back || err != nil {
				return d, err
			}
			first := watchdog.Decision{Commands: slices.Clone(d.Commands), Verdicts: slices.Clone(d.Verdicts)}
			d, err = next.Step(now, unread)
			unread = nil
			d.Commands, d.Verdicts = append(first.Commands, d.Commands...), append(first.Verdicts, d.Verdicts...)
			return d, err
		}
	})
}

// flapping starts a successor again, under another key, each time the spawner is back.
func flapping(watchdog.Boot) speech {
	starts := map[string]watchdog.Command{}
	var order []string
	down := false
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Commands {
			if c := d.Commands[i]; c.Kind == watchdog.CmdRespawn {
				if _, ok := starts[c.Worker]; !ok {
					order = append(order, c.Worker)
				}
				starts[c.Worker] = c
			}
		}
		for i := range seen {
			l, ok := seen[i].Body.(watchdog.Link)
			if ok && l.Up && down {
				for _, w := range order {
					c := starts[w]
					c.Key += again
					c.IfGen, c.IfDigest = 0, ""
					starts[w] = c
					d.Commands = append(d.Commands, c)
				}
			}
			down = ok && !l.Up || !ok && down
		}
	}
}

// unshared takes every session and worktree for one worker's own.
func unshared() lie {
	const own = "?of="
	return func(inner start) start {
		return commands(func(c *watchdog.Command) {
			if i := len(c.Session) - len(own+c.Worker); i >= 0 && c.Session[i:] == own+c.Worker {
				c.Session = c.Session[:i]
			}
		})(observations(func() sight {
			return func(o watchdog.Observation, show func(watchdog.Observation)) {
				if s, ok := o.Body.(watchdog.Spawned); ok {
					if s.Session != "" {
						s.Session += own + o.Worker
					}
					if s.Worktree != "" {
						s.Worktree += own + o.Worker
					}
					o.Body = s
				}
				show(o)
			}
		})(inner))
	}
}

// oneFate takes the end of one worker for that of all.
func oneFate() sight {
	workers := map[string]watchdog.Observation{}
	var order []string
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		switch o.Body.(type) {
		case watchdog.Spawned:
			if _, ok := workers[o.Worker]; !ok {
				order = append(order, o.Worker)
			}
			workers[o.Worker] = o
		case watchdog.Exited:
			for _, id := range order {
				if id != o.Worker {
					other := o
					other.Worker, other.Generation = id, workers[id].Generation
					show(other)
				}
			}
		}
		show(o)
	}
}
