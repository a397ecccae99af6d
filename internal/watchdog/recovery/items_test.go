package recovery_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

// linked moves a scene to a linked worktree of its repository, on the branch work.
func linked(t *testing.T, setUp string, means recovery.Means) *scene {
	s := newScene(t, `git worktree add -q -b work ../l; cd ../l; `+setUp, means)
	s.worktree = filepath.Join(s.dir, "l")
	return s
}

// wants fails unless an apply had this result, and this is the log.
func (s *scene) wants(results []string, events ...string) {
	s.t.Helper()
	gotResults, gotEvents, err := s.apply()
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(results, gotResults); diff != "" {
		s.t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(events, gotEvents); diff != "" {
		s.t.Errorf("events (-want +got):\n%s", diff)
	}
}

// The work of a dead worker becomes a commit, and the successor goes on from there.
func TestApplyCommit(t *testing.T) {
	t.Parallel()
	s := linked(t, "echo half >> f; echo new > n", recovery.Means{})
	s.means.Resume = successor(s.dir, "stop")
	s.make(gone, nil)
	s.approve("commit-wip")
	s.approve("resume")
	s.wants([]string{"commit-wip done", "resume done"}, "intended", "acted", "verified", "intended", "started", "acted", "verified")
	if got, want := sh(t, s.worktree, "git log --format=%s; cat f n; git status --short"), "WIP: what a worker left\none\none\nhalf\ntwo\nnew\n M f\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := sh(t, s.worktree, "git log -1 --format=%b work"); !strings.Contains(got, s.plan.ID) || !strings.Contains(got, s.plan.Digest) {
		t.Errorf("the commit does not name recovery and evidence: %q", got)
	}
	sh(t, s.worktree, "git checkout -q f; "+s.plan.Items[0].Rollback)
	if got, want := sh(t, s.worktree, "git status --short"), " M f\n?? n\n"; got != want {
		t.Errorf("rolled back to %q, want %q", got, want)
	}
}

// A worktree that is gone comes back from the evidence, and only from evidence that is whole.
func TestApplyRecreate(t *testing.T) {
	t.Parallel()
	s := linked(t, "echo half >> f; echo new > n; git add n", recovery.Means{})
	s.means.Resume = successor(s.dir, "stop")
	s.capture()
	sh(t, s.dir, "rm -r l")
	s.make(gone, nil)
	if s.plan.Debris != recovery.Orphaned {
		t.Fatalf("planned for %s", s.plan.Debris)
	}
	s.approve("recreate-worktree")
	s.wants([]string{"recreate-worktree done", "resume skipped"}, "intended", "acted", "verified")
	if got, want := sh(t, s.worktree, "cat f n; git status --short --branch; git worktree list | wc -l"), "one\nhalf\nnew\n## work\n M f\nA  n\n2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.approve("resume")
	s.wants([]string{"recreate-worktree skipped", "resume done"}, "intended", "acted", "verified", "intended", "started", "acted", "verified")
}

func TestApplyRecreateDamaged(t *testing.T) {
	s := linked(t, "echo half >> f", recovery.Means{})
	s.capture()
	sh(t, s.dir, "rm -r l")
	s.make(gone, nil)
	s.approve("recreate-worktree")
	sh(t, s.dir, "echo x >> evidence/worktree.patch")
	if _, events, err := s.apply(); !errors.Is(err, evidence.ErrDamaged) || !slices.Equal(events, []string{"refused"}) {
		t.Errorf("%q, %v", events, err)
	}
	if _, err := os.Lstat(s.worktree); err == nil {
		t.Error("the worktree was made all the same")
	}
}

