package world_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/conformance/oracle"
	"fakepi.example/conformance/trace"
	"fakepi.example/conformance/world"
	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// sleeper is a subject that has nothing to say.
type sleeper struct{ every time.Duration }

func (s sleeper) Step(now watchdog.Instant, _ []watchdog.Observation) (watchdog.Decision, error) {
	if s.every == 0 {
		return watchdog.Decision{}, nil
	}
	return watchdog.Decision{Wake: now.Mono + s.every}, nil
}

// timeline reads the steps of a scenario.
func timeline(tb testing.TB, src string) []script.Step {
	tb.Helper()
	var steps []script.Step
	for i, text := range strings.Split(strings.TrimSpace(src), "\n") {
		line, err := script.LexLine(script.Pos{File: "test", Line: i + 1, Col: 1}, text)
		if err != nil {
			tb.Fatal(err)
		}
		step, err := script.ParseStep(line.Tokens, script.Everyone, script.NewPayload("test", &txtar.Archive{}))
		if err != nil {
			tb.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := script.Resolve(steps, nil); err != nil {
		tb.Fatal(err)
	}
	return steps
}

// BenchmarkWorldEvents counts events of the queue: a subject that wakes every millisecond beside one idle worker, with
// oracle and digest.
func BenchmarkWorldEvents(b *testing.B) {
	steps := timeline(b, "0s w1 spawn")
	events := 0
	b.ReportAllocs()
	for b.Loop() {
		w, err := world.New(world.Config{Steps: steps, Policy: watchdog.DefaultPolicy(), Horizon: 2 * time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		o := oracle.New(oracle.Config{Policy: watchdog.DefaultPolicy(), Workers: w.Workers(), Facts: w})
		sum, err := w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return sleeper{20 * time.Millisecond}, nil },
			world.NewChooser(nil), o, trace.NewDigest())
		if err != nil {
			b.Fatal(err)
		}
		events += sum.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkNativeLines counts lines of Pi's stream, from the script to the digest: encoded, shown to a subject that
// takes no notice, judged and hashed.
func BenchmarkNativeLines(b *testing.B) {
	steps := timeline(b, `
0s    w1 spawn
+0s   w1 prompt "write it all down"
+1s   w1 says "All of it, word by word." over 1h chunks 100000
+1s   w1 settles`)
	quiet := watchdog.DefaultPolicy()
	lines := 0
	b.ReportAllocs()
	for b.Loop() {
		w, err := world.New(world.Config{Steps: steps, Policy: quiet, Horizon: 2 * time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		o := oracle.New(oracle.Config{Policy: quiet, Workers: w.Workers(), Facts: w})
		sum, err := w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return sleeper{}, nil },
			world.NewChooser(nil), o, trace.NewDigest())
		if err != nil {
			b.Fatal(err)
		}
		lines += sum.Events
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
}
