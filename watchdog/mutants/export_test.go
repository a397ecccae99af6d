package mutants

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// Verbatim is the reference behind lies that change nothing: streams rewritten line by line into themselves.
func Verbatim(boot watchdog.Boot) (watchdog.Watchdog, error) {
	return told(
		lines(watchdog.Out, always(verbatim)), lines(watchdog.Session, always(verbatim)), lines(watchdog.In, always(verbatim)),
		instants(func(_, t watchdog.Instant) watchdog.Instant { return t }),
		policy(func(*watchdog.Limits) {}),
	)(boot)
}

// Rewritten puts a watchdog behind an edit of the lines of its workers' stdout.
func Rewritten(next watchdog.Watchdog, edit func(line []byte) []byte) watchdog.Watchdog {
	rewrites := lines(watchdog.Out, always(func(line []byte, _ *native.Skimmed) []byte { return edit(line) }))
	dog, err := rewrites(func(watchdog.Boot) (watchdog.Watchdog, error) { return next, nil })(watchdog.Boot{})
	if err != nil {
		panic(err) // next starts without one
	}
	return dog
}
