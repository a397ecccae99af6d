package conformance

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// Measure is a case that no scenario can be.
type Measure struct {
	ID, Title, Family string
	Profile           string // of scenarios.Profiles
	Requires          []string
	About             string // what is done
}

// Measures lists them.
func Measures() []Measure {
	return []Measure{{
		ID: memoryCase, Title: "What a worker writes leaves no trace in the watchdog's memory", Family: "SAFE", Profile: scenarios.ProfileCore,
		Requires: []string{memoryRequirement},
		About:    "streams of several kinds flow without end, and the heap is measured while they do",
	}}
}

// What a subject keeps of a worker must not grow with what the worker writes (WDC-SAFE-001).
const (
	memoryCase        = "safe/memory"
	memoryRequirement = "WDC-SAFE-001"
)

// maxGrowth is how much the heap may grow while a flood goes on that has lasted for a while already.
const maxGrowth = 1 << 20

// maxGrowthOfProcess is the same of a process, of which only the pages that it has can be counted: what its language has not
// yet given back is among them.
const maxGrowthOfProcess = 48 << 20

func (r *runner) maxGrowth() int64 {
	if _, ok := r.subject.(Isolated); ok {
		return maxGrowthOfProcess
	}
	return maxGrowth
}

// flood is a stream that a careless reader would keep.
type flood struct {
	name   string
	from   watchdog.Stream // empty: stdout
	pieces int             // that are written before the heap is measured for the first time; then three times as many
	piece  func(i int) []byte
}

func floods() []flood {
	text := bytes.Repeat([]byte("word "), 400)
	endless := bytes.Repeat([]byte("x"), 1<<20)
	return []flood{
		{"a line without end", "", 24, func(int) []byte { return endless }},
		{"calls that never end", "", 8_000, func(i int) []byte {
			return fmt.Appendf(nil, `{"type":"tool_execution_start","toolCallId":"call_%d","toolName":"bash","args":{"command":"sleep %d"}}`+"\n", i, i)
		}},
		{"dialogs without an answer", "", 8_000, func(i int) []byte {
			return fmt.Appendf(nil, `{"type":"extension_ui_request","id":"dialog-%d","method":"input","title":"?","placeholder":""}`+"\n", i)
		}},
		{"events of unknown types", "", 8_000, func(i int) []byte {
			return fmt.Appendf(nil, `{"type":"event_%d","key_%d":[%d]}`+"\n", i, i, i)
		}},
		{"deltas", "", 20_000, func(i int) []byte {
			return fmt.Appendf(nil, `{"type":"message_update","usage":{},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"word %d "}}`+"\n", i)
		}},
		{"stderr", watchdog.StreamErr, 2_000, func(i int) []byte { return fmt.Appendf(nil, "%d %s\n", i, text) }},
		{"answers to get_state", "", 2_000, func(i int) []byte {
			return fmt.Appendf(nil, `{"id":"state-%d","type":"response","command":"get_state","success":true,"data":{"isStreaming":true,"sessionName":"%d %s"}}`+"\n", i, i, text)
		}},
		{"the results of calls that have ended", "", 2_000, func(i int) []byte {
			return fmt.Appendf(nil, `{"type":"tool_execution_start","toolCallId":"call_%d","toolName":"bash","args":{"command":"cat %d"}}
{"type":"tool_execution_end","toolCallId":"call_%d","toolName":"bash","result":{"content":[{"type":"text","text":"%d %s"}]},"isError":false}`+"\n", i, i, i, i, text)
		}},
		{"the texts of finished messages", "", 2_000, func(i int) []byte {
			return fmt.Appendf(nil, `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"%d %s"}],"stopReason":"stop"}}`+"\n", i, text)
		}},
	}
}

// measuresMemory reports whether the memory case is among those asked for.
func (o *Options) measuresMemory() bool {
	if o.NoMemory {
		return false
	}
	if profiles, err := ProfilesOf(o.Profile); err != nil || !slices.Contains(profiles, Measures()[0].Profile) {
		return false
	}
	if o.CaseGlob == "" {
		return true
	}
	ok, _ := path.Match(o.CaseGlob, memoryCase)
	return ok
}

// memoryTime is for how long of real time the floods may go on, whatever the subject is made of.
const memoryTime = 2 * time.Minute

