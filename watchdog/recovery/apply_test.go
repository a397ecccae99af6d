package recovery_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/evidence"
	"fakepi.example/watchdog/recovery"
)

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// scene is a dead worker's worktree with its snapshot and plan.
type scene struct {
	t                     *testing.T
	dir, worktree, folder string
	facts                 *recovery.Facts
	means                 recovery.Means
	plan                  *recovery.Plan
	applying              recovery.Applying
	now                   time.Time
}

const session = `{"type":"session","version":3,"id":"01a2","timestamp":"2026-11-29T11:00:00.000Z","cwd":"/w"}
{"type":"message","id":"1","parentId":null,"timestamp":"2026-11-29T11:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"go"}]}}
{"type":"message","id":"2","parentId":"1","timestamp":"2026-11-29T11:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"deploy"}}],"stopReason":"toolUse"}}
`

func newScene(t *testing.T, setUp string, means recovery.Means) *scene {
	dir := t.TempDir()
	s := &scene{t: t, dir: dir, worktree: filepath.Join(dir, "w"), folder: filepath.Join(dir, "case"), means: means, now: now}
	sh(t, dir, `git init -q --bare remote; git init -q -b main w; cd w; echo one > f; git add f; git commit -qm one; git remote add origin ../remote; git push -q origin main; `+setUp)
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := recovery.NewKey(filepath.Join(dir, "key")); err != nil {
		t.Fatal(err)
	}
	s.applying = recovery.Applying{
		Folder: s.folder, PublicKey: filepath.Join(dir, "key.pub"), Now: func() time.Time { return s.now }, Grace: 5 * time.Second, Output: &bytes.Buffer{},
	}
	return s
}

