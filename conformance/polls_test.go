package conformance_test

import (
	"flag"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
)

var everyPoll = flag.Bool("polls", false, "play every case with every poll, and not a part of them")

// A right subject passes with every poll that it may declare, in both dialects.
func TestPolls(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	polls := []struct {
		every  time.Duration
		reason string
	}{
		{time.Second, "the shortest in use"},
		{1500 * time.Millisecond, "no whole number of seconds"},
		{3 * time.Second, "divides the usual limits"},
		{7 * time.Second, "divides nothing"},
		{10 * time.Second, "a usual one"},
		{15 * time.Second, "half of confirm_every"},
		{29 * time.Second, "just below confirm_every"},
		{31 * time.Second, "just above confirm_every"},
		{47 * time.Second, "a prime number of seconds"},
		{time.Minute, "the longest"},
	}
	for i, poll := range polls {
		for _, dialect := range scenarios.Dialects() {
			o := conformance.Options{CaseGlob: played, Histories: 1, Dialect: native.Dialect(dialect), Shrink: -1}
			switch {
			case testing.Short():
				o.Shard = conformance.Shard{Index: 1 + i, Of: 40}
			case !*everyPoll:
				o.Shard = conformance.Shard{Index: 1 + i, Of: 12}
			}
			for _, c := range run(t, poller{every: poll.every}, all, o).Cases {
				for _, f := range c.Failures {
					t.Errorf("every %s (%s) in %s, %s: %s %s: want %s, got %s", poll.every, poll.reason, dialect, c.ID, f.Requirement, f.Mistake, f.Expected, f.Actual)
				}
			}
		}
	}
}
