package conformance_test

import (
	"context"
	"slices"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/script"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// tiny is the reference with a reader for tiny workers.
type tiny struct{}

func (tiny) Name() string { return "reference, which reads tiny workers" }

func (tiny) Start(boot watchdog.Boot) (watchdog.Watchdog, error) {
	return engine.New(boot, engine.WithReader("tiny", newTinyReader))
}

// ofTinyWorkers are scenarios without anything that tiny workers have no words for.
var ofTinyWorkers = []string{
	"stall/silent-after-tool", "stall/healed-suspicion", "stall/twice", "stall/failed-tool",
	"ttft/never-comes", "ttft/just-in-time", "ttft/second-prompt", "ttft/after-tools",
	"tool/silent", "tool/bursts", "tool/parallel-one-hangs", "tool/repeats",
	"wait/dialog-unanswered", "wait/reminders", "wait/before-first-token",
}

// TestSecondAgent has a second kind of worker live through stories of the matrix: one reader and one fake worker are all
// that it takes. The same engine watches it, and the same judge judges.
func TestSecondAgent(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	var chosen []scenarios.Scenario
	for _, s := range all {
		if slices.Contains(ofTinyWorkers, s.ID) {
			s.Timeline = named("tiny", s.Timeline)
			if s.Twin != nil {
				twin := *s.Twin
				twin.Timeline = named("tiny", twin.Timeline)
				s.Twin = &twin
			}
			chosen = append(chosen, s)
		}
	}
	if len(chosen) != len(ofTinyWorkers) {
		t.Fatalf("%d scenarios, want %d", len(chosen), len(ofTinyWorkers))
	}
	o := conformance.Options{}.WithAgent("tiny", newTinyAgent())
	r, err := conformance.Run(context.Background(), tiny{}, chosen, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cases {
		for _, f := range c.Failures {
			t.Errorf("%s: %s: want %s, got %s", c.ID, f.Requirement, f.Expected, f.Actual)
		}
	}
	if n := r.Counts[conformance.Pass]; n != len(r.Cases) || n < 2*len(chosen) {
		t.Errorf("%v, want each of %d cases to pass, and %d at least", r.Counts, len(r.Cases), 2*len(chosen))
	}
	// A watchdog that does not know the agent can say of nothing what it is.
	r, err = conformance.Run(context.Background(), reference{}, chosen, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Counts[conformance.Fail]; n < len(chosen) {
		t.Errorf("of a reference that reads no tiny worker %d cases fail, want %d at least", n, len(chosen))
	}
}

// named returns steps whose spawns name an agent.
func named(agent string, steps []script.Step) []script.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		if spawn, ok := steps[i].Action.(script.Spawn); ok {
			spawn.Agent = agent
			steps[i].Action = spawn
		}
	}
	return steps
}
