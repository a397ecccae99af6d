package conformance_test

import (
	"context"
	"fmt"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// sleeper is a watchdog that sees nothing.
type sleeper struct{}

func (sleeper) Name() string                                     { return "sleeper" }
func (s sleeper) Start(watchdog.Boot) (watchdog.Watchdog, error) { return s, nil }
func (sleeper) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	return watchdog.Decision{Wake: now.Mono + time.Hour}, nil
}

// One case, judged: the sleeper misses a real stall.
func ExampleRun() {
	all, err := scenarios.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := conformance.Run(context.Background(), sleeper{}, all, conformance.Options{
		CaseGlob: "stall/silent-after-tool", Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range result.Cases {
		fmt.Println(c.ID, c.Status)
	}
	missed := result.Cases[0].Failures[1]
	fmt.Println(missed.Requirement, missed.Expected)
	fmt.Println("exit status", result.ExitCode())
	// Output:
	// stall/silent-after-tool fail
	// stall/silent-after-tool~twin fail
	// WDC-STALL-002 slow_first_token confirmed by 2m34.5s: awaiting_first_token passed its limit at 1m32.5s
	// exit status 1
}
