package world_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
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

// BenchmarkWorldEvents counts events of the queue: a subject that wakes ten times a second beside one idle worker, with
// oracle and digest.
func BenchmarkWorldEvents(b *testing.B) {
	steps := timeline(b, "0s w1 spawn")
	events := 0
	b.ReportAllocs()
	for b.Loop() {
		events += play(b, steps, watchdog.DefaultPolicy(), func(watchdog.Boot) (watchdog.Watchdog, error) {
			return sleeper{100 * time.Millisecond}, nil
		})
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkNativeLines counts lines of Pi's stream, from the script to the digest: encoded, shown to a subject, judged
// and hashed.
func BenchmarkNativeLines(b *testing.B) {
	subjects := []struct {
		name  string
		start world.Start
	}{
		{"trivial", func(watchdog.Boot) (watchdog.Watchdog, error) { return sleeper{}, nil }},
		{"reference", func(boot watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(boot) }},
	}
	steps := timeline(b, `
0s    w1 spawn
+0s   w1 prompt "write it all down"
+1s   w1 says "All of it, word by word, and then some." over 1h chunks 100000
+1s   w1 settles`)
	policy := watchdog.DefaultPolicy()
	for _, subject := range subjects {
		b.Run(subject.name, func(b *testing.B) {
			lines := 0
			b.ReportAllocs()
			for b.Loop() {
				lines += play(b, steps, policy, subject.start)
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// play plays a history with oracle and digest and returns how many events it took.
func play(b *testing.B, steps []script.Step, policy watchdog.Policy, start world.Start) int {
	b.Helper()
	w, err := world.New(world.Config{Agents: pi.Agents(""), Steps: steps, Policy: policy, Horizon: 2 * time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	o := oracle.New(oracle.Config{Policy: policy, Workers: w.Workers(), Facts: w, Explain: true})
	sum, err := w.Run(start, world.NewChooser(nil), o, trace.NewDigest())
	if err != nil {
		b.Fatal(err)
	}
	return sum.Events
}
