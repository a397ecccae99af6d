package fakepi

import "fakepi.example/fakepi/native"

// unsavable says why a prompt cannot be saved; empty: it can. Pi 1.6 finds out before it asks the model, Pi 0.73 goes on
// without a file (docs/pi-formats.md, section 8).
func (w *Worker) unsavable() string {
	if w.savable == nil || w.session.unsaved || !w.rules.fileFirst {
		return ""
	}
	if err := w.savable(w.session.path, w.session.begun); err != nil {
		return err.Error()
	}
	return ""
}

// failUnsaved ends a run whose prompt could not be saved: with a message that says so, and without the events that end
// other runs. A one-shot leaves its other prompts.
func (w *Worker) failUnsaved(why string) {
	m := w.newMessage()
	m.Content, m.StopReason = []native.Block{&native.TextBlock{}}, "error"
	m.ErrorMessage, m.Synthetic = native.Some(why), true
	w.last = m
	w.print(&native.MessageStart{Message: m}, true)
	w.print(&native.MessageEnd{Message: m}, true)
	w.running, w.turn, w.owed = false, false, false
	if w.mode.OneShot() {
		w.abandon(why)
	}
	w.settle(false)
}
