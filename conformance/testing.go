package conformance

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
)

// TokenVariable is the environment variable that makes Test play the history of a token instead of the matrix.
const TokenVariable = "CONFORMANCE_TOKEN"

// Option changes what Test runs; Jobs, More and Progress are of Run alone.
type Option func(*Options)

// Test runs a watchdog through the matrix as a test of its vendor: a subtest a case, named as it is, so that
//
//	go test -run TestDog/stall/silent-after-tool
//
// picks one. Subtests run in parallel, as many as -parallel says; Start is called from all of them. With -short only the
// base histories are played. The seed is drawn unless an option sets it. A case that does not apply is skipped, and a failure ends in the line that plays its history
// again, with all that happens in it. A known failure that does not happen fails its case. Call Test from a test that is
// not parallel itself: the last case measures memory.
func Test(t *testing.T, subject Subject, options ...Option) {
	t.Helper()
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	for _, option := range options {
		option(&o)
	}
	if subject == nil {
		t.Fatalf("%v: the subject is nil; pass one whose Start returns your watchdog", ErrOptions)
	}
	if err := checkKnown(o.Known, all); err != nil {
		t.Fatal(err)
	}
	if token := os.Getenv(TokenVariable); token != "" {
		testToken(t, subject, all, token)
		return
	}
	if testing.Short() {
		o.Explore = ExploreNone
	}
	if o.Shrink == 0 {
		o.Shrink = shrinkInTest
	}
	if o.Seed == 0 {
		o.Seed = DrawSeed()
		t.Logf("seed %d, drawn for this run; Options.Seed fixes it", o.Seed)
	}
	cases, err := choose(all, o)
	if err != nil && !(errors.Is(err, ErrNoCases) && o.CaseGlob != "" && o.measuresMemory()) {
		t.Fatal(err)
	}
	r, err := newRunner(subject, o)
	if err != nil {
		t.Fatal(err)
	}
	var told tellings
	t.Cleanup(func() { told.sumUp(t, r.set) })
	for len(cases) > 0 {
		n := 1
		for n < len(cases) && path.Dir(cases[n].id) == path.Dir(cases[0].id) {
			n++
		}
		r.testFolder(t, cases[:n], &told)
		cases = cases[n:]
	}
	if o.measuresMemory() && !testing.Short() {
		within(t, memoryCase, func(t *testing.T) { told.add(r.tell(t, r.playMemory())) })
	}
}

// shrinkInTest is for how long smaller histories are looked for in one case that fails.
const shrinkInTest = 2 * time.Second

// testFolder runs the cases of one folder.
func (r *runner) testFolder(t *testing.T, cases []matchCase, told *tellings) {
	t.Run(path.Dir(cases[0].id), func(t *testing.T) {
		for i := range cases {
			c := &cases[i]
			t.Run(path.Base(c.id), func(t *testing.T) {
				t.Parallel()
				e := r.begin(c)
				r.explore(e, r.opts.Histories)
				found := []CaseResult{e.result}
				r.shrinkAll(t.Context(), found, cases[i:i+1])
				told.add(r.tell(t, found[0]))
			})
		}
	})
}

// within runs a subtest of a case's name.
func within(t *testing.T, id string, f func(*testing.T)) {
	t.Run(path.Dir(id), func(t *testing.T) { t.Run(path.Base(id), f) })
}

// tellings are the results of the subtests, which run in parallel.
type tellings struct {
	mu    sync.Mutex
	cases []CaseResult
}

func (l *tellings) add(c CaseResult) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cases = append(l.cases, c)
}

// sumUp tells the requirements that were broken, and in how many cases, behind all subtests.
func (l *tellings) sumUp(t *testing.T, set *requirements.Set) {
	whole := Result{Cases: l.cases}
	whole.collect(set)
	for _, r := range whole.Requirements {
		if broken := r.Warned + r.Failed; broken > 0 {
			t.Logf("%s is broken in %d of %d cases", r.Name, broken, r.Cases)
		}
	}
}

// tell makes a case's result the result of its subtest, and returns it with what is known of its failures.
func (r *runner) tell(t *testing.T, c CaseResult) CaseResult {
	list := []CaseResult{c}
	for _, k := range r.accept(list) {
		if k.Case == c.ID {
			t.Errorf("%s is listed as a known failure, and no longer fails; remove it from the list", k.Requirement)
		}
	}
	c = list[0]
	for i := range c.Failures {
		text := r.describe(t, &c.Failures[i])
		if c.Failures[i].Known || c.Status == Warn {
			t.Log(text)
		} else {
			t.Error(text)
		}
	}
	switch c.Status {
	case NotApplicable:
		t.Skip(c.Reason)
	case HarnessError, Untestable, Inconclusive:
		t.Errorf("%s: %s", c.Status, c.Reason)
	}
	if c.Capped {
		t.Logf("%d histories: %s", c.Histories, c.Reach)
	}
	return c
}

// describe tells a failure in full.
func (r *runner) describe(t *testing.T, f *Failure) string {
	var b strings.Builder
	sentence := "not a requirement of this set"
	if req, ok := r.set.Lookup(f.Requirement); ok {
		sentence = req.Sentence()
	}
	fmt.Fprintf(&b, "%s: %s\nexpected  %s\nactual    %s\nwhere     at %s %s; > marks it\n%s",
		f.Requirement, sentence, f.Expected, f.Actual, f.At, f.Worker, f.Timeline)
	root, _, _ := strings.Cut(t.Name(), "/")
	if f.Token != "" {
		fmt.Fprintf(&b, "replay    %s='%s' go test -v -run '^%s$'", TokenVariable, f.Token, root)
	}
	if f.Shrunk != nil {
		fmt.Fprintf(&b, "\nsmaller   %s='%s' go test -v -run '^%s$'", TokenVariable, f.Shrunk.Token, root)
	}
	return b.String()
}

// testToken plays one history again and tells all of it.
func testToken(t *testing.T, subject Subject, all []scenarios.Scenario, text string) {
	t.Helper()
	token, err := ParseToken(text)
	if err != nil {
		t.Fatal(err)
	}
	played, err := Replay(subject, all, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s\n%s", played.Case.ID, played.Case.Title, played.Timeline)
	for _, f := range played.Case.Failures {
		t.Errorf("%s: expected %s, got %s", f.Requirement, f.Expected, f.Actual)
	}
}
