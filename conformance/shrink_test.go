package conformance_test

import (
	"context"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// lateToken is a story in which nothing goes wrong: the first token comes at the limit, and the work goes on.
const lateToken = `id       restart/late-token
title    The first token comes at the limit
profile  durable
requires WDC-REST-001
policy   preset=autonomous first_token=20s

0s       w1 spawn
+0s      w1 prompt "tidy the imports"
+20s     w1 says "Let me see."                   as=said
+1s      w1 settles
+1m      world dirty w1
+1m      world gate w1 tests running
+1m      world gate w1 tests passed
+1m      world task w1 status=review
+1m      world worktree w1 committed
+1m      world task w1 status=open
+1m      world task w1 status=review
+1m      world worktree w1 pushed
+1m      world task w1 status=done
expect   settled w1
expect   never kill w1
twin     none "it is healthy itself"
`

// third is the reference with a defect that shows only behind a second crash, and there only if it is woken at the limit
// before it is shown what came at that instant: it then kills on a mere suspicion.
type third struct{}

func (third) Name() string { return "third life" }

func (third) Start(b watchdog.Boot) (watchdog.Watchdog, error) {
	w, err := engine.New(b)
	if err != nil || b.Incarnation < 3 {
		return w, err
	}
	return stepped{w, killsSuspects}, nil
}

func killsSuspects(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	d, err := w.Step(now, seen)
	for _, v := range d.Verdicts {
		if v.Status == watchdog.StatusSuspected && v.Name == watchdog.VerdictSlowFirstToken {
			d.Commands = append(slices.Clone(d.Commands), watchdog.Command{
				Key: "rash", Kind: watchdog.CmdKill, Worker: v.Worker, Generation: v.Generation, Cause: v.Cause, Evidence: []int{v.Evidence[0].N},
			})
		}
	}
	return d, err
}

// A defect that needs two crashes and one order is found, made smaller, and found again in the history of the token.
func TestShrink(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes thousands of histories")
	}
	all := matrix(t, lateToken)
	r := run(t, third{}, all, conformance.Options{
		Explore: conformance.ExploreFull, Histories: 11_000, CaseGlob: "restart/*", Shrink: time.Minute,
	})
	c := r.Cases[0]
	t.Logf("%d histories: %s", c.Histories, c.Reach)
	i := slices.IndexFunc(c.Failures, func(f conformance.Failure) bool { return f.Shrunk != nil })
	if i < 0 {
		t.Fatalf("nothing was found and made smaller: %+v", c.Failures)
	}
	f := c.Failures[i]
	s := f.Shrunk
	t.Logf("%s: %s, %s\n%s\n%s", f.Requirement, f.Expected, f.Actual, f.Token, s.Token)
	if before := s.Steps[0] + s.Choices[0]; before < 16 || s.Events() >= 12 || s.Choices[1] != 3 {
		t.Errorf("%d of %d steps and %d of %d choices are left; want under 12 of 16, with two crashes and one order", s.Steps[1], s.Steps[0], s.Choices[1], s.Choices[0])
	}
	token, err := conformance.ParseToken(s.Token.String())
	if err != nil {
		t.Fatal(err)
	}
	again, err := conformance.Replay(third{}, all, token)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(again.Case.Failures, func(g conformance.Failure) bool { return g.Requirement == f.Requirement && g.Mistake == f.Mistake }) {
		t.Errorf("%s finds %+v, want %s", token, again.Case.Failures, f.Requirement)
	}
	if right, err := conformance.Replay(reference{}, all, token); err != nil || right.Case.Status != conformance.Pass {
		t.Errorf("the reference in this history: %v, %+v", err, right)
	}
}

func TestShrinkRefuses(t *testing.T) {
	all := small(t)
	token := conformance.Token{Suite: conformance.Version, Case: "ttft/just-in-time", Dialect: native.Pi16}
	if _, err := conformance.Shrink(context.Background(), reference{}, all, token); !errors.Is(err, conformance.ErrShrink) {
		t.Errorf("a history in which nothing is wrong: got %v, want %v", err, conformance.ErrShrink)
	}
	token.Without, token.Source = []int{1}, 42
	if _, err := conformance.Shrink(context.Background(), reference{}, all, token); !errors.Is(err, conformance.ErrForeign) {
		t.Errorf("steps of another file: got %v, want %v", err, conformance.ErrForeign)
	}
	token.Without, token.Source = []int{1, 99}, crc32.ChecksumIEEE([]byte(slowToken))
	if _, err := conformance.Replay(reference{}, all, token); !errors.Is(err, conformance.ErrForeign) || !strings.Contains(err.Error(), "leaves out step 99") {
		t.Errorf("a step that is not there: got %v, want %v", err, conformance.ErrForeign)
	}
}

// Whatever is left out of a timeline, it is played or refused.
func TestWithoutSteps(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	every := 9 // of the scenarios
	if testing.Short() {
		every = 60
	}
	for i := 0; i < len(all); i += every {
		for _, n := range []int{1, 3} {
			conformance.PlayWithout(reference{}, &all[i], n)
		}
	}
}
