package mutants

import (
	"fakepi.example/watchdog"
)

// forger answers commands in the world's place.
type forger struct {
	see    func(o *watchdog.Observation)                          // what the world shows
	answer func(c *watchdog.Command) (b watchdog.Body, mine bool) // mine: the world never gets the command; b may be nil
}

// maxForged bounds how often one step is gone on with: a watchdog that repeats what is answered at once would never end.
const maxForged = 8

// forged keeps commands from the world and tells the watchdog, in the same step, what came of them.
func forged(fresh func() forger) lie {
	return around(func(_ watchdog.Boot, next watchdog.Watchdog) stepper {
		f, last := fresh(), 0
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			for i := range seen {
				last = max(last, seen[i].N)
				f.see(&seen[i])
			}
			var all watchdog.Decision
			shown := seen
			for range maxForged {
				d, err := next.Step(now, shown)
				if err != nil {
					return all, err
				}
				shown = f.forge(&d, now, last)
				all.Commands, all.Verdicts = append(all.Commands, d.Commands...), append(all.Verdicts, d.Verdicts...)
				all.Wake, all.Ack = d.Wake, d.Ack
				if len(shown) == 0 {
					break
				}
			}
			return all, nil
		}
	})
}

// forge takes out the commands that the forger answers, and returns the answers, numbered like what was seen last.
func (f forger) forge(d *watchdog.Decision, now watchdog.Instant, last int) (answers []watchdog.Observation) {
	dropCommands(d, func(c *watchdog.Command) bool {
		b, mine := f.answer(c)
		if b != nil {
			answers = append(answers, watchdog.Observation{N: last, At: now, Worker: c.Worker, Generation: c.Generation, Body: b})
		}
		return mine
	})
	return answers
}

// glances is what was shown last of the workers.
type glances struct {
	digest map[string]string // of the worktree, by worker
	ended  map[source]bool
	spawn  spawns
}

func newGlances() glances {
	return glances{digest: map[string]string{}, ended: map[source]bool{}, spawn: spawns{}}
}

func (g glances) see(o *watchdog.Observation) {
	g.spawn.note(o)
	switch b := o.Body.(type) {
	case watchdog.Inspect:
		if b.World != "" {
			g.digest[o.Worker] = b.World
		}
	case watchdog.Worktree:
		if b.Digest != "" {
			g.digest[o.Worker] = b.Digest
		}
	case watchdog.Exited:
		g.ended[sourceOf(o)] = true
	}
}

// snapshots claims that a snapshot is done where no one was taken, of workers that have ended or of those that run.
func snapshots(ended bool) func() forger {
	return func() forger {
		g := newGlances()
		return forger{g.see, func(c *watchdog.Command) (watchdog.Body, bool) {
			if c.Kind != watchdog.CmdSnapshot || g.ended[source{c.Worker, c.Generation}] != ended {
				return nil, false
			}
			digest := g.digest[c.Worker]
			if digest == "" {
				digest = "none"
			}
			return watchdog.Outcome{Key: c.Key, Result: watchdog.ResultDone, Digest: digest}, true
		}}
	}
}

// leases claims to hold the lease of a task without asking for it.
func leases() forger {
	return forger{func(*watchdog.Observation) {}, func(c *watchdog.Command) (watchdog.Body, bool) {
		if c.Kind != watchdog.CmdAcquireLease {
			return nil, false
		}
		return watchdog.Outcome{Key: c.Key, Result: watchdog.ResultDone, Token: "1"}, true
	}}
}

// consents takes every proposal that it makes for approved. The owner is asked all the same.
func consents() forger {
	return forger{func(*watchdog.Observation) {}, func(c *watchdog.Command) (watchdog.Body, bool) {
		if c.Kind != watchdog.CmdPropose {
			return nil, false
		}
		return watchdog.Owner{Item: c.Key, Approve: true, Digest: c.IfDigest, Proof: outside()}, false
	}}
}

// consentsTo is consents for proposals of one kind of act.
func consentsTo(act watchdog.CommandKind) func() forger {
	return func() forger {
		f := consents()
		all := f.answer
		f.answer = func(c *watchdog.Command) (watchdog.Body, bool) {
			if c.Act != act {
				return nil, false
			}
			return all(c)
		}
		return f
	}
}

// reconsents takes a yes that was once given to a proposal about a worker for one to whatever is proposed of it later.
func reconsents() forger {
	agreed := map[string]bool{}
	see := func(o *watchdog.Observation) {
		if b, ok := o.Body.(watchdog.Owner); ok {
			agreed[o.Worker] = b.Approve
		}
	}
	return forger{see, func(c *watchdog.Command) (watchdog.Body, bool) {
		if c.Kind != watchdog.CmdPropose || !agreed[c.Worker] {
			return nil, false
		}
		return watchdog.Owner{Item: c.Key, Approve: true, Digest: c.IfDigest, Proof: outside()}, false
	}}
}

// remembered answers looks at the process tree out of memory: a worker runs until its exit was shown, and nothing else
// does.
func remembered() forger {
	g := newGlances()
	return forger{g.see, func(c *watchdog.Command) (watchdog.Body, bool) {
		if c.Kind != watchdog.CmdProbe || c.What != watchdog.WhatProcesses {
			return nil, false
		}
		p := watchdog.Probe{Key: c.Key, What: c.What, Source: "proc", Result: watchdog.ProbeOK}
		if at := (source{c.Worker, c.Generation}); !g.ended[at] {
			s := g.spawn[at]
			p.Processes = []watchdog.Process{{PID: s.PID, Start: s.Start, State: "S", Role: watchdog.RoleAgent}}
		}
		return p, true
	}}
}

// sentIsEnded takes a signal that was sent for the end of the worker.
func sentIsEnded() forger {
	return forger{func(*watchdog.Observation) {}, func(c *watchdog.Command) (watchdog.Body, bool) {
		if !stopsWorker(c) {
			return nil, false
		}
		return unseenExit(), false
	}}
}
