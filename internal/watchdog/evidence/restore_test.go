package evidence_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fakepi.example/internal/watchdog/evidence"
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
	t.Parallel()
	const commit = `git init -q -b main .; printf 'a\r\nb\n' > x; echo '* text=auto' > .gitattributes; echo hi > y; ln -s x link; git add -A; git commit -qm one; `
	tests := []struct{ name, setUp, reason string }{
		{"unborn", `git init -q .; echo a > a; git add a; echo b > b`, "a branch without a commit"},
		{"dirty", commit + `echo 2 >> y; rm link; chmod +x x; echo u > "$(printf 'un\ntracked')"; mkdir empty`, "edits of all kinds"},
		{"staged", commit + `echo s > s; git add s; echo s2 >> s; git rm -q --cached y`, "the index differs from both sides"},
		{"stash", commit + `echo 2 >> y; git stash -q; echo 3 >> y; git stash -q; echo 4 >> y`, "two stash entries"},
		{"detached", commit + `git checkout -q --detach; echo 2 > y; git commit -qam two`, "a commit that no branch has"},
		{"merge", commit + `git checkout -qb b; echo b > y; git commit -qam b; git checkout -q main; echo m > y; git commit -qam m; git merge b || true`, "a conflict in the index"},
		{"nested", commit + `git init -q in; cd in; echo q > q; git add q`, "a repository in the worktree"},
		{"rebase", commit + `git checkout -qb b; echo b > y; git commit -qam b; git checkout -q main; echo m > y; git commit -qam m; git rebase b || true`, "in the middle of a rebase"},
		{"submodule", commit + `git init -q ../s; (cd ../s; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule --quiet add ../s sub; git commit -qm sub; echo work > sub/s; echo new > sub/n`, "work inside a submodule"},
		{"empty submodule", commit + `git init -q ../s; (cd ../s; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule --quiet add ../s sub; git commit -qm sub; git submodule --quiet deinit -f sub`, "one that was not fetched"},
		{"sparse", commit + `mkdir a b; echo 1 > a/f; echo 2 > b/f; git add a b; git commit -qm two; git sparse-checkout set --cone a; echo 3 > a/f`, "a part of the files only"},
		{"sparse index", commit + `mkdir a b; echo 1 > a/f; echo 2 > b/f; git add a b; git commit -qm two; git sparse-checkout set --cone --sparse-index a; echo 3 > a/f`, "folders as entries of the index"},
		{"lfs", commit + `echo '*.bin filter=lfs diff=lfs merge=lfs -text' > .gitattributes; printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n' > a.bin; git add .; git commit -qm lfs; printf 'the real\0contents' > a.bin`, "a pointer, and its contents in place of it"},
		{"line ends", commit + `git config core.autocrlf true; printf 'a\r\nb\nc\r\n' > mixed; git add mixed; git commit -qm mixed; printf 'd\r\n' >> x`, "contents that git would convert"},
		{"locked index", commit + `echo 2 >> y; touch .git/index.lock`, "git was killed in mid-write"},
		{"intent to add", commit + `echo new > n; git add -N n`, "an entry without contents"},
		{"assumed unchanged", commit + `git update-index --assume-unchanged y; echo 2 >> y; git update-index --skip-worktree x; echo 3 >> x`, "edits that git was told to overlook"},
		{"split index", commit + `git update-index --split-index; echo n > n; git add n`, "an index in two files"},
		{"folder for file", commit + `rm y; mkdir y; echo deep > y/f`, "a folder in the place of a file"},
		{"file for folder", commit + `mkdir d; echo 1 > d/f; git add d; git commit -qm d; rm -r d; echo 2 > d`, "a file in the place of a folder"},
		{"link for folder", commit + `mkdir d; echo 1 > d/f; git add d; git commit -qm d; mv d e; ln -s e d`, "a link in the place of a folder"},
		{"hostile names", commit + `for n in '-rf' ' ' '$(touch pwned)' '"' "'" 'a\b' '*' ':(top)' ; do echo 1 > "$n"; done; printf x > "$(printf 'esc\033[31m\n\tname')"; printf x > "$(printf 'bad\377utf8')"; git add -- '-rf' '*'; git commit -qm names; echo 2 > ./-rf; echo u > "$(printf 'un\377')"`, "names that others would trip over"},
		{"ignored", commit + `echo '*.o' > .gitignore; git add .gitignore; git commit -qm ignore; git add -f --intent-to-add .gitignore; mkdir build; echo o > build/a.o; echo k > build/k; echo o > kept.o; git add -f kept.o`, "an ignored file that is staged"},
		{"shared branch", commit + `git worktree add -q -f ../shared main; (cd ../shared; echo 2 > y; git commit -qam two); echo 3 > y`, "another worktree has moved the branch"},
		{"sha256", `git init -q --object-format=sha256 .; echo a > a; git add a; git commit -qm one; echo b > a`, "the other object format"},
		{"linked worktree", commit + `git worktree add -q ../linked -b other; mv .git/worktrees . 2>/dev/null && mv worktrees .git/; echo 1 > y`, "a repository with a second worktree"},
		{"no git", `mkdir d; echo a > d/a; ln -s /etc/passwd link`, "no repository at all"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := filepath.Join(dir, "w")
			if err := os.Mkdir(w, 0o755); err != nil {
				t.Fatal(err)
			}
			sh(t, w, test.setUp)
			out := filepath.Join(dir, "evidence")
			state, err := evidence.Inspect(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			record, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: out, AllRefs: true, IgnoredContents: true})
			if err != nil {
				t.Fatal(err)
			}
			if record.Digest != state.Digest {
				t.Errorf("the snapshot is of %s, a look found %s", record.Digest, state.Digest)
			}
			sh(t, out, "sha256sum --quiet -c MANIFEST.sha256")
			if _, err := evidence.Restore(t.Context(), out, filepath.Join(dir, "back")); err != nil {
				t.Fatal(err)
			}
			sh(t, dir, "diff -r --no-dereference --exclude=.git w back")
			if record.Git != nil && inventory(t, w) != inventory(t, filepath.Join(dir, "back")) {
				t.Errorf("git says of the restored one\n%s, and of the captured one\n%s", inventory(t, filepath.Join(dir, "back")), inventory(t, w))
			}
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

// Every key and hook by which git runs a program is set; a snapshot starts none of them (WDC-SAFE-005).
func TestNothingConfiguredRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, marks := filepath.Join(dir, "w"), filepath.Join(dir, "marks")
	sh(t, dir, `mkdir w marks; cd w; git init -q -b main .; git init -q ../s; (cd ../s; echo s > s; git add s; git commit -qm s)
	git -c protocol.file.allow=always submodule --quiet add ../s sub; echo a > a.x; git add .; git commit -qm one; echo st > a.x; git stash -q; echo b > a.x
	printf '*.x filter=evil diff=evil merge=evil\n* filter=evil diff=evil\n' > .gitattributes`)
	trap := func(name string) string { return "touch " + filepath.Join(marks, name) }
	script := filepath.Join(dir, "trap")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+trap("script")+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
		"diff.external", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver", "filter.evil.clean",
		"filter.evil.smudge", "filter.evil.process", "gpg.program", "credential.helper", "sequence.editor", "pager.log", "pager.status",
		"interactive.diffFilter", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "alias.status", "alias.log", "trailer.x.cmd",
	} {
		for _, at := range []string{w, filepath.Join(w, "sub")} {
			sh(t, at, "git config "+key+" '"+trap(key)+"'")
		}
	}
	sh(t, w, `git config log.showSignature true; git config diff.submodule log; git config status.submoduleSummary true; git config submodule.recurse true
	git config core.hooksPath `+dir+`/hooks; git config include.path `+dir+`/more; mkdir -p ../hooks
	printf '[core]\n\tfsmonitor = `+script+`\n' > ../more
	printf '[submodule "sub"]\n\tpath = sub\n\turl = ../s\n\tignore = none\n\tupdate = !`+script+`\n' > .gitmodules
	for h in post-index-change reference-transaction post-checkout pre-auto-gc fsmonitor-watchman post-applypatch pre-commit; do for d in ../hooks .git/hooks .git/modules/sub/hooks; do cp `+script+` $d/$h; done; done`)
	sh(t, marks, "rm -f *")
	if _, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: filepath.Join(dir, "out")}); err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "out"), filepath.Join(dir, "back")); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, marks, "ls"); got != "" {
		t.Errorf("these ran: %s", got)
	}
	sh(t, w, "git status >/dev/null 2>&1 || true")
	if got := sh(t, marks, "ls"); got == "" {
		t.Error("the traps do not work: git status set none of them off")
	}
}
