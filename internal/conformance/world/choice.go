package world

import "time"

// Point is a kind of choice: what about a history could have been otherwise. All choices of a history are made in the
// order in which they come, by one Chooser; the first way is always what happens in the base history.
type Point uint8

// The points. An order and a race are open in every world that has them, the others where Recovery.Points says so.
const (
	// PointOrder is which of the sources with an event at this instant comes first.
	PointOrder Point = iota
	// PointRace is when the step of a race comes, chosen before anything happens: not at all, 1 ms before its anchor, at it
	// and first, at it and last, 1 ms after it.
	PointRace
	// PointCrash is whether the watchdog crashes in this step, and at which boundary (crash.go).
	PointCrash
	// PointDowntime is what a crash that was chosen costs: nothing, time with everything spooled, time with the bytes lost,
	// time and the workers.
	PointDowntime
	// PointOutcome is what becomes of a command: as things are, failed, refused, unknown and done, unknown and not done.
	PointOutcome
	// PointDelay is how long a command takes: its latency, or ten times that.
	PointDelay
	// PointDeath is whether a worker is killed right before it does something: not, with nothing of it shown, with its first
	// line torn.
	PointDeath
)

// String returns the word that a list of choices shows.
func (p Point) String() string {
	return [...]string{"order", "race", "crash", "downtime", "outcome", "delay", "death"}[p]
}

// Points is a set of them.
type Points uint8

// PointsOf makes a set.
func PointsOf(points ...Point) Points {
	var set Points
	for _, p := range points {
		set |= 1 << p
	}
	return set
}

// Has reports whether a point is in the set.
func (s Points) Has(p Point) bool { return s&(1<<p) != 0 }

// Choice is one point of a history at which it could have gone another way.
type Choice struct {
	Point  Point
	N      int           // how many ways there were, at least 2
	Picked int           // from 0
	Of     string        // the race, the worker that may die, the key of the command
	At     time.Duration // on Mono, of an order, a crash, a downtime and a death
	Named  bool          // of a crash: it falls into a step that Recovery.CrashAt names
}

// Label says what was chosen among, the same in every history that has this choice.
func (c *Choice) Label() string {
	switch c.Point {
	case PointRace:
		return "race " + c.Of
	case PointOutcome, PointDelay:
		return c.Point.String() + " of " + c.Of
	case PointDeath:
		return "death of " + c.Of + " at " + c.At.String()
	}
	return c.Point.String() + " at " + c.At.String()
}

// Chooser makes the choices of one history by a vector: the i-th choice takes the i-th number, and 0 behind the
// vector's end. The history of the empty vector is the base history.
type Chooser struct {
	vector []int
	taken  []Choice
	stray  bool
}

// NewChooser returns a chooser that follows a vector.
func NewChooser(vector []int) *Chooser { return &Chooser{vector: vector} }

// Choose picks one of the ways of a choice, which it completes; a choice of one way is none. A number of the vector that is
// out of range counts as 0 and is remembered as stray.
func (c *Chooser) Choose(choice Choice) int {
	if choice.N < 2 {
		return 0
	}
	choice.Picked = 0
	if i := len(c.taken); i < len(c.vector) {
		choice.Picked = c.vector[i]
	}
	if choice.Picked < 0 || choice.Picked >= choice.N {
		choice.Picked, c.stray = 0, true
	}
	c.taken = append(c.taken, choice)
	return choice.Picked
}

// deviates reports whether the next choice will be another than the first way, if there is one.
func (c *Chooser) deviates() bool { return len(c.taken) < len(c.vector) && c.vector[len(c.taken)] != 0 }

// Taken lists the choices so far.
func (c *Chooser) Taken() []Choice { return c.taken }

// Fits reports whether the history had every choice that the vector speaks of: it does not if the scenario, the world
// or the subject is another than the one that the vector was made for.
func (c *Chooser) Fits() bool { return !c.stray && len(c.vector) <= len(c.taken) }
