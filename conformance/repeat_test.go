package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/watchdog"
)

// A subject that answers otherwise when a history is played again is told where it does so first, and how.
func TestUnstable(t *testing.T) {
	cases := []struct {
		name   string
		change func(*watchdog.Decision)
		want   string
	}{
		{"a verdict", func(d *watchdog.Decision) { d.Verdicts[0].Since++ }, `verdict {"worker":"w1",`},
		{"a verdict more", func(d *watchdog.Decision) { d.Verdicts = append(d.Verdicts, d.Verdicts[0]) }, `nothing, then verdict {"worker":"w1",`},
		{"when to be woken", func(d *watchdog.Decision) { d.Wake++ }, "wake 1m30s, then wake 1m30.000000001s"},
		{"what is acknowledged", func(d *watchdog.Decision) { d.Ack-- }, "ack 10, then ack 9"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			starts := 0
			s := spoilt{name: "moody", policy: func(*watchdog.Policy) { starts++ }, step: func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
				d, err := w.Step(now, seen)
				if starts == 2 && len(d.Verdicts) > 0 {
					c.change(&d)
				}
				return d, err
			}}
			r := run(t, s, matrix(t, slowToken), conformance.Options{CaseGlob: "ttft/just-in-time", Jobs: 1})
			if len(r.Cases[0].Failures) == 0 {
				t.Fatal("nothing was found")
			}
			f := r.Cases[0].Failures[0]
			if f.Requirement != "WDC-GATE-006" || f.Event == 0 || f.At != 0 || !strings.Contains(f.Actual, c.want) {
				t.Errorf("got %s, event %d at %s, %s; want WDC-GATE-006 at the start, and %s", f.Requirement, f.Event, f.At, f.Actual, c.want)
			}
		})
	}
}

// A subject that is the same in the base history and another in some order is found by an audit, which tells where the
// two plays part.
func TestAudit(t *testing.T) {
	calls := 0
	s := spoilt{name: "forgetful", step: func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
		d, err := w.Step(now, seen)
		for i := range d.Verdicts {
			if v := &d.Verdicts[i]; v.Status == watchdog.StatusSuspected { // in one of two orders
				calls++
				v.Since += 1
				if calls%2 == 0 {
					v.Cause.Limit = watchdog.LimitStall
				}
			}
		}
		return d, err
	}}
	find := func(audit bool) string {
		calls = 0
		r := run(t, s, matrix(t, slowToken), conformance.Options{CaseGlob: "ttft/just-in-time", Jobs: 1, Audit: audit})
		for _, f := range r.Cases[0].Failures {
			if f.Mistake == "unstable" {
				return f.Actual
			}
		}
		return ""
	}
	if got := find(false); got != "" {
		t.Errorf("without an audit: got %q", got)
	}
	if got := find(true); !strings.Contains(got, `"first_token"`) || !strings.Contains(got, `"stall"`) {
		t.Errorf("got %q, want the verdicts in which the two plays differ", got)
	}
}

// TestKeysOfItsOwn: a subject may invent other keys each time; that two keys become one is another answer.
func TestKeysOfItsOwn(t *testing.T) {
	for _, row := range []struct {
		name string
		key  func(start, command int) string
		want bool // it is found
	}{
		{"other names", func(start, command int) string { return fmt.Sprintf("%d-%d", start, command) }, false},
		{"one name for two", func(start, command int) string { return fmt.Sprint(min(command, 2-start%2)) }, true},
	} {
		starts, commands, most := 0, 0, 0
		s := spoilt{name: "inventive", policy: func(*watchdog.Policy) { starts, commands = starts+1, 0 }, step: func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			d, err := w.Step(now, seen)
			for i := range d.Commands {
				commands++
				most = max(most, commands)
				d.Commands[i].Key = row.key(starts, commands)
			}
			return d, err
		}}
		r := run(t, s, matrix(t, strings.Replace(silentAfterTool, "first_token=90s", "first_token=90s attention=1m", 1)), conformance.Options{CaseGlob: "stall/silent-after-tool", Explore: conformance.ExploreNone, Jobs: 1})
		if most < 2 {
			t.Fatalf("%s: %d commands prove nothing", row.name, most)
		}
		found := slices.ContainsFunc(r.Cases[0].Failures, func(f conformance.Failure) bool { return f.Mistake == "unstable" })
		if found != row.want {
			t.Errorf("%s: found %t, want %t: %+v", row.name, found, row.want, r.Cases[0].Failures)
		}
	}
}
