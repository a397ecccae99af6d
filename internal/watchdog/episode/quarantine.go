package episode

import (
	"strconv"

	"fakepi.example/watchdog"
)

// Quarantine keeps the engine from acting after a restart until each live worker has been looked at once, with a definite
// answer (WDC-REST-003): what it remembers may be over, and what it was shown again may be old.
func (e *Episodes) Quarantine() {
	r := e
	r.caught = r.seen >= r.booted
	if !r.quarantined || !r.caught {
		return
	}
	left := r.missing(e)
	for _, w := range e.workers {
		if w.Spawned.N == 0 || w.Exit.Proven || w.tree.n > 0 {
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
func (r *Episodes) missing(e *Episodes) bool {
	for _, known := range r.roster {
		if w := e.byID[known.ID]; w == nil || w.Generation < known.Generation {
			return true
		}
	}
	return false
}

// lookAfterBoot asks for the process tree of a worker, again while no answer is definite.
func (e *Episodes) lookAfterBoot(w *worker) {
	q, every := &w.tree.question, w.Limits.ConfirmEvery
	if q.asked && e.Now.Mono < q.sent+every {
		e.Decision.Wake = sooner(e.Decision.Wake, q.sent+every)
		return
	}
	w.asked++
	q.key = w.ID + "/" + strconv.Itoa(w.Generation) + "/boot/" + strconv.Itoa(e.memory.Incarnation) + "." + strconv.Itoa(w.asked)
	q.asked, q.sent = true, e.Now.Mono
	e.Decision.Commands = append(e.Decision.Commands, watchdog.Command{
		Key: q.key, Kind: watchdog.CmdProbe, Worker: w.ID, Generation: w.Generation, What: watchdog.WhatProcesses,
		Cause:    watchdog.Cause{Name: w.Phase(), Phase: w.Phase()},
		Evidence: []int{w.Spawned.N}, NotAfter: e.Now.Wall.Add(every),
	})
	e.Decision.Wake = sooner(e.Decision.Wake, q.sent+every)
}
