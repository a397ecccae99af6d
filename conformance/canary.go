package conformance

import (
	"context"
	"slices"

	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// Canary is what became of a watchdog that answers nothing. Whatever a scenario expects to come does not come, so each one
// must fail; where it does not, the suite hears nobody.
type Canary struct {
	Cases  int      // that expect something
	Passed []string // of them
}

// mute is a watchdog that answers nothing.
type mute struct{}

func (mute) Name() string                                   { return "canary" }
func (mute) Start(watchdog.Boot) (watchdog.Watchdog, error) { return mute{}, nil }
func (mute) Step(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
	return watchdog.Decision{}, nil
}

// playCanary plays the base history of every case that expects something to come.
func playCanary(ctx context.Context, all []scenarios.Scenario, o Options) (Canary, error) {
	cases, err := choose(all, o)
	if err != nil {
		return Canary{}, err
	}
	cases = slices.DeleteFunc(cases, func(c matchCase) bool { return !c.expectsAnything() })
	o.Explore, o.Progress = ExploreNone, nil
	r, err := newRunner(mute{}, o)
	if err != nil {
		return Canary{}, err
	}
	r.terse = true
	run, err := r.run(ctx, cases)
	if err != nil {
		return Canary{}, err
	}
	c := Canary{}
	for i := range run.Cases {
		switch k := &run.Cases[i]; k.Status {
		case NotApplicable:
		case Fail, Warn:
			c.Cases++
		default:
			c.Cases++
			c.Passed = append(c.Passed, k.ID)
		}
	}
	return c, nil
}

func (c *matchCase) expectsAnything() bool {
	return slices.ContainsFunc(c.expects(), func(e scenarios.Expect) bool { return !e.Never })
}
