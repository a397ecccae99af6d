package native_test

import (
	"os"
	"path/filepath"
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
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
		{"cumulative, and bash that tells its start", []string{cumulative, `{"type":"tool_execution_update","toolName":"bash","partialResult":{"content":[]}}`}, native.Pi073, native.Certain, false},
		{"cumulative, and bash that tells output only", []string{cumulative, `{"type":"tool_execution_update","toolName":"bash","partialResult":{"content":[{"type":"text","text":"a"}],"details":{}}}`}, native.Pi073, native.Likely, false},
		{"the queues, as several versions write them", []string{`{"type":"queue_update","steering":[],"followUp":[]}`}, "", native.NoEvidence, false},
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
		for _, d := range dialects {
			counts := map[native.Confidence]int{}
			for _, run := range runs {
				if codecFor(run.Meta.PiVersion) == d.codec && isStream(run) {
					counts[detect(t, run, d.codec.Dialect())]++
				}
			}
			certain, likely, none := counts[native.Certain], counts[native.Likely], counts[native.NoEvidence]
			t.Logf("%s: %s certain in %d recordings, likely in %d, no evidence in %d", filepath.Base(root), d.codec.Dialect(), certain, likely, none)
			if certain+likely == 0 && root == testdata {
				t.Errorf("%s was never recognised", d.codec.Dialect())
			}
		}
	}
}

// detect returns the confidence at the end of a recording; at no line may another dialect
// be named.
func detect(t *testing.T, run recording.Run, want native.Dialect) native.Confidence {
	events, err := run.Events()
	if err != nil {
		t.Fatal(err)
	}
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
	_, confidence := d.Dialect()
	return confidence
}
