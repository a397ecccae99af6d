package fakepi

import "fakepi.example/fakepi/script"

// scripted is how many of the steps are to be played: the spare reply waits for somebody who prompts.
func (w *Worker) scripted() int {
	if w.otherClients && !w.otherPrompted {
		return w.spare
	}
	return len(w.steps)
}

// serveOther prepares the reply to the prompt of another client than the script's.
func (w *Worker) serveOther() {
	w.otherPrompted = true
	w.next = w.spare + 1
	w.shift = w.now - w.steps[w.spare].At
	switch {
	case w.stallsAgain():
		w.next = len(w.steps)
	case w.wedge == "":
		w.stalled = false
	}
}

// stallsAgain reports whether the script says that no later prompt is answered.
func (w *Worker) stallsAgain() bool {
	for _, s := range w.steps {
		if a, ok := s.Action.(script.Stalls); ok && a.Again {
			return true
		}
	}
	return false
}
