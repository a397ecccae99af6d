package engine

import (
	"math"
	"time"

	"fakepi.example/fakepi/native"
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

	out, in, session native.Splitter
	pty              statusScanner
	skim             *native.Skimmed // scratch, shared by all
	ends             ends

	run      run
	dialect  dialect
	exit     exit
	progress mark // the last progress
	resumed  mark // end of the last user wait or other excuse: every count restarts here
	broken   bool // the held stream has a gap that nothing has closed yet (WDC-OBS-007)
	doubt    bool // a gap may have swallowed a boundary: the phase is not certain
	cut      bool // a line too long to be read may have been the last boundary
	sawOut   bool // JSON records came on stdout
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
	w := &worker{id: id, skim: &e.skim, policy: &e.policy}
	w.restart(generation)
	return w
}

// restart forgets the generation before: every anchor is per generation.
func (w *worker) restart(generation int) {
	*w = worker{id: w.id, generation: generation, skim: w.skim, policy: w.policy, next: never, hands: w.hands.restart(), news: w.news,
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
		w.spawn, w.spawned, w.bootID = b, m, o.At.BootID
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
	if b.Stream == watchdog.StreamPTY {
		w.pty.scan(b.Data, func(s programStatus) {
			w.touched = true
			w.status(s, m)
		})
	}
	if s := w.splitter(b.Stream); s != nil {
		s.Feed(b.Data)
		w.take(b.Stream, s, m)
	}
}

// splitter is the splitter of a stream of lines, or nil: stderr and the text of print mode are for people.
func (w *worker) splitter(s watchdog.Stream) *native.Splitter {
	switch {
	case s == watchdog.StreamOut && w.spawn.Mode != watchdog.ModePrint:
		return &w.out
	case s == watchdog.StreamIn:
		return &w.in
	case s == watchdog.StreamSession:
		return &w.session
	}
	return nil
}

// take takes the lines that a splitter has.
func (w *worker) take(from watchdog.Stream, s *native.Splitter, m mark) {
	for line, ok := s.Next(); ok; line, ok = s.Next() {
		if line.Oversize {
			if from == watchdog.StreamOut {
				w.cut = true
			}
			w.dialect.missed(from)
			continue // malformed
		}
		native.Skim(line.Data, w.skim)
		if from == watchdog.StreamOut && w.streamsOn(m) {
			continue
		}
		w.touched = true
		switch from {
		case watchdog.StreamOut:
			w.outRecord(m)
		case watchdog.StreamIn:
			w.inRecord(m)
		case watchdog.StreamSession:
			w.sessionEntry(line.Data, m)
		}
	}
}

// closed takes the end of a stream: a last line without its line feed is a line then.
func (w *worker) closed(from watchdog.Stream, m mark) {
	if s := w.splitter(from); s != nil {
		s.Close()
		w.take(from, s, m)
	}
}

// fileChanged forgets the torn tail of a file that shrank or was replaced; that is no silence and no progress.
func (w *worker) fileChanged(from watchdog.Stream) {
	*w.ends.at(from) = 0
	w.looks.size = 0
	w.dialect.missed(from)
	if s := w.splitter(from); s != nil {
		s.Reset(0)
	}
}

// gap takes the engine's own ignorance for what it is: the count starts afresh, and until the stream is whole again
// an empty step proves nothing.
func (w *worker) gap(s watchdog.Stream, m mark) {
	w.dialect.missed(s)
	if split := w.splitter(s); split != nil {
		split.Reset(0)
	}
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
	case w.pty.seen && *w.ends.at(watchdog.StreamSession) == 0:
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
