package mutants

import (
	"strconv"
	"strings"

	"fakepi.example/watchdog"
)

// This file hides and colours what people, the tracker and git say, and what came of commands.

// unseen withholds observations of a kind.
func unseen(kind watchdog.ObservationKind) lie {
	return bodies(func(b watchdog.Body) watchdog.Body {
		if b.Kind() == kind {
			return nil
		}
		return b
	})
}

// tasks changes rows of the tracker.
func tasks(change func(*watchdog.Task)) lie {
	return bodies(func(b watchdog.Body) watchdog.Body {
		if t, ok := b.(watchdog.Task); ok {
			change(&t)
			return t
		}
		return b
	})
}

// worktrees changes what git says of a worktree.
func worktrees(change func(at source, w *watchdog.Worktree)) lie {
	return observations(func() sight {
		return func(o watchdog.Observation, show func(watchdog.Observation)) {
			if w, ok := o.Body.(watchdog.Worktree); ok {
				change(sourceOf(&o), &w)
				o.Body = w
			}
			show(o)
		}
	})
}

// praised takes every gate for passed, and one that nobody ran too.
func praised(_ source, w *watchdog.Worktree) {
	w.Gates = []watchdog.Gate{{Name: "tests", Status: watchdog.GatePassed, By: "ci", Head: w.Head}}
}

// headless hides at which commit a worktree is.
func headless(_ source, w *watchdog.Worktree) { w.Head = "" }

// moving takes each generation of a worker to be at another commit.
func moving(at source, w *watchdog.Worktree) { w.Head += "+" + strconv.Itoa(at.generation) }

// outcomes changes what came of commands, by their keys.
func outcomes(change func(*watchdog.Outcome)) lie {
	return bodies(func(b watchdog.Body) watchdog.Body {
		if o, ok := b.(watchdog.Outcome); ok {
			change(&o)
			return o
		}
		return b
	})
}

// good takes a snapshot that failed for one that is done.
func good(o *watchdog.Outcome) {
	if strings.Contains(o.Key, "/snapshot/") && o.Result == watchdog.ResultFailed {
		o.Result, o.Digest = watchdog.ResultDone, "none"
	}
}

// stillDown never hears that an outage is over.
func stillDown() sight {
	down := false
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		if l, ok := o.Body.(watchdog.Link); ok {
			if down && l.Up {
				return
			}
			down = !l.Up
		}
		show(o)
	}
}

// childless sees nothing of what a worker started once it has ended.
func childless() sight {
	g := newGlances()
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		g.see(&o)
		p, ok := o.Body.(watchdog.Probe)
		if ok && g.ended[sourceOf(&o)] {
			var own []watchdog.Process
			for _, q := range p.Processes {
				if q.Role == watchdog.RoleAgent {
					own = append(own, q)
				}
			}
			p.Processes = own
			o.Body = p
		}
		show(o)
	}
}

// inherited takes a successor for its predecessor, and counts on.
func inherited() sight {
	return func(o watchdog.Observation, show func(watchdog.Observation)) {
		if _, ok := o.Body.(watchdog.Spawned); ok && o.Generation > 1 {
			return
		}
		show(o)
	}
}
