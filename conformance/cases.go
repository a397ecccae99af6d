package conformance

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/scenarios"
)

var (
	// ErrNoCases says that nothing was to be judged: a suite that checks nothing must not pass.
	ErrNoCases = errors.New("no cases")
	// ErrOptions is wrapped by the error about an option that makes no sense.
	ErrOptions = errors.New("options")
)

// TwinSuffix marks the case of a scenario's twin.
const TwinSuffix = "~twin"

// matchCase is one scenario or twin to be played.
type matchCase struct {
	id       string
	scenario *scenarios.Scenario
	twin     bool
	without  []int           // steps that are left out, rising; what the scenario expects then holds no more
	recovery *world.Recovery // set by prepare, where the subject is to act
}

// steps is the timeline without what is left out.
func (c *matchCase) steps() []script.Step {
	all := c.scenario.Timeline
	if c.twin {
		all = c.scenario.Twin.Timeline
	}
	if len(c.without) == 0 {
		return all
	}
	var left []script.Step
	for i := range all {
		if _, out := slices.BinarySearch(c.without, i); !out {
			left = append(left, all[i])
		}
	}
	return left
}

func (c *matchCase) horizon() time.Duration {
	if c.twin {
		return c.scenario.Twin.Horizon
	}
	return c.scenario.Horizon
}

func (c *matchCase) expects() []scenarios.Expect {
	if c.twin {
		return c.scenario.Twin.Expects
	}
	return c.scenario.Expects
}

// allCases lists the cases of a matrix: each scenario, then its twin.
func allCases(all []scenarios.Scenario) []matchCase {
	var cases []matchCase
	for i := range all {
		s := &all[i]
		cases = append(cases, matchCase{id: s.ID, scenario: s})
		if s.Twin != nil {
			cases = append(cases, matchCase{id: s.ID + TwinSuffix, scenario: s, twin: true})
		}
	}
	return cases
}

// choose picks the cases that the options ask for.
func choose(all []scenarios.Scenario, o Options) ([]matchCase, error) {
	if _, err := path.Match(o.CaseGlob, ""); err != nil {
		return nil, fmt.Errorf("%w: case %q is no pattern: write it like stall/* or */*", ErrOptions, o.CaseGlob)
	}
	profiles, err := ProfilesOf(o.Profile)
	if err != nil {
		return nil, err
	}
	if !judges(o.Profile, all) {
		return nil, fmt.Errorf("%w: nothing of profile %s is judged yet; leave it out, or take core or explain", ErrNoCases, o.Profile)
	}
	var chosen []matchCase
	for _, c := range allCases(all) {
		if slices.Contains(profiles, c.scenario.Profile) && o.matches(&c) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%w: %d scenarios, none of profile %s fits %q", ErrNoCases, len(all), strings.Join(profiles, ", "), o.CaseGlob)
	}
	return chosen, nil
}

// judges reports whether a run of a profile judges anything of it: core and explain are judged in every scenario, the
// others in scenarios of their own.
func judges(profile string, all []scenarios.Scenario) bool {
	return profile == "" || profile == scenarios.ProfileCore || profile == "explain" ||
		slices.ContainsFunc(all, func(s scenarios.Scenario) bool { return s.Profile == profile })
}

func (o *Options) matches(c *matchCase) bool {
	if o.CaseGlob == "" {
		return true
	}
	for _, name := range []string{c.id, c.scenario.ID} {
		if ok, _ := path.Match(o.CaseGlob, name); ok {
			return true
		}
	}
	return false
}

// ProfilesOf lists the profiles whose scenarios belong to a run of one profile: basic is in core, and core in every other. The
// empty one is all. The error wraps ErrOptions.
func ProfilesOf(profile string) ([]string, error) {
	known := scenarios.Profiles()
	switch {
	case profile == "":
		return known, nil
	case !slices.Contains(known, profile):
		return nil, fmt.Errorf("%w: no profile %q; known: %s", ErrOptions, profile, strings.Join(known, ", "))
	case profile == scenarios.ProfileBasic:
		return []string{profile}, nil
	case profile == scenarios.ProfileCore:
		return []string{scenarios.ProfileBasic, profile}, nil
	}
	return []string{scenarios.ProfileBasic, scenarios.ProfileCore, profile}, nil
}

// excused says why a case does not apply to a subject, or "".
func (c *matchCase) excused(features []string, d native.Dialect) string {
	for _, f := range c.scenario.Features {
		if !slices.Contains(features, f) {
			return "the subject does not declare " + f
		}
	}
	if own := c.scenario.Dialects; len(own) > 0 && !slices.Contains(own, string(d)) {
		return fmt.Sprintf("%s cannot show it: %s", d, c.scenario.Why)
	}
	return ""
}
