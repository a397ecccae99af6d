// Package fakepi is a scriptable fake of the coding agent Pi. A [Worker] plays a timed script and writes what Pi would:
// stream events or terminal bytes, RPC responses and the session file, byte-plausible in a dialect of Pi. It is a pure
// stepper: it takes the time as an argument and has no clock, goroutine or I/O of its own. It reacts to what it is sent
// (commands, answers, signals, the end of stdin) and, unlike Pi, can be asked at any instant for its true state: [Truth].
//
// A step that Pi could not do yet (a reply while a tool still runs because its dialog has no answer) waits until it can,
// and all later steps wait with it. A step of a run that is gone, because somebody aborted it, is dropped. A
// [fakepi.example/fakepi/play.Player] runs a Worker on a clock.
package fakepi

import (
	"math"
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// never is later than every event.
const never = time.Duration(math.MaxInt64)

// Worker is one process of Pi. Its methods must be called with times that never go back.
type Worker struct {
	*plan
	conversation
	life

	ids   ids
	now   time.Duration // of the event being played
	next  int           // of the script's steps
	shift time.Duration // how late the script runs by now
	rest  rest          // of the last run
	out   []Output      // of the call under way
	buf   []byte        // the block that output is written to
	heard *turnQueue    // of the lines of one read, while they are done; nil otherwise
	model *native.Model // in use; never changed in place
	level string        // of thinking

	images []native.Block // of the command line, until the first prompt

	session session
	commandState
	reply      reply
	stream     stream
	updates    updates  // of now; none between calls
	calls      []call   // of the last message, in its order
	detached   []string // ids of calls, as Detached says; never changed in place
	openIDs    []string // of those that run; never changed in place
	dialog     dialog
	answeredAt time.Duration // when the last dialog closed
	retries    retries
	compaction compaction
	left       []leftCompaction // never changed in place
	asking     asking
	chatter    []noise // never changed in place
	tui        terminal
	world      worktree

	trouble       trouble
	troubleAt     time.Duration
	quotaUntil    time.Duration // when the provider says that the quota returns; 0: not known
	lastProgress  time.Duration
	requests      int  // of the scripted client
	names         int  // given to the session
	pids          int  // used for children
	otherPrompted bool // somebody else than the script's client has prompted
}

// New makes a worker. The error is an [ErrDialect] or [ErrScript].
func New(c Config) (*Worker, error) {
	p, err := newPlan(c)
	if err != nil {
		return nil, err
	}
	w := &Worker{plan: p, ids: newIDs(p.seed), lastProgress: p.start, images: c.Images}
	w.firstSession(c)
	w.tui = w.newTerminal()
	return w, nil
}

// Clone returns an independent copy; what was written stays shared.
func (w *Worker) Clone() *Worker {
	c := *w
	c.out, c.buf = nil, nil // the free end of the block stays with the original
	c.messages = slices.Clip(c.messages)
	c.session = w.session.clone()
	c.calls = slices.Clone(c.calls)
	for i := range c.calls {
		c.calls[i].output = slices.Clip(c.calls[i].output)
	}
	c.reply.blocks = slices.Clone(c.reply.blocks)
	for i := range c.reply.blocks {
		c.reply.blocks[i].text = slices.Clip(c.reply.blocks[i].text)
	}
	c.tui = w.tui.clone()
	return &c
}

// Next is when the script next does something by itself, and false if it never does.
func (w *Worker) Next() (time.Duration, bool) {
	_, _, at := w.due()
	return at, at != never
}

// Step plays all that is due at or before now and appends it to out, in order, each output with its own time.
func (w *Worker) Step(now time.Duration, out []Output) []Output {
	w.enter(now, out)
	return w.result()
}

// enter plays what is due and leaves the worker at now.
func (w *Worker) enter(now time.Duration, out []Output) {
	w.out = out
	for {
		e, i, at := w.due()
		if at > now || at == never {
			break
		}
		if at > w.now {
			w.flushUpdates()
		}
		w.now = at
		w.play(e, i)
	}
	if now > w.now {
		w.flushUpdates()
	}
	w.now = max(w.now, now)
}

func (w *Worker) result() []Output {
	w.flushUpdates()
	out := w.out
	w.out = nil
	return out
}

// event is what a worker does by itself, in the order of what comes first at one instant: what is under way goes before
// the script's next step, and a tool begins after it, so that a gate can stand in between.
type event uint8

const (
	eventNone event = iota
	eventStart
	eventLeave
	eventChunk
	eventCall // ends or prints
	eventTimeout
	eventRetry
	eventCompacted
	eventLeft
	eventResume
	eventAnswer
	eventNoise
	eventStep
	eventBegin
	eventPaint
)

// due finds the next event: its kind, its place where there are several of the kind, and its time.
func (w *Worker) due() (event, int, time.Duration) {
	switch {
	case !w.started:
		return eventStart, 0, w.start
	case w.exited != nil:
		return w.dueAfterExit()
	case w.leaving():
		return eventLeave, 0, w.leaveAt
	case w.waitsForStdin():
		return eventNone, 0, never
	case w.backpressure:
		return w.dueUnread()
	}
	return w.dueInRun()
}

// dueInRun is what comes next of a worker that is read.
func (w *Worker) dueInRun() (event, int, time.Duration) {
	f := finder{at: never, now: w.now}
	w.offerWork(&f)
	for i := range w.chatter {
		f.offer(eventNoise, i, w.chatter[i].next)
	}
	if w.next < w.scripted() && w.ready(w.steps[w.next].Action) {
		f.offer(eventStep, 0, w.steps[w.next].At+w.shift)
	}
	for i := range w.calls {
		if e, at := w.calls[i].nextEvent(w.held(&w.calls[i])); e == callBegins {
			f.offer(eventBegin, i, at)
		}
	}
	f.offer(eventPaint, 0, w.dueOnScreen())
	return f.event, f.i, f.at
}

// offerWork offers what is under way.
func (w *Worker) offerWork(f *finder) {
	if w.leave != nil {
		f.offer(eventLeave, 0, w.leaveAt)
	}
	if w.stream.active() {
		f.offer(eventChunk, 0, w.stream.at())
	}
	for i := range w.calls {
		if e, at := w.calls[i].nextEvent(w.held(&w.calls[i])); e == callEnds || e == callPrints {
			f.offer(eventCall, i, at)
		}
	}
	if w.dialog.open {
		f.offer(eventTimeout, 0, w.dialog.timeout)
	}
	if w.retries.waiting {
		f.offer(eventRetry, 0, w.retries.until)
	}
	if w.compaction.active {
		f.offer(eventCompacted, 0, w.compaction.end)
	}
	for i := range w.left {
		f.offer(eventLeft, i, w.left[i].end)
	}
	if w.resumeAt > 0 {
		f.offer(eventResume, 0, w.resumeAt)
	}
	if w.asking.active {
		f.offer(eventAnswer, 0, w.asking.at)
	}
}

// finder keeps the earliest of the events offered, of equal times the first. What is overdue is due now.
type finder struct {
	event event
	i     int
	at    time.Duration
	now   time.Duration
}

func (f *finder) offer(e event, i int, at time.Duration) {
	if at = max(at, f.now); at < f.at {
		f.event, f.i, f.at = e, i, at
	}
}

// held reports whether a dialog stops the clock of a call.
func (w *Worker) held(c *call) bool {
	return w.dialog.open && (w.dialog.call == c.id || w.dialog.call == "")
}

// waitsForStdin reports whether a one-shot prints nothing because its stdin was left open (docs/pi-formats.md, section 1).
func (w *Worker) waitsForStdin() bool { return w.spawn.StdinOpen && w.mode.OneShot() && !w.stdinEnd }

// play lets an event happen.
func (w *Worker) play(e event, i int) {
	switch e {
	case eventStart:
		w.startProcess()
	case eventLeave:
		w.exit(*w.leave)
	case eventChunk:
		w.sayChunk()
	case eventCall:
		w.playCall(i)
	case eventTimeout:
		w.answer(reactionNo)
	case eventRetry:
		w.retryNow()
	case eventCompacted:
		w.endCompaction()
	case eventLeft:
		w.endLeft(i)
	case eventResume:
		w.resume()
	case eventAnswer:
		w.accept()
	case eventNoise:
		w.repeatNoise(i)
	case eventStep:
		w.playNext()
	case eventBegin:
		w.work(&w.calls[i])
	case eventPaint:
		w.playScreen()
	}
}

func (w *Worker) playCall(i int) {
	c := &w.calls[i]
	if w.exited != nil {
		c.ended = true
		w.changeWorld(c)
		return
	}
	if e, _ := c.nextEvent(false); e == callPrints {
		w.printOutput(c)
	} else {
		w.endTool(c)
	}
}

func (w *Worker) startProcess() {
	w.started, w.lastProgress = true, w.now
	w.startSession()
	switch w.mode {
	case script.ModeJSON:
		if !w.waitsForStdin() {
			w.printHeader()
		}
	case script.ModeTUI:
		w.openScreen()
	}
}

func (w *Worker) printHeader() {
	w.write(Out, w.session.header, false)
}

// dueAfterExit is what may still happen: children end, and streams that they hold close.
func (w *Worker) dueAfterExit() (event, int, time.Duration) {
	f := finder{at: never, now: w.now}
	for i := range w.calls {
		if c := &w.calls[i]; w.survives(c) && c.lasts() != never {
			f.offer(eventCall, i, c.beginAt+c.paused+c.lasts())
		}
	}
	if w.next < w.scripted() {
		f.offer(eventStep, 0, w.steps[w.next].At+w.shift)
	}
	return f.event, f.i, f.at
}
