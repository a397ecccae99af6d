package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/mutation"
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

// TestChoose draws a sample: another seed is another one, what is explained is left out and not made up for, and a mutant
// more changes no other one's lot.
func TestChoose(t *testing.T) {
	choose := func(n int, seed uint64, reasons explained) map[string]bool {
		s := session{options: options{sample: 10, seed: seed}, built: &built{}, reasons: reasons}
		for i := range n {
			s.mutants = append(s.mutants, mutation.Mutant{N: i, Function: fmt.Sprintf("f%d", i), Operator: "negate", Text: "a"})
		}
		s.choose()
		ids := map[string]bool{}
		for _, i := range s.chosen {
			ids[s.mutants[i].ID()] = true
		}
		return ids
	}
	want := choose(100, 1, nil)
	if len(want) != 10 || cmp.Equal(want, choose(100, 2, nil)) {
		t.Errorf("seed 1 draws %v, and seed 2 the same", want)
	}
	known := slices.Sorted(maps.Keys(want))[0]
	if got := choose(100, 1, explained{known: "same"}); len(got) != 9 || got[known] {
		t.Errorf("with %s explained: %v, want the other nine of %v", known, got, want)
	}
	kept := 0
	for id := range choose(101, 1, nil) {
		if want[id] {
			kept++
		}
	}
	if kept < 9 {
		t.Errorf("with a mutant more %d of 10 are the same, want 9 at least", kept)
	}
}
