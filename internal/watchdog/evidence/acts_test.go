package evidence_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
)

// traps makes everything that git may run in a repository leave a mark in dir/ran.
func traps(t *testing.T, dir, repository string) {
	t.Helper()
	sh(t, repository, `for k in core.fsmonitor filter.evil.clean filter.evil.smudge filter.evil.process diff.external; do git config $k "touch `+dir+`/ran"; done
		printf '#!/bin/sh\ntouch `+dir+`/ran\n' > `+dir+`/trap; chmod +x `+dir+`/trap
		for h in reference-transaction post-index-change pre-commit post-commit post-checkout; do cp `+dir+`/trap "$(git rev-parse --git-common-dir)/hooks/$h"; done`)
}

func untouched(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("something that is configured in the repository ran")
	}
}

// plainGit is a git that none of the traps catches.
const plainGit = `git() { command git -c core.fsmonitor=false -c core.hooksPath=/dev/null "$@"; }; `

// repo is a repository w with one commit, and a linked worktree l of it on the branch work.
const repo = `git init -q -b main w; cd w; printf 'one\ntwo\n' > f; echo '*.o' > .gitignore; git add .; git commit -qm one; git worktree add -q -b work ../l; cd ../l; `

func TestCommit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, setUp string
		want          string // of git show --name-status; empty: it is refused
	}{
		{"edits, staged and not, a removal, new files of odd names", `echo 3 >> f; echo s > s; git add s; git rm -q .gitignore; mkdir d; echo u > "d/ $(printf 'u\nv')"; echo -rf > ./-rf`,
			"A\t-rf\nD\t.gitignore\nA\t\"d/ u\\nv\"\nM\tf\nA\ts\n"},
		{"a folder in the place of a file", `rm f; mkdir f; echo x > f/x`, "D\tf\nA\tf/x\n"},
		{"line ends are converted as the attributes say", `echo '* text=auto' > .gitattributes; printf 'a\r\nb\r\n' > x`, "A\t.gitattributes\nA\tx\n"},
		{"an edit of the same size and time", `touch -d @1000000000 f; git update-index --refresh -q; printf 'on3\ntwo\n' > f; touch -d @1000000000 f`, "M\tf\n"},
		{"a nested repository is left alone", `echo 3 >> f; git init -q in; echo q > in/q`, "M\tf\n"},
		{"an ignored file is left alone", `echo 3 >> f; echo o > x.o`, "M\tf\n"},
		{"files of secrets are left", `echo 3 >> f; echo k > .env; echo k > deploy.pem; echo e > .env.example`, "A\t.env.example\nM\tf\n"},
		{"a tracked file of secrets is the repository's affair", `echo k > .env; git add -f .env; git commit -qm env; echo l >> .env`, "M\t.env\n"},
		{"the repository's settings name an ignore file", `echo 3 >> f; echo '*.log' > ../ign; git config core.excludesFile "$(cd ..; pwd)/ign"; echo l > a.log; echo b > b`, "A\tb\nM\tf\n"},
		{"nothing but files of secrets", `echo k > .env`, ""},
		{"nothing to commit", ``, ""},
		{"a merge with a conflict", `git checkout -q -b b; echo b > f; git commit -qam b; git checkout -q work; echo m > f; git commit -qam m; git merge b >/dev/null || true`, ""},
		{"on no branch", `git checkout -q --detach; echo 3 >> f`, ""},
		{"an edit that git was told to overlook", `git update-index --assume-unchanged f; echo 3 >> f`, ""},
		{"a file that needs a filter", `echo '*.bin filter=evil' > .gitattributes; echo b > a.bin`, ""},
		{"git holds the index", `echo 3 >> f; touch "$(git rev-parse --git-dir)/index.lock"`, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sh(t, dir, repo+test.setUp)
			l := filepath.Join(dir, "l")
			traps(t, dir, l)
			const files = "find . -type f -print0 | sort -z | xargs -0r sha256sum"
			contents := sh(t, l, files)
			before := fingerprint(t, l) + sh(t, l, plainGit+"git log --all --format=%H")
			commit, err := evidence.Commit(t.Context(), l, "WIP", time.Date(2026, 11, 30, 1, 0, 0, 0, time.UTC), nil)
			untouched(t, dir)
			if test.want == "" {
				if !errors.Is(err, evidence.ErrCommit) {
					t.Errorf("got %v, want a refusal", err)
				}
				if after := fingerprint(t, l) + sh(t, l, plainGit+"git log --all --format=%H"); after != before {
					t.Error("it was refused, and something changed")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := sh(t, l, plainGit+"git show --no-renames --format= --name-status work"); got != test.want {
				t.Errorf("the commit has\n%s, want\n%s", got, test.want)
			}
			if got := sh(t, l, plainGit+"git status --porcelain --ignore-submodules=all | grep -Ev '^[?][?] (in/|.env$|deploy.pem|a.log)' || true; git fsck --strict 2>&1; git log -1 --format='%H %an %cI'"); got != commit+" piwatch 2026-11-30T01:00:00+00:00\n" {
				t.Errorf("afterwards:\n%s", got)
			}
			if sh(t, l, files) != contents {
				t.Error("a file of the worktree changed")
			}
		})
	}
}

