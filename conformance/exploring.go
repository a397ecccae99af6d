package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"fakepi.example/conformance/explore"
	"fakepi.example/conformance/world"
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

// exploration is a case whose histories are being played.
type exploration struct {
	c      *matchCase
	result CaseResult
	base   *history
	todo   *explore.Explorer
	sum    hash.Hash
	over   bool // there is nothing more to be played
}

func (r *runner) begin(c *matchCase) *exploration {
	e := &exploration{c: c, sum: sha256.New(), todo: explore.New(r.allows(c)), result: CaseResult{
		ID: c.id, Title: c.scenario.Title, Family: c.scenario.Family, Requires: c.scenario.Requires,
	}}
	if why := c.excused(r.features, r.opts.Dialect); why != "" {
		e.result.Status, e.result.Reason, e.over = NotApplicable, why, true
	}
	return e
}

// explore goes on until so many histories of a case were played, or there is no other.
func (r *runner) explore(e *exploration, most int) {
	for !e.over && e.result.Histories < most {
		vector, more := e.todo.Next()
		if !more {
			e.over = true
			break
		}
		if err := r.advance(e, vector); err != nil {
			e.result.Status, e.result.Reason, e.over = HarnessError, err.Error(), true
		}
	}
	e.finish(r.opts.Explore)
}

// advance plays one more history. The first is the base history.
func (r *runner) advance(e *exploration, vector []int) error {
	if e.base == nil {
		if err := r.prepare(e.c); err != nil {
			return err
		}
	}
	play := r.playTwice
	if r.terse || e.base != nil && !r.opts.Audit {
		play = func(c *matchCase, vector []int) (*history, error) { return r.playOne(c, vector) }
	}
	h, err := play(e.c, vector)
	if err != nil {
		return err
	}
	if e.base == nil {
		e.base = h
	}
	result := &e.result
	result.Histories++
	result.Events += h.summary.Events
	result.Span += h.summary.Span
	e.sum.Write(h.digest[:])
	r.report(e.c, vector, h, result)
	e.todo.Played(vector, h.summary.Choices)
	e.over = r.opts.Explore == ExploreBounded && result.Events > maxEvents
	return nil
}

// finish notes what the histories played so far came to.
func (e *exploration) finish(how Exploration) {
	c := &e.result
	if c.Status == HarnessError || c.Status == NotApplicable {
		return
	}
	c.Verdicts = e.base.verdicts
	if c.Reach = e.todo.Reach(); how == ExploreNone {
		c.Reach = explore.Reach{}
	}
	c.Capped = how != ExploreNone && !c.Reach.Complete
	c.Digest = hex.EncodeToString(e.sum.Sum(nil))
	c.rate()
}
