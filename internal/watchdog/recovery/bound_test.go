package recovery_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/recovery"
	"fakepi.example/watchdog"
)

// TestApplyBound changes, after the approval, what the approval was given for: each act is refused, and nothing happens.
func TestApplyBound(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, change, want string }{
		{"the brief", "echo 'push to evil' >> case/brief.md", "brief.md was changed after the plan was made"},
		{"the session's past", "sed -i s/deploy/destroy/ s.jsonl", "was rewritten after the plan was made"},
		{"a setting of git's", "git -C w config core.sshCommand 'touch ran'", "git's settings or hooks"},
		{"a hook", "echo 'touch ran' > w/.git/hooks/post-commit; chmod +x w/.git/hooks/post-commit", "git's settings or hooks"},
		{"an attribute", "mkdir -p w/.git/info; echo '* filter=x' > w/.git/info/attributes", "git's settings or hooks"},
		{"an ignored extension of Pi's", "mkdir -p w/.pi/extensions; echo 'x' > w/.pi/extensions/a.ts; touch -d '2 days ago' w/.pi", "is not as it was|or the folder .pi"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, "echo half >> f; echo .pi > .git/info/exclude", recovery.Means{})
			s.means.Resume = successor(s.dir, "stop")
			s.make(gone, nil)
			s.approve("resume")
			sh(t, s.dir, row.change)
			_, events, err := s.apply()
			if !errors.Is(err, recovery.ErrChanged) || !slices.ContainsFunc(strings.Split(row.want, "|"), func(w string) bool { return strings.Contains(err.Error(), w) }) {
				t.Errorf("got %v, want ErrChanged with %q", err, row.want)
			}
			if !slices.Equal(events, []string{"refused"}) {
				t.Errorf("the log says %q", events)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "told")); err == nil {
				t.Error("the successor was started")
			}
		})
	}
}

// TestApplyOnce copies a case with its approvals: what was approved once is done once.
func TestApplyOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo half >> f", recovery.Means{Resume: []string{"bash", "-c", "echo ran >> ../runs; exit 1"}})
	s.make(gone, nil)
	s.approve("resume")
	sh(t, s.dir, "cp -r case copy")
	if _, _, err := s.apply(); err == nil {
		t.Fatal("the successor that fails is taken for done")
	}
	folder := s.applying.Folder
	s.applying.Folder = filepath.Join(s.dir, "copy")
	if list, err := s.applying.Apply(t.Context()); err != nil || len(list) != 2 || list[1].Result != "refused" || !strings.Contains(list[1].Reason, "used already, by the case "+folder) {
		t.Errorf("the copy: %+v, %v; want a refusal that names the first case", list, err)
	}
	sh(t, s.dir, "mv case was; mv copy case") // the same name is not the same case
	s.applying.Folder = folder
	if results, _, err := s.apply(); err != nil || !slices.Contains(results, "resume refused") {
		t.Errorf("the copy in the place of the first: %q, %v", results, err)
	}
	if got := sh(t, s.dir, "cat runs"); got != "ran\n" {
		t.Errorf("it ran as often as %q", got)
	}
}

// TestApplyAlone refuses a second apply in the same worktree, from another case.
func TestApplyAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo half >> f", recovery.Means{})
	// The successor applies the other case while it runs.
	s.means.Resume = []string{"bash", "-c", "until [ -e ../go ]; do read -t 0.01 <> <(:) || :; done"}
	s.make(gone, nil)
	s.approve("resume")
	sh(t, s.dir, "cp -r case copy")
	started := make(chan error, 1)
	go func() {
		_, err := s.applying.Apply(t.Context())
		started <- err
	}()
	other := s.applying
	other.Folder = filepath.Join(s.dir, "copy")
	for { // until the first has begun
		log, err := recovery.ReadEvents(s.folder)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(log, func(e recovery.Event) bool { return e.Event == recovery.EventStarted }) {
			break
		}
	}
	if _, err := other.Apply(t.Context()); !errors.Is(err, recovery.ErrBusy) || !strings.Contains(err.Error(), s.worktree) {
		t.Errorf("got %v, want ErrBusy that names the worktree", err)
	}
	sh(t, s.dir, "touch go")
	<-started
}

// TestSpecialFiles names what could be waited for for ever where a file is expected.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is a pipe", link: "is a device", dir: "is a folder"} {
		if _, err := recovery.ReadSession(path); !errors.Is(err, recovery.ErrSession) || !strings.Contains(err.Error(), want) {
			t.Errorf("a session at %s: %v, want ErrSession with %q", path, err, want)
		}
		if _, _, err := recovery.Watched(path, watchdog.DefaultPolicy(), time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a recording at %s: %v, want %q", path, err, want)
		}
		tracker := recovery.Tracker{Database: path, Query: "SELECT 1"}
		if _, err := tracker.Read(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a database at %s: %v, want %q", path, err, want)
		}
	}
}

func TestItemsNeverNull(t *testing.T) {
	t.Parallel()
	s := newScene(t, "", recovery.Means{})
	s.make(gone, &recovery.Task{Status: "in_progress", Vetoes: []string{"hold"}})
	data, err := os.ReadFile(filepath.Join(s.folder, recovery.PlanFile))
	if err != nil {
		t.Fatal(err)
	}
	var plan map[string]json.RawMessage
	if err := json.Unmarshal(data, &plan); err != nil || string(plan["items"]) != "[]" {
		t.Errorf("items is %s (error %v), want []", plan["items"], err)
	}
}
