package fidelity_test

import (
	"os"
	"testing"

	"fakepi.example/internal/fakepi/fidelity"
	"fakepi.example/internal/fakepi/native/recording"
)

const recordings = "../../../fakepi/native/testdata/recordings"

// recorded are the recordings, with those of a further folder that FAKEPI_RECORDINGS names.
func recorded(t *testing.T) []recording.Run {
	t.Helper()
	runs, err := recording.Find(recordings)
	if len(runs) < 90 {
		t.Errorf("got %d recordings, want 90 or more", len(runs))
	}
	if dir := os.Getenv("FAKEPI_RECORDINGS"); dir != "" && err == nil {
		var more []recording.Run
		more, err = recording.Find(dir)
		runs = append(runs, more...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// TestTranscribe: every recording has a script, with as many lines as it has.
func TestTranscribe(t *testing.T) {
	for _, run := range recorded(t) {
		if run.Meta.Mode == "tui" {
			continue // it has no records
		}
		t.Run(run.Meta.PiVersion+"/"+run.Meta.Mode+"/"+run.Meta.Scenario, func(t *testing.T) {
			s, recorded, err := fidelity.Transcribe(run)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s", s.Source)
			if len(recorded.Pis) != 1 || len(recorded.Pis[0].Stdout) == 0 || len(s.Client) == 0 && s.Modes[0] == "rpc" {
				t.Errorf("got %d lines and %d acts, want some", len(recorded.Pis[0].Stdout), len(s.Client))
			}
		})
	}
}
