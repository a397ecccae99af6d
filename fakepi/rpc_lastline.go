package fakepi

import "time"

// LastLine ends the stdin of an rpc worker by a line that has no line feed. Pi hears it when it is already going: no event is
// printed any more, no run begins, and only what is answered within the dialect's turns is (docs/pi-formats.md, section 6).
func (w *Worker) LastLine(now time.Duration, line []byte, out []Output) []Output {
	w.enter(now, out)
	if w.alive() && !w.stdinEnd && !w.leaving() && w.hears() && w.driven {
		w.lastLine = true
		w.hearTogether([][]byte{line}, w.rules.lastTurn)
		w.lastLine = false
		if w.asking.answered {
			w.asking = asking{}
		}
	}
	return w.CloseStdin(now, w.result())
}
