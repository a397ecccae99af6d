//go:build unix

package smoke_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testPiwatch(t *testing.T, piwatch command) {
	// The model pauses for ten seconds inside its message, then goes on to a good end.
	file, err := filepath.Abs("../fakepi/native/testdata/recordings/1.6.0/json/03-stall-resume/events.rec.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"observe", "--set", "stream_gap=2s", "--set", "confirm_every=500ms", file}
	want := []string{
		"starting ok", "awaiting_first_token ok", "streaming ok", "stalled_stream suspected", "stalled_stream confirmed",
		"streaming ok", "working ok", "ending ok", "settled ok", "settled ok",
	}

	t.Run("a recording", func(t *testing.T) {
		stdout, stderr, status := piwatch.pipe(t, args...)
		if status != 0 || stderr != "" {
			t.Errorf("exit status %d, stderr %q; want 0 and nothing", status, stderr)
		}
		if diff := cmp.Diff(want, verdicts(stdout)); diff != "" {
			t.Errorf("in a pipe (-want +got):\n%s", diff)
		}
		p := piwatch.start(t, usual, nil, args...)
		exits(t, p, 0)
		if diff := cmp.Diff(stdout, strings.ReplaceAll(p.Printed(), "\r\n", "\n")); diff != "" {
			t.Errorf("the terminal shows something else than the pipe (-pipe +terminal):\n%s", diff)
		}
	})
	t.Run("a file that is not there", func(t *testing.T) {
		p := piwatch.start(t, usual, nil, "observe", "nowhere.jsonl")
		expect(t, p, `^piwatch: .*nowhere\.jsonl`)
		exits(t, p, 3)
	})
}

// verdicts returns verdict and status of each line, without time, limit and evidence.
func verdicts(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) >= 3 {
			all = append(all, fields[1]+" "+fields[2])
		}
	}
	return all
}
