package conformance_test

import (
	"context"
	"flag"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/play"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

var clocks = flag.Bool("clocks", false, "measure the same histories in the world, under testing/synctest and under the mock clock")

// maxClockCases is how many scenarios the clocks are compared on.
const maxClockCases = 20

// The same stories, told by the same worker to the same watchdog: in the world's loop of events, and by goroutines that wait
// on a clock, once in a bubble of testing/synctest and once under a mock clock, whose timers give the goroutines a
// millisecond of real time each. What is measured is logged; docs/benchmarks.md has it.
func TestClocks(t *testing.T) {
	if !*clocks {
		t.Skip("a measurement: -clocks")
	}
	cases := clockCases(t)
	var span time.Duration
	measure := func(times int, play func(s *scenarios.Scenario) []string) (time.Duration, [][]string) {
		var said [][]string
		start := time.Now()
		for range times {
			said = said[:0]
			for _, s := range cases {
				said = append(said, play(s))
			}
		}
		return time.Since(start) / time.Duration(times), said
	}
	for _, s := range cases {
		span += s.Horizon
	}
	ours, _ := measure(50, func(s *scenarios.Scenario) []string { return inWorld(t, s) })
	bubble, want := measure(50, func(s *scenarios.Scenario) []string { return inBubble(t, s) })
	mocked, got := measure(1, func(s *scenarios.Scenario) []string { return underMock(t, s) })
	differ := 0
	for i := range want {
		if !slices.Equal(want[i], got[i]) {
			differ++
		}
	}
	t.Logf("%d histories of %s each on average", len(cases), (span / time.Duration(len(cases))).Round(time.Minute))
	t.Logf("world    %8.2f ms a history, with answers to every look", ms(ours, len(cases)))
	t.Logf("synctest %8.2f ms a history: %.1f times as long", ms(bubble, len(cases)), float64(bubble)/float64(ours))
	t.Logf("mock     %8.2f ms a history: %.1f times as long, %.1f times synctest; %d came out otherwise", ms(mocked, len(cases)), float64(mocked)/float64(ours), float64(mocked)/float64(bubble), differ)
}

// In a bubble of testing/synctest a history is the same every time.
func TestBubble(t *testing.T) {
	s := clockCases(t)[0]
	want := inBubble(t, s)
	if len(want) < 2 {
		t.Fatalf("the watchdog said %v", want)
	}
	for range 3 {
		if diff := cmp.Diff(want, inBubble(t, s)); diff != "" {
			t.Errorf("another history (-first +now):\n%s", diff)
		}
	}
}

func ms(d time.Duration, n int) float64 { return d.Seconds() * 1000 / float64(n) }

// clockCases are scenarios of one worker over rpc, around which nothing happens.
func clockCases(t *testing.T) []*scenarios.Scenario {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	var chosen []*scenarios.Scenario
	for i := range all {
		s := &all[i]
		spawns := 0
		alone := !slices.ContainsFunc(s.Timeline, func(step script.Step) bool {
			spawn, ok := step.Action.(script.Spawn)
			if ok {
				spawns++
			}
			return step.Actor != "w1" || ok && (spawn.Mode != script.ModeRPC || spawn.Source != "" && spawn.Source != string(watchdog.SourceHeld))
		})
		if alone && spawns == 1 && !s.Acts() && len(s.Renames) == 0 && len(s.Dialects) == 0 && len(chosen) < maxClockCases {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

func inWorld(t *testing.T, s *scenarios.Scenario) []string {
	w, err := world.New(world.Config{Agents: pi.Agents(""), Steps: s.Timeline, Files: s.Files, Policy: s.Policy, Horizon: s.Horizon})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(reference{}.Start, world.NewChooser(nil)); err != nil {
		t.Fatal(err)
	}
	return nil
}

func inBubble(t *testing.T, s *scenarios.Scenario) (said []string) {
	synctest.Test(t, func(t *testing.T) { said = onClock(t, s, clock.New()) })
	return said
}

func underMock(t *testing.T, s *scenarios.Scenario) []string {
	mock := clock.NewMock()
	var said []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		said = onClock(t, s, mock)
	}()
	for {
		select {
		case <-done:
			return said
		default:
			mock.Add(s.Horizon)
		}
	}
}

// holder shows a worker's stdout to a watchdog while a clock runs.
type holder struct {
	clock  clock.Clock
	start  time.Time
	dog    watchdog.Watchdog
	wake   time.Duration
	n      int
	offset int64
	said   []string
}

// onClock plays a scenario on a clock until its horizon, and returns the verdicts.
func onClock(t *testing.T, s *scenarios.Scenario, c clock.Clock) []string {
	start := c.Now()
	worker, err := fakepi.New(fakepi.Config{Steps: s.Timeline, Files: s.Files, Epoch: start})
	if err != nil {
		t.Error(err)
		return nil
	}
	dog, err := engine.New(watchdog.Boot{Policy: s.Policy, Incarnation: 1, Now: watchdog.Instant{Wall: start, BootID: "boot-1"}})
	if err != nil {
		t.Error(err)
		return nil
	}
	h := &holder{clock: c, start: start, dog: dog}
	ctx, cancel := context.WithCancel(context.Background())
	out := lines{ctx, make(chan []byte)}
	var playing sync.WaitGroup
	playing.Go(func() {
		p := play.Player{Worker: worker, Clock: c, Out: out, Speed: 1}
		_, _ = p.Play(ctx)
	})
	h.show(t, watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true, Task: "w1", PID: 4200, Start: 1})
	h.hold(t, out.to, s.Horizon)
	cancel()
	playing.Wait()
	return h.said
}

// lines hands on what is written, until the context ends.
type lines struct {
	ctx context.Context
	to  chan []byte
}

func (l lines) Write(p []byte) (int, error) {
	select {
	case l.to <- slices.Clone(p):
		return len(p), nil
	case <-l.ctx.Done():
		return 0, l.ctx.Err()
	}
}

// hold steps the watchdog whenever something is written, and when it wants to be woken.
func (h *holder) hold(t *testing.T, out <-chan []byte, horizon time.Duration) {
	end := h.clock.Timer(horizon - h.clock.Since(h.start))
	defer end.Stop()
	for {
		var due <-chan time.Time
		if h.wake > 0 {
			timer := h.clock.Timer(max(0, h.wake-h.clock.Since(h.start)))
			defer timer.Stop()
			due = timer.C
		}
		select {
		case data := <-out:
			h.show(t, watchdog.Bytes{Stream: watchdog.StreamOut, Offset: h.offset, Data: data})
			h.offset += int64(len(data))
		case <-due:
			h.step(t, nil)
		case <-end.C:
			return
		}
	}
}

func (h *holder) show(t *testing.T, b watchdog.Body) {
	h.n++
	h.step(t, []watchdog.Observation{{N: h.n, At: h.now(), Worker: "w1", Generation: 1, Body: b}})
}

func (h *holder) step(t *testing.T, seen []watchdog.Observation) {
	d, err := h.dog.Step(h.now(), seen)
	if err != nil {
		t.Error(err)
	}
	h.wake = d.Wake
	for _, v := range d.Verdicts {
		h.said = append(h.said, string(v.Name)+" "+string(v.Status))
	}
}

func (h *holder) now() watchdog.Instant {
	mono := h.clock.Since(h.start)
	return watchdog.Instant{Mono: mono, Boot: mono, Wall: h.clock.Now(), BootID: "boot-1"}
}
