package fakepi

import (
	"cmp"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Backpressure tells the worker that the reader of its stdout has stopped, or reads again. Pi 1.6 waits with every event of a
// run until the one before was read. Only what the provider sends of the reply under way comes in meanwhile; its end is
// told, and the rest of the script goes on, once stdout is read again. Whoever aborts the run ends the reply where the
// provider is by then, at its end too; the run itself ends when it is read (docs/pi-formats.md, section 1).
func (w *Worker) Backpressure(now time.Duration, on bool, out []Output) []Output {
	w.enter(now, out)
	w.backpressure = on
	if cut := w.cutUnread; !on && cut.active && w.alive() && !w.leaving() {
		w.abort(cut.aborts)
		w.cutUnread = cutUnread{}
		w.handleHeld(cut.held)
	}
	return w.result()
}

// cutUnread is what waits for the reader to end the run.
type cutUnread struct {
	active bool
	at     time.Duration  // when the reply under way was cut off
	aborts []native.Value // ids of commands; never changed in place
	held   []request      // other commands that end the run first; never changed in place
}

// endsUnread reports whether a run that is to end waits for its reader to do so, and cuts off its reply.
func (w *Worker) endsUnread() bool {
	if !w.backpressure || !w.running {
		return false
	}
	if !w.cutUnread.active {
		w.cutUnread = cutUnread{active: true, at: w.now}
	}
	return true
}

// Blocked reports whether something is due that waits for the reader.
func (w *Worker) Blocked() bool {
	if !w.backpressure {
		return false
	}
	_, _, at := w.dueInRun()
	return w.cutUnread.active || at <= w.now
}

// dueUnread is what comes in while nobody reads.
func (w *Worker) dueUnread() (event, int, time.Duration) {
	f := finder{at: never, now: w.now}
	if w.cutUnread.active {
		return f.event, f.i, f.at
	}
	if w.stream.active() {
		f.offer(eventChunk, 0, w.stream.at())
	}
	if s, ok := w.nextOfReply(); ok && streams(s.Action) && w.ready(s.Action) {
		f.offer(eventStep, 0, s.At+w.shift)
	}
	return f.event, f.i, f.at
}

// nextOfReply is the script's next step, if a reply is open.
func (w *Worker) nextOfReply() (script.Step, bool) {
	if !w.reply.open || w.next >= w.scripted() {
		return script.Step{}, false
	}
	return w.steps[w.next], true
}

// streams reports whether a step is a part of a reply.
func streams(a script.Action) bool {
	switch a.(type) {
	case script.Opens, script.Says, script.Thinks, script.Reports, script.Calls:
		return true
	}
	return false
}

// endUnreadReply ends a reply whose end has come and was not told, as the provider has ended it.
func (w *Worker) endUnreadReply() {
	s, ok := w.nextOfReply()
	by := w.now
	if w.cutUnread.active {
		by = w.cutUnread.at
	}
	if !ok || w.stream.active() || s.At+w.shift > by {
		return
	}
	switch a := s.Action.(type) {
	case script.Closes:
		w.closeReply(w.endingOf(w.stopOf(a)))
	case script.Settles, script.Compacts:
		w.closeReply(w.endingOf("stop"))
	case script.Ends:
		if a.Of == "" {
			w.closeReply(w.endingOf(cmp.Or(string(a.Stop), "stop")))
		}
	case script.Tool, script.Refused:
		w.playNext()
	}
}
