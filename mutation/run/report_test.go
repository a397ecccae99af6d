package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/mutation"
)

// TestReport judges what became of five mutants: killed by a scenario, by a test, explained, explained and killed, alive.
func TestReport(t *testing.T) {
	var all []mutation.Mutant
	for i, f := range []string{"a", "b", "c", "d", "e"} {
		all = append(all, mutation.Mutant{N: i, Function: f, Operator: "negate", Text: "x"})
	}
	for range 20 {
		all = append(all, mutation.Mutant{Function: "z"})
	}
	const same = "x/same"
	s := session{
		built: &built{mutants: all}, chosen: []int{0, 1, 2, 3, 4},
		reach:   coverage{native.Pi16: {by: map[int][]string{0: {same}, 1: {same}, 2: {same}, 3: {same}}}, native.Pi073: {}},
		reasons: explained{"c | negate | x": "same", "d | negate | x": "same"},
		fates: &fates{by: map[string]fate{
			"a | negate | x": {By: byJudge, Case: "stall/x"}, "b | negate | x": {By: byTests}, "d | negate | x": {By: byHistories, Case: "stall/y"},
		}},
	}
	var out strings.Builder
	if err := s.report(&out, 0); err == nil {
		t.Error("a mutant lives, and the report is content")
	}
	for _, want := range []string{
		"5 chosen, 1 of them do otherwise in no scenario", "1 killed by: an assertion of the judge", "1 killed by: the engine's tests",
		"1 live, explained", "1 live, not explained", "LIVES  e | negate | x", "EXPLAINED, d | negate | x: killed by recorded histories stall/y",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got:\n%swant %q", out.String(), want)
		}
	}
}

// TestFates keeps fates in a file: a run that goes on knows what was killed, and plays again what lived.
func TestFates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fates.jsonl")
	first, err := openFates(file)
	if err != nil {
		t.Fatal(err)
	}
	killed := fate{ID: "f | negate | a", By: byJudge, Case: "stall/x", Requirement: "WDC-STALL-002"}
	for _, f := range []fate{killed, {ID: "f | negate | b"}} {
		if err := first.add(f); err != nil {
			t.Fatal(err)
		}
	}
	first.close()
	again, err := openFates(file)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	if diff := cmp.Diff(map[string]fate{killed.ID: killed}, again.by); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
