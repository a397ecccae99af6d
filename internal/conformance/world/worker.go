package world

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// worker is one worker of the scenario: its task, and the lives that it has had. The last life that began is the current
// one, and what is asked of the worker is asked of that.
type worker struct {
	*life
	index int
	id    string

	scripted   []section // lives that begin by the clock
	successors []section // those that a watchdog starts, in the order of the script
	respawns   int       // so far
	older      []*life   // lives whose processes may still do something

	tree  tree
	lease lease

	rowed    bool        // its row was set before it was spawned, and is shown with that
	hidden   bool        // it did something that the subject was not shown
	lost     bool        // and what it did is lost in a downtime: its end does not tell either
	told     bool        // what it wrote at this instant tells what it does
	shown    trace.Truth // the truth at the last moment when nothing was hidden
	shownNow bool        // something came of it in this step
	probes   probing
}

// section is the part of the script that one life plays.
type section struct {
	at      time.Duration // of its spawn step
	spawn   script.Spawn
	steps   []script.Step
	process Process       // of one that begins by the clock
	late    time.Duration // the instant at which it comes last of all; 0 = none
}

func newWorker(index int, id string) *worker {
	k := &worker{index: index, id: id, tree: tree{task: index}}
	k.life = &life{of: k, nextAt: never}
	return k
}

// enlist makes the section that the spawn step i begins.
func (k *worker) enlist(w *World, i int) error {
	s := &w.cfg.Steps[i]
	spawn := s.Action.(script.Spawn)
	own := []script.Step{*s}
	for _, next := range w.cfg.Steps[i+1:] {
		if next.Actor != k.id {
			continue
		}
		if _, ok := next.Action.(script.Spawn); ok {
			break
		}
		own = append(own, next)
	}
	sec := section{at: s.At, spawn: spawn, steps: script.For(own, k.id)}
	process, err := k.play(w, &sec, len(k.scripted)+1)
	if err != nil {
		return err
	}
	if spawn.Respawned {
		k.successors = append(k.successors, sec)
		return nil
	}
	sec.process = process
	k.scripted = append(k.scripted, sec)
	w.queue.push(event{
		at: s.At, priority: prioWorker, source: k.index, kind: evWorker, worker: k.index, life: len(k.scripted) - 1, ref: spawnRef,
	})
	return nil
}

// play makes the process that plays a section as a generation.
func (k *worker) play(w *World, s *section, generation int) (Process, error) {
	name := cmp.Or(s.spawn.Agent, watchdog.DefaultAgent)
	agent, ok := w.cfg.Agents[name]
	if !ok {
		return nil, &script.Error{
			Pos: s.steps[0].Pos, Msg: fmt.Sprintf("there is no fake worker of the agent %q", name),
			Hint: "known agents: " + strings.Join(slices.Sorted(maps.Keys(w.cfg.Agents)), ", "),
		}
	}
	return agent.Start(Part{
		Spawn: s.spawn, Steps: s.steps, Files: w.cfg.Files, Epoch: epoch(),
		Seed: w.cfg.Seed<<16 | uint64(k.index)<<8 | uint64(generation),
		CWD:  k.worktree(s.spawn), Others: w.cfg.Recovery != nil,
		PID: 4200 + 10_000*k.index + 1_000*(generation%10) + 1_000_000*(generation/10),
	})
}

// spawnRef marks the event of a spawn instead of a version of the schedule.
const spawnRef = -1

func (k *worker) worktree(s script.Spawn) string {
	if s.Worktree != "" {
		return s.Worktree
	}
	return "/home/dev/" + k.id
}

// session is the session file that a life writes, where the subject has to know it.
func (k *worker) session(w *World, s script.Spawn) string {
	if s.Session != "" || w.cfg.Recovery == nil {
		return s.Session
	}
	return "/home/dev/.pi/agent/sessions/" + k.id + ".jsonl"
}

// due lets a life of the worker go on: it begins, or its script plays on.
func (k *worker) due(w *World, e event) {
	if e.ref == spawnRef {
		s := &k.scripted[e.life]
		k.born(w, s.spawn, s.process)
		k.late = s.late
		k.life.deliver(w)
		return
	}
	l := k.lifeOf(e.life)
	if l == nil || e.ref != l.version {
		return
	}
	l.step(w)
	l.deliver(w)
}

// lifeOf is the life of a generation, or nil if it is over and forgotten.
func (k *worker) lifeOf(generation int) *life {
	if k.generation == generation {
		return k.life
	}
	for _, l := range k.older {
		if l.generation == generation {
			return l
		}
	}
	return nil
}

