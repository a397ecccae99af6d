package script

import (
	"cmp"
	"slices"
)

// For returns the steps of one actor, in order of time; those of one instant keep their order.
func For(steps []Step, actor string) []Step {
	var own []Step
	for _, s := range steps {
		if s.Actor == actor {
			own = append(own, s)
		}
	}
	slices.SortStableFunc(own, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	return own
}
