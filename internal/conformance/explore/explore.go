// Package explore enumerates the histories around a base history. A history is a vector of choices (package world); the
// empty vector is the base history. Every vector comes exactly once, those with fewer deviations first, and all of one
// number before the first of the next, so that a single fault is never left out for a combination.
package explore

import (
	"fmt"

	"fakepi.example/internal/conformance/world"
)

// maxParents is how many vectors with the same number of deviations are kept to deviate from once more. What follows from
// others is not explored, and counts as missing.
const maxParents = 1 << 14

// Explorer gives the vectors of one case: Next, and Played with what came of it. Several may be asked for before the first of
// them is played, as long as Played is called for them in the order in which they were given; how many decides what comes
// next.
type Explorer struct {
	allows  func(*world.Choice) bool
	level   int       // deviations of the vectors that are given now
	now     []*parent // of vectors of this level that are not given yet
	turn    int       // which of them is next
	later   []*parent // of vectors of the next level
	begun   bool
	open    int // vectors that were given and not yet played
	beyond  int // vectors of this level that were played
	missing int // least number of deviations of a vector that will not be given; 0 = none
}

// New explores the deviations that are allowed. What is allowed must depend on the choice alone.
func New(allows func(*world.Choice) bool) *Explorer { return &Explorer{allows: allows} }

// Next returns the next vector, and false if all have been given, or if what comes next depends on one that is not yet
// played.
func (e *Explorer) Next() ([]int, bool) {
	if !e.begun {
		e.begun, e.open = true, 1
		return nil, true
	}
	if len(e.now) == 0 && len(e.later) > 0 && e.open == 0 {
		e.level, e.now, e.later, e.turn, e.beyond = e.level+1, e.later, nil, 0, 0
	}
	if len(e.now) == 0 {
		return nil, false
	}
	e.open++
	p := e.now[e.turn]
	vector := p.next()
	if p.left() == 0 {
		e.now = append(e.now[:e.turn], e.now[e.turn+1:]...)
	} else {
		e.turn++
	}
	if e.turn >= len(e.now) {
		e.turn = 0
	}
	return vector, true
}

// Played adds the histories that follow from a played one: they agree with it up to its last deviation and deviate once
// more behind it. The downtime of a crash is part of that crash and no deviation of its own.
func (e *Explorer) Played(vector []int, taken []world.Choice) {
	e.open--
	if vector != nil {
		e.beyond++
	}
	same, more := e.parents(vector, taken)
	e.now = e.keep(e.now, same, e.level)
	e.later = e.keep(e.later, more, e.level+1)
}

func (e *Explorer) keep(list []*parent, p *parent, level int) []*parent {
	switch {
	case p.left() == 0:
		return list
	case len(list) >= maxParents:
		if e.missing == 0 || level < e.missing {
			e.missing = level
		}
		return list
	}
	return append(list, p)
}

// parents sorts what deviates behind a vector: what counts as the same number of deviations, and as one more.
func (e *Explorer) parents(vector []int, taken []world.Choice) (same, more *parent) {
	same, more = &parent{vector: vector}, &parent{vector: vector}
	for i := len(vector); i < len(taken); i++ {
		others := 0
		if e.allows(&taken[i]) {
			others = min(taken[i].N-1, maxWays)
		}
		named := taken[i].Point == world.PointRace
		if taken[i].Point == world.PointDowntime {
			same.add(others, named)
			more.add(0, named)
		} else {
			same.add(0, named)
			more.add(others, named)
		}
	}
	return same, more
}

// Reach is how far an exploration has come.
type Reach struct {
	Complete   bool // there is no other history
	Deviations int  // every history with at most so many was played
	Beyond     int  // histories with one more that were played
}

// String returns "complete", or the frontier in words.
func (r Reach) String() string {
	if r.Complete {
		return "complete"
	}
	return fmt.Sprintf("every history with up to %s, and %d with one more", deviations(r.Deviations), r.Beyond)
}

func deviations(n int) string {
	if n == 1 {
		return "1 deviation"
	}
	return fmt.Sprintf("%d deviations", n)
}

// Reach returns how far the vectors came that were played.
func (e *Explorer) Reach() Reach {
	more := len(e.now) > 0 || e.open > 0
	switch {
	case !e.begun:
		return Reach{Deviations: -1}
	case more && e.level == 0:
		return Reach{Deviations: -1, Beyond: e.beyond}
	case e.missing > 0 && e.missing <= e.level:
		return Reach{Deviations: e.missing - 1, Beyond: e.beyond}
	case more:
		return Reach{Deviations: e.level - 1, Beyond: e.beyond}
	case len(e.later) > 0 || e.missing > 0:
		return Reach{Deviations: e.level}
	}
	return Reach{Complete: true, Deviations: e.level}
}
