package mutants

import "fakepi.example/watchdog"

// The lies of this file are about who speaks for the owner.

// outside proves a word by its caller.
func outside() watchdog.Proof { return watchdog.Proof{Caller: watchdog.CallerOutside} }

// gullible takes whoever decides or intends something for the owner.
func gullible(b watchdog.Body) watchdog.Body {
	switch b := b.(type) {
	case watchdog.Owner:
		b.Caller = watchdog.CallerOutside
		return b
	case watchdog.Operator:
		b.Caller = watchdog.CallerOutside
		return b
	}
	return b
}

// undated takes what the owner has signed for their word whenever it is shown.
func undated() lie {
	return around(func(boot watchdog.Boot, next watchdog.Watchdog) stepper {
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			shown := make([]watchdog.Observation, 0, len(seen))
			for _, o := range seen {
				owner, _ := o.Body.(watchdog.Owner)
				operator, _ := o.Body.(watchdog.Operator)
				if owner.Signed(boot.OwnerKey, o.Worker) || operator.Signed(boot.OwnerKey, o.Worker) {
					o.Body = gullible(o.Body)
				}
				shown = append(shown, o)
			}
			return next.Step(now, shown)
		}
	})
}
