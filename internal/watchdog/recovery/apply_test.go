package recovery_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

func TestApplyResume(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Resume = successor(s.dir, "stop")
	s.make(gone, nil)
	if s.plan.Class != recovery.DeadAtRisk || s.plan.Debris != recovery.HalfDone {
		t.Fatalf("planned for %s, %s", s.plan.Class, s.plan.Debris)
	}
	if results, events, err := s.apply(); err != nil || !slices.Equal(results, []string{"commit-wip skipped", "resume skipped"}) || len(events) != 0 {
		t.Errorf("without an approval: %q, %q, %v", results, events, err)
	}
	s.approve("resume")
	results, events, err := s.apply()
	if err != nil || !slices.Equal(results, []string{"commit-wip skipped", "resume done"}) || !slices.Equal(events, []string{"intended", "started", "acted", "verified"}) {
		t.Errorf("approved: %q, %q, %v", results, events, err)
	}
	if got := sh(t, s.worktree, "cat f"); got != "one\nhalf\ntwo\n" {
		t.Errorf("the worktree has %q", got)
	}
	told := sh(t, s.dir, "cat told")
	for _, want := range []string{"evidence", "s.jsonl", "call c1 of bash", "deploy", "git log", "not known"} {
		if !strings.Contains(told, want) {
			t.Errorf("the successor was not told of %s:\n%s", want, told)
		}
	}
	if results, _, err := s.apply(); err != nil || !slices.Equal(results, []string{"commit-wip skipped", "resume skipped"}) {
		t.Errorf("applied twice: %q, %v", results, err)
	}
}

func TestApplyPublish(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo two > f; git commit -qam two; for k in core.sshCommand credential.helper core.fsmonitor; do git config $k 'touch ../ran'; done; printf '#!/bin/sh\ntouch ../ran\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push", recovery.Means{})
	s.means = recovery.Means{Remote: filepath.Join(s.dir, "remote"), Gate: []string{"grep", "-q", "two", "f"}}
	s.make(gone, &recovery.Task{Status: "in_progress", Gates: []string{"ci"}})
	s.approve("publish")
	results, events, err := s.apply()
	if err != nil || !slices.Equal(results, []string{"publish done"}) || !slices.Equal(events, []string{"intended", "started", "acted", "acted", "verified"}) {
		t.Errorf("%q, %q, %v", results, events, err)
	}
	if a, b := sh(t, s.dir, "git -C remote rev-parse main"), sh(t, s.worktree, "git -c core.fsmonitor= rev-parse HEAD"); a != b {
		t.Errorf("the remote has %s, the worktree %s", a, b)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "ran")); err == nil {
		t.Error("something that the worker configured ran")
	}
}

func TestApplyGateFails(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo two > f; git commit -qam two", recovery.Means{})
	s.means = recovery.Means{Remote: filepath.Join(s.dir, "remote"), Gate: []string{"false"}}
	s.make(gone, &recovery.Task{Status: "in_progress", Gates: []string{"ci"}})
	s.approve("publish")
	results, events, err := s.apply()
	if !errors.Is(err, recovery.ErrGate) || errors.Is(err, recovery.ErrVerify) || !slices.Equal(results, []string{"publish failed"}) || !slices.Equal(events, []string{"intended", "started", "acted", "failed"}) {
		t.Errorf("%q, %q, %v", results, events, err)
	}
	if got := sh(t, s.dir, "git -C remote log --format=%s main"); got != "one\n" {
		t.Errorf("the remote has %q", got)
	}
}

func TestApplyStop(t *testing.T) {
	t.Parallel()
	for _, polite := range []bool{true, false} {
		s := newScene(t, "", recovery.Means{})
		trap := "trap 'exit 143' TERM; "
		if !polite {
			trap = "trap '' TERM; "
			s.applying.Grace = 300 * time.Millisecond
		}
		worker := exec.Command("bash", "-c", trap+"echo up; while :; do read -t 1 <> <(:) || true; done")
		worker.Args[0] = "pi"
		s.make(hung(t, worker), nil)
		s.approve("stop-worker")
		results, events, err := s.apply()
		want := []string{"intended", "acted", "verified"}
		if !polite {
			want = []string{"intended", "acted", "acted", "verified"}
		}
		if err != nil || !slices.Equal(results, []string{"stop-worker done", "resume skipped"}) || !slices.Equal(events, want) {
			t.Errorf("polite %t: %q, %q, %v", polite, results, events, err)
		}
		err = worker.Wait()
		if err == nil {
			t.Error("the worker ended well")
		}
	}
}

