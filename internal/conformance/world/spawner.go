package world

import (
	"strconv"
	"sync"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// lease is the right to work on a task.
type lease struct {
	holder string
	token  int // fencing token: one more for each lease
	until  time.Time
}

// leaseTime is how long a lease lasts that the watchdog acquires.
const leaseTime = 10 * time.Minute

// leaseTask acquires or releases the dispatch lease of a task.
func (w *World) leaseTask(c *watchdog.Command, k *worker) outcome {
	now := w.clocks.now().Wall
	if c.Kind == watchdog.CmdReleaseLease {
		k.lease.until, w.rows[k.index].LeaseUntil = now, now
		return done()
	}
	if held := k.lease; held.holder != "" && held.holder != watchdog.LeaseHolder && now.Before(held.until) {
		return ended(watchdog.ResultRefused, "held by "+held.holder)
	}
	k.lease = lease{holder: watchdog.LeaseHolder, token: k.lease.token + 1, until: now.Add(leaseTime)}
	row := &w.rows[k.index]
	row.Lease, row.LeaseUntil = watchdog.LeaseHolder, k.lease.until
	o := done()
	o.Token = strconv.Itoa(k.lease.token)
	return o
}

// respawn starts a successor. A fenced spawner starts none for an old lease; a plain one starts whatever it is asked to.
func (w *World) respawn(c *watchdog.Command, k *worker) outcome {
	if w.spawner() == watchdog.SpawnerFenced && c.Token != strconv.Itoa(k.lease.token) {
		return ended(watchdog.ResultRefused, "an old fencing token")
	}
	s, err := k.successor(w, c)
	if err != nil {
		return ended(watchdog.ResultFailed, err.Error())
	}
	process, err := k.play(w, &s, k.generation+1)
	if err != nil {
		return ended(watchdog.ResultFailed, err.Error())
	}
	k.tree.restore()
	k.respawns++
	k.born(w, s.spawn, process)
	k.reveal(w)
	return done()
}

// successor is the section that the next respawn plays: the script's, moved to now, or one that does its work.
func (k *worker) successor(w *World, c *watchdog.Command) (section, error) {
	if k.respawns < len(k.successors) {
		s := k.successors[k.respawns]
		return s.moved(w.clocks.mono - s.at), nil
	}
	steps, err := diligent()
	if err != nil {
		return section{}, err
	}
	s := section{spawn: k.spawn}
	s.spawn.StdinOpen = false
	s.steps = append([]script.Step{{Action: s.spawn, Actor: k.id}}, steps...)
	s.steps[1].Action = script.Prompt{Text: script.Text{Value: c.Text}}
	return s.moved(w.clocks.mono), nil
}

// moved is the section that much later.
func (s section) moved(by time.Duration) section {
	s.at += by
	steps := make([]script.Step, len(s.steps))
	for i, step := range s.steps {
		step.At += by
		steps[i] = step
	}
	s.steps = steps
	return s
}

// diligent is what a successor does of which the scenario does not tell, from the prompt on, which is to be its brief.
var diligent = sync.OnceValues(func() ([]script.Step, error) {
	s, err := script.Parse("successor", []byte(`+100ms prompt "brief"
+1s tool bash "git commit -am done" runs 500ms commits
+500ms says "Done."
+0s settles
`))
	if err != nil {
		return nil, err
	}
	return s.Steps, s.Resolve(nil)
})

// repair sets a wrong row right, by the tracker's own interface.
func (w *World) repair(c *watchdog.Command, k *worker) outcome {
	row := &w.rows[k.index]
	row.Status = "in_progress"
	if c.Kind == watchdog.CmdAdopt {
		row.Assignee = watchdog.LeaseHolder
	}
	w.observe(*row, k.life)
	return done()
}
