package mutants

import (
	"errors"
	"fmt"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// errMalformed is what a strict reader stops at.
var errMalformed = errors.New("malformed line")

// strict stops at a line of stdout that is no JSON object. The text of print mode is none of its business.
func strict() lie {
	return around(func(_ watchdog.Boot, next watchdog.Watchdog) stepper {
		var failure error
		check := func(line []byte, s *native.Skimmed) []byte {
			if s.Kind == native.KindMalformed {
				failure = fmt.Errorf("%w: %.40q", errMalformed, line)
			}
			return line
		}
		out := views{stream: watchdog.Out, fresh: always(check), of: map[source]*view{}}
		workers := spawns{}
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			for _, o := range seen {
				workers.note(&o)
				if workers[sourceOf(&o)].Mode != watchdog.ModePrint {
					out.see(o, func(watchdog.Observation) {})
				}
			}
			if failure != nil {
				return watchdog.Decision{}, failure
			}
			return next.Step(now, seen)
		}
	})
}
