package run

import (
	"math"
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// Mark is a moment with the observation that it rests on. At differs from seen where an observation announced a later
// moment: the end of a declared delay, say.
type Mark struct {
	At   time.Duration // on Mono
	N    int           // observation number; 0 = none
	Seen time.Duration // when that observation was made
}

// later returns the later of two marks; at one instant, the one of the newer observation.
func later(a, b Mark) Mark {
	if b.At > a.At || b.At == a.At && b.N > a.N {
		return b
	}
	return a
}

// Until returns the moment that an observation announced, d after it; it never overflows.
func (m Mark) Until(d time.Duration) Mark {
	m.At += min(d, never-m.At)
	return m
}

// Worker is all that the engine keeps of one worker's current generation.
type Worker struct {
	ID         string
	Generation int
	Spawn      watchdog.Spawned
	Spawned    Mark
	bootID     string
	policy     *watchdog.Policy
	Limits     *watchdog.Limits

	readers Readers
	reader  agents.Reader
	ends    ends

	Run      Model
	dialect  dialect
	Exit     Exit
	Progress Mark // the last progress
	Resumed  Mark // end of the last user wait or other excuse: every count restarts here
	broken   bool // the held stream has a gap that nothing has closed yet (WDC-OBS-007)
	Doubt    bool // a gap may have swallowed a boundary: the phase is not certain
	cut      bool // a line too long to be read may have been the last boundary
	sawOut   bool // records came on stdout
	reports  bool // the terminal reports its program's state: it tells a wait from work
	pull     bool // a pull request is open for the task
	dirty    bool // the worktree has uncommitted changes, as last reported

	stand standing // the phase that holds
	shown shown    // the verdict last given
	alarm alarm
	notes notices
	looks looks
	loop  loops

	Found   Finding // the verdict that holds, as last judged
	Retries int     // that Pi announced
	forks   forks
	mended  int  // observation with which its credential was last good again after it was refused
	acts    bool // an acting half stands beside: what a gap swallowed counts as unfinished

	// Given is the last verdict that was given, where an acting half stands beside.
	Given *watchdog.Verdict

	wall    time.Time // civil, of the observation being taken
	Touched bool
	Next    time.Duration // on Mono: when to judge again
	keys    int           // commands issued so far, for their keys
}

func newWorker(id string, generation int, watch *Watch) *Worker {
	w := &Worker{ID: id, readers: watch.readers, policy: watch.policy, acts: watch.partner != nil}
	w.restart(generation)
	return w
}

// restart forgets the generation before: every anchor is per generation.
func (w *Worker) restart(generation int) {
	*w = Worker{ID: w.ID, Generation: generation, readers: w.readers, reader: w.readers.of("", ""), policy: w.policy, Next: never, acts: w.acts, mended: w.mended,
		notes: notices{attention: -1, wait: -1}, dialect: dialect{whole: true}}
	w.configure()
}

// configure takes the limits that hold for this worker and its model.
func (w *Worker) configure() {
	l := w.policy.For(w.ID, w.Run.model(w.Spawn.Model), "")
	w.Limits = &l
	w.loop.least = w.Limits.LoopRepeats
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
func (w *Worker) observe(o *watchdog.Observation, watch *Watch) {
	m := Mark{At: min(o.At.Mono, watch.Now.Mono), N: o.N}
	m.Seen = m.At
	w.wall = o.At.Wall
	w.expire(m.At)
	if b, ok := o.Body.(watchdog.Bytes); ok {
		w.bytes(b, m)
	} else {
		w.Touched = true
		w.fact(o, m, watch)
	}
	if w.Touched {
		w.settlePhase(m)
	}
}

// fact takes what is no piece of a stream.
func (w *Worker) fact(o *watchdog.Observation, m Mark, watch *Watch) {
	switch b := o.Body.(type) {
	case watchdog.Closed:
		w.closed(b.Stream, m)
	case watchdog.File:
		w.fileChanged(b.Stream)
	case watchdog.Gap:
		w.gap(b.Stream, m)
	case watchdog.Spawned:
		w.started(b)
		w.Spawned, w.bootID = m, o.At.BootID
		w.Progress, w.Resumed = m, m
		w.configure()
	case watchdog.Exited:
		w.exited(Exit{Proven: true, Mark: m, code: b.Code, signal: b.Signal})
	case watchdog.Probe:
		w.probed(b, m, watch.first, watch.wants(w, b.Key))
	case watchdog.Inspect:
		w.inspected(b, m, watch.first)
	case watchdog.Worktree:
		w.worktree(b, m)
	case watchdog.Task:
		w.pull = b.PullRequest
	}
}

// bytes splits a piece of a stream and takes its lines.
func (w *Worker) bytes(b watchdog.Bytes, m Mark) {
	end := w.ends.at(b.Stream)
	if b.Offset != *end {
		w.dialect.missed(b.Stream)
	}
	*end = b.Offset + int64(len(b.Data))
	if w.broken && (b.Stream == watchdog.StreamOut || b.Stream == w.primary()) {
		w.broken, w.Touched = false, true
	}
	w.reader.Feed(b.Stream, b.Data, w.wall)
	w.take(b.Stream, m)
}

// started takes how the worker was started, and with it who reads its streams.
func (w *Worker) started(s watchdog.Spawned) {
	if !w.Spawn.SameAgent(&s) {
		w.reader = w.readers.of(s.Agent, s.Version)
	}
	w.Spawn = s
	w.reader.Start(s)
}

// take takes the events that the reader finds in a stream.
func (w *Worker) take(from watchdog.Stream, m Mark) {
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
		w.Touched = true
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
func (w *Worker) closed(from watchdog.Stream, m Mark) {
	w.reader.Close(from, w.wall)
	w.take(from, m)
}

// fileChanged forgets the torn tail of a file that shrank or was replaced; that is no silence and no progress.
func (w *Worker) fileChanged(from watchdog.Stream) {
	*w.ends.at(from) = 0
	w.looks.size = 0
	w.dialect.missed(from)
	w.reader.Forget(from)
}

// gap takes the engine's own ignorance for what it is: the count starts afresh, and until the stream is whole again
// an empty step proves nothing.
func (w *Worker) gap(s watchdog.Stream, m Mark) {
	w.dialect.missed(s)
	w.reader.Forget(s)
	if s == watchdog.StreamIn || s == watchdog.StreamErr || s == watchdog.StreamSession && w.primary() == watchdog.StreamOut {
		return
	}
	w.Resumed = m
	w.broken, w.Doubt = true, true
}

// worktree takes a fact from git: a new head is progress.
func (w *Worker) worktree(b watchdog.Worktree, m Mark) {
	if b.Head != "" && w.Run.head != "" && b.Head != w.Run.head {
		w.progressed(m)
	}
	if b.Head != "" {
		w.Run.head = b.Head
	}
	w.dirty = b.Dirty
}

// progressed records progress.
func (w *Worker) progressed(m Mark) {
	w.Progress = later(w.Progress, m)
	w.looks.gone, w.looks.foreign = 0, false // who makes progress is not gone
}

// Renotify lets the owner hear what they did not while an operator wanted no alarm.
func (w *Worker) Renotify() {
	w.alarm.noticed, w.notes.attention = false, -1
}

// primary is the stream whose silence is the worker's.
func (w *Worker) primary() watchdog.Stream {
	switch {
	case w.sawOut, w.Spawn.Mode == watchdog.ModeRPC, w.Spawn.Mode == watchdog.ModeJSON:
		return watchdog.StreamOut
	case w.reports && *w.ends.at(watchdog.StreamSession) == 0:
		return watchdog.StreamPTY
	}
	return watchdog.StreamSession
}

// rebooted takes a new boot id for what it is: no process of the old boot lives.
func (w *Worker) rebooted(now watchdog.Instant) {
	if w.bootID == "" || w.bootID == now.BootID {
		return
	}
	m := Mark{At: now.Mono, N: w.Spawned.N, Seen: w.Spawned.Seen}
	w.exited(Exit{Proven: true, Mark: m, code: -1, signal: "reboot"})
	w.Touched = true
	w.settlePhase(m)
}
