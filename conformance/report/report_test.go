package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/conformance/explore"
	"fakepi.example/internal/conformance/requirements"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is a result with one of everything that a report tells: a case that passes, one that fails, a warning, a known
// failure, cases that were not judged, and a failure that was listed and did not happen.
func sample(t *testing.T) report.Report {
	t.Helper()
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	return report.Report{Set: set, Wall: 1234567 * time.Microsecond, Result: &conformance.Result{
		Suite: "1", Subject: "sleepy", Poll: 5 * time.Second, Dialect: "pi-1.6", Seed: 7, Digest: "d1ge57",
		Cases: []conformance.CaseResult{
			{
				ID: "stall/silent", Title: "The model never speaks again", Family: "STALL", Requires: []string{"WDC-STALL-002"},
				Status: conformance.Fail, Histories: 2, Events: 20,
				Failures: []conformance.Failure{{
					Requirement: "WDC-STALL-002", Level: requirements.Must, Mistake: "missed", At: 152 * time.Second, Worker: "w1",
					Expected: "slow_first_token within 2m32s", Actual: "said \x1b[2J\x07 <nothing>", Event: 9,
					Timeline: "event 8  1m30s  w1 out {\"type\":\"x\"}\nevent 9  2m32s  \u009b2J\n", Token: "p1.stall/silent.7",
				}},
			},
			{ID: "stall/silent~twin", Title: "The model never speaks again", Family: "STALL", Requires: []string{"WDC-STALL-002"},
				Status: conformance.Pass, Histories: 1, Events: 10, Reach: explore.Reach{Complete: true}, Verdicts: []string{"w1 streaming ok"}},
			{
				ID: "ttft/by-model", Title: "A slow model", Family: "TTFT", Requires: []string{"WDC-TTFT-004"},
				Status: conformance.Warn, Histories: 256, Events: 99, Capped: true, Reach: explore.Reach{Deviations: 1, Beyond: 20},
				Failures: []conformance.Failure{{
					Requirement: "WDC-TTFT-004", Level: requirements.Should, Mistake: "limit", At: time.Second,
					Expected: "10m", Actual: "90s", Event: 1, Timeline: "event 1\n", Token: "p1.ttft/by-model.7",
				}},
			},
			{
				ID: "wait/menu", Title: "A menu", Family: "WAIT", Requires: []string{"WDC-WAIT-001"}, Status: conformance.KnownFailure,
				Histories: 1, Events: 5,
				Failures: []conformance.Failure{{
					Requirement: "WDC-WAIT-001", Level: requirements.Must, Mistake: "missed", At: time.Second, Worker: "w2", Known: true,
					Expected: "awaiting_user", Actual: "stalled", Event: 4, Timeline: "event 4\n", Token: "p1.wait/menu.7",
				}},
			},
			{ID: "wait/tmux", Title: "A pane", Family: "WAIT", Status: conformance.NotApplicable, Reason: "the subject does not declare tmux"},
			{ID: "tool/late", Title: "Late", Family: "TOOL", Status: conformance.Inconclusive, Reason: "the clock \x1b[2J was late"},
		},
		Counts: map[conformance.Status]int{
			conformance.Fail: 2, conformance.Pass: 1, conformance.Warn: 1, conformance.KnownFailure: 1,
			conformance.NotApplicable: 1, conformance.Inconclusive: 1,
		},
		Scenarios: 3, Histories: 260, Events: 134, Capped: 1, Span: time.Hour, Explore: conformance.ExploreFull, Most: 256,
		Requirements: []conformance.Tally{
			{Name: "WDC-TTFT-004", Cases: 1, Warned: 1}, {Name: "WDC-STALL-002", Cases: 2, Passed: 1, Failed: 1},
			{Name: "WDC-WAIT-001", Cases: 1, Failed: 1},
		},
		Families: []conformance.Tally{
			{Name: "TTFT", Cases: 1, Warned: 1}, {Name: "STALL", Cases: 2, Passed: 1, Failed: 1}, {Name: "WAIT", Cases: 1, Passed: 1},
		},
		Stale: []conformance.Known{{Case: "live/aba", Requirement: "WDC-LOOP-001"}},
	}}
}

