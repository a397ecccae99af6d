package mutants

import (
	"slices"
	"time"

	"fakepi.example/watchdog"
)

// ties lists watchdogs that lose where two things happen at once.
func ties() []Mutant {
	return []Mutant{
		bad("reads-a-moment-late", "WDC-RACE-001", "What a worker writes in the moment of a look is read behind the act that rests on the look.",
			belatedReader()),
		bad("ties-by-turns", "WDC-RACE-002", "Of an operator's word and an exit at one instant now one, now the other comes first.",
			everySecondTie()),
	}
}

// belatedReader reads what a worker writes when its moment is over.
func belatedReader() lie {
	return belated(func() (late, lost func(*watchdog.Observation) bool) {
		return func(o *watchdog.Observation) bool { return o.Body.Kind() == watchdog.KindBytes },
			func(*watchdog.Observation) bool { return false }
	})
}

// everySecondTie does not hear every second word of an operator that comes in the moment in which the worker exits.
func everySecondTie() lie {
	return belated(func() (late, lost func(*watchdog.Observation) bool) {
		ties, exits := 0, map[string]time.Duration{}
		late = func(o *watchdog.Observation) bool {
			if o.Body.Kind() == watchdog.KindExited {
				exits[o.Worker] = o.At.Mono
			}
			return o.Body.Kind() == watchdog.KindOperator
		}
		lost = func(o *watchdog.Observation) bool {
			at, exited := exits[o.Worker]
			if !exited || at != o.At.Mono {
				return false
			}
			ties++
			return ties%2 == 0
		}
		return late, lost
	})
}

// deafToRearms does not hear that a task may begin afresh where the owner says no in the same step.
func deafToRearms() lie {
	return around(func(_ watchdog.Boot, next watchdog.Watchdog) stepper {
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			no := slices.ContainsFunc(seen, func(o watchdog.Observation) bool {
				word, ok := o.Body.(watchdog.Owner)
				return ok && !word.Approve
			})
			var shown []watchdog.Observation
			for _, o := range seen {
				if word, ok := o.Body.(watchdog.Operator); !no || !ok || word.Intent != watchdog.IntentRearm {
					shown = append(shown, o)
				}
			}
			return next.Step(now, shown)
		}
	})
}

// belated shows the observations that are late when their moment is over, but for those that are lost by then.
func belated(fresh func() (late, lost func(*watchdog.Observation) bool)) lie {
	return around(func(_ watchdog.Boot, next watchdog.Watchdog) stepper {
		late, lost := fresh()
		var kept []watchdog.Observation
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			var shown, held []watchdog.Observation
			for i := range kept {
				if o := &kept[i]; o.At.Mono == now.Mono {
					held = append(held, *o)
				} else if !lost(o) {
					shown = append(shown, *o)
				}
			}
			for _, o := range seen {
				if !late(&o) || o.At.Mono < now.Mono {
					shown = append(shown, o)
					continue
				}
				if b, ok := o.Body.(watchdog.Bytes); ok {
					b.Data = slices.Clone(b.Data)
					o.Body = b
				}
				held = append(held, o)
			}
			kept = held
			d, err := next.Step(now, shown)
			if len(kept) > 0 {
				wakeBy(&d, now.Mono+time.Nanosecond)
			}
			return d, err
		}
	})
}
