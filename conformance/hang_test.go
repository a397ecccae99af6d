package conformance_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"fakepi.example/conformance"
	"fakepi.example/watchdog"
)

// A subject that never comes back is told, with the case, and costs the run no more than that.
func TestHangs(t *testing.T) {
	all := matrix(t, silentAfterTool, slowToken)
	synctest.Test(t, func(t *testing.T) {
		awake := make(chan struct{})
		s := spoilt{name: "sleepy", step: func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			<-awake
			return w.Step(now, seen)
		}}
		r := run(t, s, all, conformance.Options{CaseGlob: played, Jobs: 1, Explore: conformance.ExploreNone})
		close(awake)
		if len(r.Cases) != 4 || r.ExitCode() != 3 {
			t.Fatalf("%d cases, exit %d; want 4 and 3", len(r.Cases), r.ExitCode())
		}
		for i, want := range []string{"sleepy hangs: it has not come back from a step for 1m0s of real time", "sleepy still hangs in stall/silent-after-tool"} {
			if c := r.Cases[i]; c.Status != conformance.HarnessError || !strings.Contains(c.Reason, want) {
				t.Errorf("%s: %s %q, want %q", c.ID, c.Status, c.Reason, want)
			}
		}
	})
}
