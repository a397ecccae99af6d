package oracle_test

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/world"
	"fakepi.example/watchdog"
)

// deed is a command that a scripted subject gives at a moment. It is completed with what the subject has learnt by then.
type deed struct {
	at     time.Duration
	kind   watchdog.CommandKind
	change func(*watchdog.Command)
}

// doing is a subject that is told what to do, and knows the truth otherwise.
type doing struct {
	deeds    []deed
	next     int
	workers  map[string]*watchdog.Spawned
	gens     map[string]int
	digest   string // of the last snapshot
	token    string
	approved map[string]bool // items that the owner has said yes to
}

// does makes a subject act by a list.
func does(deeds ...deed) func(*knowing) {
	d := &doing{deeds: deeds, workers: map[string]*watchdog.Spawned{}, gens: map[string]int{}, approved: map[string]bool{}}
	slices.SortStableFunc(d.deeds, func(a, b deed) int { return int(a.at - b.at) })
	return func(k *knowing) { k.decide = d.decide }
}

func (d *doing) decide(k *knowing, now watchdog.Instant) {
	for i := range k.seen {
		d.learn(&k.seen[i])
	}
	for d.next < len(d.deeds) && d.deeds[d.next].at <= now.Mono {
		k.out.Commands = append(k.out.Commands, d.command(k, d.deeds[d.next]))
		d.next++
	}
	if d.next < len(d.deeds) {
		k.wake(d.deeds[d.next].at, now)
	}
}

func (d *doing) learn(o *watchdog.Observation) {
	switch b := o.Body.(type) {
	case watchdog.Spawned:
		if o.Generation >= d.gens[o.Worker] {
			d.workers[o.Worker], d.gens[o.Worker] = &b, o.Generation
		}
	case watchdog.Outcome:
		if b.Digest != "" {
			d.digest = b.Digest
		}
		if b.Token != "" {
			d.token = b.Token
		}
	}
}

// command is a deed as a right subject would do it, then changed.
func (d *doing) command(k *knowing, todo deed) watchdog.Command {
	c := watchdog.Command{Kind: todo.kind, Worker: "w1", Text: "because it stalls", Key: fmt.Sprintf("%s/%d", todo.kind, d.next)}
	if todo.kind == watchdog.CmdProbe {
		c.What = watchdog.WhatProcesses
	}
	if todo.change != nil {
		todo.change(&c)
	}
	known := slices.IndexFunc(k.workers, func(w *known) bool { return w.id == c.Worker })
	w, spawned := k.workers[known], d.workers[c.Worker]
	if c.Generation == 0 {
		c.Generation = d.gens[c.Worker]
	}
	c.Cause, c.Evidence = watchdog.Cause{Name: w.name, Phase: w.phase}, []int{w.phaseN}
	switch c.Kind {
	case watchdog.CmdInterrupt, watchdog.CmdTerminate, watchdog.CmdKill:
		if c.Target == nil {
			c.Target = &watchdog.Target{PID: spawned.PID, Start: spawned.Start}
		}
	case watchdog.CmdProveRestore, watchdog.CmdRemoveWorktree:
		c.IfDigest = d.digest
	case watchdog.CmdPropose:
		if c.Act == "" {
			c.Act = watchdog.CmdAbort
		}
		if c.IfDigest == "" {
			c.IfDigest = d.digest
		}
	case watchdog.CmdRespawn:
		c.Token, c.Session, c.Snapshot = d.token, spawned.Session, d.digest
		c.Text = "Read git log and git status, verify before you repeat, and commit."
	}
	if todo.change != nil {
		todo.change(&c)
	}
	if c.Target != nil && c.Target.PID == 0 {
		c.Target = nil
	}
	return c
}

// ladder is right for a worker that ignores an abort since its tenth minute.
func ladder() []deed {
	return []deed{
		{12 * time.Minute, watchdog.CmdSnapshot, nil},
		{12*time.Minute + 10*time.Second, watchdog.CmdAbort, nil},
		{12*time.Minute + 30*time.Second, watchdog.CmdInterrupt, nil},
		{13 * time.Minute, watchdog.CmdSnapshot, nil},
		{13*time.Minute + 10*time.Second, watchdog.CmdAcquireLease, nil},
		{13*time.Minute + 20*time.Second, watchdog.CmdProbe, nil},
		{14 * time.Minute, watchdog.CmdRespawn, nil},
	}
}

// without leaves the i-th deed out.
func without(deeds []deed, i ...int) []deed {
	var kept []deed
	for j, d := range deeds {
		if !slices.Contains(i, j) {
			kept = append(kept, d)
		}
	}
	return kept
}

// with changes the i-th deed.
func with(deeds []deed, i int, change func(*watchdog.Command)) []deed {
	deeds[i].change = change
	return deeds
}

// moved does the i-th deed at another time.
func moved(deeds []deed, i int, at time.Duration) []deed {
	deeds[i].at = at
	return deeds
}

// acts is a world for a subject that acts, in which nothing is chosen.
func acts() *world.Recovery { return &world.Recovery{Spawner: watchdog.SpawnerPlain} }

// auto permits all but removals.
func auto(p *watchdog.Policy) {
	for _, c := range watchdog.EffectClasses() {
		if c != watchdog.EffectRemove {
			p.Effects[c] = watchdog.PermitAuto
		}
	}
}
