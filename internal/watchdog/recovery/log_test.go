package recovery_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/recovery"
)

// tear adds something to the log of the case, as another hand or a crash would.
func (s *scene) tear(text string) {
	s.t.Helper()
	f, err := os.OpenFile(filepath.Join(s.folder, recovery.EventsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// A crash leaves a torn last line, which the next one to write cuts off.
func TestTornLog(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.make(gone, nil)
	s.approve("commit-wip")
	s.tear(`{"time":"2026-`)
	s.wants([]string{"commit-wip done", "resume skipped"}, "intended", "acted", "verified")
	s.tear(`{"event":"intended","item":"resume"}`) // whole, but for its end
	s.wants([]string{"commit-wip skipped", "resume skipped"}, "intended", "acted", "verified")
}

// A line that is no event keeps everything from being done or approved.
func TestDamagedLog(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.make(gone, nil)
	s.approve("commit-wip")
	s.tear("{}\n{\"time\":\n")
	before := sh(t, s.worktree, "git status --short")
	_, err := s.applying.Apply(t.Context())
	_, approving := recovery.Approve(s.folder, "resume", filepath.Join(s.dir, "key"), "owner", now, time.Hour)
	for _, err := range []error{err, approving} {
		if !errors.Is(err, recovery.ErrLog) || !strings.Contains(err.Error(), "events.jsonl:2: ") || !strings.Contains(err.Error(), "plan again with another --case") {
			t.Errorf("refused with %v", err)
		}
	}
	if after := sh(t, s.worktree, "git status --short"); after != before {
		t.Errorf("the worktree was %q and is %q", before, after)
	}
	if lines := strings.Split(sh(t, s.folder, "cat approvals.jsonl"), "\n"); slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, `"item":"resume"`) }) {
		t.Error("an item was approved")
	}
}
