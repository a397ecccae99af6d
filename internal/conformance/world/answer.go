package world

import (
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// How long answers take.
const (
	probeDelay   = 5 * time.Millisecond
	inspectDelay = 2 * time.Millisecond
	probeTimeout = 2 * time.Second // of a probe that the worker does not answer
)

// answer is something that the subject will be told later.
type answer struct {
	worker      int
	generation  int
	incarnation int           // of the subject that asked: another one gets no answer
	body        watchdog.Body // nil while it is still to be found out

	// The question, until then.
	key    string
	what   watchdog.What
	stream watchdog.Stream
}

// probing is what the scenario makes the probes of a worker say.
type probing struct {
	script.Probes
	life      int           // generation that it was said of
	until     time.Duration // 0 = without end
	state     watchdog.RPCState
	processes []watchdog.Process
}

func (p *probing) covers(what watchdog.What, life int, now time.Duration) bool {
	switch {
	case life != p.life && (p.Says == script.ProbesGone || p.Says == script.ProbesReused || p.Says == script.ProbesStale):
		return false // it was about another process
	case p.Says == "" || p.Says == script.ProbesTruth:
		return false
	case p.until > 0 && now >= p.until:
		return false
	}
	return watchdog.What(p.What) == what || p.What == "" && what != watchdog.WhatWorld && what != watchdog.WhatStream
}

// setProbes changes what probes say from now on.
func (w *World) setProbes(a script.Probes) {
	k := w.born(a.Worker)
	if k == nil {
		return
	}
	now := w.clocks.mono
	k.probes = probing{Probes: a, life: k.generation, state: k.process.State(now), processes: k.processes(now)}
	if a.For.Finite() {
		k.probes.until = now + a.For.D
	}
	w.fault(trace.FaultProbe, k.index, 0)
}

// later schedules an answer.
func (w *World) later(d time.Duration, a answer) {
	a.incarnation = w.incarnation
	w.answers = append(w.answers, a)
	w.queue.push(event{
		at: w.clocks.mono + d, priority: prioAnswer, source: a.worker, kind: evAnswer, worker: a.worker, ref: len(w.answers) - 1,
	})
}

// ask sends a probe or inspect on its way.
func (w *World) ask(c *watchdog.Command, k *worker) {
	a := answer{worker: k.index, generation: k.generation, key: c.Key, what: c.What, stream: c.Stream}
	delay := probeDelay
	if c.Kind == watchdog.CmdInspect {
		delay = inspectDelay
	}
	if k.probes.Says != script.ProbesNothing || !k.probes.covers(c.What, k.generation, w.clocks.mono) {
		w.later(delay, a)
	}
}

// answer tells the subject what it asked for, as things are by now.
func (w *World) answer(ref int) {
	a := &w.answers[ref]
	k := w.workers[a.worker]
	if a.incarnation != w.incarnation || w.away {
		return
	}
	if a.body == nil {
		a.body = w.find(a, k)
	}
	if a.body != nil {
		w.observe(a.body, k.life)
		w.seen[len(w.seen)-1].Generation = a.generation
		w.tellTree(a, k)
	}
	if len(w.seen) > 0 {
		k.shownNow = true
		w.stepSubject(trace.WhyAnswer)
	}
}

// tellTree shows the facts of a worktree beside its digest.
func (w *World) tellTree(a *answer, k *worker) {
	if in, ok := a.body.(watchdog.Inspect); ok && in.World != "" && w.cfg.Recovery != nil {
		w.observe(k.tree.facts(), k.life)
	}
}

// find looks for the answer to a probe or inspect; nil if it will come later.
func (w *World) find(a *answer, k *worker) watchdog.Body {
	switch a.what {
	case watchdog.WhatStream:
		return k.inspectStream(a)
	case watchdog.WhatWorld:
		return k.inspectWorld(a, w.clocks.mono)
	}
	p := watchdog.Probe{Key: a.key, What: a.what, Source: "proc", Result: watchdog.ProbeOK, Generation: k.generation}
	if a.what == watchdog.WhatState {
		p.Source = "rpc"
	}
	if k.probes.covers(a.what, k.generation, w.clocks.mono) {
		k.lie(&p)
		return p
	}
	if a.what == watchdog.WhatProcesses {
		p.Processes = k.processes(w.clocks.mono)
		return p
	}
	return w.findState(a, k, p)
}

// inspectStream is how many bytes a stream has, shown to the subject or not.
func (k *worker) inspectStream(a *answer) watchdog.Body {
	in := watchdog.Inspect{Key: a.key, What: a.what, Stream: a.stream, Offset: -1}
	if k.carries(a.stream) {
		in.Offset = k.sizes[a.stream]
	}
	return in
}

// inspectWorld is the digest of the worktree, or nothing where that cannot be had.
func (k *worker) inspectWorld(a *answer, now time.Duration) watchdog.Body {
	in := watchdog.Inspect{Key: a.key, What: a.what, Offset: -1}
	if !k.probes.covers(a.what, k.generation, now) {
		in.World = k.world()
	}
	return in
}

// findState asks an rpc worker for its state, as a client of Pi does: the question goes to stdin, the response comes on
// stdout, for everybody to see.
func (w *World) findState(a *answer, k *worker, p watchdog.Probe) watchdog.Body {
	failed := func(text string) watchdog.Body {
		p.Result, p.Text = watchdog.ProbeFailed, text
		return p
	}
	switch {
	case k.spawn.Mode != script.ModeRPC:
		return failed("the worker has no rpc")
	case k.exit != nil:
		return failed("write: broken pipe")
	}
	taken := k.send(w, k.process.Ask(a.key))
	heard := answered(k.out)
	k.reveal(w)
	switch {
	case !taken:
		return failed("write: broken pipe")
	case !heard:
		w.later(probeTimeout, answer{worker: k.index, generation: k.generation, body: failed("no answer")})
		return nil
	}
	state := k.process.State(w.clocks.mono)
	p.State = &state
	if !state.Streaming && !state.Compacting {
		k.hidden, k.lost = false, false // whatever was not shown, nothing runs
	}
	return p
}

// answered reports whether a response came on stdout.
func answered(out []Output) bool {
	for i := range out {
		if out[i].Stream == watchdog.StreamOut {
			return true
		}
	}
	return false
}

// reusedTicks is how much later the process has started that has a worker's pid now.
const reusedTicks = 100_000

// lie answers a probe as the scenario wants it.
func (k *worker) lie(p *watchdog.Probe) {
	if k.probes.Source != "" {
		p.Source = k.probes.Source
	}
	p.Text = k.probes.Text
	switch k.probes.Says {
	case script.ProbesFail:
		p.Result = watchdog.ProbeFailed
	case script.ProbesUnknown:
		p.Result = watchdog.ProbeUnknown
	case script.ProbesGone:
		if p.What == watchdog.WhatState {
			p.Result = watchdog.ProbeFailed // nobody was there to answer
		}
	case script.ProbesReused:
		p.Processes = []watchdog.Process{{
			PID: k.pid, Parent: 1, Start: k.pidStart + reusedTicks, CPU: time.Minute, State: "S", Role: watchdog.RoleAgent,
		}}
	case script.ProbesStale:
		state := k.probes.state
		if p.What == watchdog.WhatState {
			p.State = &state
		} else {
			p.Processes = k.probes.processes
		}
	}
}
