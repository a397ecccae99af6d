package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// Histories leave much garbage and keep little: collected later, they take a fifth less of the processor.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

func run(tb testing.TB, s conformance.Subject, all []scenarios.Scenario, o conformance.Options) *conformance.Result {
	tb.Helper()
	r, err := conformance.Run(context.Background(), s, all, o)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// played fits every case but the one that measures memory.
const played = "*/[^m]*"

// statuses lists the cases with their statuses.
func statuses(r *conformance.Result) map[string]conformance.Status {
	m := map[string]conformance.Status{}
	for _, c := range r.Cases {
		m[c.ID] = c.Status
	}
	return m
}

func TestRightSubjects(t *testing.T) {
	for _, s := range []conformance.Subject{reference{}, poller{every: time.Second}, poller{every: time.Minute}} {
		r := run(t, s, small(t), conformance.Options{CaseGlob: played})
		if r.ExitCode() != 0 || r.Counts[conformance.Pass] != 6 {
			t.Errorf("%T: got %v, exit %d; want 6 passes", s, r.Counts, r.ExitCode())
		}
		for _, c := range r.Cases {
			for _, f := range c.Failures {
				t.Errorf("%T %s: %s %s: want %s, got %s\n%s", s, c.ID, f.Requirement, f.Mistake, f.Expected, f.Actual, f.Timeline)
			}
		}
	}
}

// The matrix of this version lets the right subject pass in every dialect, also where it polls; and what it does is what it
// did when that was recorded.
func TestMatrix(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	var recent []*conformance.Result
	for _, dialect := range scenarios.Dialects() {
		for _, s := range []conformance.Subject{reference{}, poller{every: 7 * time.Second}, poller{every: time.Minute}} {
			o := conformance.Options{CaseGlob: "*/*", Histories: 1, Dialect: native.Dialect(dialect)}
			if s == (reference{}) {
				o.Histories = recordedHistories
			}
			if testing.Short() {
				o.CaseGlob, o.Shard = played, conformance.Shard{Index: 1, Of: 30}
			}
			r := run(t, s, all, o)
			if s == (reference{}) {
				recent = append(recent, r)
			}
			for _, c := range r.Cases {
				for _, f := range c.Failures {
					t.Errorf("%s %T %s: %s %s: want %s, got %s\n%s", dialect, s, c.ID, f.Requirement, f.Mistake, f.Expected, f.Actual, f.Timeline)
				}
			}
		}
	}
	if !testing.Short() {
		compareRecorded(t, recent)
	}
}

// A subject that hangs is cut off by the context, and its case is named.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	hang := make(chan struct{})
	defer close(hang)
	stuck := spoilt{name: "hangs", step: func(watchdog.Watchdog, watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
		cancel()
		<-hang
		return watchdog.Decision{}, nil
	}}
	_, err := conformance.Run(ctx, stuck, small(t), conformance.Options{CaseGlob: "ttft/just-in-time", Jobs: 1})
	e, ok := errors.AsType[*conformance.Interrupted](err)
	if !ok || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want an *Interrupted that wraps %v", err, context.Canceled)
	}
	if want := []string{"ttft/just-in-time"}; !slices.Equal(e.Playing, want) {
		t.Errorf("played when it was cut off: %v, want %v", e.Playing, want)
	}
}

// What was found before a run was cut off is told.
func TestInterruptedBehindFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	hang := make(chan struct{})
	defer close(hang)
	s := hasty().(spoilt)
	s.step = func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
		for _, o := range seen {
			if b, ok := o.Body.(watchdog.Bytes); ok && bytes.Contains(b.Data, []byte("clean up")) { // the dialog, behind the slow token
				cancel()
				<-hang
			}
		}
		return w.Step(now, seen)
	}
	_, err := conformance.Run(ctx, s, small(t), conformance.Options{CaseGlob: played, Jobs: 1})
	e, ok := errors.AsType[*conformance.Interrupted](err)
	if !ok || len(e.Found) == 0 || e.Found[0].Requirement != "WDC-TTFT-002" || e.Found[0].Token == "" {
		t.Errorf("got %+v, want an *Interrupted with the failure of WDC-TTFT-002", err)
	}
}