// What a worker writes to its session as it is stopped is no work of somebody else.
func TestApplyStopThenResume(t *testing.T) {
	t.Parallel()
	s := newScene(t, "", recovery.Means{})
	s.means.Resume = successor(s.dir, "stop")
	aborted := `{"type":"message","id":"3","parentId":"2","message":{"role":"assistant","content":[],"stopReason":"aborted"}}`
	worker := exec.Command("bash", "-c", `trap 'echo "$0" >> s.jsonl; exit 143' TERM; echo up; while :; do read -t 1 <> <(:) || true; done`, aborted)
	worker.Dir, worker.Args[0] = s.dir, "pi"
	s.make(hung(t, worker), nil)
	s.approve("stop-worker")
	s.approve("resume")
	s.wants([]string{"stop-worker done", "resume done"}, "intended", "acted", "verified", "intended", "started", "acted", "verified")
	if err := worker.Wait(); err == nil {
		t.Error("the worker ended well")
	}
}

// What has changed since the plan, or was not given by the owner, is refused with its reason, and nothing is done.
func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		after  func(s *scene)
		want   error  // nil: it is skipped
		why    string // a part of the reason
	}{
		{"the worktree changed", func(s *scene) { sh(s.t, s.worktree, "echo more >> f") }, recovery.ErrChanged, "is not as it was; take a new snapshot"},
		{"a commit was added", func(s *scene) { sh(s.t, s.worktree, "git commit -qam half") }, recovery.ErrChanged, "is not as it was; take a new snapshot"},
		{"the session grew", func(s *scene) {
			sh(s.t, s.dir, `echo '{"type":"message","id":"3","parentId":"2","message":{"role":"user"}}' >> s.jsonl`)
		}, recovery.ErrChanged, "somebody works in it"},
		{"the evidence was changed", func(s *scene) { sh(s.t, s.dir, "echo x >> evidence/tree.txt") }, evidence.ErrDamaged, "tree.txt"},
		{"the evidence is gone", func(s *scene) { sh(s.t, s.dir, "rm -r evidence") }, evidence.ErrDamaged, "no such file"},
		{"the approval expired", func(s *scene) { s.now = s.now.Add(2 * time.Hour) }, nil, "expired at 2026-11-29T13:00:00Z; approve it again"},
		{"the clock was set back", func(s *scene) { s.now = s.now.Add(-2 * time.Hour) }, nil, "the clock has moved"},
		{"approved for other evidence", func(s *scene) {
			sh(s.t, s.folder, `sed -i 's/"evidence_digest": "[0-9a-f]*"/"evidence_digest": "00"/' plan.json`)
		}, nil, "approved on other evidence"},
		{"the worktree is gone", func(s *scene) { sh(s.t, s.dir, "rm -r w") }, recovery.ErrChanged, "is not there"},
		{"the plan was changed", func(s *scene) { sh(s.t, s.folder, `sed -i 's/bash/dash/' plan.json`) }, nil, "the plan was changed after resume was approved"},
		{"the approval was changed", func(s *scene) { sh(s.t, s.folder, `sed -i 's/"by":"owner"/"by":"nobody"/' approvals.jsonl`) }, nil, "not signed with the owner's key"},
		{"another key", func(s *scene) {
			if err := recovery.NewKey(filepath.Join(s.dir, "other")); err != nil {
				s.t.Fatal(err)
			}
			s.applying.PublicKey = filepath.Join(s.dir, "other.pub")
		}, nil, "not signed with the owner's key"},
		{"a child that outlived the worker", func(s *scene) {
			child := exec.Command("sleep", "60")
			child.Dir = s.worktree
			if err := child.Start(); err != nil {
				s.t.Fatal(err)
			}
			s.t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
		}, recovery.ErrChanged, "(sleep) still works in"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, "echo half >> f", recovery.Means{})
			s.means.Resume = successor(s.dir, "stop")
			s.make(gone, nil)
			s.approve("resume")
			test.after(s)
			results, err := s.applying.Apply(t.Context())
			if len(results) != 2 || !errors.Is(err, test.want) {
				t.Fatalf("%+v, %v; want %v", results, err, test.want)
			}
			if got := results[1]; (got.Result == "refused") != (test.want == nil) || got.Result == "done" || !strings.Contains(got.Reason, test.why) {
				t.Errorf("%+v, want %q", got, test.why)
			}
			if _, events, _ := s.apply(); !slices.Contains(events, "refused") {
				t.Errorf("the log does not tell of it: %q", events)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "told")); err == nil {
				t.Error("the successor was started")
			}
		})
	}
}

