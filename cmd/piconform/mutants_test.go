package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
)

// TestKillMatrix checks the verdict on mutants by two watchdogs of which the truth is plain: the reference is right, and
// one that never speaks misses every stall.
func TestKillMatrix(t *testing.T) {
	killed := conformance.Mutant{ID: "silent", Kind: conformance.Bad, Requirement: "WDC-STALL-002", Subject: mute{}}
	for _, row := range []struct {
		mutant conformance.Mutant
		fails  bool
		want   string
		reason string
	}{
		{killed, false, "PASSED: 1 of 1 bad mutants killed, 0 of 0 benign ones flagged", "a bad one that is caught"},
		{conformance.Mutant{ID: "right", Kind: conformance.Bad, Requirement: "WDC-STALL-002", Subject: reference{}},
			true, "FAILED: 0 of 1 bad mutants killed", "a bad one that nothing catches"},
		{conformance.Mutant{ID: "elsewhere", Kind: conformance.Bad, Requirement: "WDC-OBS-001", Subject: mute{}},
			true, "FAILED: 0 of 1 bad mutants killed", "caught, but not on its own requirement"},
		{conformance.Mutant{ID: "harmless", Kind: conformance.Benign, Subject: reference{}},
			false, "PASSED: 0 of 0 bad mutants killed, 0 of 1 benign ones flagged", "a benign one that passes"},
		{conformance.Mutant{ID: "harmful", Kind: conformance.Benign, Subject: mute{}},
			true, "FAILED: 0 of 0 bad mutants killed, 1 of 1 benign ones flagged", "a benign one that is flagged"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			out, err := tryMutant(t, row.mutant)
			if !strings.Contains(out, row.want) {
				t.Errorf("got:\n%swant %q", out, row.want)
			}
			if code, ok := errors.AsType[exit](err); ok != row.fails || ok && code != exitFailed {
				t.Errorf("the command ends with %v, want a failure: %v", err, row.fails)
			}
		})
	}
	_, err := tryMutant(t, conformance.Mutant{ID: "odd", Kind: conformance.Bad, Requirement: "WDC-ODD-001", Subject: mute{}})
	if err == nil || !strings.Contains(err.Error(), `mutant odd breaks "WDC-ODD-001", which is no requirement`) {
		t.Errorf("a mutant without a requirement: error %v", err)
	}
}

func tryMutant(t *testing.T, mutant conformance.Mutant) (string, error) {
	t.Helper()
	var stdout bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&stdout)
	cmd.SetErr(&bytes.Buffer{})
	cmd.SetContext(context.Background())
	what := choice{cases: "stall/silent-after-tool", dialect: scenarios.Dialects()[0], seed: 1}
	_, err := what.mutants(cmd, []conformance.Mutant{mutant}, false, false)
	return stdout.String(), err
}
