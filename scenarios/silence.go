package scenarios

import (
	"fmt"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// silences checks that a silence which the script itself ends lasts long enough for the verdict that is expected.
func (f *file) silences() {
	stuck := map[string]*script.Step{}
	for i := range f.Timeline {
		s := &f.Timeline[i]
		switch s.Action.(type) {
		case script.Stalls, script.Wedges:
			stuck[s.Actor] = s
		case script.Exits, script.Killed:
			if from := stuck[s.Actor]; from != nil {
				f.silence(from, s)
			}
			delete(stuck, s.Actor)
		}
	}
}

// silence checks one silence against the verdicts that are expected of its worker.
func (f *file) silence(from, to *script.Step) {
	for i := range f.claims {
		c := &f.claims[i]
		if c.Never || c.Worker != "" && c.Worker != from.Actor {
			continue
		}
		need := f.least(c.Alts)
		if need > to.At-from.At {
			f.fail(to.Pos, fmt.Sprintf("the silence of %s since line %d is too short for the verdict of line %d", script.FormatDuration(to.At-from.At), from.Pos.Line, c.Pos.Line),
				fmt.Sprintf("let it last %s, the limit and its confirmations", script.FormatDuration(need)))
		}
	}
}

// least is the shortest silence after which one of the alternatives can be confirmed; 0 where one needs none.
func (f *file) least(alts []string) time.Duration {
	least := time.Duration(-1)
	for _, alt := range alts {
		limit, ok := watchdog.VerdictName(alt).LimitPast()
		if !ok {
			return 0
		}
		if need := f.Limits[string(limit)] + f.confirming(); least < 0 || need < least {
			least = need
		}
	}
	return least
}
