package engine

import "fakepi.example/internal/watchdog/episode"

// Strange reports whether a worker has written what no known dialect does.
func Strange(e *Engine, worker string) bool { return e.watch.Find(worker).Strange() }

// Memory returns what a running engine remembers, as JSON.
func (e *Engine) Memory() string { return text(e.acts.Memory()) }

// Remembered returns what a journal comes to, as JSON.
func Remembered(data []byte) (string, error) {
	state, err := episode.Replay(data)
	return string(state), err
}

func text(state []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(state)
}

// Full reports whether the last commit found no room.
func (e *Engine) Full() bool { return e.acts.Full() }

// Compact replaces the journal's history by its state.
func (e *Engine) Compact() error { return e.acts.Compact() }
