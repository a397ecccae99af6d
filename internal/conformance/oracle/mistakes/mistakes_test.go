package mistakes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/watchdog"
)

// Every row has a word of its own, two sentences, and requirements of the set.
func TestTable(t *testing.T) {
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	sentence := regexp.MustCompile(`^[A-Z].*[.?]$`)
	seen := map[mistakes.Mistake]bool{}
	for _, row := range mistakes.Table() {
		if seen[row.Mistake] || !word.MatchString(string(row.Mistake)) {
			t.Errorf("%q is there twice, or is no word", row.Mistake)
		}
		seen[row.Mistake] = true
		for _, s := range []string{row.Sentence, row.See} {
			if !sentence.MatchString(s) {
				t.Errorf("%s: %q is no sentence", row.Mistake, s)
			}
		}
		for _, id := range row.Requirements() {
			if _, ok := set.Lookup(id); !ok {
				t.Errorf("%s: %s is no requirement", row.Mistake, id)
			}
		}
		if found, ok := mistakes.Lookup(string(row.Mistake)); !ok || found.Mistake != row.Mistake {
			t.Errorf("%s is not found by its word", row.Mistake)
		}
	}
}

func TestCharge(t *testing.T) {
	tests := []struct {
		mistake mistakes.Mistake
		at      mistakes.Circumstances
		tested  []string
		want    string
		reason  string
	}{
		{mistakes.RungSkipped, mistakes.Circumstances{}, nil, "WDC-ACT-001", "the table says so"},
		{mistakes.RungSkipped, mistakes.Circumstances{}, []string{"WDC-ACT-008"}, "WDC-ACT-008", "the scenario tests it, and it fits"},
		{mistakes.RungSkipped, mistakes.Circumstances{}, []string{"WDC-STALL-001"}, "WDC-ACT-001", "what the scenario tests does not fit"},
		{mistakes.Late, mistakes.Circumstances{Phase: watchdog.VerdictStreaming}, nil, "WDC-STALL-001", "the phase says so"},
		{mistakes.Late, mistakes.Circumstances{Phase: watchdog.VerdictStreaming}, []string{"WDC-OBS-007"}, "WDC-STALL-001", "no bytes are missing"},
		{mistakes.Late, mistakes.Circumstances{Phase: watchdog.VerdictStreaming, Facts: mistakes.BytesMissing}, []string{"WDC-OBS-007"}, "WDC-OBS-007", "bytes are missing"},
		{mistakes.Late, mistakes.Circumstances{Phase: watchdog.VerdictStreaming, Facts: mistakes.BytesMissing}, nil, "WDC-STALL-001", "the scenario tests something else"},
		{mistakes.AttentionEarly, mistakes.Circumstances{Phase: watchdog.VerdictCompacting}, nil, "WDC-PAUSE-002", "the phase comes before the table"},
		{mistakes.AttentionEarly, mistakes.Circumstances{Phase: watchdog.VerdictStreaming}, nil, "WDC-ALERT-004", "the table says so"},
		{mistakes.Misnamed, mistakes.Circumstances{Phase: watchdog.VerdictStreaming, Said: watchdog.VerdictSettled}, nil, "WDC-LIFE-002", "what was claimed counts"},
	}
	for _, test := range tests {
		if got := mistakes.Charge(test.mistake, test.at, test.tested); got != test.want {
			t.Errorf("%s in %q, tested %v: charged to %s, want %s: %s", test.mistake, test.at.Phase, test.tested, got, test.want, test.reason)
		}
	}
}

// There is no mistake without a row.
func TestConstants(t *testing.T) {
	constant := regexp.MustCompile(`(?m)^\t\w+\s+Mistake = "(\w+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllStringSubmatch(string(source), -1) {
			n++
			if _, ok := mistakes.Lookup(m[1]); !ok {
				t.Errorf("%s: %s has no row in the table", file, m[1])
			}
		}
	}
	if n < 60 {
		t.Errorf("%d constants found; the pattern does not fit any more", n)
	}
}
