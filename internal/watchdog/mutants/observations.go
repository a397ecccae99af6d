package mutants

import "fakepi.example/watchdog"

// sight passes an observation on by calling show: not at all, changed, or with others around it. What it is given it
// may not change in place, as slices and maps are shared with whoever else was shown them.
type sight func(o watchdog.Observation, show func(watchdog.Observation))

// observations puts a sight before the watchdog's eyes. What is withheld counts as read, where nothing has to be read
// again after a restart.
func observations(fresh func() sight) lie {
	return around(func(boot watchdog.Boot, next watchdog.Watchdog) stepper {
		see := fresh()
		var shown []watchdog.Observation
		last := 0
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			shown = shown[:0]
			for _, o := range seen {
				see(o, func(o watchdog.Observation) { shown = append(shown, o) })
				last = max(last, o.N)
			}
			d, err := next.Step(now, shown)
			if boot.State == nil {
				d.Ack = max(d.Ack, last)
			}
			return d, err
		}
	})
}

// bodies changes observations one by one, looking at nothing else; nil withholds one.
func bodies(change func(watchdog.Body) watchdog.Body) lie {
	return observations(func() sight {
		return func(o watchdog.Observation, show func(watchdog.Observation)) {
			if o.Body = change(o.Body); o.Body != nil {
				show(o)
			}
		}
	})
}

// source is one generation of a worker.
type source struct {
	worker     string
	generation int
}

func sourceOf(o *watchdog.Observation) source { return source{o.Worker, o.Generation} }

// spawns remembers how each worker was started.
type spawns map[source]watchdog.Spawned

func (s spawns) note(o *watchdog.Observation) {
	if b, ok := o.Body.(watchdog.Spawned); ok {
		s[sourceOf(o)] = b
	}
}

// missing reports whether an observation is a look at the process table that did not find the worker.
func (s spawns) missing(o *watchdog.Observation) bool {
	p, ok := o.Body.(watchdog.Probe)
	if !ok || p.What != watchdog.WhatProcesses || p.Result != watchdog.ProbeOK {
		return false
	}
	pid := s[sourceOf(o)].PID
	for i := range p.Processes {
		if p.Processes[i].PID == pid {
			return false
		}
	}
	return true
}
