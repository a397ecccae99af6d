package native_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/recording"
)

func TestDetector(t *testing.T) {
	const (
		delta      = `{"type":"message_update","usage":{},"assistantMessageEvent":{"type":"text_delta","delta":"a"}}`
		cumulative = `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"a","partial":{}},"message":{}}`
		oldEnd     = `{"type":"agent_end","messages":[]}`
		newEnd     = `{"type":"agent_end","messages":[],"willRetry":false}`
	)
	tests := []struct {
		reason     string
		lines      []string
		want       native.Dialect
		confidence native.Confidence
		settles    bool
	}{
		{"nothing seen", nil, "", native.NoEvidence, false},
		{"what all dialects write", []string{`{"type":"session"}`, `{"type":"agent_start"}`, `{"type":"turn_start"}`, `torn`, `{"type":"agent_dreams"}`}, "", native.NoEvidence, false},
		{"a delta-only update", []string{delta}, native.Pi16, native.Likely, true},
		{"willRetry", []string{newEnd}, native.Pi16, native.Likely, false},
		{"the terminal event", []string{`{"type":"agent_settled","aborted":false}`}, native.Pi16, native.Likely, true},
		{"a pending message", []string{`{"type":"message_start","message":{"role":"assistant","stopReason":"pending"}}`}, native.Pi16, native.Certain, false},
		{"a system message", []string{`{"type":"message_start","message":{"role":"system"}}`}, native.Pi16, native.Certain, false},
		{"a disposition", []string{`{"type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`}, native.Pi16, native.Certain, false},
		{"a cumulative update", []string{cumulative}, native.Pi073, native.Likely, false},
		{"agent_end without willRetry", []string{oldEnd}, native.Pi073, native.Likely, false},
		{"cumulative, and compaction by its later name", []string{cumulative, `{"type":"compaction_start","reason":"manual"}`}, native.Pi073, native.Certain, false},
		{"compaction by its first name", []string{cumulative, `{"type":"auto_compaction_start","reason":"threshold"}`}, native.Pi058, native.Certain, false},
		{"two versions in one stream", []string{cumulative, delta}, "", native.Conflicting, true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var d native.Detector
			for _, line := range test.lines {
				var s native.Skimmed
				native.Skim([]byte(line), &s)
				d.Observe(&s)
			}
			got, confidence := d.Dialect()
			if got != test.want || confidence != test.confidence || d.Settles() != test.settles {
				t.Errorf("got %q, confidence %d, settles %v, want %q, %d, %v", got, confidence, d.Settles(), test.want, test.confidence, test.settles)
			}
		})
	}
}

// TestDetectorOnRecordings: no recording is ever taken for another version, at any line;
// with FAKEPI_RECORDINGS, none of a folder of one's own.
func TestDetectorOnRecordings(t *testing.T) {
	roots := []string{testdata}
	if dir := os.Getenv("FAKEPI_RECORDINGS"); dir != "" {
		roots = append(roots, dir)
	}
	for _, root := range roots {
		runs, err := recording.Find(root)
		if err != nil {
			t.Fatal(err)
		}
		known := map[native.Dialect]int{}
		for _, run := range runs {
			events, err := run.Events()
			if err != nil {
				t.Fatal(err)
			}
			if want := dialectOf(run.Meta.PiVersion); want != native.DialectUnknown && isStream(run) {
				known[detect(t, run, events, want)]++
			}
		}
		t.Logf("%s: detected %v", filepath.Base(root), known)
		if known[native.Pi16] == 0 {
			t.Errorf("%s: no recording was recognised", root)
		}
	}
}

func dialectOf(version string) native.Dialect {
	for prefix, d := range map[string]native.Dialect{"1.6.": native.Pi16, "0.73.": native.Pi073, "0.58.": native.Pi058} {
		if strings.HasPrefix(version, prefix) {
			return d
		}
	}
	return native.DialectUnknown
}

func detect(t *testing.T, run recording.Run, events []recording.Event, want native.Dialect) native.Dialect {
	var d native.Detector
	for _, e := range events {
		if e.Dir != recording.Out {
			continue
		}
		var s native.Skimmed
		native.Skim(e.Line, &s)
		d.Observe(&s)
		if got, confidence := d.Dialect(); confidence != native.NoEvidence && got != want {
			t.Errorf("%s line %d: got %q with confidence %d, want %q", run.Dir, e.N, got, confidence, want)
		}
	}
	got, _ := d.Dialect()
	return got
}
