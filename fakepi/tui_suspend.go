package fakepi

// Suspends reports whether the worker does more on SIGTSTP than to stop: Pi 1.6 gives the terminal back first, as both
// versions do on ctrl+z (docs/pi-formats.md, section 13).
func (w *Worker) Suspends() bool { return w.rules.tuiByHand && w.holdsTerminal() }

// holdsTerminal reports whether the terminal is the worker's.
func (w *Worker) holdsTerminal() bool {
	return w.tui.open && w.alive() && !w.leaving() && !w.tui.ui.Suspended()
}

// suspend gives the terminal back and stops the process.
func (w *Worker) suspend() {
	w.tui.ui.Suspend(w.now)
	w.written(false)
	w.out = append(w.out, Output{At: w.now, Suspended: true})
}

// unsuspend takes the terminal again, once the process goes on.
func (w *Worker) unsuspend() {
	w.tui.ui.Resume(w.now)
	w.written(false)
}

// suspended reports whether the worker waits for SIGCONT.
func (w *Worker) suspended() bool { return w.tui.open && w.tui.ui.Suspended() }
