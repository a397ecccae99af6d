package engine

import (
	"encoding/json"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// Phase is what the page docs/verdicts.md tells of a row of the phase table.
type Phase struct {
	Name, Past watchdog.VerdictName
	Limit      watchdog.Limit
}

// Phases lists the rows of the phase table in their order.
func Phases() []Phase {
	var list []Phase
	for _, r := range table {
		list = append(list, Phase{r.phase, r.past, r.limit})
	}
	return list
}

// Strange reports whether a worker has written what no known dialect does.
func Strange(e *Engine, worker string) bool { return e.byID[worker].dialect.strange }

// Memory returns the state that a running engine has folded, as JSON.
func (e *Engine) Memory() string { return memoryText(e.recovery.memory) }

// Remembered returns the state that a journal comes to, as JSON.
func Remembered(data []byte) (string, error) {
	m := newMemory()
	_, err := journal.Replay(data, m.fold)
	return memoryText(m), err
}

func memoryText(m *memory) string {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Full reports whether the last commit found no room.
func (e *Engine) Full() bool { return e.recovery.full }

// Compact replaces the journal's history by its state.
func (e *Engine) Compact() error { return e.compact() }
