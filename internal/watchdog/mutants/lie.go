package mutants

import (
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// start starts a watchdog.
type start func(watchdog.Boot) (watchdog.Watchdog, error)

// lie turns the start of a watchdog into that of one which is told, or tells, something else than the truth.
type lie func(start) start

// reference starts the engine as it is.
func reference(boot watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(boot) }

// told returns the start of the reference behind lies, the first of them next to the world.
func told(lies ...lie) start {
	s := start(reference)
	for i := len(lies) - 1; i >= 0; i-- {
		s = lies[i](s)
	}
	return s
}

// stepper makes a function a watchdog.
type stepper func(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error)

// Step implements watchdog.Watchdog.
func (f stepper) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	return f(now, seen)
}

// around is a lie that stands between the steps of the world and those of the watchdog behind it. Its state is made
// at each start.
func around(wrap func(boot watchdog.Boot, next watchdog.Watchdog) stepper) lie {
	return func(inner start) start {
		return func(boot watchdog.Boot) (watchdog.Watchdog, error) {
			next, err := inner(boot)
			if err != nil {
				return nil, err
			}
			return wrap(boot, next), nil
		}
	}
}
