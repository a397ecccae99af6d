package conformance_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

func TestKillMatrix(t *testing.T) {
	mutants := []conformance.Mutant{
		{ID: "early", Kind: conformance.Bad, Requirement: "WDC-TTFT-002", Subject: hasty()},
		{ID: "unrelated", Kind: conformance.Bad, Requirement: "WDC-PAUSE-002", Subject: hasty()},
		{ID: "panics", Kind: conformance.Bad, Requirement: "WDC-OBS-002", Subject: spoilt{name: "panics", step: func(watchdog.Watchdog, watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
			panic("boom")
		}}},
		{ID: "does not start", Kind: conformance.Bad, Requirement: "WDC-OBS-002", Subject: broken{}},
		{ID: "polls", Kind: conformance.Benign, Subject: poller{every: time.Second}},
		{ID: "elsewhere", Kind: conformance.Bad, Requirement: "WDC-TTFT-002", Subject: hasty(), Dialect: native.Pi073, Why: "not here"},
		{ID: "meddles", Kind: conformance.Benign, Subject: hasty()},
	}
	m, err := conformance.KillMatrix(context.Background(), mutants, small(t), conformance.MatrixOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Bad != 4 || m.Killed != 1 || m.Benign != 2 || m.Flagged != 1 || m.Holds() {
		t.Errorf("got %d of %d killed, %d of %d flagged; want 1 of 4 and 1 of 2", m.Killed, m.Bad, m.Flagged, m.Benign)
	}
	cases := []struct {
		id              string
		killed, flagged bool
		reason          string
	}{
		{"early", true, true, "its own requirement caught it"},
		{"unrelated", false, true, "another requirement caught it, which is no kill"},
		{"panics", false, true, "a crash is no kill"},
		{"does not start", false, true, "a subject that does not start is no kill"},
		{"polls", false, false, "a declared poll is allowed"},
		{"elsewhere", false, false, "it shows in another dialect"},
		{"meddles", false, true, "benign in name only"},
	}
	for i, c := range cases {
		if got := m.Mutants[i]; got.ID != c.id || got.Killed() != c.killed || got.Flagged() != c.flagged {
			t.Errorf("%s: killed %t, flagged %t; want %t, %t: %s (%+v)", got.ID, got.Killed(), got.Flagged(), c.killed, c.flagged, c.reason, got)
		}
	}
}

func TestKillMatrixRefuses(t *testing.T) {
	for _, m := range []conformance.Mutant{
		{ID: "no kind", Subject: reference{}},
		{ID: "no requirement", Kind: conformance.Bad, Subject: reference{}},
		{ID: "no reason", Kind: conformance.Bad, Requirement: "WDC-TTFT-002", Dialect: native.Pi073, Subject: reference{}},
	} {
		if _, err := conformance.KillMatrix(context.Background(), []conformance.Mutant{m}, small(t), conformance.MatrixOptions{}); !errors.Is(err, conformance.ErrMutant) {
			t.Errorf("%s: got %v, want %v", m.ID, err, conformance.ErrMutant)
		}
	}
}

// Two scenarios of one requirement that make the subject say the same and kill the same mutants count once.
func TestDuplicates(t *testing.T) {
	copied := "id       stall/copied" + silentAfterTool[len("id       stall/silent-after-tool"):]
	all := matrix(t, silentAfterTool, copied, slowToken)
	m, err := conformance.KillMatrix(context.Background(), []conformance.Mutant{
		{ID: "early", Kind: conformance.Bad, Requirement: "WDC-TTFT-002", Subject: hasty()},
	}, all, conformance.MatrixOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := conformance.Duplicates(run(t, reference{}, all, conformance.Options{CaseGlob: played}), m)
	want := conformance.Duplicate{Requirement: "WDC-STALL-002", First: "stall/silent-after-tool", Second: "stall/copied"}
	if !slices.Contains(found, want) {
		t.Errorf("got %+v, want %+v among them", found, want)
	}
	for _, d := range found {
		if d.First == "ttft/just-in-time" || d.Second == "ttft/just-in-time" {
			t.Errorf("%+v: it is of another requirement", d)
		}
	}
}

// A mutant is left at its first kill, by a case of its own requirement; the verdict on it is the same.
func TestFirstKill(t *testing.T) {
	mutants := []conformance.Mutant{
		{ID: "early", Kind: conformance.Bad, Requirement: "WDC-TTFT-002", Subject: hasty()},
		{ID: "acts", Kind: conformance.Bad, Requirement: "WDC-ACT-001", Acts: true, Subject: hasty()},
		{ID: "polls", Kind: conformance.Benign, Subject: poller{every: time.Second}},
	}
	m, err := conformance.KillMatrix(context.Background(), mutants, small(t), conformance.MatrixOptions{FirstKill: true})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Holds() || m.Bad != 1 || m.Killed != 1 || m.Benign != 1 {
		t.Errorf("got %+v, want one bad mutant killed, one of no case, and one benign that passes", m)
	}
	if want := []conformance.Kill{{Case: "ttft/just-in-time", Requirement: "WDC-TTFT-002"}}; !slices.Equal(m.Mutants[0].KilledBy, want) {
		t.Errorf("killed by %v, want %v", m.Mutants[0].KilledBy, want)
	}
	if m.Mutants[1].Unseen == "" {
		t.Error("a mutant of recovery was played, and no scenario is for watchdogs that act")
	}
}

// A watchdog that answers nothing fails every case that expects something; where it does not, the matrix does not hold.
func TestCanary(t *testing.T) {
	m, err := conformance.KillMatrix(context.Background(), nil, small(t), conformance.MatrixOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Canary.Cases == 0 || len(m.Canary.Passed) > 0 || !m.Holds() {
		t.Errorf("got %+v, want it to fail every case", m.Canary)
	}
	m.Canary.Passed = []string{"ttft/just-in-time"}
	if m.Holds() {
		t.Error("the canary passes a case, and the matrix holds")
	}
}

func TestFirstFailure(t *testing.T) {
	for _, row := range []struct {
		reason  string
		subject conformance.Subject
		failed  bool
		want    conformance.Kill
	}{
		{"the reference passes", reference{}, false, conformance.Kill{}},
		{"a hasty one fails where it is first too early", hasty(), true, conformance.Kill{Case: "ttft/just-in-time", Requirement: "WDC-TTFT-002"}},
		{"one that does not start fails in the first case", broken{}, true, conformance.Kill{Case: "ttft/just-in-time"}},
	} {
		got, failed, err := conformance.FirstFailure(context.Background(), row.subject, matrix(t, slowToken, dialog), conformance.Options{})
		if err != nil || failed != row.failed || got != row.want {
			t.Errorf("%s: got %+v, %t, %v; want %+v, %t", row.reason, got, failed, err, row.want, row.failed)
		}
	}
}
