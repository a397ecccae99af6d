package recovery_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

// A plan lists the files that a commit takes up. Files of secrets, and what the owner's ignore file names, are left and listed, and
// stay as they are.
func TestApplyCommitLists(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo half >> f; echo n > new; echo KEY > deploy.pem; echo A=1 > .env; echo '*.log' > ../ignore; echo l > a.log; git config core.excludesFile $PWD/../ignore", recovery.Means{})
	s.make(gone, nil)
	it := s.plan.Items[slices.IndexFunc(s.plan.Items, func(it recovery.Item) bool { return it.Kind == recovery.CommitWIP })]
	if diff := cmp.Diff([]string{"f", "new"}, it.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	want := []evidence.Left{{Path: ".env", Why: evidence.LeftSecret}, {Path: "a.log", Why: evidence.LeftIgnored}, {Path: "deploy.pem", Why: evidence.LeftSecret}}
	if diff := cmp.Diff(want, it.Leave); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	s.approve("commit-wip")
	if results, _, err := s.apply(); err != nil || !slices.Contains(results, "commit-wip done") {
		t.Fatalf("%q, %v", results, err)
	}
	if got := sh(t, s.worktree, "git show --format= --name-only HEAD; cat deploy.pem .env a.log"); got != "f\nnew\nKEY\nA=1\nl\n" {
		t.Errorf("the commit and the files left: %q", got)
	}
}

// An ignore file that is changed after the approval neither adds a file to the commit nor takes one from it.
func TestApplyCommitIgnoreFileChanged(t *testing.T) {
	t.Parallel()
	for _, patterns := range []string{"", "*.log\nnew\n"} {
		s := newScene(t, "echo half >> f; echo n > new; echo '*.log' > ../ignore; echo l > a.log; git config core.excludesFile $PWD/../ignore", recovery.Means{})
		s.make(gone, nil)
		s.approve("commit-wip")
		if err := os.WriteFile(filepath.Join(s.dir, "ignore"), []byte(patterns), 0o600); err != nil {
			t.Fatal(err)
		}
		before := sh(t, s.worktree, "git rev-parse HEAD")
		if _, _, err := s.apply(); !errors.Is(err, evidence.ErrCommit) || !strings.Contains(err.Error(), "plan again") {
			t.Errorf("patterns %q: got %v, want a refusal", patterns, err)
		}
		if after := sh(t, s.worktree, "git rev-parse HEAD"); after != before {
			t.Errorf("patterns %q: a commit was made", patterns)
		}
	}
}

// Where there are only files of secrets, there is nothing to commit.
func TestPlanOnlySecrets(t *testing.T) {
	t.Parallel()
	s := newScene(t, "echo A=1 > .env", recovery.Means{})
	s.make(gone, nil)
	if strings.Contains(strings.Join(s.plan.Omitted, "\n"), "commit-wip: there is nothing") {
		return
	}
	t.Errorf("omitted: %q, items: %+v", s.plan.Omitted, s.plan.Items)
}
