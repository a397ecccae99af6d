package engine_test

import (
	"fmt"
	"time"

	"fakepi.example/watchdog"
)

// meddle lets somebody else do something to a worker or around it.
func (s *sim) meddle(w *simWorker) {
	k := s.rng.IntN(10)
	s.printf("meddle %d with %s", k, w.id)
	switch k {
	case 0, 1:
		w.digest += 2
		w.lastWrite = s.now.Mono
		if s.chance(50) {
			s.observe(w, w.facts())
		}
	case 2, 3:
		if w.alive {
			s.die(w, "SIGKILL")
		}
	case 4:
		w.stopped, w.operated = true, true
		s.observe(w, watchdog.Operator{Intent: watchdog.IntentStop, Proof: outside()})
		s.after(time.Duration(s.rng.IntN(3600))*time.Second, func() {
			w.stopped = false
			s.observe(w, watchdog.Operator{Intent: watchdog.IntentResume, Proof: outside()})
		})
	case 5:
		s.rearm(w)
	case 6:
		if !w.alive && w.descendants(s.now.Mono) == 0 {
			s.spawn(w)
		}
	case 7:
		w.rows++
		w.leaseUntil = s.now.Wall.Add(time.Hour)
		for i := range 2 {
			s.observe(w, watchdog.Task{
				ID: w.id, Status: "in_progress", Lease: fmt.Sprint("other", w.rows), LeaseUntil: w.leaseUntil.Add(time.Duration(i) * time.Minute),
			})
		}
	case 8:
		s.fill(true)
		s.after(time.Duration(s.rng.IntN(1200))*time.Second, func() { s.fill(false) })
	case 9:
		w.head++
		s.observe(w, w.facts())
	}
}

func (s *sim) fill(full bool) {
	s.diskFull = full
	if s.memory.Fill(-1); full {
		s.memory.Fill(s.memory.Size())
	}
}

func (s *sim) rearm(w *simWorker) {
	clear(w.escalated)
	s.observe(w, watchdog.Operator{Intent: watchdog.IntentRearm, Proof: outside()})
}

// outside proves a word by its caller.
func outside() watchdog.Proof { return watchdog.Proof{Caller: watchdog.CallerOutside} }

// facts is what a look at the worktree finds.
func (w *simWorker) facts() watchdog.Worktree {
	f := watchdog.Worktree{Digest: w.world(), Head: fmt.Sprint("h", w.head), Dirty: w.digest%2 == 1, Ahead: w.ahead, Remote: w.remote}
	if w.gates {
		f.Gates = []watchdog.Gate{{Name: "tests", Status: watchdog.GatePassed, By: "ci"}}
	}
	return f
}
