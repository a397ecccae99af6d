package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
	"fakepi.example/watchdog/journal"
)

// remembered is the state that records come to, after the start of a journal.
func remembered(t *testing.T, bodies ...journal.Body) string {
	t.Helper()
	var state journal.Memory
	now := watchdog.Instant{Wall: epoch, BootID: "boot-1"}
	w, err := state.Acquire("engine", now, 0)
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(w, now, func(journal.Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range bodies {
		now.Mono, now.Boot = now.Mono+1, now.Boot+1
		if err := log.Add(journal.Record{N: i, At: now, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Commit(); err != nil {
		t.Fatal(err)
	}
	data, err := state.Read()
	if err != nil {
		t.Fatal(err)
	}
	text, err := engine.Remembered(data)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSpending adds what is spent up (WDC-BUDG-001, 003): by its key, and at the time of the last attempt under it; what was
// given back is nothing, and health forgets what a successor or a resumed turn has cost, not what the task has.
func TestSpending(t *testing.T) {
	spend := func(b journal.Budget, key string, amount int) journal.Body {
		return journal.Spending{Task: "w1", Budget: b, Key: key, Amount: amount}
	}
	for _, row := range []struct {
		reason string
		bodies []journal.Body
		want   string // budget, key, amount and the number of the record that it is of
	}{
		{"once", []journal.Body{spend("resume", "k", 1)}, "resume k 1 @1"},
		{"nothing", []journal.Body{spend("resume", "k", 0)}, ""},
		{"given back", []journal.Body{spend("resume", "k", 1), spend("resume", "k", -1)}, ""},
		{"given back in part", []journal.Body{spend("tokens", "k", 3), spend("tokens", "k", -1)}, "tokens k 2 @1"},
		{"more under one key", []journal.Body{spend("tokens", "k", 1), spend("tokens", "k", 2)}, "tokens k 3 @1"},
		{"once more under its key", []journal.Body{spend("resume", "k", 1), spend("resume", "k", 0)}, "resume k 1 @2"},
		{"under two keys", []journal.Body{spend("resume", "k", 1), spend("resume", "l", 1)}, "resume k 1 @1, resume l 1 @2"},
		{"on two budgets", []journal.Body{spend("resume", "k", 1), spend("attempt", "k", 1), spend("attempt", "k", -1)}, "resume k 1 @1"},
		{"health", []journal.Body{
			spend("start", "k", 1), spend("resume", "k", 1), spend("restart", "k", 1), spend("attempt", "k", 1), spend("tokens", "k", 1),
			spend("cost", "k", 1), spend("resume", "stable", 0),
		}, "attempt k 1 @4, tokens k 1 @5, cost k 1 @6"},
	} {
		var state struct {
			Tasks []struct {
				Spent []struct {
					Budget, Key string
					Amount      int
					At          struct{ Mono int }
				}
			}
		}
		if err := json.Unmarshal([]byte(remembered(t, row.bodies...)), &state); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range state.Tasks[0].Spent {
			got = append(got, strings.Join([]string{s.Budget, s.Key, number(s.Amount), "@" + number(s.At.Mono)}, " "))
		}
		if diff := cmp.Diff(row.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// TestWithoutEpisode: records about an episode that is not open are taken, and come to nothing.
func TestWithoutEpisode(t *testing.T) {
	for _, row := range []struct {
		reason string
		body   journal.Body
	}{
		{"a command", journal.Intent{Key: "w1/1/1/abort/1", Command: watchdog.CmdAbort, Worker: "w1", Generation: 1, Episode: 1}},
		{"a transition", journal.Episode{ID: 1, Worker: "w1", Generation: 1, Step: journal.Moved, State: "plan"}},
		{"an end", journal.Episode{ID: 1, Worker: "w1", Generation: 1, Step: journal.Closed, State: "over"}},
	} {
		const want = `{"incarnation":0,"known":0,"acked":0,"tasks":[{"worker":"w1","told":{}}]}`
		if diff := cmp.Diff(want, remembered(t, row.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
