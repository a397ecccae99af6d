package engine_test

import (
	"encoding/json"
	"os"
	"testing"

	"fakepi.example/watchdog"
)

// record adds a decision to the digest.
func (s *sim) record(d watchdog.Decision) {
	if s.decided == nil {
		return
	}
	text, err := json.Marshal(d)
	if err != nil {
		s.failf("%v", err)
	}
	s.decided.Write(append(text, '\n'))
}

// recordedSeeds is of how many histories the decisions are recorded.
const recordedSeeds = 100

func compareDigest(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("the engine decides otherwise than recorded (%v); if that is meant: go test ./watchdog/engine -update", err)
	}
}
