package engine_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
	"fakepi.example/watchdog/journal"
)

// Two updates of dialect pi-1.6. Of the 333 deltas in the recordings two thirds look like the first: the provider reports
// its usage at the end. The others carry it all along, in 360 bytes.
const (
	delta = `{"type":"message_update","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"Reading the file and all that it imports, then the tests of it."}}` + "\n"

	costedDelta = `{"type":"message_update","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":120,"cost":{"input":0.00030000000000000003,"output":0.00030000000000000003,"cacheRead":0,"cacheWrite":0,"total":0.0006000000000000001,"totalFromProvider":false}},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"Reading"}}` + "\n"
)

// feed is an engine with one streaming worker, and the next delta to show it.
type feed struct {
	engine *engine.Engine
	now    watchdog.Instant
	seen   [1]watchdog.Observation
	worker string
	offset int64
}

func newFeed(tb testing.TB, line string) *feed {
	return newFeedOf(tb, line, watchdog.Boot{Policy: watchdog.DefaultPolicy()})
}

// newDurableFeed is a feed of an engine with durable state.
func newDurableFeed(tb testing.TB, line string) *feed {
	state, err := new(journal.Memory).Acquire("engine", watchdog.Instant{}, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return newFeedOf(tb, line, watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1, State: state})
}

func newFeedOf(tb testing.TB, line string, boot watchdog.Boot) *feed {
	e, err := engine.New(boot)
	if err != nil {
		tb.Fatal(err)
	}
	f := &feed{engine: e, worker: "w1", now: watchdog.Instant{Wall: epoch, BootID: "boot-1"}}
	f.show(tb, watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true, PID: 100, Start: 7})
	f.line(tb, record("agent_start")+"\n")
	f.line(tb, record("end user")+"\n")
	f.line(tb, line)
	return f
}

func (f *feed) show(tb testing.TB, body watchdog.Body) {
	f.now.Mono += time.Millisecond
	f.now.Boot += time.Millisecond
	f.seen[0] = watchdog.Observation{N: f.seen[0].N + 1, At: f.now, Worker: f.worker, Generation: 1, Body: body}
	if _, err := f.engine.Step(f.now, f.seen[:]); err != nil {
		tb.Fatal(err)
	}
}

func (f *feed) line(tb testing.TB, line string) {
	f.show(tb, watchdog.Bytes{Stream: watchdog.StreamOut, Offset: f.offset, Data: []byte(line)})
	f.offset += int64(len(line))
}

// again shows the last observation once more, at a later time, without making anything new.
func (f *feed) again(tb testing.TB) {
	f.now.Mono += time.Millisecond
	f.now.Boot += time.Millisecond
	f.seen[0].N++
	f.seen[0].At = f.now
	d, err := f.engine.Step(f.now, f.seen[:])
	beats := len(d.Commands) == 1 && d.Commands[0].Kind == watchdog.CmdHeartbeat
	if err != nil || len(d.Verdicts) > 0 || len(d.Commands) > 0 && !beats {
		tb.Fatalf("a delta changed something: %+v, %v", d, err)
	}
}

// BenchmarkStepDelta is one step with a delta that changes no verdict: splitting, skim, model, phase, next wake-up.
func BenchmarkStepDelta(b *testing.B) {
	for _, c := range []struct {
		name, line string
		feed       func(testing.TB, string) *feed
	}{{"plain", delta, newFeed}, {"costed", costedDelta, newFeed}, {"durable", delta, newDurableFeed}} {
		b.Run(c.name, func(b *testing.B) {
			f := c.feed(b, c.line)
			b.SetBytes(int64(len(c.line)))
			b.ReportAllocs()
			for b.Loop() {
				f.again(b)
			}
		})
	}
}

// BenchmarkInstead is the whole step in turns with what reading the same line by encoding/json alone takes.
func BenchmarkInstead(b *testing.B) {
	b.Run("step-for-json.Unmarshal", func(b *testing.B) {
		f := newFeed(b, delta)
		line := []byte(delta)
		const rounds = 1000
		var ours, theirs time.Duration
		for b.Loop() {
			start := time.Now()
			for range rounds {
				f.again(b)
			}
			between := time.Now()
			for range rounds {
				var v any
				_ = json.Unmarshal(line, &v)
			}
			ours, theirs = ours+between.Sub(start), theirs+time.Since(between)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(theirs)/float64(ours), "times-faster")
	})
}

func TestStepOfADeltaDoesNotAllocate(t *testing.T) {
	for _, f := range []*feed{newFeed(t, delta), newFeed(t, costedDelta), newDurableFeed(t, delta)} {
		if n := testing.AllocsPerRun(1000, func() { f.again(t) }); n != 0 {
			t.Errorf("a delta that changes no verdict allocates %v times, want 0", n)
		}
	}
}

// TestStepBesideAnEpisodeDoesNotAllocate: a worker that waits for what may take hours costs nothing while others stream.
func TestStepBesideAnEpisodeDoesNotAllocate(t *testing.T) {
	f := newDurableFeed(t, delta)
	last := f.seen[0]
	f.worker = "w2"
	f.show(t, watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true, PID: 101, Start: 7})
	f.show(t, watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte(record("agent_start") + "\n")})
	f.show(t, watchdog.Exited{Code: -1, Signal: "SIGKILL"})
	last.N = f.seen[0].N
	f.seen[0] = last
	if n := testing.AllocsPerRun(1000, func() { f.again(t) }); n != 0 {
		t.Errorf("a delta beside an open episode allocates %v times, want 0", n)
	}
}

// TestStateIsBounded shows a million records of every hostile kind to one worker and measures what is kept of it
// (WDC-SAFE-001).
func TestStateIsBounded(t *testing.T) {
	events := 1_000_000
	if testing.Short() {
		events = 100_000
	}
	const workers = 20
	before := heap()
	f := newFeed(t, delta)
	lines := hostile()
	for i := range events {
		f.seen[0].Worker = fmt.Sprint("w", i%workers)
		f.lineOf(t, i%workers, lines[i/workers%len(lines)], i)
	}
	got := int64(heap()-before) / workers
	t.Logf("%d bytes a worker after %d records", got, events/workers)
	if got > 8<<10 {
		t.Errorf("one worker's state is %d bytes between lines after %d records, want under 8192", got, events/workers)
	}
	runtime.KeepAlive(f)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func (f *feed) lineOf(tb testing.TB, worker int, line string, i int) {
	f.now.Mono += time.Millisecond
	f.now.Boot += time.Millisecond
	body := watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte(strings.ReplaceAll(line, "$", fmt.Sprint(i)) + "\n")}
	f.seen[0] = watchdog.Observation{N: f.seen[0].N + 1, At: f.now, Worker: fmt.Sprint("w", worker), Generation: 1, Body: body}
	if _, err := f.engine.Step(f.now, f.seen[:]); err != nil {
		tb.Fatal(err)
	}
}

// hostile is one record of every kind that could make the engine keep something, with fresh names.
func hostile() []string {
	return []string{
		record("agent_start"), record("turn_start"), strings.TrimSpace(delta), record("tool c$"), record("output c$ text$"),
		`{"type":"extension_ui_request","id":"dialog-$","method":"select","title":"$"}`, record("tool long" + strings.Repeat("x", 300) + "$"), record("compaction"),
		record("retry 1000"), record("tool_end c$ same$"), record("end assistant stop=error error=402: usage limit $"),
		`{"type":"novel$","x":"` + strings.Repeat("y", 2000) + `"}`, `{"type":"message_update`, "\xff\xfe",
	}
}
