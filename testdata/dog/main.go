// Command dog is a vendor's watchdog and the test of it, in a module of its own: all that it has of ours are imports.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// dog barks once a worker has written nothing for the limit of stall, and has no idea of anything else.
type dog struct {
	limit time.Duration
	heard map[string]time.Duration // by worker: when it last wrote
	told  map[string]bool
}

func (d *dog) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	var decision watchdog.Decision
	for _, o := range seen {
		decision.Ack = o.N
		if b, ok := o.Body.(watchdog.Bytes); ok && b.Stream == watchdog.StreamOut {
			d.heard[o.Worker] = o.At.Mono
		}
	}
	for worker, at := range d.heard {
		due := at + d.limit
		switch {
		case d.told[worker]:
		case now.Mono < due:
			decision.Wake = due
		default:
			d.told[worker] = true
			decision.Commands = append(decision.Commands, watchdog.Command{
				Key: worker, Kind: watchdog.CmdNotify, Worker: worker, Text: "woof",
			})
		}
	}
	return decision, nil
}

// subject starts a dog for each history.
type subject struct{}

func (subject) Name() string { return "dog" }

func (subject) Start(boot watchdog.Boot) (watchdog.Watchdog, error) {
	return &dog{limit: boot.Policy.Stall, heard: map[string]time.Duration{}, told: map[string]bool{}}, nil
}

func main() {
	all, err := scenarios.Load()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	options := conformance.Options{CaseGlob: "stall/silent-after-tool"}
	result, err := conformance.Run(context.Background(), subject{}, all, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	for _, c := range result.Cases {
		fmt.Println(c.ID, c.Status)
		for _, f := range c.Failures {
			fmt.Println("broke", f.Requirement)
		}
	}
	os.Exit(result.ExitCode())
}
