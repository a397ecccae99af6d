package mutants

import (
	"maps"
	"math"
	"slices"
	"time"

	"fakepi.example/watchdog"
)

// forever is a limit that never passes.
const forever = time.Duration(math.MaxInt64)

// policy changes limits. An override of a limit that it changes is forgotten.
func policy(change func(*watchdog.Limits)) lie {
	return func(inner start) start {
		return func(boot watchdog.Boot) (watchdog.Watchdog, error) {
			boot.Policy = changed(boot.Policy, change)
			return inner(boot)
		}
	}
}

func changed(p watchdog.Policy, change func(*watchdog.Limits)) watchdog.Policy {
	before := p.Limits
	change(&p.Limits)
	p.Overrides = slices.Clone(p.Overrides)
	for i := range p.Overrides {
		o := &p.Overrides[i]
		o.Set = maps.Clone(o.Set)
		maps.DeleteFunc(o.Set, func(name, _ string) bool { return before.Get(name) != p.Limits.Get(name) })
	}
	return p
}
