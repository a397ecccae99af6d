package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/watchdog/episode"
	"fakepi.example/watchdog"
)

// The tests that stand for a scenario exist, and so do the requirements.
func TestElsewhere(t *testing.T) {
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	for id, where := range elsewhere() {
		if _, ok := set.Lookup(id); !ok {
			t.Errorf("there is no requirement %s", id)
		}
		pkg, name, _ := strings.Cut(where, " ")
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no tests in %s (%v)", id, pkg, err)
		}
		found := false
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
		}
		if !found {
			t.Errorf("%s: there is no %s in %s", id, name, pkg)
		}
	}
}

// coverage finds what a part of the matrix does not reach, and is exit code 1 then.
func TestCoverage(t *testing.T) {
	code, out, stderr := execute("coverage", "--json", "--case", "act/abort-then-prompt", "--budget", "5")
	if code != exitFailed || stderr != "" {
		t.Errorf("exit code %d, stderr %q; want %d and none", code, stderr, exitFailed)
	}
	var doc struct {
		Histories   int
		Transitions []struct {
			From, On, To string
			Made         int
		}
		Requirements []struct {
			ID                        string
			Scenarios, Twins, Mutants int
			Histories                 int
		}
		Gaps []string
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for _, tr := range doc.Transitions {
		made[tr.From+" "+tr.On+" "+tr.To] += tr.Made
	}
	if len(doc.Transitions) != len(episode.Machine()) || doc.Histories == 0 {
		t.Errorf("%d transitions in %d histories, want those of the machine, %d", len(doc.Transitions), doc.Histories, len(episode.Machine()))
	}
	for tr, want := range map[string]bool{"verdict confirmed evidence": true, "abort given verify": true, "repair_row failed human": false} {
		if got := made[tr] > 0; got != want {
			t.Errorf("%s: made %d times, want any: %t", tr, made[tr], want)
		}
	}
	if !strings.Contains(strings.Join(doc.Gaps, "\n"), "no history goes from repair_row on failed to human") {
		t.Errorf("the gaps do not tell of what was not reached: %q", doc.Gaps)
	}
	for _, req := range doc.Requirements {
		if req.ID == "WDC-STALL-001" && (req.Scenarios == 0 || req.Twins == 0 || req.Mutants == 0) {
			t.Errorf("%+v: want scenarios, twins and mutants", req)
		}
	}
}

// Each transition is told by the records of its episode; of an episode whose beginning is not there, the first is left out.
func TestTapFollows(t *testing.T) {
	var made []move
	tap := &tap{states: map[string]string{}}
	records := `{"seq":1,"kind":"episode","data":{"id":1,"worker":"w1","step":"opened","state":"verdict"}}
{"seq":2,"kind":"ack","data":{"n":3}}
{"seq":3,"kind":"episode","data":{"id":1,"worker":"w1","step":"moved","state":"human","reason":"unclear: no source can tell"}}
{"seq":4,"kind":"episode","data":{"id":1,"worker":"w1","step":"closed","state":"healed","reason":"healed"}}
{"seq":5,"kind":"episode","data":{"id":7,"worker":"w2","step":"moved","state":"plan","reason":"saved"}}
`
	tap.follow([]byte(records), func(m move) { made = append(made, m) })
	want := []move{{"verdict", "unclear", "human"}, {"human", "healed", "healed"}}
	if len(made) != len(want) || made[0] != want[0] || made[1] != want[1] {
		t.Errorf("got %v, want %v", made, want)
	}
	if _, err := newExplored(reference{}).Start(watchdog.Boot{Policy: watchdog.DefaultPolicy()}); err != nil {
		t.Errorf("a watchdog without durable state: %v", err)
	}
}
