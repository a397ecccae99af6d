package conformance_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/conformance"
	"fakepi.example/watchdog"
)

// What a subject does otherwise is seen, whether an assertion minds or not.
func TestCompare(t *testing.T) {
	all := small(t)
	compare := func(s conformance.Subject, known conformance.Digests) *conformance.Comparison {
		t.Helper()
		c, err := conformance.Compare(context.Background(), s, all, conformance.Options{Histories: 8}, known)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	known := compare(reference{}, nil).Digests
	if len(known) != 6 {
		t.Fatalf("got digests of %d cases, want 6", len(known))
	}
	if c := compare(reference{}, known); c.Failed || len(c.Changed) > 0 {
		t.Errorf("the same subject once more: %+v, want nothing", c)
	}
	if c := compare(hasty(), known); !c.Failed || c.Kill.Requirement != "WDC-TTFT-002" {
		t.Errorf("one that judges too early: %+v, want WDC-TTFT-002", c)
	}
	wordy := spoilt{name: "wordy", step: func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
		d, err := w.Step(now, seen)
		for i := range d.Commands {
			if d.Commands[i].Kind == watchdog.CmdNotify {
				d.Commands[i].Text += ", and that is that"
			}
		}
		return d, err
	}}
	c := compare(wordy, known)
	slices.Sort(c.Changed)
	if want := []string{"stall/silent-after-tool", "wait/dialog"}; c.Failed || !cmp.Equal(want, c.Changed) {
		t.Errorf("one with other words: failed %t, changed %v; want a change of %v that no assertion minds", c.Failed, c.Changed, want)
	}
	if k, failed, err := conformance.FirstFailure(context.Background(), hasty(), all, conformance.Options{Histories: 2}); err != nil || !failed || k.Requirement != "WDC-TTFT-002" {
		t.Errorf("its first failure: %+v, %t, %v; want WDC-TTFT-002", k, failed, err)
	}
}
