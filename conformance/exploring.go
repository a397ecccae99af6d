package conformance

import (
	"fmt"
	"slices"
	"strings"

	"fakepi.example/internal/conformance/world"
)

// Exploration says which histories around the base history of a case are played.
type Exploration string

// The explorations. Each holds the one before it.
const (
	ExploreNone    Exploration = "none"    // the base history alone
	ExploreBounded Exploration = "bounded" // orders, and of a scenario for watchdogs that act its races and the crashes it names
	ExploreFull    Exploration = "full"    // also crashes at every boundary, two in one history, every outcome and delay of a command, deaths of workers
)

// Explorations lists them.
func Explorations() []Exploration { return []Exploration{ExploreNone, ExploreBounded, ExploreFull} }

const (
	// DefaultHistories is how many histories of one case a bounded exploration plays if the options do not say.
	DefaultHistories = 64
	// FullHistories is how many of them a full one plays.
	FullHistories = 1000
)

// maxEvents is how many events one case of a bounded exploration may cost before no further history of it is begun.
const maxEvents = 2_000_000

// maxCrashes is how often the watchdog crashes in one history.
const maxCrashes = 2

// explores checks what the options say of the exploration, and completes it.
func (o *Options) explores() error {
	if o.Explore == "" {
		o.Explore = ExploreBounded
	}
	if !slices.Contains(Explorations(), o.Explore) {
		return fmt.Errorf("%w: no exploration %q; known: %s", ErrOptions, o.Explore, join(Explorations()))
	}
	switch {
	case o.Explore == ExploreNone:
		o.Histories = 1
	case o.Histories > 0:
	case o.Explore == ExploreFull:
		o.Histories = FullHistories
	default:
		o.Histories = DefaultHistories
	}
	return nil
}

func join[S ~string](words []S) string {
	var list []string
	for _, w := range words {
		list = append(list, string(w))
	}
	return strings.Join(list, ", ")
}

// allows says which choices of a case may deviate from its base history. The world offers all of them in every
// exploration, so that a vector means the same in each.
func (r *runner) allows(c *matchCase) func(*world.Choice) bool {
	crashes := c.scenario.Crash != nil && !c.twin
	switch r.opts.Explore {
	case ExploreNone:
		return func(*world.Choice) bool { return false }
	case ExploreFull:
		return func(*world.Choice) bool { return true }
	}
	return func(choice *world.Choice) bool {
		switch choice.Point {
		case world.PointOrder, world.PointRace:
			return true
		case world.PointCrash:
			return crashes && choice.Named
		case world.PointDowntime:
			return crashes
		}
		return false
	}
}

// faulty reports whether a history has a fault that its watchdog must answer: a worker that died, a command that failed,
// bytes that were lost.
func faulty(choices []world.Choice) bool {
	return slices.ContainsFunc(choices, func(c world.Choice) bool {
		switch c.Point {
		case world.PointDeath, world.PointOutcome, world.PointDowntime:
			return c.Picked != 0
		}
		return false
	})
}
