package oracle_test

import (
	"slices"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/watchdog"
)

// chunks is a message whose updates have a name that nobody knows.
var chunks = []world.Rename{{From: "message_update", To: "message_chunk"}}

// TestDialects judges subjects in a dialect without a terminal event and in one that nobody knows; "" is a right one.
func TestDialects(t *testing.T) {
	old, foreign := native.Pi073, native.Pi16
	long := begin + `+1s w1 says "All of it." over 30m chunks 60
		+0s w1 settles`
	retryLater := begin + `+1s w1 refused transient
		+10ms w1 retries 8s
		+1s w1 says "Done."
		+0s w1 settles`
	cases := []struct {
		name    string
		dialect native.Dialect
		renames []world.Rename
		steps   string
		spoil   func(*knowing)
		want    string // mistake and requirement of a finding; empty: there is none
		reason  string
	}{
		{"the end at once", old, nil, goodEnd, nil, "", "nothing follows, and so it may be said"},
		{"the end after the quiet", old, nil, goodEnd, quiet(time.Minute), "", "settle of quiet is the end"},
		{"no end after the quiet", old, nil, goodEnd, quiet(2 * time.Minute), "misnamed WDC-LIFE-003", "the quiet was long enough"},
		{"a stall instead of the end", old, nil, goodEnd, calls(watchdog.VerdictSettled, watchdog.VerdictStalledEnding), "early WDC-LIFE-003", "no terminal event is due"},
		{"a retry that comes later", old, nil, retryLater, nil, "", "the script knows that it goes on"},
		{"the end before a retry", old, nil, retryLater, takes(watchdog.VerdictEnding, watchdog.VerdictSettledUnproven), "misnamed WDC-LIFE-002", "agent_end was not the end"},
		{"a final message without an end", old, nil, begin + "+1s w1 says \"Done.\"\n+0s w1 closes\n+0s w1 stalls", nil, "", "it is ending"},
		{"a final message for ever", old, nil, begin + "+1s w1 says \"Done.\"\n+0s w1 closes\n+0s w1 stalls", limits(func(l *watchdog.Limits) { l.Settle = time.Hour }), "late WDC-STALL-002", "agent_end does not come"},

		{"an unknown stream goes on", foreign, chunks, long, nil, "", "all is well inside it"},
		{"a first token in an unknown stream", foreign, chunks, long, takes(watchdog.VerdictStreaming, watchdog.VerdictAwaitingFirstToken), "", "inside the limit any phase may hold"},
		{"a verdict on an unknown stream", foreign, chunks, long, calls(watchdog.VerdictStreaming, watchdog.VerdictStalledStream), "unfounded WDC-OBS-003", "what came may have been the message"},
		{"an end in an unknown stream", foreign, chunks, long, calls(watchdog.VerdictStreaming, watchdog.VerdictSettledUnproven), "unfounded WDC-OBS-003", "what came may have been the message"},
		{"ignorance of an unknown stream", foreign, chunks, long, calls(watchdog.VerdictStreaming, watchdog.VerdictInconclusive), "", "it is the truth"},
		{"ignorance of a known stream", foreign, nil, long, calls(watchdog.VerdictStreaming, watchdog.VerdictInconclusive), "misnamed WDC-STALL-001", "every record was understood"},
		{"an unknown stream that stops", foreign, chunks, inMidMessage, calls(watchdog.VerdictStalledStream, watchdog.VerdictInconclusive), "", "it is all that can be said"},
		{"an unknown stream that stops, unsaid", foreign, chunks, inMidMessage, limits(func(l *watchdog.Limits) { l.Stall = 100 * time.Hour }), "late WDC-STALL-001", "every limit has passed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := judge(t, game{steps: c.steps, dialect: c.dialect, renames: c.renames}, c.spoil)
			got := ""
			for _, v := range found {
				if word := string(v.Mistake) + " " + v.Requirement; got == "" || word == c.want {
					got = word
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q: %s", got, c.want, c.reason)
				for _, v := range found {
					t.Logf("%s %s at %s: want %s, got %s", v.Requirement, v.Mistake, v.At, v.Expected, v.Actual)
				}
			}
		})
	}
}

// quiet calls an end ending until it has lasted for a while.
func quiet(d time.Duration) func(*knowing) {
	return func(k *knowing) {
		k.see = func(t *trace.Truth) {
			if t.Phase == watchdog.VerdictSettled {
				if k.wake(t.Since+d, k.now); k.now.Mono < t.Since+d {
					t.Phase = watchdog.VerdictEnding
				}
			}
		}
		k.limits = func(l *watchdog.Limits) { l.Settle = 10 * d }
	}
}

// calls gives one name of the subject's verdicts another, confirmed and told once.
func calls(was, is watchdog.VerdictName) func(*knowing) {
	told := false
	return commands(func(k *knowing, _ watchdog.Instant) {
		k.out.Commands = slices.DeleteFunc(k.out.Commands, func(c watchdog.Command) bool { return c.Cause.Name == was })
		for i := range k.out.Verdicts {
			v := &k.out.Verdicts[i]
			if v.Name != was {
				continue
			}
			v.Name, v.Status, v.Cause.Name = is, watchdog.StatusConfirmed, is
			if !told {
				told = true
				act(k, watchdog.CmdNotify, "")
				k.out.Commands[len(k.out.Commands)-1].Cause.Name = is
			}
		}
	})
}
