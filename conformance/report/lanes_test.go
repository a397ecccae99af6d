package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/conformance/trace"
)

// replayed is a history with something in every lane, in which two requirements are broken: one in a moment that is told,
// one between two of them.
func replayed(t *testing.T) (*conformance.Replayed, *requirements.Set) {
	t.Helper()
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := time.Second
	failed := sample(t).Result.Cases[0]
	failed.Failures[0].Event, failed.Failures[0].At = 7, 152*s
	second := failed.Failures[0]
	second.Requirement, second.Event, second.At = "WDC-ALERT-001", 9, 300*s
	failed.Failures = append([]conformance.Failure{second}, failed.Failures...)
	return &conformance.Replayed{
		Token: conformance.Token{Seed: 7, Vector: []int{0, 1}, Labels: []string{"crash at 1m32s"}},
		Case:  failed,
		Story: []trace.Entry{
			{Event: 1, Lane: trace.LaneWorker, Worker: "w1", Word: "#1", Text: "spawned, mode rpc, held, parent true"},
			{Event: 2, At: 2 * s, Lane: trace.LaneWorker, Worker: "w1", Word: "#2", Text: `out {"type":"message_update","delta":"a"}`},
			{Event: 2, At: 2 * s, Lane: trace.LaneWorker, Worker: "w1", Word: "#3", Text: `out {"type":"message_update","delta":"b"}`},
			{Event: 2, At: 2 * s, Lane: trace.LaneWorker, Worker: "w1", Word: "#4", Text: `in {"id":"k/1","type":"abort"}`},
			{Event: 2, At: 2 * s, Lane: trace.LaneWorker, Worker: "w1", Word: "#5", Text: "err \x1b[2J gone"},
			{Event: 2, At: 2 * s, Lane: trace.LaneWorker, Worker: "w1", Word: "truth", Text: "streaming, stuck since 2s"},
			{Event: 3, At: 30 * s, Lane: trace.LaneClock, Word: "world", Text: "suspend 8h0m0s"},
			{Event: 4, At: 31 * s, Lane: trace.LaneWorld, Worker: "w1", Word: "#6", Text: "probe of tree: ok, 3 processes and a text that is longer than its lane is wide"},
			{Event: 7, At: 152 * s, Lane: trace.LaneWatchdog, Worker: "w1", Word: "verdict", Text: "stalled_stream confirmed (phase streaming, limit stream_gap) on #2"},
			{Event: 7, At: 152 * s, Lane: trace.LaneWatchdog, Worker: "w1", Word: "command", Text: "notify because of stalled_stream stream_gap"},
			{Event: 8, At: 200 * s, Lane: trace.LaneWatchdog, Worker: "w1", Word: "command", Text: "propose because of stalled_stream stream_gap"},
			{Event: 10, At: 301 * s, Lane: trace.LaneOwner, Worker: "w1", Word: "#7", Text: "owner"},
			{At: 3600 * s, Lane: trace.LaneClock, Word: "end"},
		},
	}, set
}

func TestLanes(t *testing.T) {
	played, set := replayed(t)
	var buf bytes.Buffer
	if err := (report.Report{Set: set}).Lanes(&buf, played, false); err != nil {
		t.Fatal(err)
	}
	played.Case.Failures, played.Case.Status = nil, conformance.Pass
	if err := (report.Report{Set: set}).Findings(&buf, played, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "lanes.golden", buf.Bytes())
}

// Step by step a history is told in full: every entry, and every row of the drawing.
func TestMoments(t *testing.T) {
	played, set := replayed(t)
	var all strings.Builder
	for _, m := range report.Moments(played, set) {
		all.WriteString(m.Rows + m.Full)
	}
	golden(t, "moments.golden", []byte(all.String()))
}

// In color the rows in which a requirement is broken stand out, and the text is the same.
func TestLanesInColor(t *testing.T) {
	played, set := replayed(t)
	var plain, colored bytes.Buffer
	if err := (report.Report{Set: set}).Lanes(&plain, played, false); err != nil {
		t.Fatal(err)
	}
	if err := (report.Report{Set: set}).Lanes(&colored, played, true); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(colored.String(), "\x1b[31m>"); n != 2 {
		t.Errorf("%d red rows, want 2", n)
	}
	if got := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(colored.String()); got != plain.String() {
		t.Errorf("colors change the text:\n%s", got)
	}
}
