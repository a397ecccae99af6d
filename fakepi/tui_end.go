package fakepi

import (
	"strings"
	"time"

	"fakepi.example/fakepi/script"
)

// quitDelay is how long a TUI takes to go when it is asked to by keys, measured.
const quitDelay = 75 * time.Millisecond

// quit lets the user end the worker.
func (w *Worker) quit() {
	w.tui.quits = true
	w.leaveBy(Exit{}, quitDelay, true)
}

// hangUp is what SIGTERM and SIGHUP do to a TUI. The menu that it may begin with handles none. Pi 1.6 waits for an open
// dialog, however many signals come.
func (w *Worker) hangUp(signal string) {
	switch {
	case !w.tui.open:
		w.exit(Exit{Code: -1, Signal: signal})
	case w.rules.tuiByHand && w.dialog.open:
		w.postponed = &Exit{}
	case w.rules.tuiByHand:
		w.cancelBash()
		w.leaveBy(Exit{}, tuiDelay, true)
	case signal == "SIGHUP":
		w.tui.open = false // nothing is restored
		w.exit(Exit{Code: 129})
		w.killTools()
	default:
		w.tui.ui.Kill()
		w.written(false)
		w.exit(Exit{Code: -1, Signal: signal})
		w.killTools()
	}
}

// loseTerminal ends a TUI whose terminal has gone. Pi 1.6 is told by a signal, and by the failure of what it draws, if it
// draws; Pi 0.73 fails when it gives the terminal back.
func (w *Worker) loseTerminal() {
	rests := !w.tui.open || !w.dialog.open && !w.busy() && len(w.bashes) == 0 && !w.suspended()
	w.tui.open = false // nobody is left to be written to
	switch {
	case w.leaving():
		return
	case !w.rules.tuiByHand:
		w.exit(Exit{Code: -1, Signal: "SIGABRT"})
	case rests:
		w.exit(Exit{})
	case w.busy() && !w.dialog.open:
		w.leaveBy(Exit{Code: 129}, signalDelay, true)
		return
	default:
		w.exit(Exit{Code: 129})
	}
	w.killTools()
}

// Restore returns the bytes that give the terminal back, for a process that ends otherwise than by the worker's exit.
func (w *Worker) Restore() []byte {
	if !w.tui.open {
		return nil
	}
	w.tui.open = false
	w.tui.ui.Leave(w.now)
	w.tui.ui.Close(w.now)
	return []byte(strings.Join(w.tui.ui.Written(), ""))
}

// showsEnd reports whether what ends because the worker goes is still shown: in a terminal, unless the user ends it.
func (w *Worker) showsEnd() bool { return w.mode == script.ModeTUI && !w.tui.quits }

// leaveScreen begins the end of the screen: what was under way is shown as it was left.
func (w *Worker) leaveScreen() {
	if !w.tui.open {
		return
	}
	if w.rules.tuiByHand && !w.tui.quits {
		w.tui.ui.Retitle(w.windowTitle())
	}
	w.tui.ui.Leave(w.now)
	w.written(false)
}

// closeScreen gives the terminal back as it was found, once, where the worker goes by itself.
func (w *Worker) closeScreen() {
	if !w.tui.open {
		return
	}
	if !w.leaving() {
		w.leaveScreen()
	}
	w.tui.open = false
	w.tui.ui.Close(w.now)
	if w.tui.quits || !w.rules.tuiByHand {
		w.tui.ui.Retitle(w.windowTitle())
	}
	w.written(false)
	if w.tui.quits && w.rules.tuiByHand && w.session.exists {
		w.emit(PTY, []byte("\x1b[2mTo resume this session:\x1b[22m\npi --session "+w.session.header.ID+"\n"), false)
	}
}