// One seed is one digest, however often and however parallel the suite runs; another seed is another.
func TestDigest(t *testing.T) {
	want := run(t, reference{}, small(t), conformance.Options{CaseGlob: played, Seed: 7, Jobs: 1})
	for _, jobs := range []int{1, 2, 5} {
		got := run(t, reference{}, small(t), conformance.Options{CaseGlob: played, Seed: 7, Jobs: jobs})
		if got.Digest != want.Digest || got.Events != want.Events || got.Histories != want.Histories {
			t.Errorf("jobs %d: digest %s of %d events, want %s of %d", jobs, got.Digest, got.Events, want.Digest, want.Events)
		}
	}
	full := conformance.Options{CaseGlob: "act/abort-then-prompt*", Explore: conformance.ExploreFull, Histories: 30, Jobs: 1}
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	first := run(t, reference{}, all, full)
	full.Jobs, full.Histories = 2, 10 // and in rounds
	full.More = func(histories, _ int) int { return min(2*histories, 30) }
	if again := run(t, reference{}, all, full); again.Digest != first.Digest || again.Most != 30 {
		t.Errorf("a full exploration on two jobs, in rounds up to %d: digest %s, want %s", again.Most, again.Digest, first.Digest)
	}
	if other := run(t, reference{}, small(t), conformance.Options{CaseGlob: played, Seed: 8}); other.Digest == want.Digest {
		t.Errorf("seeds 7 and 8 have one digest")
	}
	wrong := run(t, hasty(), small(t), conformance.Options{CaseGlob: played, Seed: 7})
	if wrong.Digest == want.Digest {
		t.Errorf("a subject that fails has the digest of one that passes")
	}
}

// At the limit itself the token and the alarm may come in either order: both are played.
func TestOrders(t *testing.T) {
	r := run(t, reference{}, matrix(t, slowToken), conformance.Options{CaseGlob: "ttft/just-in-time"})
	c := r.Cases[0]
	if c.Histories < 2 || c.Capped {
		t.Errorf("got %d histories, capped %t; want both orders", c.Histories, c.Capped)
	}
	r = run(t, reference{}, matrix(t, slowToken), conformance.Options{CaseGlob: "ttft/just-in-time", Histories: 1})
	if c := r.Cases[0]; c.Histories != 1 || !c.Capped || r.Capped != 1 {
		t.Errorf("got %d histories, capped %t; want 1, and told that there are more", c.Histories, c.Capped)
	}
}

func TestFailure(t *testing.T) {
	r := run(t, hasty(), small(t), conformance.Options{CaseGlob: played})
	if r.ExitCode() != 1 {
		t.Errorf("exit %d, want 1", r.ExitCode())
	}
	c := r.Cases[slices.IndexFunc(r.Cases, func(c conformance.CaseResult) bool { return c.ID == "ttft/just-in-time" })]
	if c.Status != conformance.Fail || len(c.Failures) == 0 {
		t.Fatalf("got %s with %d failures, want a failure", c.Status, len(c.Failures))
	}
	f := c.Failures[0]
	if f.Requirement != "WDC-TTFT-002" || f.At != 89*time.Second || f.Worker != "w1" {
		t.Errorf("got %s of %s at %s, want WDC-TTFT-002 of w1 at 1m29s", f.Requirement, f.Worker, f.At)
	}
	if !strings.Contains(f.Timeline, "slow_first_token suspected") || !strings.Contains(f.Timeline, ">") {
		t.Errorf("the timeline does not show what happened:\n%s", f.Timeline)
	}
	i := slices.IndexFunc(r.Requirements, func(t conformance.Tally) bool { return t.Name == "WDC-TTFT-002" })
	if i < 0 || r.Requirements[i].Failed == 0 {
		t.Errorf("WDC-TTFT-002 is not counted as failed: %+v", r.Requirements)
	}
}

func TestStatuses(t *testing.T) {
	needs := strings.Replace(slowToken, "policy ", "features telepathy\npolicy ", 1)
	dialect := strings.Replace(slowToken, "policy ", "dialects pi-0.73 \"not here\"\npolicy ", 1)
	panics := spoilt{name: "panics", step: func(watchdog.Watchdog, watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
		panic("boom")
	}}
	cases := []struct {
		name    string
		subject conformance.Subject
		source  string
		known   []conformance.Known
		want    conformance.Status
		exit    int
	}{
		{"a feature that nobody declared", reference{}, needs, nil, conformance.NotApplicable, 0},
		{"another dialect", reference{}, dialect, nil, conformance.NotApplicable, 0},
		{"does not start", broken{}, slowToken, nil, conformance.HarnessError, 3},
		{"starts nothing", nothing{}, slowToken, nil, conformance.HarnessError, 3},
		{"panics", panics, slowToken, nil, conformance.Fail, 1},
		{"a failure", hasty(), slowToken, nil, conformance.Fail, 1},
		{"a known failure", hasty(), slowToken, []conformance.Known{{Case: "ttft/just-in-time", Requirement: "WDC-TTFT-002"}}, conformance.KnownFailure, 0},
		{"a SHOULD missed", impatientTool(), dialog, nil, conformance.Warn, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			all := matrix(t, c.source)
			r := run(t, c.subject, all, conformance.Options{CaseGlob: all[0].ID, Known: c.known})
			if got := statuses(r)[all[0].ID]; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if c.name != "a known failure" && c.name != "a SHOULD missed" && r.ExitCode() != c.exit {
				t.Errorf("exit %d, want %d", r.ExitCode(), c.exit)
			}
		})
	}
}

