package fakepi

import (
	"cmp"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// How long Pi takes to go, measured (docs/pi-formats.md, section 10).
const (
	signalDelay  = 18 * time.Millisecond
	tuiDelay     = 110 * time.Millisecond
	idleEOFDelay = 13 * time.Millisecond
	oneShotDelay = 20 * time.Millisecond
	heardDelay   = time.Millisecond // from the answer to a dialog that a signal waits for: commands are still heard
)

// life is the process's.
type life struct {
	started bool // the process runs, or ran
	exited  *Exit
	exitAt  time.Duration

	parting    Truth // of a worker on its way out, until it has gone
	final      Phase // once it has
	finalSince time.Duration

	leave   *Exit         // on the way out: nothing is printed any more
	leaveAt time.Duration // when it exits
	reap    bool          // a settled one-shot: it exits at leaveAt, and prints until then
	linger  bool

	wedge        script.Wedge
	wedgedAt     time.Duration
	stalledAt    time.Duration
	stalled      bool  // nothing that is progress comes again
	postponed    *Exit // that of a signal or EOF which a dialog or wedge keeps waiting: no event is printed any more
	warned       bool  // a signal came while the exit waits: the next one is obeyed at once
	stdinEnd     bool
	lastLine     bool // it hears a line that only the end of stdin has ended
	backpressure bool // stdout is full and nobody reads it
	cutUnread    cutUnread

	closedOut, closedErr bool
}

func (w *Worker) alive() bool { return w.started && w.exited == nil }

// leaving reports whether a signal or EOF is taking the process down: its listeners are gone.
func (w *Worker) leaving() bool { return w.leave != nil && !w.reap }

// silent reports whether events are no longer printed. Commands are answered until the worker leaves.
func (w *Worker) silent() bool {
	return w.leaving() || w.lastLine || w.postponed != nil && w.mode != script.ModeTUI
}

// Signal sends the worker a signal (docs/pi-formats.md, section 10).
func (w *Worker) Signal(now time.Duration, signal string, out []Output) []Output {
	w.enter(now, out)
	if w.alive() {
		w.signalled(signal)
	}
	return w.result()
}

func (w *Worker) signalled(signal string) {
	switch {
	case signal == "SIGKILL":
		w.exit(Exit{Code: -1, Signal: signal})
	case w.wedge == script.WedgeFrozen: // pending until it goes on
	case signal == "SIGTERM" || signal == "SIGHUP":
		w.terminated(signal)
	case signal == "SIGTSTP" && w.Suspends():
		w.suspend()
	case signal == "SIGCONT" && w.suspended():
		w.unsuspend()
	case signal == "SIGINT" && w.suspended():
	case signal == "SIGSTOP" || signal == "SIGTSTP" || signal == "SIGCONT" || signal == "SIGCHLD" || signal == "SIGWINCH":
	default:
		w.exit(Exit{Code: -1, Signal: signal})
	}
}

// terminated lets Pi abort the run, save what it has and go. That waits for an open dialog to close, and behind a wedge
// for ever; the second signal ends it.
func (w *Worker) terminated(signal string) {
	if w.wedge == script.WedgeSpinning || w.leaving() {
		return
	}
	if w.mode == script.ModeTUI && w.wedge == "" {
		w.hangUp(signal)
		return
	}
	exit := Exit{Code: 143}
	switch {
	case w.mode == script.ModeTUI && !w.rules.tuiByHand:
		w.exit(Exit{Code: -1, Signal: signal})
		return
	case w.mode == script.ModeTUI:
		exit.Code = 0
	case signal == "SIGHUP":
		exit.Code = 129
	}
	blocked := w.rules.saves && (w.dialog.open || w.wedge == script.WedgeDeaf)
	if blocked && !w.warned {
		w.warned = true
		w.postpone(exit)
		return
	}
	w.leaveBy(exit, w.farewell(), !blocked)
	if !w.rules.saves {
		w.killTools()
	}
}

// postpone lets an exit wait. It stays the one for which the worker was asked first.
func (w *Worker) postpone(exit Exit) {
	if w.postponed == nil {
		w.postponed = &exit
	}
}

// farewell is how long the worker takes to go on a signal.
func (w *Worker) farewell() time.Duration {
	if w.mode == script.ModeTUI {
		return tuiDelay
	}
	return signalDelay
}

// leavePostponed is the end by a signal or EOF that has waited for a dialog: what was open ends as an abort ends it. Of the
// commands that waited too, aborts are answered, and compactions that come to nothing.
func (w *Worker) leavePostponed(d dialog) {
	w.leaveBy(*w.postponed, w.farewell(), true)
	for _, id := range d.aborts {
		w.write(Out, &native.Response{ID: id, Command: native.Some(native.CmdAbort), Success: true}, false)
	}
	for _, r := range d.held {
		if _, ok := w.cut(); r.name == native.CmdCompact && !ok {
			failure := native.Some(w.nothingToCompact())
			w.write(Out, &native.Response{ID: r.id, Command: native.Some(r.name), Error: failure}, false)
		}
	}
}

// leaveBy starts the way out: nothing more is printed; what was under way is aborted and saved.
func (w *Worker) leaveBy(e Exit, delay time.Duration, save bool) {
	w.parting = w.Truth(w.now)
	w.meets()
	w.leave, w.leaveAt, w.reap = &e, w.now+delay, false
	if save && w.rules.saves && w.busy() {
		w.aborting = true
		w.abortRun()
	}
	w.leaveScreen()
}

// killTools ends the processes of open calls, of which no record tells.
func (w *Worker) killTools() {
	for i := range w.calls {
		w.calls[i].ended = w.calls[i].ended || w.calls[i].pid > 0
	}
}

// CloseStdin ends the worker's stdin. An rpc worker exits, even in the middle of a run; a one-shot that waited for it
// begins.
func (w *Worker) CloseStdin(now time.Duration, out []Output) []Output {
	w.enter(now, out)
	waited := w.started && w.waitsForStdin()
	w.stdinEnd = true
	if waited && w.mode == script.ModeJSON {
		w.printHeader()
	}
	if w.alive() && w.mode == script.ModeTUI {
		w.loseTerminal()
		return w.result()
	}
	if w.alive() && !w.leaving() && w.hears() && w.mode == script.ModeRPC {
		w.endOfInput()
	}
	return w.result()
}

// endOfInput lets an rpc worker go. Under a dialog nothing else keeps Pi 1.6 running, so that it exits with the call open,
// unless the dialog's timer runs: it then waits for that, as on a signal.
func (w *Worker) endOfInput() {
	if w.rules.saves && w.dialog.open && w.dialog.timeout != never {
		w.postpone(Exit{})
		return
	}
	if w.asking.answered && w.freeAt() == w.now {
		w.begin() // Pi has read the prompt before
	}
	delay := idleEOFDelay
	if w.busy() && !w.dialog.open {
		delay = w.rules.busyEOF
	}
	w.leaveBy(Exit{}, delay, !w.dialog.open)
}

// leaveOneShot lets a settled one-shot exit when it has had its last prompt, unless the script says how it ends.
func (w *Worker) leaveOneShot() {
	if !w.mode.OneShot() || w.leave != nil {
		return
	}
	leaves := !w.linger
	for _, s := range w.steps[w.next:] {
		switch s.Action.(type) {
		case script.Exits, script.Killed, script.Lingers:
			leaves = false
		case script.Prompt:
			return
		}
	}
	code := 0
	if w.mode == script.ModePrint {
		code = w.printReply()
	}
	if leaves {
		w.leave, w.leaveAt, w.reap = &Exit{Code: code}, w.now+oneShotDelay, true
	}
}

// printReply is all that print mode prints: the text of the last reply, or why there is none. It returns the exit status,
// which in this mode tells of the work.
func (w *Worker) printReply() int {
	if w.last == nil {
		return 0
	}
	if stop := w.last.StopReason; stop == "error" || stop == "aborted" {
		w.emit(Err, []byte(cmp.Or(w.last.ErrorMessage.V, "Request "+stop)+"\n"), false)
		return 1
	}
	for _, b := range w.last.Content {
		if t, ok := b.(*native.TextBlock); ok {
			w.emit(Out, append([]byte(t.Text), '\n'), w.moved(w.rules.terminal))
		}
	}
	if w.last.StopReason == "length" && w.rules.tellsCut {
		w.emit(Err, []byte("Response was truncated: the model reached its output token limit.\n"), false)
		return 1
	}
	return 0
}

// crash is an exception that Pi does not catch (docs/pi-formats.md, section 6).
func (w *Worker) crash(exception string) {
	w.emit(Err, []byte(exception), false)
	w.exit(Exit{Code: 1})
}

// exit ends the process at once. Children of tools go on unless Pi took them down.
func (w *Worker) exit(e Exit) {
	w.flushUpdates()
	if e.Signal == "" {
		w.closeScreen()
	}
	if !w.leaving() {
		w.meets()
	}
	w.noteEnd(e)
	w.exited, w.exitAt, w.leave = &e, w.now, nil
	if !w.closesLater(Out) {
		w.closeStream(w.mainStream())
	}
	if !w.closesLater(Err) {
		w.closeStream(Err)
	}
	w.out = append(w.out, Output{At: w.now, Exit: &e})
}

// closesLater reports whether a step that is still to come closes a stream.
func (w *Worker) closesLater(stream string) bool {
	for _, s := range w.steps[w.next:] {
		if eof, ok := s.Action.(script.EOF); ok && eof.Stream == stream {
			return true
		}
	}
	return false
}

func (w *Worker) mainStream() string {
	if w.mode == script.ModeTUI {
		return PTY
	}
	return Out
}

// closed reports whether a stream has ended.
func (w *Worker) closed(stream string) bool {
	switch stream {
	case w.mainStream():
		return w.closedOut
	case Err:
		return w.closedErr
	}
	return false
}

// closeStream ends one of the worker's streams, once.
func (w *Worker) closeStream(stream string) {
	closed := &w.closedOut
	if stream == Err {
		closed = &w.closedErr
		if w.mode == script.ModeTUI {
			return // a terminal has one
		}
	}
	if !*closed {
		w.flushUpdates()
		*closed = true
		w.out = append(w.out, Output{At: w.now, Stream: stream, Closed: true})
	}
}

// stall ends all that is under way, for ever.
func (w *Worker) stall() {
	if w.stalled {
		return
	}
	w.stalled, w.stalledAt = true, w.now
	w.stream = stream{}
	w.retries.until = never
	w.compaction.end, w.left = never, nil
	if w.resumeAt > 0 {
		w.resumeAt = never
	}
	for i := range w.calls {
		w.calls[i].frozen = true
	}
	if w.asking.active {
		w.asking.at = never
	}
}

func (w *Worker) wedged(how script.Wedge) {
	w.stall()
	w.wedge, w.wedgedAt = how, w.now
	if how != script.WedgeDeaf {
		w.chatter = nil
	}
}

// exits is the verb of that name.
func (w *Worker) exits(i int, a script.Exits) {
	w.closeScreen() // a terminal shows the text behind it
	if text := w.texts[i]; text != "" {
		w.emit(Err, []byte(strings.TrimSuffix(text, "\n")+"\n"), false)
	}
	w.exit(Exit{Code: a.Code})
}
