package world

import (
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// The executor carries out what the subject commands. A command takes effect a while after it was given; until then the
// world goes on, and what was true when it was given may be true no more: its preconditions are looked at when it takes
// effect. How it ended is told a moment later, unless the subject has crashed since.

// effect is a command on its way.
type effect struct {
	command     watchdog.Command
	worker      int
	incarnation int
	fate        fate
	before      string // digest of the worktree when it was given
}

// fate is what becomes of a command beside the world's own doing (PointOutcome).
type fate int

const (
	fateNatural fate = iota
	fateFailed
	fateRefused
	fateUnknownDone
	fateUnknownNot
	fates               // as many may be chosen
	fateClaimed = fates // the scenario's alone: no effect, and it is said to be done
)

// scriptedFate is what the scenario says becomes of the next commands of a kind.
type scriptedFate struct {
	script.Outcome
	left int // commands
}

var fateOf = map[script.CommandFate]fate{
	script.CommandDone: fateNatural, script.CommandFailed: fateFailed, script.CommandRefused: fateRefused,
	script.CommandUnknown: fateUnknownNot, script.CommandUnheard: fateUnknownDone, script.CommandClaimed: fateClaimed,
}

// scriptedFor takes what the scenario says of a command, or nil.
func (w *World) scriptedFor(c *watchdog.Command) *scriptedFate {
	for i := range w.scripted {
		if s := &w.scripted[i]; s.left > 0 && s.Worker == c.Worker && s.Command == string(c.Kind) {
			s.left--
			return s
		}
	}
	return nil
}

// latencies of what takes longer than a line on stdin or a signal, and of all else.
var latencies = map[watchdog.CommandKind]time.Duration{
	watchdog.CmdSnapshot: 2 * time.Second, watchdog.CmdProveRestore: 3 * time.Second,
	watchdog.CmdRespawn:      500 * time.Millisecond,
	watchdog.CmdAcquireLease: 20 * time.Millisecond, watchdog.CmdReleaseLease: 20 * time.Millisecond,
	watchdog.CmdAdopt: 20 * time.Millisecond, watchdog.CmdRepairRow: 20 * time.Millisecond,
	watchdog.CmdCommitWIP: time.Second, watchdog.CmdPublish: time.Second,
	watchdog.CmdLockWorktree: 20 * time.Millisecond, watchdog.CmdRemoveWorktree: time.Second,
	watchdog.CmdRemoveBranch: time.Second, watchdog.CmdRemoveSession: time.Second,
}

const (
	atOnce = time.Millisecond // a line on stdin, a signal
	slowly = 10               // times the latency, where PointDelay is chosen so
)

// dispatch sends a command on its way.
func (w *World) dispatch(c *watchdog.Command, k *worker) {
	delay, ok := latencies[c.Kind]
	if !ok {
		delay = atOnce
	}
	if w.open(PointDelay) && w.chooser.Choose(Choice{Point: PointDelay, N: 2, Of: c.Key}) == 1 {
		delay *= slowly
		w.lengthen(w.clocks.mono + delay)
	}
	e := effect{command: *c, worker: k.index, incarnation: w.incarnation, before: k.tree.digest()}
	e.command.Evidence, e.command.Input = slices.Clone(c.Evidence), slices.Clone(c.Input)
	if c.Target != nil {
		target := *c.Target
		e.command.Target = &target
	}
	if s := w.scriptedFor(c); s != nil {
		e.fate = fateOf[s.Fate]
		delay += s.After.D
	} else if w.open(PointOutcome) {
		if e.fate = fate(w.chooser.Choose(Choice{Point: PointOutcome, N: int(fates), Of: c.Key})); e.fate != fateNatural {
			w.lengthen(w.clocks.mono + delay)
		}
	}
	w.effects = append(w.effects, e)
	w.queue.push(event{
		at: w.clocks.mono + delay, priority: prioEffect, source: sourceExecutor - k.index, kind: evEffect, worker: k.index, ref: len(w.effects) - 1,
	})
}

// outcome is how a command ended.
type outcome struct {
	watchdog.Outcome
	effect bool // it changed something
}

func ended(r watchdog.Result, reason string) outcome {
	return outcome{Outcome: watchdog.Outcome{Result: r, Reason: reason}, effect: r == watchdog.ResultDone}
}

func done() outcome { return ended(watchdog.ResultDone, "") }

// takeEffect lets a command take effect, records what came of it and tells the subject.
func (w *World) takeEffect(ref int) {
	e := &w.effects[ref]
	c, k := &e.command, w.workers[e.worker]
	o := w.settle(e, k)
	o.Key = c.Key
	a := trace.Act{
		Event: w.record(), Now: w.clocks.now(), Worker: k.index, Command: c, Result: o.Result, Reason: o.Reason,
		Effect: o.effect, Digest: o.Digest, Token: o.Token,
	}
	for _, s := range w.sinks {
		s.Act(&a)
	}
	if e.incarnation == w.incarnation {
		w.later(reportDelay, answer{worker: k.index, generation: k.generation, body: o.Outcome})
	}
	w.deliverAll(k)
}

// deliverAll shows what a command has made the lives of a worker do.
func (w *World) deliverAll(k *worker) {
	for _, l := range append(k.older[:len(k.older):len(k.older)], k.life) {
		if len(l.out) > 0 {
			l.schedule(w)
		}
	}
	if len(w.seen) > 0 {
		k.shownNow = true
		w.stepSubject(trace.WhyAnswer)
	}
}

// settle decides what becomes of a command and does it.
func (w *World) settle(e *effect, k *worker) outcome {
	c := &e.command
	if why := w.refuses(c, k); why != "" {
		return ended(watchdog.ResultRefused, why)
	}
	switch e.fate {
	case fateFailed:
		return ended(watchdog.ResultFailed, "it failed")
	case fateRefused:
		return ended(watchdog.ResultRefused, "the executor refuses")
	case fateUnknownNot:
		return ended(watchdog.ResultUnknown, "no answer")
	case fateClaimed:
		return outcome{Outcome: watchdog.Outcome{Result: watchdog.ResultDone}}
	}
	o := w.once(c, e, k)
	if e.fate == fateUnknownDone && o.Result == watchdog.ResultDone {
		o.Outcome = watchdog.Outcome{Result: watchdog.ResultUnknown, Reason: "no answer"}
	}
	return o
}

// once does what the spawner has to do for a key no more than once, if it keeps account of keys.
func (w *World) once(c *watchdog.Command, e *effect, k *worker) outcome {
	if !remote(c.Kind) {
		return w.effect(c, e, k)
	}
	if w.linkDown {
		return ended(watchdog.ResultFailed, "unreachable")
	}
	if w.spawner() == watchdog.SpawnerPlain {
		return w.effect(c, e, k)
	}
	if o, ok := w.kept[c.Key]; ok {
		o.effect = false
		return o
	}
	o := w.effect(c, e, k)
	if o.Result == watchdog.ResultDone {
		w.kept[c.Key] = o
	}
	return o
}

func (w *World) spawner() watchdog.Spawner {
	if w.cfg.Recovery == nil || w.cfg.Recovery.Spawner == "" {
		return watchdog.SpawnerFenced
	}
	return w.cfg.Recovery.Spawner
}

// remote reports whether a command goes to the spawner, the tracker or the remote, over the link.
func remote(kind watchdog.CommandKind) bool {
	switch kind {
	case watchdog.CmdRespawn, watchdog.CmdAcquireLease, watchdog.CmdReleaseLease, watchdog.CmdAdopt, watchdog.CmdRepairRow, watchdog.CmdPublish:
		return true
	}
	return false
}

// effect does what a command says.
func (w *World) effect(c *watchdog.Command, e *effect, k *worker) outcome {
	switch c.Kind {
	case watchdog.CmdSnapshot:
		return w.snapshot(e, k)
	case watchdog.CmdProveRestore:
		return w.prove(c, k)
	case watchdog.CmdStopTool:
		return w.stopTool(c, k)
	case watchdog.CmdInterrupt, watchdog.CmdTerminate, watchdog.CmdKill:
		return w.signal(c, k)
	case watchdog.CmdAbort, watchdog.CmdSteer, watchdog.CmdInput, watchdog.CmdAnswer:
		return w.write(c, k)
	case watchdog.CmdRespawn:
		return w.respawn(c, k)
	case watchdog.CmdAcquireLease, watchdog.CmdReleaseLease:
		return w.leaseTask(c, k)
	case watchdog.CmdAdopt, watchdog.CmdRepairRow:
		return w.repair(c, k)
	}
	return w.changeTree(c, k)
}
