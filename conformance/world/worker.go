package world

import (
	"bytes"
	"time"

	"fakepi.example/conformance/trace"
	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// worker is one worker of the scenario with its current generation.
type worker struct {
	index      int
	id         string
	casts      []generation
	generation int // 0 before the first spawn

	process  *fakepi.Worker
	pid      int
	pidStart int64
	spawn    script.Spawn
	sizes    map[watchdog.Stream]int64 // bytes that each stream has
	drops    []drop
	out      []fakepi.Output // scratch
	version  int             // of the schedule: older events of the queue are void
	nextAt   time.Duration   // when the script goes on; never if it does not
	stepped  time.Duration   // the instant up to which the process has played

	hidden   bool         // it did something that the subject was not shown
	told     bool         // what it wrote at this instant tells what it does
	shown    trace.Truth  // the truth at the last moment when nothing was hidden
	shownNow bool         // something came of it in this step
	exit     *fakepi.Exit // nil while it lives
	probes   probing
}

// generation is one life of a worker, played by a process of its own.
type generation struct {
	at      time.Duration
	spawn   script.Spawn
	process *fakepi.Worker
}

// drop is a number of bytes of a stream that the subject will not be shown.
type drop struct {
	stream watchdog.Stream
	left   int64
}

func newWorker(index int, id string) *worker {
	return &worker{index: index, id: id, nextAt: never, sizes: map[watchdog.Stream]int64{}}
}

// enlist makes the generation that the spawn step i begins.
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
	n := len(k.casts) + 1
	process, err := fakepi.New(fakepi.Config{
		Steps: script.For(own, k.id), Files: w.cfg.Files, Dialect: w.cfg.Dialect, Epoch: epoch(),
		Seed: w.cfg.Seed<<16 | uint64(k.index)<<8 | uint64(n),
		CWD:  k.worktree(spawn),
		PID:  4200 + 10_000*k.index + 1_000*n,
	})
	if err != nil {
		return err
	}
	k.casts = append(k.casts, generation{s.At, spawn, process})
	w.queue.push(event{at: s.At, priority: prioWorker, source: k.index, kind: evWorker, worker: k.index, ref: spawnRef})
	return nil
}

// spawnRef marks the event of a spawn instead of a version of the schedule.
const spawnRef = -1

func (k *worker) worktree(s script.Spawn) string {
	if s.Worktree != "" {
		return s.Worktree
	}
	return "/home/dev/" + k.id
}

// due lets the worker go on: it is spawned, or its script plays on.
func (k *worker) due(w *World, version int) {
	switch version {
	case spawnRef:
		k.born(w)
	case k.version:
		k.stepped = w.clocks.mono
		k.out = k.process.Step(w.clocks.mono, k.out)
	default:
		return
	}
	k.deliver(w)
}

// send writes a line to the worker's stdin. What comes of it waits to be delivered.
func (k *worker) send(w *World, line []byte) {
	if k.spawn.Mode == script.ModeRPC {
		k.out = append(k.out, fakepi.Output{At: w.clocks.mono, Stream: fakepi.In, Data: line})
	} else {
		k.hidden = true // keys are on no stream
	}
	k.stepped = w.clocks.mono
	k.out = k.process.Send(w.clocks.mono, line, k.out)
}

// signal sends the process a signal. What comes of it waits to be delivered.
func (k *worker) signal(w *World, signal string) {
	k.stepped = w.clocks.mono
	k.out = k.process.Signal(w.clocks.mono, signal, k.out)
}

// born starts the next generation.
func (k *worker) born(w *World) {
	g := &k.casts[k.generation]
	k.generation++
	k.process, k.spawn, k.exit, k.hidden = g.process, g.spawn, nil, false
	clear(k.sizes)
	k.drops = k.drops[:0]
	k.stepped = w.clocks.mono
	k.out = k.process.Step(w.clocks.mono, k.out)
	spawned := watchdog.Spawned{
		Mode: watchdog.Mode(k.spawn.Mode), Source: watchdog.Source(k.spawn.Source), Parent: k.spawn.Parent,
		Task: k.spawn.Task, Model: k.spawn.Model, Session: k.spawn.Session, Worktree: k.worktree(k.spawn),
		Credential: k.spawn.Credential, Autonomous: k.spawn.Autonomous,
	}
	if agent := k.agent(w.clocks.mono); agent != nil {
		spawned.PID, spawned.Start = agent.PID, agent.Start
		k.pid, k.pidStart = agent.PID, agent.Start
	}
	w.observe(spawned, k)
}

// deliver shows the subject what the worker has just written, and schedules what it does next.
func (k *worker) deliver(w *World) {
	k.reveal(w)
	if len(w.seen) > 0 {
		w.stepSubject(trace.WhySeen)
	}
}

// reveal turns what the worker has just written into observations of the next step.
func (k *worker) reveal(w *World) {
	k.told = false
	for i := range k.out {
		k.show(w, &k.out[i])
	}
	if k.told {
		k.hidden = false // what comes of one instant is one piece of news
	}
	k.out = k.out[:0]
	k.shownNow = true
	k.schedule(w)
}

