package report_test

import (
	"bytes"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/conformance/requirements"
)

// kills is a matrix with one mutant of each fate, over ten scenarios of which one is superfluous and one has a twin
// like another's.
func kills() report.Kills {
	return report.Kills{Matrix: fates(), Dialect: "pi-1.6", Scenarios: 10, Duplicates: []conformance.Duplicate{
		{Requirement: "WDC-STALL-001", First: "stall/a", Second: "stall/b"},
		{Requirement: "WDC-STALL-002", First: "stall/a", Second: "stall/b"},
		{Requirement: "WDC-STALL-001", First: "stall/c~twin", Second: "stall/d~twin"},
	}}
}

func fates() *conformance.Matrix {
	kill := func(c string) conformance.Kill { return conformance.Kill{Case: c, Requirement: "WDC-STALL-001"} }
	return &conformance.Matrix{
		Mutants: []conformance.MutantResult{
			{ID: "bytes-are-progress", Kind: conformance.Bad, Requirement: "WDC-STALL-001",
				KilledBy: []conformance.Kill{kill("stall/a"), kill("stall/a"), kill("stall/b"), kill("stall/c"), kill("stall/d"), kill("stall/e")},
				Further:  []conformance.Kill{{Case: "mask/a", Requirement: "WDC-OBS-004"}, {Case: "mask/b", Requirement: "WDC-OBS-004"}}},
			{ID: "wall-clock", Kind: conformance.Bad, Requirement: "WDC-CLOCK-001", Crashes: 3},
			{ID: "idle-by-state", Kind: conformance.Bad, Requirement: "WDC-OBS-001", Unseen: "its answer is another one"},
			{ID: "polls", Kind: conformance.Benign},
			{ID: "talks", Kind: conformance.Benign, Further: []conformance.Kill{{Case: "alert/once", Requirement: "WDC-ALERT-002"}}},
		},
		Bad: 2, Killed: 1, Benign: 2, Flagged: 1,
	}
}

// few is a set of three core MUSTs, of which the mutants of kills break two, and a SHOULD.
func few(t *testing.T) *requirements.Set {
	t.Helper()
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	area := requirements.Area{Code: "X"}
	for _, id := range []string{"WDC-STALL-001", "WDC-CLOCK-001", "WDC-OBS-001", "WDC-TTFT-004"} {
		r, _ := set.Lookup(id)
		area.Requirements = append(area.Requirements, r)
	}
	return &requirements.Set{Areas: []requirements.Area{area}}
}

func TestMatrixText(t *testing.T) {
	var buf bytes.Buffer
	if err := report.MatrixText(&buf, kills(), few(t), false); err != nil {
		t.Fatal(err)
	}
	golden(t, "matrix.golden", buf.Bytes())
}

func TestMatrixJSON(t *testing.T) {
	var buf bytes.Buffer
	if err := report.MatrixJSON(&buf, kills(), few(t)); err != nil {
		t.Fatal(err)
	}
	golden(t, "matrix-json.golden", buf.Bytes())
}
