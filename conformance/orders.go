package conformance

import (
	"slices"

	"fakepi.example/conformance/world"
)

// DefaultHistories is how many histories of one case are played if the options do not say.
const DefaultHistories = 64

// maxEvents is how many events one case may cost before no further order of it is begun.
const maxEvents = 2_000_000

// orders enumerates the vectors of choices of a case: first the base history, then all that deviate from it in one
// choice, then in two, and so on until there is no other.
type orders struct {
	frontier [][]int // vectors to be played, fewest deviations first; none but the first, which is empty, ends in 0
	left     int     // how many more may be given
	capped   bool    // there are more than that
}

func newOrders(most int) *orders { return &orders{frontier: [][]int{nil}, left: most} }

// next returns the next vector, and false if all have been given.
func (o *orders) next() ([]int, bool) {
	if len(o.frontier) == 0 {
		return nil, false
	}
	v := o.frontier[0]
	o.frontier = o.frontier[1:]
	o.left--
	return v, true
}

// played adds the histories that follow a played one up to its last deviation and deviate once more behind it. So every
// vector comes exactly once.
func (o *orders) played(vector []int, taken []world.Choice) {
	for i := len(vector); i < len(taken); i++ {
		for pick := 1; pick < taken[i].N; pick++ {
			if len(o.frontier) >= o.left {
				o.capped = true
				return
			}
			next := slices.Concat(vector, make([]int, i-len(vector)), []int{pick})
			o.frontier = append(o.frontier, next)
		}
	}
}
