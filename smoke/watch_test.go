//go:build unix

package smoke_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// watched is what the reference watchdog says of a terminal, verdict by verdict: of what was written up to a silence, and
// then of what goes on to be written in that silence, again every ten seconds for an hour. Only the terminal is seen.
func watched(t *testing.T, before, silence string) []watchdog.VerdictName {
	t.Helper()
	e, err := engine.New(watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1})
	if err != nil {
		t.Fatal(err)
	}
	var names []watchdog.VerdictName
	n, offset := 0, int64(0)
	see := func(at time.Duration, bodies ...watchdog.Body) {
		now := watchdog.Instant{Mono: at, Boot: at, Wall: time.Unix(0, 0).Add(at), BootID: "boot"}
		var seen []watchdog.Observation
		for _, b := range bodies {
			n++
			seen = append(seen, watchdog.Observation{N: n, At: now, Worker: "w", Generation: 1, Body: b})
		}
		decision, err := e.Step(now, seen)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range decision.Verdicts {
			if len(names) == 0 || names[len(names)-1] != v.Name {
				names = append(names, v.Name)
			}
		}
	}
	bytes := func(text string) watchdog.Body {
		b := watchdog.Bytes{Stream: watchdog.StreamPTY, Offset: offset, Data: []byte(text)}
		offset += int64(len(text))
		return b
	}
	see(0, watchdog.Spawned{Mode: watchdog.ModeTUI, Source: watchdog.SourceHeld, Parent: true, PID: 1, Start: 1})
	see(time.Second, bytes(before))
	for at := 10 * time.Second; at < time.Hour; at += 10 * time.Second {
		see(at, bytes(silence))
	}
	return names
}

// judgesSilence checks that the turning spinner is no progress to the watchdog: where the terminal tells what the program
// does, the silence is a stall, and where it does not, nobody can know.
func judgesSilence(t *testing.T, s *subject, before, silence string) {
	t.Helper()
	got := watched(t, before, silence)
	want := []watchdog.VerdictName{watchdog.VerdictStarting, watchdog.VerdictInconclusive}
	if s.status {
		want = []watchdog.VerdictName{watchdog.VerdictStarting, watchdog.VerdictWorking, watchdog.VerdictStalled}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts: -want +got\n%s", diff)
	}
}
