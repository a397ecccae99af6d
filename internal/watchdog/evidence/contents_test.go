package evidence_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
)

var files = flag.Int("files", 500, "how many files the large worktree has")

// The names of a snapshot are public: what each file holds, and that only its owner may read it (WDC-SAFE-004).
func TestContents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := tracker(t, dir, "DELETE")
	sh(t, dir, `git init -q --bare remote; git init -q -b main l; cd l; echo one > f; git add f; git commit -qm one; git push -q ../remote main
		git fetch -q ../remote '+refs/heads/*:refs/remotes/origin/*'; git branch pushed; git checkout -q -b side; echo s > s; git add s; git commit -qm 'on the side'; git tag -a -m note v1; git checkout -q main
		echo two > f; git commit -qam two; echo stash > f; git stash -q; git remote add up https://me:hush@host/x.git; git config http.extraheader 'Authorization: hush'
		printf '#!/bin/sh\n' > .git/hooks/pre-commit; git worktree add -q ../other side
		echo three >> f; echo new > n; git add n; echo u > u; ln -s u link; echo '*.o' > .gitignore; echo oo > x.o; echo '{"type":"session"}' > ../s.jsonl
		git checkout -q --detach; git checkout -q main; touch .git/MERGE_HEAD; rm .git/MERGE_HEAD; git rev-parse side > .git/CHERRY_PICK_HEAD`)
	record := take(t, dir, evidence.Options{Database: file, Session: filepath.Join(dir, "s.jsonl"), PID: os.Getpid()})
	e := filepath.Join(dir, "evidence")
	want := `600 MANIFEST.sha256
600 attributes.jsonl
600 config-and-hooks.txt
600 db-backup.sqlite
600 edited.tar
600 git.tar
600 ignored.txt
700 in-progress
600 in-progress/CHERRY_PICK_HEAD
600 in-progress/COMMIT_EDITMSG
600 in-progress/ORIG_HEAD
700 in-progress/info
600 in-progress/info/exclude
600 index-entries.txt
600 index.patch
600 log.txt
600 objects.txt
600 processes.json
600 repo.bundle
600 session.jsonl
600 snapshot.json
700 stash
600 stash/0.patch
600 status.txt
600 tree.txt
600 untracked.tar
600 worktree.patch
600 worktrees.txt
`
	if diff := cmp.Diff(want, sh(t, e, `find . -mindepth 1 -printf '%P %m\n' | LC_ALL=C sort | awk '{print $2, $1}'`)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	tests := []struct{ reason, script, want string }{
		{"the bundle: branches, tags, the stash, and what no ref names; not the remote-tracking refs", "git bundle list-heads repo.bundle | sed 's/^[0-9a-f]* //' | LC_ALL=C sort",
			"refs/evidence/contents\nrefs/evidence/head\nrefs/heads/main\nrefs/heads/pushed\nrefs/heads/side\nrefs/stash\nrefs/tags/v1\n"},
		{"the bundle needs nothing else", "git clone -q --bare repo.bundle ../again.git && git -C ../again.git log --format=%s main side | sort", "on the side\none\ntwo\n"},
		{"edits, against HEAD", "grep '^[+-][^+-]' worktree.patch; grep -c 'index [0-9a-f]\\{40\\}' worktree.patch", "+three\n+new\n2\n"},
		{"the index, against HEAD", "grep '^[+-][^+-]' index.patch", "+new\n"},
		{"untracked files, links as links", "tar -tvf untracked.tar | awk '{print substr($1,1,1), $6, $7, $8}' | sed 's/ *$//'", "- .gitignore\nl link -> u\n- u\n"},
		{"ignored files: size, hash, name", "cat ignored.txt", "3 " + strings.Fields(sh(t, dir, "echo oo | sha256sum"))[0] + " \"x.o\"\n"},
		{"the stash, for people", "grep '^[+-][^+-]' stash/0.patch", "-two\n+stash\n"},
		{"the log", "grep -c . log.txt", "4\n"},
		{"other worktrees", "grep -c '^worktree ' worktrees.txt; grep -o '/other' worktrees.txt", "2\n/other\n"},
		{"the configuration, without what is secret", "grep -c hush config-and-hooks.txt || true; grep -o 'hook \"pre-commit\"' config-and-hooks.txt", "0\nhook \"pre-commit\"\n"},
		{"the status", "grep -c . status.txt >/dev/null; grep '^[12?]' status.txt | awk '{print $1, $NF}'", "1 f\n1 n\n? .gitignore\n? link\n? u\n"},
		{"what sha256sum says", "sha256sum --quiet --strict -c MANIFEST.sha256 && echo ok", "ok\n"},
	}
	for _, test := range tests {
		if got := sh(t, e, test.script); got != test.want {
			t.Errorf("%s: got\n%s, want\n%s", test.reason, got, test.want)
		}
	}
	var tree evidence.ProcessTree
	data, err := os.ReadFile(filepath.Join(e, evidence.ProcessesFile))
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	ours := slices.IndexFunc(tree.Processes, func(p evidence.Process) bool { return p.PID == os.Getpid() }) // a child may have a lower pid
	if err != nil || tree.BootID == "" || ours < 0 || tree.Processes[ours].Start == 0 {
		t.Errorf("processes.json: %+v, %v", tree, err)
	}
	if record.Git.Unpushed != 1 || len(record.Git.Stashes) != 1 || record.Ignored != 1 {
		t.Errorf("the record: %+v", record.Git)
	}
	if err := os.RemoveAll(e); err != nil {
		t.Fatal(err)
	}
	take(t, dir, evidence.Options{AllRefs: true})
	if got := sh(t, e, "git bundle list-heads repo.bundle | grep -c -e refs/heads/pushed -e refs/remotes/origin/main"); got != "2\n" {
		t.Errorf("all refs: %s", got)
	}
}