// take captures dir/l into dir/evidence.
func take(t *testing.T, dir string, o evidence.Options) *evidence.Record {
	t.Helper()
	o.Worktree, o.Out = filepath.Join(dir, "l"), filepath.Join(dir, "evidence")
	record, err := evidence.Take(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestRecreate(t *testing.T) {
	t.Parallel()
	const work = `echo 3 >> f; echo s > s; git add s; echo s2 >> s; echo u > u; echo c > c; git add c; git commit -qm two -- c; `
	tests := []struct {
		reason, setUp, lost string
		want                error
	}{
		{"the tree is gone, git still has its folder", work, `rm -r l`, nil},
		{"the tree was pruned too", work, `rm -r l; git -C w worktree prune`, nil},
		{"in the middle of a merge", `echo c > c; git add c; git commit -qm c; git checkout -q -b b; echo b > f; git commit -qam b; git checkout -q work; echo m > f; git commit -qam m; git merge b >/dev/null || true`, `rm -r l`, nil},
		{"on no branch", `git checkout -q --detach; ` + work, `rm -r l`, nil},
		{"the branch has moved on", work, `rm -r l; git -C w update-ref refs/heads/work main`, evidence.ErrMoved},
		{"the repository is gone", work, `rm -r l w`, evidence.ErrMoved},
		{"the tree is still there", work, ``, evidence.ErrExists},
		{"the evidence was changed", work, `rm -r l; echo x >> evidence/tree.txt`, evidence.ErrDamaged},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sh(t, dir, repo+test.setUp)
			l := filepath.Join(dir, "l")
			take(t, dir, evidence.Options{})
			before := inventory(t, l) + sh(t, l, "git status --porcelain=v2; git diff HEAD; git diff --cached")
			sh(t, dir, "cp -r l kept; "+test.lost)
			_, err := evidence.Recreate(t.Context(), filepath.Join(dir, "evidence"), l)
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if left := sh(t, dir, "ls -A | grep partial || true"); left != "" {
				t.Errorf("left behind: %s", left)
			}
			if test.want != nil {
				return
			}
			sh(t, dir, "diff -r --no-dereference --exclude=.git kept l")
			if after := inventory(t, l) + sh(t, l, "git status --porcelain=v2; git diff HEAD; git diff --cached"); after != before {
				t.Errorf("git says\n%s, and said\n%s", after, before)
			}
			sh(t, l, "git fsck --strict; git worktree list | grep -q "+l)
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	const work = `echo 3 >> f; echo u > u; `
	tests := []struct {
		reason, setUp string
		options       evidence.Options
		after         string
		want          error
	}{
		{"a proven restore", work, evidence.Options{}, "", nil},
		{"ignored files are in the snapshot", work + `echo o > x.o`, evidence.Options{IgnoredContents: true}, "", nil},
		{"ignored files are not", work + `echo o > x.o`, evidence.Options{}, "", evidence.ErrUnproven},
		{"an ignored file changed since", work + `echo o > x.o`, evidence.Options{IgnoredContents: true}, "echo p > l/x.o", evidence.ErrUnproven},
		{"a file changed since", work, evidence.Options{}, "echo 4 >> l/f", evidence.ErrUnproven},
		{"a nested repository", work + `git init -q in`, evidence.Options{}, "", evidence.ErrUnproven},
		{"a locked worktree", work + `git worktree lock .`, evidence.Options{}, "", evidence.ErrUnproven},
		{"the evidence was changed", work, evidence.Options{}, "echo x >> evidence/untracked.tar", evidence.ErrDamaged},
		{"the repository itself", `cd ..; rm -r l; mv w l; git -C l worktree prune; ` + work, evidence.Options{}, "", evidence.ErrUnproven},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sh(t, dir, repo+test.setUp)
			take(t, dir, test.options)
			sh(t, dir, test.after)
			before := fingerprint(t, filepath.Join(dir, "l"))
			err := evidence.Remove(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "l"))
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if left := sh(t, dir, "ls -A | grep partial || true"); left != "" {
				t.Errorf("left behind: %s", left)
			}
			if test.want != nil {
				if fingerprint(t, filepath.Join(dir, "l")) != before {
					t.Error("it was refused, and something changed")
				}
				return
			}
			if got := sh(t, dir, "ls; git -C w worktree list | wc -l; git -C w branch --list work"); got != "evidence\nw\n1\n  work\n" {
				t.Errorf("left: %s", got)
			}
			if _, err := evidence.Recreate(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "l")); err != nil {
				t.Errorf("it does not come back: %v", err)
			}
		})
	}
}

