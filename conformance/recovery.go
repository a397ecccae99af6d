package conformance

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// prepare finds out what the world of a case is besides its timeline: of a scenario for watchdogs that act, its races and
// where the watchdog crashes. A race against a command needs a clean run, which tells when the command comes; if it does
// not come, there is no race.
func (r *runner) prepare(c *matchCase) error {
	s := c.scenario
	if !s.Acts() || c.recovery != nil {
		return nil
	}
	c.recovery = &world.Recovery{Spawner: s.Spawner, Points: everyPoint(), Crashes: maxCrashes}
	if c.twin {
		return nil
	}
	var given []world.Given
	if slices.ContainsFunc(s.Races, func(r scenarios.Race) bool { return r.OnAct }) {
		clean, err := r.playOne(c, nil)
		if err != nil {
			return err
		}
		given = clean.summary.Given
	}
	rec := *c.recovery
	for _, race := range s.Races {
		at, ok := momentOf(race, s.Timeline, given)
		if !ok {
			continue
		}
		step, err := s.RaceStep(race, at)
		if err != nil {
			return fmt.Errorf("race of %s: %w", s.ID, err)
		}
		rec.Races = append(rec.Races, world.Race{Label: raceLabel(race), Step: step})
	}
	crash(&rec, s)
	c.recovery = &rec
	return nil
}

func raceLabel(r scenarios.Race) string {
	label := "@" + r.Anchor
	if r.End {
		label += ".end"
	}
	return label + " " + r.Step.Actor + " " + r.Step.Action.Verb()
}

// momentOf is when the anchor of a race comes.
func momentOf(r scenarios.Race, steps []script.Step, given []world.Given) (time.Duration, bool) {
	if r.OnAct {
		i := slices.IndexFunc(given, func(g world.Given) bool { return string(g.Kind) == r.Anchor })
		if i < 0 {
			return 0, false
		}
		return given[i].At, true
	}
	return labelAt(r.Anchor, r.End, steps)
}

func labelAt(label string, end bool, steps []script.Step) (time.Duration, bool) {
	for i := range steps {
		if steps[i].Label != label {
			continue
		}
		if end {
			return steps[i].End(), true
		}
		return steps[i].At, true
	}
	return 0, false
}

// everyPoint is what may go otherwise in a world for watchdogs that act.
func everyPoint() world.Points {
	return world.PointsOf(world.PointCrash, world.PointDowntime, world.PointOutcome, world.PointDelay, world.PointDeath)
}

// crash sets where a scenario names crashes of the watchdog.
func crash(rec *world.Recovery, s *scenarios.Scenario) {
	if s.Crash == nil {
		return
	}
	for _, anchor := range s.Crash.At {
		at, ok := labelAt(anchor, false, s.Timeline)
		a := world.Anchor{At: at}
		if !ok {
			a.Command = watchdog.CommandKind(anchor)
		}
		rec.CrashAt = append(rec.CrashAt, a)
	}
}
