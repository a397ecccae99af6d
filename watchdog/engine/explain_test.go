package engine_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog/engine"
)

// TestStates: every state that a transition leads from or to is one.
func TestStates(t *testing.T) {
	states := engine.States()
	for _, tr := range engine.Machine() {
		for _, s := range []engine.State{tr.From, tr.To} {
			if s != engine.Any && s != engine.Aim && !slices.Contains(states, s) {
				t.Errorf("%s on %s: there is no state %s", tr.From, tr.On, s)
			}
		}
	}
}

// TestEpisodePage compares the tables of docs/episode.md with the machine.
func TestEpisodePage(t *testing.T) {
	const page = "../../docs/episode.md"
	text := read(t, "episode.md")
	at := strings.Index(text, "## States\n")
	if at < 0 {
		at = len(text)
	}
	if *update {
		if err := os.WriteFile(page, []byte(text[:at]+engine.Explain()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(engine.Explain(), text[at:]); diff != "" {
		t.Errorf("the machine and %s differ; run the test with -update (-machine +page):\n%s", page, diff)
	}
}

// TestMachine checks the shape of the table: every state is reached and left, and no event leads two ways.
func TestMachine(t *testing.T) {
	reached, left := map[engine.State]bool{engine.Verdict: true}, map[engine.State]bool{}
	ways := map[string]bool{}
	for _, tr := range engine.Machine() {
		way := string(tr.From) + " on " + string(tr.On)
		if ways[way] {
			t.Errorf("%s leads two ways", way)
		}
		ways[way] = true
		reached[tr.To], left[tr.From] = true, true
	}
	for _, s := range engine.States() {
		aimed := strings.Contains("stop_tool abort interrupt terminate kill steer reap commit_wip publish lease repair_row remove_worktree", string(s))
		if !reached[s] && !aimed {
			t.Errorf("nothing leads to %s", s)
		}
		if final := s == engine.Healed || s == engine.Over; left[s] == final {
			t.Errorf("%s: left is %v", s, left[s])
		}
	}
}