func TestApplyResumeThatEndsBadly(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Resume = successor(s.dir, "error")
	s.make(gone, nil)
	s.approve("resume")
	if _, events, err := s.apply(); !errors.Is(err, recovery.ErrVerify) || !slices.Equal(events, []string{"intended", "started", "acted", "failed"}) {
		t.Errorf("exit status 0 is no success: %q, %v", events, err)
	}
}

// A command that does not start has done nothing, and may be tried again.
func TestApplyNeverStarted(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	command := filepath.Join(s.dir, "later")
	s.means.Resume = append([]string{command}, successor(s.dir, "stop")[1:]...)
	s.make(gone, nil)
	s.approve("resume")
	if _, events, err := s.apply(); !errors.Is(err, recovery.ErrStart) || errors.Is(err, recovery.ErrVerify) || !slices.Equal(events, []string{"intended", "failed"}) {
		t.Errorf("%q, %v", events, err)
	}
	sh(t, s.dir, "ln -s $(command -v bash) later")
	s.wants([]string{"commit-wip skipped", "resume done"}, "intended", "failed", "intended", "started", "acted", "verified")
}

// A successor of which nobody knows what it did is not started again, until the owner has looked and says so.
func TestApplyUnknownOutcome(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Resume = successor(s.dir, "stop")
	s.make(gone, nil)
	s.approve("resume")
	s.interrupt("resume")
	s.wants([]string{"commit-wip skipped", "resume refused"}, "intended", "refused")
	s.wants([]string{"commit-wip skipped", "resume refused"}, "intended", "refused", "refused")
	s.now = s.now.Add(time.Second)
	s.approve("resume")
	running := exec.Command("sleep", "60")
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	sighting, err := recovery.See(t.Context(), running.Process.Pid, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	started := recovery.Target{PID: running.Process.Pid, Start: sighting.Process.Start, BootID: boot(t)}
	if err := recovery.Record(s.folder, recovery.Event{Time: now, Recovery: s.plan.ID, Event: recovery.EventStarted, Item: "resume", Process: &started}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.apply(); !errors.Is(err, recovery.ErrChanged) || !strings.Contains(err.Error(), "which an earlier apply started, still runs") {
		t.Errorf("while it runs: %v", err)
	}
	_ = running.Process.Kill()
	_ = running.Wait()
	if results, _, err := s.apply(); err != nil || !slices.Contains(results, "resume done") {
		t.Errorf("approved again: %q, %v", results, err)
	}
}

// An owner's decision is not taken from a caller that descends from a worker, told by its pid or by its name.
func TestFree(t *testing.T) {
	if os.Getenv("FREE_CHILD") != "" {
		fmt.Println(recovery.Free(os.Getpid(), 0))
		return
	}
	if err := recovery.Free(os.Getpid(), os.Getppid()); !errors.Is(err, recovery.ErrKey) {
		t.Errorf("a caller that descends from the worker: %v", err)
	}
	if err := recovery.Free(os.Getpid(), 0); err != nil {
		t.Errorf("a caller that does not: %v", err)
	}
	for _, name := range []string{"pi", "other"} {
		parent := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(parent, []byte("#!/bin/bash\n\"$@\"\nexit $?\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(parent, os.Args[0], "-test.run=^TestFree$")
		cmd.Env = append(os.Environ(), "FREE_CHILD=1")
		out, err := cmd.Output()
		if err != nil || strings.Contains(string(out), "the owner decides outside of it") != (name == "pi") {
			t.Errorf("a caller that descends from %s: %v, %s", name, err, out)
		}
	}
}

// hung starts a worker, waits until it has said that it is up, and sees it as one that is stopped.
func hung(t *testing.T, worker *exec.Cmd) *recovery.Sighting {
	t.Helper()
	up, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := up.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	sighting, err := recovery.See(t.Context(), worker.Process.Pid, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	sighting.Process.State = "T" // what makes it hung
	return sighting
}