// A listed failure that does not happen is a failure of the list.
func TestStaleKnown(t *testing.T) {
	stale := conformance.Known{Case: "wait/dialog", Requirement: "WDC-WAIT-001"}
	r := run(t, reference{}, small(t), conformance.Options{CaseGlob: played, Known: []conformance.Known{stale}})
	if r.ExitCode() != 1 || !slices.Equal(r.Stale, []conformance.Known{stale}) {
		t.Errorf("exit %d, stale %v; want 1 and the entry", r.ExitCode(), r.Stale)
	}
}

// A subject that ends by itself is told where, or why, and takes nothing else with it.
func TestEndsByItself(t *testing.T) {
	cases := []struct {
		name string
		end  func()
		want string
	}{
		{"panics", func() { panic("boom") }, "the subject panicked: boom, in fakepi.example/conformance_test.TestEndsByItself.func1 (run_test.go:"},
		{"a fault of its own", func() { none := []int{}; _ = none[len(none)] }, "index out of range [0] with length 0, in fakepi.example/conformance_test.TestEndsByItself.func2 (run_test.go:"},
		{"a fault far from the step", func() { _ = slices.IndexFunc([]int{1}, func(int) bool { panic("deep") }) }, "the subject panicked: deep, in fakepi.example/conformance_test.TestEndsByItself.func3.1 (run_test.go:"},
		{"ends its goroutine", runtime.Goexit, "ends itself has ended the goroutine on which it was stepped"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := spoilt{name: "ends itself", step: func(watchdog.Watchdog, watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
				c.end()
				return watchdog.Decision{}, nil
			}}
			got := run(t, s, matrix(t, slowToken), conformance.Options{CaseGlob: "ttft/just-in-time", Jobs: 1 << 40}).Cases[0]
			told := got.Reason
			for _, f := range got.Failures {
				told += f.Actual
			}
			if !strings.Contains(told, c.want) {
				t.Errorf("got %s %s, want %s", got.Status, told, c.want)
			}
		})
	}
}

func TestMemory(t *testing.T) {
	r := run(t, &hog{}, small(t), conformance.Options{CaseGlob: "safe/memory"})
	c := r.Cases[0]
	if c.Status != conformance.Fail || len(c.Failures) == 0 || c.Failures[0].Requirement != "WDC-SAFE-001" {
		t.Errorf("a subject that keeps all: got %s %+v, want WDC-SAFE-001", c.Status, c.Failures)
	}
	r = run(t, reference{}, small(t), conformance.Options{CaseGlob: "safe/m*"}) // a pattern that no scenario fits
	if c := r.Cases[0]; c.Status != conformance.Pass {
		t.Errorf("the reference: got %s %+v, want a pass", c.Status, c.Failures)
	}
}

func TestOptions(t *testing.T) {
	cases := []struct {
		name    string
		subject conformance.Subject
		options conformance.Options
		want    error
	}{
		{"no pattern", reference{}, conformance.Options{CaseGlob: "["}, conformance.ErrOptions},
		{"no such profile", reference{}, conformance.Options{Profile: "perfect"}, conformance.ErrOptions},
		{"no such dialect", reference{}, conformance.Options{Dialect: "pi-9"}, conformance.ErrOptions},
		{"too lazy", poller{every: time.Hour}, conformance.Options{}, conformance.ErrOptions},
		{"a profile without scenarios", reference{}, conformance.Options{Profile: "recovery"}, conformance.ErrNoCases},
		{"nothing fits", reference{}, conformance.Options{CaseGlob: "none/*"}, conformance.ErrNoCases},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := conformance.Run(context.Background(), c.subject, small(t), c.options); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	if _, err := conformance.Run(context.Background(), reference{}, nil, conformance.Options{}); !errors.Is(err, conformance.ErrNoCases) {
		t.Errorf("an empty matrix: got %v, want %v", err, conformance.ErrNoCases)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := conformance.Run(ctx, reference{}, small(t), conformance.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
