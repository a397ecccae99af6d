package mutants

import (
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// Verbatim is the reference behind lies that change nothing: streams rewritten line by line into themselves.
func Verbatim(boot watchdog.Boot) (watchdog.Watchdog, error) {
	return told(
		lines(watchdog.StreamOut, always(verbatim)), lines(watchdog.StreamSession, always(verbatim)), lines(watchdog.StreamIn, always(verbatim)),
		instants(func(_, t watchdog.Instant) watchdog.Instant { return t }),
		policy(func(*watchdog.Limits) {}),
	)(boot)
}

// Rewritten puts a watchdog behind an edit of the lines of its workers' stdout.
func Rewritten(next watchdog.Watchdog, edit func(line []byte) []byte) watchdog.Watchdog {
	rewrites := lines(watchdog.StreamOut, always(func(line []byte, _ *native.Skimmed) []byte { return edit(line) }))
	dog, err := rewrites(func(watchdog.Boot) (watchdog.Watchdog, error) { return next, nil })(watchdog.Boot{})
	if err != nil {
		panic(err) // next starts without one
	}
	return dog
}

// Forgers are the lies that answer commands in the world's place, by the mutants that tell them.
func Forgers() map[string]func(watchdog.Watchdog) watchdog.Watchdog {
	behind := func(l lie) func(watchdog.Watchdog) watchdog.Watchdog {
		return func(next watchdog.Watchdog) watchdog.Watchdog {
			dog, err := l(func(watchdog.Boot) (watchdog.Watchdog, error) { return next, nil })(watchdog.Boot{})
			if err != nil {
				panic(err) // next starts without one
			}
			return dog
		}
	}
	return map[string]func(watchdog.Watchdog) watchdog.Watchdog{
		"stopped-without-evidence":   behind(forged(snapshots(false))),
		"succeeded-without-evidence": behind(forged(snapshots(true))),
		"starts-without-a-lease":     behind(forged(leases)),
		"silence-is-consent":         behind(forged(consents)),
		"approval-used-again":        behind(forged(reconsents)),
		"sent-is-ended":              behind(forged(sentIsEnded)),
		"mass-death-is-many":         behind(forged(remembered)),
		"acts-on-an-old-verdict":     behind(resolved()),
		"other-keys":                 behind(renaming()),
		"looks-more":                 behind(extra(glancing(glanceEvery))),
	}
}

const glanceEvery = 45 * time.Second