func TestText(t *testing.T) { golden(t, "text.golden", text(t, sample(t), false)) }

// TestJUnit: well-formed whatever a failure says, and read by CI systems as it is meant.
func TestJUnit(t *testing.T) {
	var buf bytes.Buffer
	if err := sample(t).JUnit(&buf); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.golden", buf.Bytes())
}

func TestColor(t *testing.T) { golden(t, "color.golden", text(t, sample(t), true)) }

func TestJSON(t *testing.T) {
	var line, indented bytes.Buffer
	if err := sample(t).JSON(&line); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(line.Bytes(), []byte("\n")); n != 1 {
		t.Errorf("the object takes %d lines, want 1", n)
	}
	if err := json.Indent(&indented, line.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "json.golden", indented.Bytes())
}

// TestTextIsHarmless checks that no control character of a subject or worker reaches a terminal (WDC-SAFE-002).
func TestTextIsHarmless(t *testing.T) {
	got := string(text(t, sample(t), false))
	if i := strings.IndexAny(got, "\x1b\x07\u009b"); i >= 0 {
		t.Errorf("a control character in %q", got[max(0, i-20):i+5])
	}
	if want := `\x1b[2J\a <nothing>`; !strings.Contains(got, want) {
		t.Errorf("the text does not tell what was said, want %q", want)
	}
}

// TestManyFailures: one requirement is told once, with the simplest of its cases, and ten at most; report.txt has each failure.
func TestManyFailures(t *testing.T) {
	r := sample(t)
	r.Result.Cases = r.Result.Cases[:0]
	for i := range 12 {
		for j := range 3 {
			r.Result.Cases = append(r.Result.Cases, conformance.CaseResult{ID: fmt.Sprintf("stall/%d-%d", i, j), Status: conformance.Fail, Failures: []conformance.Failure{{
				Requirement: fmt.Sprintf("WDC-X-%03d", i), Level: requirements.Must, Event: 100 - 10*i - j,
				Token: fmt.Sprintf("token-%d-%d", i, j),
			}}})
		}
	}
	got := string(text(t, r, false))
	if n := strings.Count(got, "\n  replay  "); n != 10 {
		t.Errorf("the text tells %d failures in full, want 10", n)
	}
	if i, j := strings.Index(got, "FAIL WDC-X-011 in stall/11-2"), strings.Index(got, "FAIL WDC-X-010 in stall/10-2"); i < 0 || j < i {
		t.Error("the simplest failure does not come first")
	}
	for _, want := range []string{"  also in   stall/11-1, stall/11-0\n", "... and 2 more requirements are broken; --out DIR writes each failure down\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the text does not say %q", want)
		}
	}
	dir := t.TempDir()
	if err := r.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, report.FileText))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(whole), "\n  replay  "); n != 36 {
		t.Errorf("report.txt has %d failures, want 36", n)
	}
}

func TestWriteDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	r := sample(t)
	for range 2 { // the second time over the first
		if err := r.WriteDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	var doc bytes.Buffer
	if err := r.JSON(&doc); err != nil {
		t.Fatal(err)
	}
	var tests bytes.Buffer
	if err := r.JUnit(&tests); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{report.FileJSON: doc.Bytes(), report.FileJUnit: tests.Bytes()} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("the folder holds %v (error %v), want the three reports alone", left, err)
	}
}

func TestWriteDirFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sample(t).WriteDir(filepath.Join(file, "folder")); err == nil {
		t.Error("no error for a folder below a file")
	}
}

func text(t *testing.T, r report.Report, color bool) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := r.Text(&buf, color); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
