package mutants

import (
	"slices"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// The speeches of this file give other reasons.

// wrongCause names another phase and limit than the one that an alarm is about.
func wrongCause(watchdog.Boot) speech {
	turn := func(c *watchdog.Cause) {
		if c.Phase == watchdog.VerdictWorking {
			c.Phase, c.Limit = watchdog.VerdictStreaming, watchdog.LimitStreamGap
		} else {
			c.Phase, c.Limit = watchdog.VerdictWorking, watchdog.LimitStall
		}
	}
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Verdicts {
			if v := &d.Verdicts[i]; v.Cause.Limit != "" && alarming(v) {
				turn(&v.Cause)
			}
		}
		for i := range d.Commands {
			if c := &d.Commands[i]; c.Cause.Limit != "" && tells(c) {
				turn(&c.Cause)
			}
		}
	}
}

// renamed calls one verdict by the name and limit of another.
func renamed(from, to watchdog.VerdictName, limit watchdog.Limit) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
			for i := range d.Verdicts {
				if v := &d.Verdicts[i]; v.Name == from {
					v.Name, v.Cause.Name, v.Cause.Limit = to, to, limit
				}
			}
			for i := range d.Commands {
				if c := &d.Commands[i]; c.Cause.Name == from && tells(c) {
					c.Cause.Name, c.Cause.Limit = to, limit
					c.Text = strings.ReplaceAll(c.Text, string(from), string(to))
				}
			}
		}
	}
}

// glimpse is an observation as evidence.
type glimpse struct {
	n  int
	at time.Duration
}

// alsoBecauseOf gives alarms one more piece of evidence: what remember keeps of observations.
func alsoBecauseOf(remember func(kept map[source]glimpse, o *watchdog.Observation), of func(source) source) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		kept := map[source]glimpse{}
		return func(now watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
			for i := range seen {
				remember(kept, &seen[i])
			}
			for i := range d.Verdicts {
				v := &d.Verdicts[i]
				if g, ok := kept[of(source{v.Worker, v.Generation})]; ok && alarming(v) {
					v.Evidence = withEvidence(v.Evidence, watchdog.Evidence{N: g.n, Age: now.Mono - g.at, Generation: v.Generation})
				}
			}
		}
	}
}

func first(kept map[source]glimpse, o *watchdog.Observation) {
	if _, ok := kept[sourceOf(o)]; !ok {
		latest(kept, o)
	}
}

func latest(kept map[source]glimpse, o *watchdog.Observation) {
	kept[sourceOf(o)] = glimpse{o.N, o.At.Mono}
}

func itself(s source) source      { return s }
func predecessor(s source) source { return source{s.worker, s.generation - 1} }

// withEvidence adds evidence in the order of observations, each once.
func withEvidence(list []watchdog.Evidence, e watchdog.Evidence) []watchdog.Evidence {
	i, found := slices.BinarySearchFunc(list, e.N, func(e watchdog.Evidence, n int) int { return e.N - n })
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, e)
}

// nameless leaves the call out of what is said of a stalled tool.
func nameless(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Verdicts {
			if v := &d.Verdicts[i]; v.Name == watchdog.VerdictStalledTool {
				v.Detail.Calls = nil
			}
		}
		for i := range d.Commands {
			c := &d.Commands[i]
			c.Text, _, _ = strings.Cut(c.Text, ", call ")
		}
	}
}