// make takes the snapshot and plans.
func (s *scene) make(process *recovery.Sighting, task *recovery.Task) {
	s.t.Helper()
	record, err := evidence.Take(s.t.Context(), evidence.Options{Worktree: s.worktree, Out: filepath.Join(s.dir, "evidence")})
	if err != nil {
		s.t.Fatal(err)
	}
	f := &recovery.Facts{Now: now, Process: process, Task: task}
	if f.Worktree, err = evidence.Inspect(s.t.Context(), s.worktree); err != nil {
		s.t.Fatal(err)
	}
	if f.Session, err = recovery.ReadSession(filepath.Join(s.dir, "s.jsonl")); err != nil {
		s.t.Fatal(err)
	}
	limits := watchdog.DefaultPolicy().Limits
	s.facts = f
	s.plan, err = recovery.Make(f, recovery.Diagnose(f, &limits), recovery.Places{Worktree: s.worktree, Evidence: filepath.Join(s.dir, "evidence"), Case: s.folder}, record, s.means, boot(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.plan.Write(s.folder, recovery.Brief(s.plan, f)); err != nil {
		s.t.Fatal(err)
	}
}

func boot(t *testing.T) string {
	tree, err := evidence.Processes(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return tree.BootID
}

func (s *scene) approve(item string) {
	s.t.Helper()
	if _, err := recovery.Approve(s.folder, item, filepath.Join(s.dir, "key"), "owner", s.now, time.Hour); err != nil {
		s.t.Fatal(err)
	}
}

// apply applies and returns what became of the items as "item result", and the events as names.
func (s *scene) apply() (results, events []string, err error) {
	s.t.Helper()
	list, err := s.applying.Apply(s.t.Context())
	for _, r := range list {
		results = append(results, r.Item+" "+r.Result)
	}
	log, failed := recovery.ReadEvents(s.folder)
	if failed != nil {
		s.t.Fatal(failed)
	}
	for _, e := range log {
		if e.Recovery != s.plan.ID {
			s.t.Errorf("event %s has the recovery id %s, the plan %s", e.Event, e.Recovery, s.plan.ID)
		}
		events = append(events, string(e.Event))
	}
	return results, events, err
}

var gone = &recovery.Sighting{PID: 1 << 22, Gone: true}

// successor goes on with a session, as a Pi would that finishes.
func successor(dir, stop string) []string {
	return []string{"bash", "-c", `echo two >> f && cat "${2#@}" > ` + dir + `/told && echo '{"type":"message","id":"9","parentId":"2","timestamp":"2026-11-29T12:00:00.000Z","message":{"role":"assistant","content":[],"stopReason":"` + stop + `"}}' >> "$1"`, "pi", "@session", "@brief"}
}

func TestApplyResume(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Resume = successor(s.dir, "stop")
	s.make(gone, nil)
	if s.plan.Class != recovery.DeadAtRisk || s.plan.Debris != recovery.HalfDone {
		t.Fatalf("planned for %s, %s", s.plan.Class, s.plan.Debris)
	}
	if results, events, err := s.apply(); err != nil || !slices.Equal(results, []string{"resume skipped"}) || len(events) != 0 {
		t.Errorf("without an approval: %q, %q, %v", results, events, err)
	}
	s.approve("resume")
	results, events, err := s.apply()
	if err != nil || !slices.Equal(results, []string{"resume done"}) || !slices.Equal(events, []string{"intended", "acted", "verified"}) {
		t.Errorf("approved: %q, %q, %v", results, events, err)
	}
	if got := sh(t, s.worktree, "cat f"); got != "one\nhalf\ntwo\n" {
		t.Errorf("the worktree has %q", got)
	}
	told := sh(t, s.dir, "cat told")
	for _, want := range []string{"evidence", "s.jsonl", `"bash"`, "deploy", "git log", "no result"} {
		if !strings.Contains(told, want) {
			t.Errorf("the successor was not told of %s:\n%s", want, told)
		}
	}
	if results, _, err := s.apply(); err != nil || !slices.Equal(results, []string{"resume skipped"}) {
		t.Errorf("applied twice: %q, %v", results, err)
	}
}

func TestApplyPublish(t *testing.T) {
	s := newScene(t, "echo two > f; git commit -qam two; for k in core.sshCommand credential.helper core.fsmonitor; do git config $k 'touch ../ran'; done; printf '#!/bin/sh\ntouch ../ran\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push", recovery.Means{})
	s.means = recovery.Means{Remote: filepath.Join(s.dir, "remote"), Gate: []string{"grep", "-q", "two", "f"}}
	s.make(gone, &recovery.Task{Status: "in_progress", Gates: []string{"ci"}})
	s.approve("publish")
	results, events, err := s.apply()
	if err != nil || !slices.Equal(results, []string{"publish done"}) || !slices.Equal(events, []string{"intended", "acted", "acted", "verified"}) {
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
	s := newScene(t, "echo two > f; git commit -qam two", recovery.Means{})
	s.means = recovery.Means{Remote: filepath.Join(s.dir, "remote"), Gate: []string{"false"}}
	s.make(gone, &recovery.Task{Status: "in_progress", Gates: []string{"ci"}})
	s.approve("publish")
	results, events, err := s.apply()
	if !errors.Is(err, recovery.ErrVerify) || !slices.Equal(results, []string{"publish failed"}) || !slices.Equal(events, []string{"intended", "acted", "failed"}) {
		t.Errorf("%q, %q, %v", results, events, err)
	}
	if got := sh(t, s.dir, "git -C remote log --format=%s main"); got != "one\n" {
		t.Errorf("the remote has %q", got)
	}
}

func TestApplyStop(t *testing.T) {
	for _, polite := range []bool{true, false} {
		s := newScene(t, "", recovery.Means{})
		trap := "trap 'exit 143' TERM; "
		if !polite {
			trap = "trap '' TERM; "
			s.applying.Grace = 300 * time.Millisecond
		}
		worker := exec.Command("bash", "-c", trap+"echo up; while :; do read -t 1 <> <(:) || true; done")
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
		s.make(sighting, nil)
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

// What has changed since the plan, or was not given by the owner, is refused with its reason, and nothing is done.
func TestApplyRefuses(t *testing.T) {
	tests := []struct {
		reason string
		after  func(s *scene)
		want   error
	}{
		{"the worktree changed", func(s *scene) { sh(s.t, s.worktree, "echo more >> f") }, recovery.ErrChanged},
		{"a commit was added", func(s *scene) { sh(s.t, s.worktree, "git commit -qam half") }, recovery.ErrChanged},
		{"the session grew", func(s *scene) {
			sh(s.t, s.dir, `echo '{"type":"message","id":"3","parentId":"2","message":{"role":"user"}}' >> s.jsonl`)
		}, recovery.ErrChanged},
		{"the evidence was changed", func(s *scene) { sh(s.t, s.dir, "echo x >> evidence/tree.txt") }, evidence.ErrDamaged},
		{"the evidence is gone", func(s *scene) { sh(s.t, s.dir, "rm -r evidence") }, evidence.ErrDamaged},
		{"the approval expired", func(s *scene) { s.now = s.now.Add(2 * time.Hour) }, nil},
		{"the plan was changed", func(s *scene) { sh(s.t, s.folder, `sed -i 's/bash/dash/' plan.json`) }, nil},
		{"the approval was changed", func(s *scene) { sh(s.t, s.folder, `sed -i 's/"by":"owner"/"by":"nobody"/' approvals.jsonl`) }, nil},
		{"another key", func(s *scene) {
			if err := recovery.NewKey(filepath.Join(s.dir, "other")); err != nil {
				s.t.Fatal(err)
			}
			s.applying.PublicKey = filepath.Join(s.dir, "other.pub")
		}, nil},
		{"a child that outlived the worker", func(s *scene) {
			child := exec.Command("sleep", "60")
			child.Dir = s.worktree
			if err := child.Start(); err != nil {
				s.t.Fatal(err)
			}
			s.t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
		}, recovery.ErrChanged},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			s := newScene(t, "echo half >> f", recovery.Means{})
			s.means.Resume = successor(s.dir, "stop")
			s.make(gone, nil)
			s.approve("resume")
			test.after(s)
			results, _, err := s.apply()
			if test.want == nil && (err != nil || !slices.Equal(results, []string{"resume skipped"})) || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("%q, %v; want %v", results, err, test.want)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "told")); err == nil {
				t.Error("the successor was started")
			}
		})
	}
}

func TestApplyUnknownOutcomeIsNotRepeated(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Resume = successor(s.dir, "stop")
	s.make(gone, nil)
	s.approve("resume")
	if err := recovery.Record(s.folder, recovery.Event{Time: now, Recovery: s.plan.ID, Event: recovery.EventIntended, Item: "resume"}); err != nil {
		t.Fatal(err)
	}
	if results, _, err := s.apply(); err != nil || !slices.Equal(results, []string{"resume skipped"}) {
		t.Errorf("%q, %v", results, err)
	}
}

func TestApplyResumeThatEndsBadly(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.means.Resume = successor(s.dir, "error")
	s.make(gone, nil)
	s.approve("resume")
	if _, events, err := s.apply(); !errors.Is(err, recovery.ErrVerify) || !slices.Equal(events, []string{"intended", "acted", "failed"}) {
		t.Errorf("exit status 0 is no success: %q, %v", events, err)
	}
}

func TestFree(t *testing.T) {
	if err := recovery.Free(os.Getpid(), os.Getppid()); !errors.Is(err, recovery.ErrKey) {
		t.Errorf("a caller that descends from the worker: %v", err)
	}
	if err := recovery.Free(os.Getpid(), 0); err != nil {
		t.Errorf("a caller that does not: %v", err)
	}
}
