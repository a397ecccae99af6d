package mutants

import "fakepi.example/watchdog"

// instants shows other clocks: now and the moment of each observation are what clock makes of them, given the instant of
// the boot. Moments on Mono that the watchdog names are turned back.
func instants(clock func(boot, t watchdog.Instant) watchdog.Instant) lie {
	return around(func(boot watchdog.Boot, next watchdog.Watchdog) stepper {
		var shown []watchdog.Observation
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			shown = shown[:0]
			for _, o := range seen {
				o.At = clock(boot.Now, o.At)
				shown = append(shown, o)
			}
			lied := clock(boot.Now, now)
			d, err := next.Step(lied, shown)
			ahead := lied.Mono - now.Mono
			if d.Wake != 0 {
				d.Wake -= ahead
			}
			for i := range d.Verdicts {
				v := &d.Verdicts[i]
				v.Since -= ahead
				if v.Next != 0 {
					v.Next -= ahead
				}
			}
			return d, err
		}
	})
}

// civil measures silence on the civil clock, though not while the host sleeps.
func civil(boot, t watchdog.Instant) watchdog.Instant {
	slept := (t.Boot - t.Mono) - (boot.Boot - boot.Mono)
	mono := boot.Mono + t.Wall.Sub(boot.Wall) - slept
	t.Boot += mono - t.Mono // so that a jump does not look like a sleep
	t.Mono = mono
	return t
}

// sleepless measures silence on a clock that goes on while the host sleeps.
func sleepless(boot, t watchdog.Instant) watchdog.Instant {
	t.Mono = boot.Mono + t.Boot - boot.Boot
	return t
}
