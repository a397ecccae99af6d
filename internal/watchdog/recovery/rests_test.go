package recovery_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

// TestApplyFailedItem: what rests on an item that failed is not done, in the same apply or in a later one, and what does not
// rest on it is.
func TestApplyFailedItem(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Repair = []string{"bash", "-c", "echo repaired >> " + filepath.Join(s.dir, "repairs")}
	s.means.Resume = successor(s.dir, "stop")
	s.make(gone, &recovery.Task{Status: "in_progress"})
	for _, item := range []string{"commit-wip", "resume", "repair-row"} {
		s.approve(item)
	}
	if err := recovery.Record(s.folder, recovery.Event{Time: now, Recovery: s.plan.ID, Event: recovery.EventFailed, Item: "commit-wip"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"commit-wip refused", "resume refused", "repair-row done"}
	results, _, err := s.apply()
	if err != nil || !slices.Equal(results, want) {
		t.Errorf("after a failure: %q, %v; want %q", results, err, want)
	}
	want[2] = "repair-row skipped" // it was done
	if results, _, err := s.apply(); err != nil || !slices.Equal(results, want) {
		t.Errorf("once more: %q, %v; want %q", results, err, want)
	}
	list, err := s.applying.Apply(t.Context())
	if err != nil || !strings.Contains(list[1].Reason, "it rests on commit-wip") {
		t.Errorf("%+v, %v: the reason is not said", list, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "told")); err == nil {
		t.Error("the successor was started on what a failed item left")
	}
	if got := sh(t, s.dir, "cat repairs"); got != "repaired\n" {
		t.Errorf("the row was repaired as often as %q", got)
	}
}

// TestApplyGoesOn: an item that fails now stops what rests on it and nothing else, and the failure is what apply ends with.
func TestApplyGoesOn(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Repair = []string{"touch", filepath.Join(s.dir, "repaired")}
	s.means.Resume = successor(s.dir, "stop")
	s.make(gone, &recovery.Task{Status: "in_progress"})
	for _, item := range []string{"commit-wip", "resume", "repair-row"} {
		s.approve(item)
	}
	sh(t, s.worktree, "touch .git/index.lock")
	results, events, err := s.apply()
	want := []string{"commit-wip failed", "resume refused", "repair-row done"}
	if !errors.Is(err, evidence.ErrCommit) || !slices.Equal(results, want) {
		t.Errorf("%q, %v; want %q", results, err, want)
	}
	// A commit that did not begin is no act.
	if want := []string{"intended", "refused", "refused", "intended", "started", "acted", "verified"}; !slices.Equal(events, want) {
		t.Errorf("the log says %q, want %q", events, want)
	}
	sh(t, s.worktree, "rm .git/index.lock") // its cause is gone, and nothing was done
	if results, _, err := s.apply(); err != nil || !slices.Equal(results, []string{"commit-wip done", "resume done", "repair-row skipped"}) {
		t.Errorf("after the cause has gone: %q, %v", results, err)
	}
}

// TestPlanAgain: what failed is planned, approved and done anew once its cause is gone.
func TestPlanAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo two > f; git commit -qam two", recovery.Means{})
	s.means = recovery.Means{Remote: filepath.Join(s.dir, "remote"), Gate: []string{"test", "-e", filepath.Join(s.dir, "passes")}}
	task := &recovery.Task{Status: "in_progress", Gates: []string{"ci"}}
	s.make(gone, task)
	s.approve("publish")
	if _, _, err := s.apply(); !errors.Is(err, recovery.ErrGate) {
		t.Fatalf("the gate fails: %v", err)
	}
	sh(t, s.dir, "touch passes")
	if results, _, err := s.apply(); err != nil || !slices.Equal(results, []string{"publish refused"}) {
		t.Errorf("under the same plan: %q, %v", results, err)
	}
	s.folder = filepath.Join(s.dir, "again")
	s.applying.Folder = s.folder
	s.make(gone, task)
	s.now = s.now.Add(time.Second)
	s.approve("publish")
	if results, _, err := s.apply(); err != nil || !slices.Equal(results, []string{"publish done"}) {
		t.Errorf("under a new plan: %q, %v", results, err)
	}
}
