package episode_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/episode"
)

var update = flag.Bool("update", false, "rewrite the golden parts of pages")

// TestStates: every state that a transition leads from or to is one.
func TestStates(t *testing.T) {
	states := episode.States()
	for _, tr := range episode.Machine() {
		for _, s := range []episode.State{tr.From, tr.To} {
			if s != episode.Any && s != episode.Aim && !slices.Contains(states, s) {
				t.Errorf("%s on %s: there is no state %s", tr.From, tr.On, s)
			}
		}
	}
}

// TestEpisodePage compares the tables of docs/episode.md with the machine.
func TestEpisodePage(t *testing.T) {
	const page = "../../../docs/episode.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	at := strings.Index(text, "## States\n")
	if at < 0 {
		at = len(text)
	}
	if *update {
		if err := os.WriteFile(page, []byte(text[:at]+episode.Explain()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(episode.Explain(), text[at:]); diff != "" {
		t.Errorf("the machine and %s differ; run the test with -update (-machine +page):\n%s", page, diff)
	}
}

// TestMachine checks the shape of the table: every state is reached and left, and no event leads two ways.
func TestMachine(t *testing.T) {
	reached, left := map[episode.State]bool{episode.Verdict: true}, map[episode.State]bool{}
	ways := map[string]bool{}
	for _, tr := range episode.Machine() {
		way := string(tr.From) + " on " + string(tr.On)
		if ways[way] {
			t.Errorf("%s leads two ways", way)
		}
		ways[way] = true
		reached[tr.To], left[tr.From] = true, true
	}
	for _, s := range episode.States() {
		aimed := strings.Contains("stop_tool abort interrupt terminate kill steer reap commit_wip publish lease repair_row remove_worktree", string(s))
		if !reached[s] && !aimed {
			t.Errorf("nothing leads to %s", s)
		}
		if final := s == episode.Healed || s == episode.Over; left[s] == final {
			t.Errorf("%s: left is %v", s, left[s])
		}
	}
}
