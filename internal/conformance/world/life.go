package world

import (
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// life is one generation of a worker, played by a process of its own. What a process has written before it is replaced is
// shown under its own generation, however late that is.
type life struct {
	of         *worker
	generation int // 0 before the first spawn

	process  Process
	pid      int
	pidStart int64
	spawn    script.Spawn
	sizes    map[watchdog.Stream]int64 // bytes that each stream has
	drops    []drop
	out      []Output         // scratch
	version  int              // of the schedule: older events of the queue are void
	nextAt   time.Duration    // when the script goes on; never if it does not
	stepped  time.Duration    // the instant up to which the process has played
	exit     *watchdog.Exited // nil while it lives
	late     time.Duration    // the instant at which it comes last of all; 0 = none

	writes, commits, pushed int // of its process, that the worktree has

	holed bool // bytes of it are lost in a downtime, and no gap was shown yet
}

// drop is a number of bytes of a stream that the subject will not be shown.
type drop struct {
	stream watchdog.Stream
	left   int64
}

// current reports whether the subject's picture of the worker is that of this life.
func (l *life) current() bool { return l.of.life == l }

// send writes a line to the worker's stdin, and reports whether there was one: a process that ends at this very instant
// has closed it before. What comes of the line waits to be delivered.
func (l *life) send(w *World, line []byte) bool {
	from := len(l.out)
	if l.spawn.Mode == script.ModeRPC {
		l.out = append(l.out, Output{Stream: watchdog.StreamIn, Data: line})
	} else if l.current() {
		l.of.hidden = true // keys are on no stream
	}
	l.stepped = w.clocks.mono
	l.out = l.process.Send(w.clocks.mono, line, l.out)
	l.absorb(w)
	if l.nextAt > w.clocks.mono || !slices.ContainsFunc(l.out[from:], func(o Output) bool { return o.Exit != nil }) {
		return true // or it is the line that ends it
	}
	if l.out[from].Stream == watchdog.StreamIn {
		l.out = slices.Delete(l.out, from, from+1)
	}
	return false
}

// signal sends one process of the life a signal, by default the worker's own. What comes of it waits to be delivered.
func (l *life) signal(w *World, pid int, signal string) {
	l.stepped = w.clocks.mono
	l.out = l.process.Signal(w.clocks.mono, pid, signal, l.out)
	l.absorb(w)
}

// absorb lets the worktree have what the process and its tools have done to it.
func (l *life) absorb(w *World) {
	writes, commits, pushed := l.process.Changes()
	if writes == l.writes && commits == l.commits && pushed == l.pushed {
		return
	}
	t := &l.of.tree
	if writes != l.writes {
		t.edit()
	}
	for range commits - l.commits {
		t.commit()
	}
	if pushed != l.pushed {
		t.push()
	}
	t.wrote = w.clocks.mono
	l.writes, l.commits, l.pushed = writes, commits, pushed
}

// deliver shows the subject what the worker has just written, and schedules what it does next.
func (l *life) deliver(w *World) {
	l.reveal(w)
	if len(w.seen) > 0 {
		w.stepSubject(trace.WhySeen)
	}
}

// reveal turns what the worker has just written into observations of the next step.
func (l *life) reveal(w *World) {
	k := l.of
	k.told = false
	for i := range l.out {
		l.show(w, &l.out[i])
	}
	if k.told && l.current() {
		k.hidden, k.lost = false, false // what comes of one instant is one piece of news
	}
	l.out = l.out[:0]
	k.shownNow = true
	l.schedule(w)
}

// schedule puts the next thing that the worker does by itself into the queue; what waits to be delivered comes at once.
func (l *life) schedule(w *World) {
	l.version++
	l.nextAt = never
	if at, ok := l.process.Next(); ok {
		l.nextAt = max(at, w.clocks.mono)
	}
	if len(l.out) > 0 {
		l.nextAt = w.clocks.mono
	}
	if l.nextAt == never {
		return
	}
	priority := prioWorker
	if l.late > 0 && l.nextAt == l.late {
		priority = prioLate
	}
	w.queue.push(event{
		at: l.nextAt, priority: priority, source: l.of.index, kind: evWorker, worker: l.of.index, life: l.generation, ref: l.version,
	})
}

// show turns one output into an observation, if the subject's source carries it.
func (l *life) show(w *World, o *Output) {
	switch {
	case o.Exit != nil:
		l.exit = o.Exit
		l.ownUp(w)
		if l.spawn.Parent {
			w.observe(*o.Exit, l)
			l.of.told = !l.of.lost
		}
	case o.Closed:
		l.ownUp(w)
		if l.carries(o.Stream) {
			w.observe(watchdog.Closed{Stream: o.Stream}, l)
		}
	default:
		l.write(w, o)
	}
}

// ownUp shows that bytes of the life are lost, before its end is shown or, at the latest, when the subject is back.
func (l *life) ownUp(w *World) {
	if l.holed {
		w.observe(watchdog.Gap{Stream: l.main(), Missing: -1}, l)
		l.holed = false
	}
}

// write shows the bytes of an output, without those that are to be dropped.
func (l *life) write(w *World, o *Output) {
	k, current, stream := l.of, l.current(), o.Stream
	written := w.renamed(o)
	offset := l.sizes[stream]
	l.sizes[stream] += int64(len(written))
	if !l.carries(stream) || w.loses() {
		k.lost = k.lost || w.loses() && current
		l.holed = l.holed || w.loses() && l.carries(stream)
		k.hidden = k.hidden || current && (o.Progress || stream == watchdog.StreamIn || stream == watchdog.StreamOut)
		return
	}
	data := l.drop(stream, written)
	if len(data) < len(written) {
		k.hidden = k.hidden || current
		offset += int64(len(written) - len(data))
		o.Record = trace.Record{} // it is torn
	}
	if len(data) == 0 {
		k.hidden = k.hidden || current && o.Progress
		return
	}
	w.observe(watchdog.Bytes{Stream: stream, Offset: offset, Data: data}, l)
	w.describe(&o.Record)
	k.told = k.told || l.tells(o) && !(stream == watchdog.StreamIn && k.hidden) // a line to it does not tell what was hidden
	k.hidden = k.hidden || current && o.Progress
}

// drop takes away the bytes at the front of data that a gap swallows.
func (l *life) drop(stream watchdog.Stream, data []byte) []byte {
	for i := range l.drops {
		d := &l.drops[i]
		if d.stream != stream || d.left == 0 {
			continue
		}
		n := min(d.left, int64(len(data)))
		d.left -= n
		data = data[n:]
	}
	return data
}

// main is the stream that says what the worker does.
func (l *life) main() watchdog.Stream {
	for _, s := range []watchdog.Stream{watchdog.StreamOut, watchdog.StreamPTY, watchdog.StreamSession} {
		if l.carries(s) {
			return s
		}
	}
	return watchdog.StreamOut
}

// carries reports whether the subject's source has a stream. A holder has the pipes or the terminal, and follows the
// session file where the pipes carry no records; who only follows files has a log of stdout, or the session file.
func (l *life) carries(s watchdog.Stream) bool {
	records := l.spawn.Mode == script.ModeRPC || l.spawn.Mode == script.ModeJSON
	if watchdog.Source(l.spawn.Source) == watchdog.SourceFollowed {
		return s == watchdog.StreamOut && records || s == watchdog.StreamSession && !records
	}
	switch s {
	case watchdog.StreamOut, watchdog.StreamErr:
		return l.spawn.Mode != script.ModeTUI
	case watchdog.StreamIn:
		return l.spawn.Mode == script.ModeRPC
	case watchdog.StreamPTY:
		return l.spawn.Mode == script.ModeTUI
	}
	return !records
}

// tells reports whether an output says what the worker is doing: records do, a terminal only by its program status.
func (l *life) tells(o *Output) bool {
	switch o.Stream {
	case watchdog.StreamOut:
		return l.spawn.Mode != script.ModePrint
	case watchdog.StreamPTY:
		return o.Record.Tells
	}
	return o.Stream == watchdog.StreamSession || o.Stream == watchdog.StreamIn
}

// processes appends the processes of this life.
func (l *life) processes(all []watchdog.Process, now time.Duration) []watchdog.Process {
	if l.process == nil {
		return all
	}
	return l.process.Processes(now, all)
}

// agent is the worker's own process, or nil.
func (l *life) agent(now time.Duration) *watchdog.Process {
	tree := l.processes(nil, now)
	for i := range tree {
		if tree[i].Role == watchdog.RoleAgent {
			return &tree[i]
		}
	}
	return nil
}

// step plays what is due of the script. If that can be seen the worker may be killed right before it instead (PointDeath):
// with nothing of it shown, or with its first line torn.
func (l *life) step(w *World) {
	mortal := w.open(PointDeath) && l.exit == nil
	var before Process
	if mortal && w.chooser.deviates() {
		before = l.process.Clone()
	}
	from := len(l.out)
	l.out = l.process.Step(w.clocks.mono, l.out)
	if line := l.spoken(l.out[from:]); mortal && line != nil {
		if pick := w.chooser.Choose(Choice{Point: PointDeath, N: 3, Of: l.of.id, At: w.clocks.mono}); pick != 0 {
			l.out = l.out[:from]
			l.dies(w, before, line, pick == 2)
			return
		}
	}
	l.stepped = w.clocks.mono
	l.absorb(w)
}

// spoken returns the first output that can be seen, or nil.
func (l *life) spoken(out []Output) *Output {
	for i := range out {
		if o := &out[i]; o.Stream == l.main() && len(o.Data) > 0 {
			return o
		}
	}
	return nil
}

// dies ends the process as it was before it wrote a line, of which it may have written the first half.
func (l *life) dies(w *World, before Process, line *Output, torn bool) {
	w.lengthen(w.clocks.mono)
	l.process = before
	half := *line
	if half.Data = half.Data[:len(half.Data)/2]; torn && len(half.Data) > 0 {
		half.Progress, half.Record = false, trace.Record{}
		l.out = append(l.out, half)
	}
	// A moment earlier, for what is due at an instant is done before a signal of that instant.
	l.out = l.process.Signal(w.clocks.mono-1, l.pid, "SIGKILL", l.out)
}
