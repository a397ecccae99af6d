package conformance

import (
	"fakepi.example/internal/conformance/world"
	"fakepi.example/scenarios"
)

// PlayWithout plays a scenario without n of its steps at a time, until every one was left out once. What cannot be played
// is refused by an error, which is all that is asked of it.
func PlayWithout(subject Subject, s *scenarios.Scenario, n int) {
	r, err := newRunner(subject, Options{})
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(s.Timeline); i += n {
		c := &matchCase{id: s.ID, scenario: s}
		for j := i; j < min(i+n, len(s.Timeline)); j++ {
			c.without = append(c.without, j)
		}
		_, _ = r.playOne(c, nil)
	}
}

// WithAgent returns the options with a further kind of workers.
func (o Options) WithAgent(name string, a world.Agent) Options {
	o.agents = map[string]world.Agent{name: a}
	return o
}
