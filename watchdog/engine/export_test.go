package engine

import "fakepi.example/watchdog"

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
