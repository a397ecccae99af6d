package evidence_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fakepi.example/watchdog/evidence"
)

// sh runs a shell script in a folder, with a git that knows nobody's configuration.
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

func TestRestore(t *testing.T) {
	const commit = `git init -q -b main .; printf 'a\r\nb\n' > x; echo '* text=auto' > .gitattributes; echo hi > y; ln -s x link; git add -A; git commit -qm one; `
	tests := []struct{ name, setUp, reason string }{
		{"unborn", `git init -q .; echo a > a; git add a; echo b > b`, "a branch without a commit"},
		{"dirty", commit + `echo 2 >> y; rm link; chmod +x x; echo u > "$(printf 'un\ntracked')"; mkdir empty`, "edits of all kinds"},
		{"staged", commit + `echo s > s; git add s; echo s2 >> s; git rm -q --cached y`, "the index differs from both sides"},
		{"stash", commit + `echo 2 >> y; git stash -q; echo 3 >> y; git stash -q; echo 4 >> y`, "two stash entries"},
		{"detached", commit + `git checkout -q --detach; echo 2 > y; git commit -qam two`, "a commit that no branch has"},
		{"merge", commit + `git checkout -qb b; echo b > y; git commit -qam b; git checkout -q main; echo m > y; git commit -qam m; git merge b || true`, "a conflict in the index"},
		{"nested", commit + `git init -q in; cd in; echo q > q; git add q`, "a repository in the worktree"},
		{"no git", `mkdir d; echo a > d/a; ln -s /etc/passwd link`, "no repository at all"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			w := filepath.Join(dir, "w")
			if err := os.Mkdir(w, 0o755); err != nil {
				t.Fatal(err)
			}
			sh(t, w, test.setUp)
			out := filepath.Join(dir, "evidence")
			if _, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: out}); err != nil {
				t.Fatal(err)
			}
			sh(t, out, "sha256sum --quiet -c MANIFEST.sha256")
			if _, err := evidence.Restore(t.Context(), out, filepath.Join(dir, "back")); err != nil {
				t.Fatal(err)
			}
			sh(t, dir, "diff -r --no-dereference --exclude=.git w back")
			if _, err := evidence.Restore(t.Context(), out, w); !errors.Is(err, evidence.ErrExists) {
				t.Errorf("restoring over the worktree: %v", err)
			}
			sh(t, out, "echo x >> tree.txt")
			if _, err := evidence.Verify(t.Context(), out); !errors.Is(err, evidence.ErrDamaged) {
				t.Errorf("a changed file of the evidence: %v", err)
			}
		})
	}
}