// playMemory is the memory case. It must not run beside others: they share the heap that it measures.
func (r *runner) playMemory() CaseResult {
	m := Measures()[0]
	c := CaseResult{ID: m.ID, Title: m.Title, Family: m.Family, Requires: m.Requires}
	if where := r.hangs.Load(); where != nil {
		c.Status, c.Reason = HarnessError, fmt.Sprintf("%s still hangs in %s, so that its memory is not measured", r.subject.Name(), *where)
		return c
	}
	measured := make(chan CaseResult, 1)
	go func() { measured <- r.playFloods(c, time.Now().Add(memoryTime)) }()
	late := time.NewTimer(memoryTime + patience)
	defer late.Stop()
	select {
	case done := <-measured:
		return done
	case <-late.C:
		c.Status, c.Reason = HarnessError, fmt.Sprintf("%s hangs: it has not come back from a step for %s of real time", r.subject.Name(), patience)
		return c
	}
}

// playFloods plays all floods, and returns the case with what came of them.
func (r *runner) playFloods(c CaseResult, until time.Time) CaseResult {
	for _, f := range floods() {
		grown, events, err := r.flood(f, until)
		c.Histories++
		c.Events += events
		switch {
		case errors.Is(err, errMemoryTime):
			c.Status, c.Reason = Inconclusive, fmt.Sprintf("after %s it was still at %s: it takes too long for its memory to be measured", memoryTime, f.name)
			return c
		case err != nil:
			c.Status, c.Reason = HarnessError, err.Error()
			return c
		case grown > r.maxGrowth():
			v := oracle.Violation{
				Requirement: memoryRequirement, Mistake: mistakes.MemoryGrows, Worker: "w1",
				Expected: "the same memory however long the stream is", Actual: "it grows with " + f.name,
			}
			c.Failures = append(c.Failures, r.bare(&v))
		}
	}
	return c
}

var errMemoryTime = errors.New("the floods took too long")

// perStep is how many pieces of a flood a step shows at most, and perStepBytes about how many bytes.
const (
	perStep      = 16
	perStepBytes = 64 << 10
)

// flood shows a flood to a fresh subject and returns by how much the heap has grown in its last three quarters.
func (r *runner) flood(f flood, until time.Time) (grown int64, events int, err error) {
	now := watchdog.Instant{Wall: time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC), BootID: "boot-1"}
	lives, err := r.open(Case{ID: memoryCase})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, lives.close()) }()
	subject, err := lives.start(watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1, Now: now, Poll: r.poll})
	if err != nil {
		return 0, 0, fmt.Errorf("%s did not start: %w", r.subject.Name(), err)
	}
	n, offset, size := 0, int64(0), 0
	var seen []watchdog.Observation
	show := func() error {
		_, err := subject.Step(now, seen)
		seen, size = nil, 0
		if err == nil && time.Now().After(until) {
			err = errMemoryTime
		}
		return err
	}
	observe := func(b watchdog.Body) {
		n++
		now.Mono += time.Millisecond
		now.Boot, now.Wall = now.Mono, now.Wall.Add(time.Millisecond)
		seen = append(seen, watchdog.Observation{N: n, At: now, Worker: "w1", Generation: 1, Body: b})
	}
	observe(watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true, Task: "w1", PID: 4200, Start: 1})
	var before int64
	for i := 0; i < 4*f.pieces && err == nil; i++ {
		if i == f.pieces {
			err = show()
			before = lives.memory()
		}
		data := f.piece(i)
		observe(watchdog.Bytes{Stream: cmp.Or(f.from, watchdog.StreamOut), Offset: offset, Data: data})
		offset += int64(len(data))
		if size += len(data); err == nil && (len(seen) >= perStep || size >= perStepBytes || i+1 == 4*f.pieces) {
			err = show()
		}
	}
	grown = lives.memory() - before
	runtime.KeepAlive(subject)
	return grown, n, err
}

// measured are Incarnations of which it is known how much memory they have.
type measured interface{ Memory() int64 }

// memory is how much of it is in use where the subject runs.
func (l *lives) memory() int64 {
	if m, ok := l.own.(measured); ok {
		return m.Memory()
	}
	return heap()
}

// heap is how much memory is in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
