package engine

import (
	"math"
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// mark is a moment with the observation that it rests on. At differs from seen where an observation announced a later
// moment: the end of a declared delay, say.
type mark struct {
	at   time.Duration // on Mono
	n    int           // observation number; 0 = none
	seen time.Duration // when that observation was made
}

// later returns the later of two marks; at one instant, the one of the newer observation.
func later(a, b mark) mark {
	if b.at > a.at || b.at == a.at && b.n > a.n {
		return b
	}
	return a
}

// until returns the moment that an observation announced, d after it; it never overflows.
func (m mark) until(d time.Duration) mark {
	m.at += min(d, never-m.at)
	return m
}

// worker is all that the engine keeps of one worker's current generation.
type worker struct {
	id         string
	generation int
	spawn      watchdog.Spawned
	spawned    mark
	bootID     string
	policy     *watchdog.Policy
	limits     *watchdog.Limits

	readers *readers
	reader  agents.Reader
	ends    ends

	run      run
	dialect  dialect
	exit     exit
	progress mark // the last progress
	resumed  mark // end of the last user wait or other excuse: every count restarts here
	broken   bool // the held stream has a gap that nothing has closed yet (WDC-OBS-007)
	doubt    bool // a gap may have swallowed a boundary: the phase is not certain
	cut      bool // a line too long to be read may have been the last boundary
	sawOut   bool // records came on stdout
	reports  bool // the terminal reports its program's state: it tells a wait from work
	pull     bool // a pull request is open for the task
	dirty    bool // the worktree has uncommitted changes, as last reported

	stand standing // the phase that holds
	shown shown    // the verdict last given
	epi   suspicion
	notes notices
	looks looks
	loop  loops

	found   finding // the verdict that holds, as last judged
	retries int     // that Pi announced
	hands   *hands  // of the half that acts; nil without durable state
	news    int     // the first observation since the last checkpoint; 0 = none

	wall    time.Time // civil, of the observation being taken
	touched bool
	next    time.Duration // on Mono: when to judge again
	keys    int           // commands issued so far, for their keys
}

func newWorker(id string, generation int, e *Engine) *worker {
	w := &worker{id: id, readers: &e.readers, policy: &e.policy}
	w.restart(generation)
	return w
}

// restart forgets the generation before: every anchor is per generation.
func (w *worker) restart(generation int) {
	*w = worker{id: w.id, generation: generation, readers: w.readers, reader: w.readers.of("", ""), policy: w.policy, next: never, hands: w.hands.restart(), news: w.news,
		notes: notices{attention: -1, wait: -1}, dialect: dialect{whole: true}}
	w.configure()
}

// configure takes the limits that hold for this worker and its model.
func (w *worker) configure() {
	l := w.policy.For(w.id, w.run.model(w.spawn.Model), "")
	w.limits = &l
	w.loop.least = w.limits.LoopRepeats
}

// ends is how far each stream was shown.
type ends [5]int64

func (e *ends) at(s watchdog.Stream) *int64 {
	switch s {
	case watchdog.StreamOut:
		return &e[0]
	case watchdog.StreamIn:
		return &e[1]
	case watchdog.StreamSession:
		return &e[2]
	case watchdog.StreamPTY:
		return &e[3]
	}
	return &e[4]
}

// observe takes one observation of this generation into the model.
func (w *worker) observe(o *watchdog.Observation, e *Engine) {
	m := mark{at: min(o.At.Mono, e.now.Mono), n: o.N}
	m.seen = m.at
	w.wall = o.At.Wall
	w.expire(m.at)
	if b, ok := o.Body.(watchdog.Bytes); ok {
		w.bytes(b, m)
	} else {
		w.touched = true
		w.fact(o, m, e)
	}
	if w.touched {
		w.settlePhase(m)
	}
}

// fact takes what is no piece of a stream.
func (w *worker) fact(o *watchdog.Observation, m mark, e *Engine) {
	switch b := o.Body.(type) {
	case watchdog.Closed:
		w.closed(b.Stream, m)
	case watchdog.File:
		w.fileChanged(b.Stream)
	case watchdog.Gap:
		w.gap(b.Stream, m)
	case watchdog.Spawned:
		w.started(b)
		w.spawned, w.bootID = m, o.At.BootID
		w.progress, w.resumed = m, m
		w.configure()
	case watchdog.Exited:
		w.exited(exit{proven: true, mark: m, code: b.Code, signal: b.Signal})
	case watchdog.Probe:
		w.probed(b, m, e.first)
	case watchdog.Inspect:
		w.inspected(b, m, e.first)
	case watchdog.Worktree:
		w.worktree(b, m)
	case watchdog.Task:
		w.pull = b.PullRequest
	}
}

// bytes splits a piece of a stream and takes its lines.
func (w *worker) bytes(b watchdog.Bytes, m mark) {
	end := w.ends.at(b.Stream)
	if b.Offset != *end {
		w.dialect.missed(b.Stream)
	}
	*end = b.Offset + int64(len(b.Data))
	if w.broken && (b.Stream == watchdog.StreamOut || b.Stream == w.primary()) {
		w.broken, w.touched = false, true
	}
	w.reader.Feed(b.Stream, b.Data, w.wall)
	w.take(b.Stream, m)
}

// started takes how the worker was started, and with it who reads its streams.
func (w *worker) started(s watchdog.Spawned) {
	if !w.spawn.SameAgent(&s) {
		w.reader = w.readers.of(s.Agent, s.Version)
	}
	w.spawn = s
	w.reader.Start(s)
}

// take takes the events that the reader finds in a stream.
func (w *worker) take(from watchdog.Stream, m mark) {
	for ev := w.reader.Next(); ev != nil; ev = w.reader.Next() {
		if ev.Kind == agents.Cut {
			if from == watchdog.StreamOut {
				w.cut = true
			}
			w.dialect.missed(from)
			continue
		}
		if from == watchdog.StreamOut && w.streamsOn(ev, m) {
			continue
		}
		w.touched = true
		switch from {
		case watchdog.StreamOut:
			w.outRecord(ev, m)
		case watchdog.StreamIn:
			w.inRecord(ev, m)
		case watchdog.StreamSession:
			w.sessionEntry(ev, m)
		case watchdog.StreamPTY:
			w.reports = true
			w.status(ev, m)
		}
	}
}

// closed takes the end of a stream: a last record without its end is a record then.
func (w *worker) closed(from watchdog.Stream, m mark) {
	w.reader.Close(from, w.wall)
	w.take(from, m)
}

// fileChanged forgets the torn tail of a file that shrank or was replaced; that is no silence and no progress.
func (w *worker) fileChanged(from watchdog.Stream) {
	*w.ends.at(from) = 0
	w.looks.size = 0
	w.dialect.missed(from)
	w.reader.Forget(from)
}

// gap takes the engine's own ignorance for what it is: the count starts afresh, and until the stream is whole again
// an empty step proves nothing.
func (w *worker) gap(s watchdog.Stream, m mark) {
	w.dialect.missed(s)
	w.reader.Forget(s)
	if s == watchdog.StreamIn || s == watchdog.StreamErr || s == watchdog.StreamSession && w.primary() == watchdog.StreamOut {
		return
	}
	w.resumed = m
	w.broken, w.doubt = true, true
}

// worktree takes a fact from git: a new head is progress.
func (w *worker) worktree(b watchdog.Worktree, m mark) {
	if b.Head != "" && w.run.head != "" && b.Head != w.run.head {
		w.progressed(m)
	}
	if b.Head != "" {
		w.run.head = b.Head
	}
	w.dirty = b.Dirty
}

// progressed records progress.
func (w *worker) progressed(m mark) {
	w.progress = later(w.progress, m)
	w.looks.gone, w.looks.foreign = 0, false // who makes progress is not gone
}

// untold lets be told what was not while an operator wanted no alarm.
func (w *worker) untold() {
	w.epi.told, w.notes.attention = false, -1
}

// primary is the stream whose silence is the worker's.
func (w *worker) primary() watchdog.Stream {
	switch {
	case w.sawOut, w.spawn.Mode == watchdog.ModeRPC, w.spawn.Mode == watchdog.ModeJSON:
		return watchdog.StreamOut
	case w.reports && *w.ends.at(watchdog.StreamSession) == 0:
		return watchdog.StreamPTY
	}
	return watchdog.StreamSession
}

// rebooted takes a new boot id for what it is: no process of the old boot lives.
func (w *worker) rebooted(now watchdog.Instant) {
	if w.bootID == "" || w.bootID == now.BootID {
		return
	}
	m := mark{at: now.Mono, n: w.spawned.n, seen: w.spawned.seen}
	w.exited(exit{proven: true, mark: m, code: -1, signal: "reboot"})
	w.touched = true
	w.settlePhase(m)
}
