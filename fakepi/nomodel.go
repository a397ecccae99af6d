package fakepi

import "fakepi.example/fakepi/native"

// unknownModel is the model of a Pi that knows none.
func unknownModel() *native.Model {
	return &native.Model{ID: "unknown", Name: "unknown", API: "unknown", Provider: "unknown", Input: []string{}}
}

// NoModels is what a dialect's Pi says where it knows no model that it can ask.
func NoModels(d native.Dialect) string { return "No models available. " + loginHelp(d) }

// noKey is what it says instead of asking.
func noKey(d native.Dialect) string {
	return "No API key found for the selected model.\n\n" + loginHelp(d)
}

// loginHelp names pages of Pi's documentation, in the folder that npm installs for all users.
func loginHelp(d native.Dialect) string {
	docs := "/usr/local/lib/node_modules/@earendil-works/pi-coding-agent/docs/"
	if d == native.Pi073 {
		docs = "/usr/local/lib/node_modules/@mariozechner/pi-coding-agent/docs/"
	}
	return "Use /login to log into a provider via OAuth or API key. See:\n  " + docs + "providers.md\n  " + docs + "models.md"
}

// modelless reports whether there is no model to ask.
func (w *Worker) modelless() bool { return len(w.models) == 0 }

// abandon ends a one-shot that says why it cannot go on, and leaves its other prompts.
func (w *Worker) abandon(why string) {
	w.emit(Err, []byte(why+"\n"), false)
	w.leave, w.leaveAt, w.reap = &Exit{Code: 1}, w.now+oneShotDelay, true
}
