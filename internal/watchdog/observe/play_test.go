package observe_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
)

// TestUntil plays a recording whose first line comes at 100 ms and whose last at 200 ms.
func TestUntil(t *testing.T) {
	begun := []string{"100 starting", "110 awaiting_first_token", "200 streaming"}
	tests := []struct {
		until  time.Duration
		want   []string
		reason string
	}{
		{0, begun, "the recording ends with its last line"},
		{99 * time.Millisecond, begun[:2], "short of the last line"},
		{100 * time.Millisecond, begun, "the last line comes at the end itself"},
		{60*time.Second + 99*time.Millisecond, begun, "1 ms before the limit, counted from the first line"},
		{60*time.Second + 100*time.Millisecond, append(begun, "60200 stalled_stream"), "the limit passes at the end itself"},
	}
	for _, test := range tests {
		t.Run(test.until.String(), func(t *testing.T) {
			opts := observe.Options{Policy: watchdog.DefaultPolicy(), Until: test.until}
			opts.Policy.StreamGap = time.Minute
			var got []string
			for _, c := range observed(t, write(t, map[string]string{"events.rec.jsonl": stall}), opts) {
				got = append(got, fmt.Sprintf("%g %s", c.Time, c.Phase))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

// TestExitWithoutEnd: where no line says when stdout ended, meta.json does.
func TestExitWithoutEnd(t *testing.T) {
	file := write(t, map[string]string{
		"events.rec.jsonl": stall,
		"meta.json":        `{"mode":"json","spawn_t_ms":5,"exit_t_ms":900,"exit_code":null,"signal":"SIGKILL"}`,
	})
	got := observed(t, file, observe.Options{Policy: watchdog.DefaultPolicy()})
	last := got[len(got)-1]
	if got[0].Time != 5 || last.Time != 900 || last.Phase != watchdog.VerdictDead {
		t.Errorf("got a start at %g and %s at %g, want 5, dead and 900", got[0].Time, last.Phase, last.Time)
	}
}

// script is a watchdog that answers every step with the same decision.
type script struct {
	decide func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error)
}

func (s script) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	return s.decide(now, seen)
}

// errTest is an error of a watchdog or a reader of changes.
var errTest = errors.New("test")

// TestForeignWatchdog plays to watchdogs that break the contract, or fail.
func TestForeignWatchdog(t *testing.T) {
	probe := watchdog.Command{Key: "k", Kind: watchdog.CmdProbe, What: watchdog.WhatState, Worker: "w1", Generation: 1}
	tests := []struct {
		name   string
		decide func(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error)
		want   error
	}{
		{"asks to be woken in the past", func(now watchdog.Instant, _ []watchdog.Observation) (watchdog.Decision, error) {
			return watchdog.Decision{Wake: now.Mono - time.Millisecond}, nil
		}, observe.ErrContract},
		{"asks to be woken now, for ever", func(now watchdog.Instant, _ []watchdog.Observation) (watchdog.Decision, error) {
			return watchdog.Decision{Wake: now.Mono}, nil
		}, observe.ErrContract},
		{"wakes at each nanosecond", func(now watchdog.Instant, _ []watchdog.Observation) (watchdog.Decision, error) {
			return watchdog.Decision{Wake: now.Mono + 1}, nil
		}, observe.ErrContract},
		{"asks without end", func(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
			return watchdog.Decision{Commands: []watchdog.Command{probe}}, nil
		}, observe.ErrContract},
		{"fails", func(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
			return watchdog.Decision{}, errTest
		}, errTest},
		{"cites what it was never shown", func(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
			return watchdog.Decision{Verdicts: []watchdog.Verdict{{Evidence: []watchdog.Evidence{{N: 1 << 40}, {N: -1}}}}}, nil
		}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := observe.Open(write(t, map[string]string{"events.rec.jsonl": stall}))
			if err != nil {
				t.Fatal(err)
			}
			start := func(watchdog.Boot) (watchdog.Watchdog, error) { return script{test.decide}, nil }
			err = observe.Play(r, start, observe.Options{Until: time.Minute}, func(observe.Change) error { return nil })
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// TestErrorsOfOthers: what start and emit return ends the play and comes back.
func TestErrorsOfOthers(t *testing.T) {
	r, err := observe.Open(write(t, map[string]string{"events.rec.jsonl": stall}))
	if err != nil {
		t.Fatal(err)
	}
	emitted := 0
	err = observe.Play(r, reference, observe.Options{Policy: watchdog.DefaultPolicy()}, func(observe.Change) error {
		emitted++
		return errTest
	})
	if !errors.Is(err, errTest) || emitted != 1 {
		t.Errorf("got %v after %d changes, want %v after 1", err, emitted, errTest)
	}
	broken := func(watchdog.Boot) (watchdog.Watchdog, error) { return nil, errTest }
	if err := observe.Play(r, broken, observe.Options{}, nil); !errors.Is(err, errTest) || !strings.Contains(err.Error(), "start") {
		t.Errorf("got %v, want %v of a start", err, errTest)
	}
}
