package fidelity_test

import (
	"testing"

	"fakepi.example/fakepi/fidelity"
	"fakepi.example/fakepi/native/recording"
)

const recordings = "../native/testdata/recordings"

// recorded are the recordings that have records: of the TUI there are none.
func recorded(t *testing.T) []recording.Run {
	t.Helper()
	runs, err := recording.Find(recordings)
	if err != nil {
		t.Fatal(err)
	}
	var told []recording.Run
	for _, run := range runs {
		if run.Meta.Mode != "tui" {
			told = append(told, run)
		}
	}
	if len(told) < 80 {
		t.Fatalf("got %d recordings, want 80 or more", len(told))
	}
	return told
}

// TestRetell: every recording can be told again, with as many lines as it has.
func TestRetell(t *testing.T) {
	for _, run := range recorded(t) {
		t.Run(run.Meta.PiVersion+"/"+run.Meta.Mode+"/"+run.Meta.Scenario, func(t *testing.T) {
			s, told, err := fidelity.Retell(run)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s", s.Source)
			if len(told.Pis) != 1 || len(told.Pis[0].Stdout) == 0 || len(s.Client) == 0 && s.Modes[0] == "rpc" {
				t.Errorf("got %d lines and %d acts, want some", len(told.Pis[0].Stdout), len(s.Client))
			}
		})
	}
}
