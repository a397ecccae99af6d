package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/scenarios"
)

const killMatrixFile = "../../docs/kill-matrix.md"

// TestKillMatrixFile compares what the file says of each mutant with the mutants and the scenarios that there are, without
// playing any: make mutants does that.
func TestKillMatrixFile(t *testing.T) {
	text, err := os.ReadFile(killMatrixFile)
	if err != nil {
		t.Fatal(err)
	}
	var bad [][]string // the cells of a row
	var benign []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|") || cells[0] == "mutant" || strings.HasPrefix(cells[0], "---"):
		case len(cells) == 2:
			benign = append(benign, cells[0])
		default:
			bad = append(bad, cells)
		}
	}
	known := cases(t)
	for _, m := range mutants.All() {
		if m.Kind == mutants.Benign {
			if !slices.Contains(benign, m.ID) {
				t.Errorf("%s does not name %s; make kill-matrix writes it anew", killMatrixFile, m.ID)
			}
			continue
		}
		i := slices.IndexFunc(bad, func(row []string) bool { return row[0] == m.ID })
		if i < 0 || bad[i][1] != m.Requirement {
			t.Errorf("%s does not say that %s breaks %s; make kill-matrix writes it anew", killMatrixFile, m.ID, m.Requirement)
			continue
		}
		checkFates(t, m, known, bad[i][4:])
	}
}

// checkFates: what killed a mutant in each dialect is a case that there is, and no mutant lives.
func checkFates(t *testing.T, m mutants.Mutant, known, cells []string) {
	t.Helper()
	for i, d := range scenarios.Dialects() {
		if m.Dialect != "" && m.Dialect != native.Dialect(d) {
			continue
		}
		if !slices.Contains(known, cells[i]) {
			t.Errorf("%s in %s: %q kills it, and there is no such case", m.ID, d, cells[i])
		}
	}
}

func cases(t *testing.T) []string {
	t.Helper()
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, s := range all {
		known = append(known, s.ID, s.ID+conformance.TwinSuffix)
	}
	for _, measure := range conformance.Measures() {
		known = append(known, measure.ID)
	}
	return known
}