// schedule puts the next thing that the worker does by itself into the queue; what waits to be delivered comes at once.
func (k *worker) schedule(w *World) {
	k.version++
	k.nextAt = never
	if at, ok := k.process.Next(); ok {
		k.nextAt = max(at, w.clocks.mono)
	}
	if len(k.out) > 0 {
		k.nextAt = w.clocks.mono
	}
	if k.nextAt != never {
		w.queue.push(event{at: k.nextAt, priority: prioWorker, source: k.index, kind: evWorker, worker: k.index, ref: k.version})
	}
}

// show turns one output into an observation, if the subject's source carries it.
func (k *worker) show(w *World, o *fakepi.Output) {
	stream := watchdog.Stream(o.Stream)
	switch {
	case o.Exit != nil:
		k.exit = o.Exit
		if k.spawn.Parent {
			w.observe(watchdog.Exited{Code: o.Exit.Code, Signal: o.Exit.Signal}, k)
			k.told = true
		}
	case o.Closed:
		if k.carries(stream) {
			w.observe(watchdog.Closed{Stream: stream}, k)
		}
	default:
		k.write(w, stream, o)
	}
}

// write shows the bytes of an output, without those that are to be dropped.
func (k *worker) write(w *World, stream watchdog.Stream, o *fakepi.Output) {
	written := w.renamed(stream, o.Data)
	offset := k.sizes[stream]
	k.sizes[stream] += int64(len(written))
	if !k.carries(stream) {
		k.hidden = k.hidden || o.Progress || stream == watchdog.In || stream == watchdog.Out
		return
	}
	data := k.drop(stream, written)
	if len(data) < len(written) {
		k.hidden = true
		offset += int64(len(written) - len(data))
	}
	if len(data) == 0 {
		return
	}
	w.observe(watchdog.Bytes{Stream: stream, Offset: offset, Data: data}, k)
	k.told = k.told || k.tells(stream, data)
	k.hidden = k.hidden || o.Progress
}

// drop takes away the bytes at the front of data that a gap swallows.
func (k *worker) drop(stream watchdog.Stream, data []byte) []byte {
	for i := range k.drops {
		d := &k.drops[i]
		if d.stream != stream || d.left == 0 {
			continue
		}
		n := min(d.left, int64(len(data)))
		d.left -= n
		data = data[n:]
	}
	return data
}

// carries reports whether the subject's source has a stream. A holder has the pipes or the terminal, and follows the
// session file where the pipes carry no records; who only follows files has a log of stdout, or the session file.
func (k *worker) carries(s watchdog.Stream) bool {
	records := k.spawn.Mode == script.ModeRPC || k.spawn.Mode == script.ModeJSON
	if watchdog.Source(k.spawn.Source) == watchdog.SourceFollowed {
		return s == watchdog.Out && records || s == watchdog.Session && !records
	}
	switch s {
	case watchdog.Out, watchdog.Err:
		return k.spawn.Mode != script.ModeTUI
	case watchdog.In:
		return k.spawn.Mode == script.ModeRPC
	case watchdog.PTY:
		return k.spawn.Mode == script.ModeTUI
	}
	return !records
}

// tells reports whether bytes of a stream say what the worker is doing: records do, a terminal only by its program
// status.
func (k *worker) tells(s watchdog.Stream, data []byte) bool {
	switch s {
	case watchdog.Out:
		return k.spawn.Mode != script.ModePrint
	case watchdog.PTY:
		return bytes.Contains(data, []byte("\x1b]7501;"))
	}
	return s == watchdog.Session || s == watchdog.In
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
	actual := k.truth(now)
	if k.hidden {
		frozen := k.shown
		frozen.Exited = actual.Exited
		return frozen
	}
	k.shown = actual
	return actual
}

func (k *worker) truth(now time.Duration) trace.Truth {
	t := k.process.Truth(now)
	return trace.Truth{
		Worker: k.id, Generation: k.generation, Phase: watchdog.VerdictName(t.Phase), Since: t.Since,
		LastProgress: t.LastProgress, Until: t.DeclaredUntil, Stuck: t.Stuck, Calls: t.Calls, Slowest: t.Slowest, Dialog: t.Dialog,
		Exited: t.Exited, Proven: t.Proven,
	}
}

// processes is the worker's process tree as a probe would show it.
func (k *worker) processes(now time.Duration) []watchdog.Process {
	if k.generation == 0 {
		return nil
	}
	tree := k.process.Processes(now)
	out := make([]watchdog.Process, len(tree))
	for i, p := range tree {
		out[i] = watchdog.Process{
			PID: p.PID, Parent: p.Parent, Start: p.Start, CPU: p.CPU, IO: p.IO, State: p.State,
			Role: watchdog.Role(p.Role), ToolCall: p.ToolCall, HoldsPipe: p.HoldsPipe, ReadsTTY: p.ReadsTTY,
		}
	}
	return out
}

// agent is the worker's own process, or nil.
func (k *worker) agent(now time.Duration) *watchdog.Process {
	tree := k.processes(now)
	for i := range tree {
		if tree[i].Role == watchdog.RoleAgent {
			return &tree[i]
		}
	}
	return nil
}

// world is the digest of the worker's worktree.
func (k *worker) world() string {
	if k.generation == 0 {
		return ""
	}
	return k.process.WorldDigest()
}