// What is provably done may go, after a proven restore; the branch stays.
func TestApplyRemove(t *testing.T) {
	t.Parallel()
	s := linked(t, "echo two > f; git commit -qam two; git push -q origin work", recovery.Means{})
	s.means.Remote = filepath.Join(s.dir, "remote")
	sh(t, s.dir, `git -C w fetch -q origin; sed -i 2d\;3d s.jsonl`)
	s.make(gone, &recovery.Task{ID: "7", Status: "done"})
	s.approve("remove-worktree")
	s.wants([]string{"remove-worktree done"}, "intended", "acted", "verified")
	if got, want := sh(t, s.dir, "ls; git -C w worktree list | wc -l; git -C w branch --list work"), "case\nevidence\nkey\nkey.pub\nregistry\nremote\ns.jsonl\nw\n1\n  work\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The plan of each kind of debris: items with their exact commands, reason, rollback and effect class, and what is left out.
func TestPlan(t *testing.T) {
	t.Parallel()
	running := &recovery.Task{ID: "7", Status: "running"}
	tests := []struct {
		reason, setUp string
		means         recovery.Means
		task          *recovery.Task
		lose          bool
		items         []string // id and effect class
		omitted       string   // a part of it
	}{
		{"half-done", "echo half >> f", recovery.Means{}, nil, false, []string{"commit-wip task_state", "resume respawn"}, ""},
		{"half-done, in the middle of a merge", "git checkout -q -b b; echo b > f; git commit -qam b; git checkout -q work; echo m > f; git commit -qam m; git merge b >/dev/null || true", recovery.Means{}, nil, false,
			[]string{"resume respawn"}, "commit-wip: git is in the middle of something"},
		{"half-done, in the stash only", "echo half >> f; git stash -q", recovery.Means{}, nil, false, []string{"resume respawn"}, "commit-wip: the work lies in the stash"},
		{"half-done, on no branch", "git checkout -q --detach; echo half >> f", recovery.Means{}, nil, false, []string{"resume respawn"}, "commit-wip: HEAD is on no branch"},
		{"resumable", "git commit -q --allow-empty -m two", recovery.Means{}, nil, false, []string{"resume respawn"}, ""},
		{"resumable, and no row names a gate", "git commit -q --allow-empty -m two", recovery.Means{Remote: "r", Gate: []string{"true"}}, nil, false, []string{"resume respawn"}, "publish: no row of a tracker says that a gate has passed; name one that has gates"},
		{"half-done, to be published", "echo half >> f", recovery.Means{Remote: "r", Gate: []string{"true"}}, &recovery.Task{Status: "review", Gates: []string{"ci"}}, false, []string{"commit-wip task_state", "resume respawn"}, "publish: not all of the work is in commits"},
		{"publishable", "git commit -q --allow-empty -m two", recovery.Means{Remote: "r", Gate: []string{"make", "test"}}, &recovery.Task{Status: "review", Gates: []string{"ci"}}, false, []string{"publish publish"}, ""},
		{"cancelled", "echo half >> f", recovery.Means{}, &recovery.Task{Status: "cancelled"}, false, []string{"commit-wip task_state"}, "resume: the row says \"cancelled\": nobody is to go on"},
		{"publishable, no means", "git commit -q --allow-empty -m two", recovery.Means{}, &recovery.Task{Status: "review", Gates: []string{"ci"}}, false, nil, "publish: name the remote with --remote"},
		{"empty", "", recovery.Means{}, nil, false, []string{"resume respawn"}, ""},
		{"empty, and the row says that it runs", "", recovery.Means{Repair: []string{"tracker", "free", "7"}}, running, false, []string{"resume respawn", "repair-row task_state"}, ""},
		{"empty, and the tracker's command is not named", "", recovery.Means{}, running, false, []string{"resume respawn"}, "repair-row: name the tracker's own command"},
		{"orphaned", "echo half >> f", recovery.Means{}, nil, true, []string{"recreate-worktree task_state", "resume respawn"}, ""},
		{"a veto of the tracker", "echo half >> f", recovery.Means{}, &recovery.Task{Status: "running", Vetoes: []string{"plan pending"}}, false, nil, "everything: the tracker's veto: plan pending"},
		{"done, and the remote shows it not", "echo half >> f; git commit -qam half", recovery.Means{Remote: "@/remote"}, &recovery.Task{Status: "done"}, false, []string{"resume respawn"}, ""},
		{"done, and the remote shows it, ignored files are not in the snapshot", "echo '*.o' >> .gitignore; git add .; git commit -qm i; echo o > x.o; git push -q origin work", recovery.Means{Remote: "@/remote"}, &recovery.Task{Status: "done"}, false, nil, "remove-worktree: not all of it could be restored: 1 ignored files"},
	}
	for _, test := range tests {
		s := linked(t, test.setUp, test.means)
		s.means.Remote = strings.ReplaceAll(s.means.Remote, "@", s.dir)
		sh(t, s.dir, "git -C w fetch -q origin")
		s.capture()
		if test.lose {
			sh(t, s.dir, "rm -r l")
		}
		s.make(gone, test.task)
		var items []string
		for _, it := range s.plan.Items {
			items = append(items, it.ID+" "+string(it.Effect))
			if len(it.Commands) == 0 || it.Reason == "" || it.Rollback == "" {
				t.Errorf("%s: %s has no command, reason or rollback: %+v", test.reason, it.ID, it)
			}
		}
		if !slices.Equal(items, test.items) || !strings.Contains(strings.Join(s.plan.Omitted, "\n"), test.omitted) || test.omitted == "" && len(s.plan.Omitted) > 0 {
			t.Errorf("%s: %s, %s: items %q, omitted %q; want %q, %q", test.reason, s.plan.Class, s.plan.Debris, items, s.plan.Omitted, test.items, test.omitted)
		}
	}
}

// An apply that was killed goes on: what has happened is adopted, what has not is done, what cannot be told is left.
func TestApplyInterrupted(t *testing.T) {
	t.Parallel()
	wip := func(s *scene) {
		s.t.Helper()
		if _, err := evidence.Commit(s.t.Context(), s.worktree, "WIP", now, nil); err != nil {
			s.t.Fatal(err)
		}
	}
	ended := func(stop string) func(*scene) {
		return func(s *scene) {
			sh(s.t, s.dir, `echo '{"type":"message","id":"9","parentId":"2","message":{"role":"assistant","content":[],"stopReason":"`+stop+`"}}' >> s.jsonl`)
		}
	}
	tests := []struct {
		reason, item string
		happened     func(s *scene)
		want         string
	}{
		{"the commit was made", "commit-wip", wip, "commit-wip done"},
		{"the commit was not made", "commit-wip", nil, "commit-wip done"},
		{"somebody works in the worktree", "commit-wip", func(s *scene) { sh(s.t, s.worktree, "echo more >> f") }, "commit-wip refused"},
		{"the successor has finished", "resume", ended("stop"), "resume done"},
		{"nothing shows whether the successor was started", "resume", nil, "resume refused"},
		{"the successor was stopped", "resume", ended("aborted"), "resume refused"},
	}
	for _, test := range tests {
		s := linked(t, "echo half >> f", recovery.Means{})
		s.means.Resume = successor(s.dir, "stop")
		s.make(gone, nil)
		s.approve(test.item)
		s.interrupt(test.item)
		if test.happened != nil {
			test.happened(s)
		}
		if results, _, err := s.apply(); err != nil || !slices.Contains(results, test.want) {
			t.Errorf("%s: %q, %v; want %s", test.reason, results, err, test.want)
		}
	}
}

// interrupt leaves the log as an apply does that is killed in an item.
func (s *scene) interrupt(item string) {
	s.t.Helper()
	if err := recovery.Record(s.folder, recovery.Event{Time: now, Recovery: s.plan.ID, Event: recovery.EventIntended, Item: item}); err != nil {
		s.t.Fatal(err)
	}
}

func TestApplyInterruptedPublish(t *testing.T) {
	t.Parallel()
	for _, pushed := range []bool{true, false} {
		s := newScene(t, "echo two > f; git commit -qam two", recovery.Means{})
		s.means = recovery.Means{Remote: filepath.Join(s.dir, "remote"), Gate: []string{"true"}}
		s.make(gone, &recovery.Task{Status: "review", Gates: []string{"ci"}})
		s.approve("publish")
		s.interrupt("publish")
		want := []string{"intended", "verified"}
		if pushed {
			sh(t, s.worktree, "git push -q "+s.means.Remote+" main")
		} else {
			want = []string{"intended", "intended", "started", "acted", "acted", "verified"}
		}
		s.wants([]string{"publish done"}, want...)
		if a, b := sh(t, s.dir, "git -C remote rev-parse main"), sh(t, s.worktree, "git rev-parse HEAD"); a != b {
			t.Errorf("the remote has %s, the worktree %s", a, b)
		}
	}
}

func TestApplyTwice(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.make(gone, nil)
	other := flock.New(filepath.Join(s.folder, recovery.PlanFile), flock.SetFlag(os.O_RDONLY))
	if ok, err := other.TryLock(); !ok {
		t.Fatal(err)
	}
	defer other.Unlock()
	if _, _, err := s.apply(); !errors.Is(err, recovery.ErrBusy) {
		t.Errorf("while another apply is at work: %v", err)
	}
}

// Follow tells what is there and what comes.
func TestFollow(t *testing.T) {
	s := newScene(t, "echo half >> f", recovery.Means{})
	s.make(gone, nil)
	told := make(chan recovery.Event)
	done := make(chan error)
	go func() {
		done <- recovery.Follow(t.Context(), s.folder, time.Millisecond, func(e recovery.Event) error {
			told <- e
			if e.Event == recovery.EventVerified {
				return errors.ErrUnsupported // enough
			}
			return nil
		})
	}()
	for _, name := range []recovery.EventName{recovery.EventDetected, recovery.EventIntended, recovery.EventVerified} {
		if err := recovery.Record(s.folder, recovery.Event{Time: now, Recovery: s.plan.ID, Event: name}); err != nil {
			t.Fatal(err)
		}
		if e := <-told; e.Event != name {
			t.Errorf("told of %s, want %s", e.Event, name)
		}
	}
	if err := <-done; !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("it ended with %v", err)
	}
}