// born begins the next life. The process of the one before may go on, and its descendants may.
func (k *worker) born(w *World, spawn script.Spawn, process Process) {
	n := k.generation + 1
	if k.generation > 0 {
		k.older = append(k.older, k.life)
	}
	k.life = &life{of: k, generation: n, process: process, spawn: spawn, nextAt: never, sizes: map[watchdog.Stream]int64{}}
	k.hidden = false
	k.stepped = w.clocks.mono
	k.out = process.Step(w.clocks.mono, k.out)
	spawned := watchdog.Spawned{
		Agent: spawn.Agent, Version: spawn.Version,
		Mode: watchdog.Mode(spawn.Mode), Source: watchdog.Source(spawn.Source), Parent: spawn.Parent,
		Task: spawn.Task, Model: spawn.Model, Session: k.session(w, spawn), Worktree: k.worktree(spawn),
		Credential: spawn.Credential, Autonomous: spawn.Autonomous,
	}
	if agent := k.agent(w.clocks.mono); agent != nil {
		spawned.PID, spawned.Start = agent.PID, agent.Start
		k.pid, k.pidStart = agent.PID, agent.Start
	}
	k.lost, k.shown = false, k.newborn(w.clocks.mono)
	w.observe(spawned, k.life)
	if k.rowed {
		k.rowed = false
		w.observe(w.rows[k.index], k.life)
	}
}

// visible is what the subject can know of the worker now: all there is, unless something was hidden from it. A script
// that is about to go on at this very instant has not done so yet.
func (k *worker) visible(w *World) trace.Truth {
	if k.generation == 0 {
		return trace.Truth{}
	}
	now := w.clocks.mono
	if k.nextAt == now && k.stepped < now {
		now--
	}
	if len(k.out) > 0 && k.shown.Generation == k.generation {
		return k.shown // what it has just done is about to be shown
	}
	actual := k.truth(now)
	if k.hidden {
		frozen := k.shown
		frozen.Exited = actual.Exited
		if k.lost && k.exit != nil && actual.Phase != frozen.Phase && unfinished(frozen.Phase) {
			frozen.Phase, frozen.Since, frozen.Stuck, frozen.Calls = watchdog.VerdictDead, actual.Since, false, nil // as far as anybody can know
			if k.exit.Code == 0 && k.exit.Signal == "" {
				frozen.Phase = watchdog.VerdictSettledUnproven
			}
		}
		return frozen
	}
	k.shown = actual
	return actual
}

// newborn is what is known of a life of which nothing but its start was shown.
func (k *worker) newborn(now time.Duration) trace.Truth {
	t := trace.Truth{Worker: k.id, Generation: k.generation, Phase: watchdog.VerdictIdle, Since: now, LastProgress: now}
	if k.spawn.Mode.OneShot() {
		t.Phase = watchdog.VerdictStarting
	}
	return t
}

// unfinished reports whether an end in a phase is a death.
func unfinished(phase watchdog.VerdictName) bool {
	switch phase {
	case watchdog.VerdictIdle, watchdog.VerdictSettled, watchdog.VerdictSettledUnproven, watchdog.VerdictAwaitingAuth, watchdog.VerdictAwaitingQuota:
		return false
	}
	return true
}

func (k *worker) truth(now time.Duration) trace.Truth {
	t := k.process.Truth(now)
	t.Worker, t.Generation = k.id, k.generation
	return t
}

// processes is the task's processes as a probe would show them: those of the current life, and what is left of older ones.
func (k *worker) processes(now time.Duration) []watchdog.Process {
	if k.generation == 0 {
		return nil
	}
	if len(k.older) == 0 {
		return k.life.processes(nil, now)
	}
	var all []watchdog.Process
	for _, l := range k.older {
		all = l.processes(all, now)
	}
	return k.life.processes(all, now)
}

// owner finds the life that a process belongs to, by its id and start time.
func (k *worker) owner(t watchdog.Target, now time.Duration) *life {
	for _, l := range append([]*life{k.life}, k.older...) {
		for _, p := range l.processes(nil, now) {
			if p.PID == t.PID && p.Start == t.Start {
				return l
			}
		}
	}
	return nil
}

// world is the digest of the worker's worktree.
func (k *worker) world() string {
	if k.generation == 0 {
		return ""
	}
	return k.tree.digest()
}