// TestRemoveLastMoment: what is written or staged while apply looks for the last time is not removed, nor the worktree with it.
func TestRemoveLastMoment(t *testing.T) {
	for _, test := range []struct{ reason, write string }{
		{"a new file", `echo precious > l/precious`},
		{"a tracked file", `echo precious > l/f`},
		{"an ignored file", `echo precious > l/x.o`},
		{"the same contents, but executable", `chmod +x l/f`},
		{"something staged", `(cd l; "$GIT" update-index --add --cacheinfo 100644 $("$GIT" hash-object -w u) precious)`},
		{"a commit on no branch", `(cd l; "$GIT" update-ref --no-deref -m lost HEAD $("$GIT" commit-tree -m lost HEAD^{tree} -p HEAD))`},
		{"a lock", `(cd l; "$GIT" worktree lock .)`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			sh(t, dir, repo+`echo 3 >> f; echo u > u`)
			take(t, dir, evidence.Options{IgnoredContents: true})
			// When git is asked for the last time what is ignored, all files have been looked at.
			otherGit(t, dir, `if [[ " $* " = *" check-ignore "* ]]; then echo >> `+dir+`/asked
				if [ "$(wc -l < `+dir+`/asked)" = "$(cat `+dir+`/last 2>/dev/null)" ]; then (unset GIT_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_WORK_TREE; cd `+dir+`; `+test.write+`); fi; fi`)
			if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "back")); err != nil {
				t.Fatal(err)
			}
			if _, err := evidence.Inspect(t.Context(), filepath.Join(dir, "l")); err != nil {
				t.Fatal(err)
			}
			sh(t, dir, `wc -l < asked > last; rm -r asked back`)
			err := evidence.Remove(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "l"))
			if got := sh(t, dir, "cmp <(wc -l < asked) last && echo written"); got != "written\n" {
				t.Fatalf("nothing was written: %s", got)
			}
			if !errors.Is(err, evidence.ErrUnproven) {
				t.Errorf("got %v, want ErrUnproven", err)
			}
			sh(t, dir, "[ -e l/f ] && git -C l status >/dev/null")
			if left := sh(t, dir, "ls -A | grep partial || true"); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// TestRemoveInUse: a process that works in the worktree, or has a file of it open for writing, keeps it.
func TestRemoveInUse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, open string
		want         error
	}{
		{"it works there", `cd l; exec cat`, evidence.ErrUnproven},
		{"it writes to a file", `exec 7>>l/u; exec cat`, evidence.ErrUnproven},
		{"it reads a file", `exec 7<l/u; exec cat`, nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sh(t, dir, repo+`echo 3 >> f; echo u > u`)
			take(t, dir, evidence.Options{})
			cmd := exec.Command("bash", "-c", "echo up; "+test.open)
			cmd.Dir = dir
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
			if _, err := in.Write([]byte("here\n")); err != nil {
				t.Fatal(err)
			}
			// "here" comes back from cat, which runs once all is open.
			if _, err := io.ReadFull(out, make([]byte, len("up\nhere\n"))); err != nil {
				t.Fatal(err)
			}
			err = evidence.Remove(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "l"))
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if left := sh(t, dir, "ls -A | grep -E '^l$|partial' || true"); (left == "l\n") != (test.want != nil) {
				t.Errorf("left: %s", left)
			}
		})
	}
}