// The same state makes the same archive and digest, whenever it is taken.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh(t, dir, repo+`echo 3 >> f; mkdir -p d/e; for i in $(seq 50); do echo $i > d/$i; ln -s $i d/l$i; done`)
	one := take(t, dir, evidence.Options{})
	sums := `cd evidence; sha256sum untracked.tar tree.txt worktree.patch index.patch index-entries.txt`
	first := sh(t, dir, sums+"; cd ..; mv evidence one")
	two := take(t, dir, evidence.Options{})
	if second := sh(t, dir, sums); first != second || one.Digest != two.Digest {
		t.Errorf("taken twice: %s, %s\n%s\n%s", one.Digest, two.Digest, first, second)
	}
	if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "evidence", "back")); !errors.Is(err, evidence.ErrExists) {
		t.Errorf("restored into the evidence: %v", err)
	}
}

// A worktree of very many files, half of them tracked.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh(t, dir, `git init -q -b main l; cd l; echo '*.o' > .gitignore`)
	l := filepath.Join(dir, "l")
	write := func(i int, name string) {
		at := filepath.Join(l, fmt.Sprintf("d%d/e%d", i%50, i%7))
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, name), fmt.Appendf(nil, "%d\n", i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range *files / 2 {
		write(i, fmt.Sprint("t", i))
	}
	sh(t, l, `git add .; git commit -qm many`)
	for i := range *files / 2 {
		write(i, fmt.Sprint("u", i))
	}
	for i := range 20 {
		write(i+1, fmt.Sprint("t", i*3)) // elsewhere, or with other contents
		write(i, fmt.Sprint("x", i, ".o"))
	}
	record := take(t, dir, evidence.Options{})
	if record.Files < *files || record.Ignored != 20 {
		t.Errorf("%d files and %d ignored ones of %d", record.Files, record.Ignored, *files)
	}
	if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "back")); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "diff -r --no-dereference --exclude=.git --exclude='*.o' l back")
}
