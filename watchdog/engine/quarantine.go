package engine

import (
	"strconv"

	"fakepi.example/watchdog"
)

// quarantine keeps the engine from acting after a restart until each live worker has been looked at once, with a definite
// answer (WDC-REST-003): what it remembers may be over, and what it was shown again may be old.
func (e *Engine) quarantine() {
	r := e.recovery
	r.caught = r.seen >= r.booted
	if !r.quarantined || !r.caught {
		return
	}
	left := r.missing(e)
	for _, w := range e.workers {
		if w.spawned.n == 0 || w.exit.proven || w.hands.tree.n > 0 {
			continue
		}
		left = true
		e.lookAfterBoot(w)
	}
	if !left {
		r.quarantined = false
		e.touchAll()
	}
}

// missing reports whether the spawner believes a worker to run of which nothing was observed yet.
func (r *recovery) missing(e *Engine) bool {
	for _, known := range r.roster {
		if w := e.byID[known.ID]; w == nil || w.generation < known.Generation {
			return true
		}
	}
	return false
}

// lookAfterBoot asks for the process tree of a worker, again while no answer is definite.
func (e *Engine) lookAfterBoot(w *worker) {
	q, every := &w.hands.tree.question, w.limits.ConfirmEvery
	if q.asked && e.now.Mono < q.sent+every {
		e.decision.Wake = sooner(e.decision.Wake, q.sent+every)
		return
	}
	w.hands.asked++
	q.key = w.id + "/" + strconv.Itoa(w.generation) + "/boot/" + strconv.Itoa(e.recovery.memory.Incarnation) + "." + strconv.Itoa(w.hands.asked)
	q.asked, q.sent = true, e.now.Mono
	e.decision.Commands = append(e.decision.Commands, watchdog.Command{
		Key: q.key, Kind: watchdog.CmdProbe, Worker: w.id, Generation: w.generation, What: watchdog.WhatProcesses,
		Cause:    watchdog.Cause{Name: w.stand.name(), Phase: w.stand.name()},
		Evidence: []int{w.spawned.n}, NotAfter: e.now.Wall.Add(every),
	})
	e.decision.Wake = sooner(e.decision.Wake, q.sent+every)
}
