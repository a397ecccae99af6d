package evidence_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
)

// otherGit puts a shell script in the place of git, for what the package runs; $GIT is the real one.
func otherGit(t *testing.T, dir, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/bash\nGIT='" + real + "'\n" + script + "\nexec \"$GIT\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// Whatever git does or fails to do, what was edited is captured and comes back, and a record that says nothing of it has all.
func TestGitFails(t *testing.T) {
	tests := []struct{ reason, script string }{
		{"it prints nothing", `exit 0`},
		{"it fails", `exit 128`},
		{"it lists no files of HEAD", `[ "$1" = ls-tree ] && exit 0`},
		{"it cannot list the index", `[ "$1" = ls-files ] && exit 1`},
		{"it lists nothing of the index", `[ "$1" = ls-files ] && exit 0`},
		{"it lists no refs", `[ "$1" = for-each-ref ] && exit 0`},
		{"it knows no HEAD", `[ "$1" = rev-parse ] && exit 0`},
		{"it makes no bundle", `[ "$1 $2" = "bundle create" ] && exit 0`},
		{"it fails at the bundle", `[ "$1 $2" = "bundle create" ] && exit 1`},
		{"its bundle is cut off", `if [ "$1 $2" = "bundle create" ]; then "$GIT" "$@"; truncate -s -30 "$4"; exit 0; fi`},
		{"it unpacks nothing", `[ "$1 $2" = "bundle unbundle" ] && exit 0`},
		{"it gives wrong contents", `if [ "$1 $2" = "cat-file --batch" ]; then "$GIT" "$@" | sed 's/one/eno/'; exit 0; fi`},
		{"it gives no contents", `[ "$1 $2" = "cat-file --batch" ] && exit 0`},
		{"it cannot tell what is ignored", `[ "$1" = check-ignore ] && exit 128`},
		{"it makes no patch", `[ "$1" = diff-tree ] && exit 1`},
		{"it waits for ever", `[ "$1" = for-each-ref ] && { sleep 1000 & echo $! > "@/child"; wait; }`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			sh(t, dir, `git init -q -b main w; cd w; echo one > f; echo same > g; mkdir d; echo x > d/x; git add .; git commit -qm one; echo two > f; echo s > s; git add s; echo u > u; rm d/x`)
			before := fingerprint(t, filepath.Join(dir, "w"))
			otherGit(t, dir, strings.ReplaceAll(test.script, "@", dir))
			o := evidence.Options{Worktree: filepath.Join(dir, "w"), Out: filepath.Join(dir, "e"), GitLimit: time.Minute}
			if test.reason == "it waits for ever" {
				o.GitLimit = 2 * time.Second
			}
			record, err := evidence.Take(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", strings.TrimPrefix(os.Getenv("PATH"), filepath.Join(dir, "bin")+":"))
			if !record.Proven || len(record.Missing) == 0 {
				t.Errorf("proven: %v, missing: %v", record.Proven, record.Missing)
			}
			if fingerprint(t, filepath.Join(dir, "w")) != before {
				t.Error("the source changed")
			}
			if _, err := evidence.Restore(t.Context(), o.Out, filepath.Join(dir, "back")); err != nil {
				t.Fatal(err)
			}
			sh(t, dir, `diff -r --no-dereference --exclude=.git w back; if [ -e child ]; then case $(cut -d' ' -f3 /proc/$(cat child)/stat 2>/dev/null) in ''|Z|X) ;; *) exit 1 ;; esac; fi`)
		})
	}
}

// Files that change whenever git is asked for something are captured in one of their states, and named.
func TestChangesWhileCaptured(t *testing.T) {
	tests := []struct{ reason, script, changing string }{
		{"a file flips between two states", `if cmp -s @/w/state @/a; then cp @/b @/w/state; else cp @/a @/w/state; fi`, ""},
		{"a tracked file flips between two states", `if cmp -s @/w/f @/a; then cp @/b @/w/f; else cp @/a @/w/f; fi`, ""},
		{"a log grows", `echo line >> @/w/log`, "log"},
		{"files come and go", `rm -f @/w/t*; touch @/w/t$$`, "t"},
		{"a folder becomes a file", `if [ -d @/w/d ]; then rm -r @/w/d; echo x > @/w/d; else rm @/w/d; mkdir @/w/d; echo y > @/w/d/y; fi`, ""},
		{"another branch moves", `(unset GIT_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_WORK_TREE; cd @/w; "$GIT" update-ref refs/heads/side $("$GIT" commit-tree -m x HEAD^{tree} -p $("$GIT" rev-parse -q --verify side || "$GIT" rev-parse HEAD)))`, ".git/refs"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			sh(t, dir, `git init -q -b main w; cd w; echo AAAA > ../a; echo BBBB > ../b; mkdir d; echo y > d/y; cp ../a f; git add .; git commit -qm one; cp ../a state; echo begin > log`)
			otherGit(t, dir, strings.ReplaceAll(test.script, "@", dir))
			record, err := evidence.Take(t.Context(), evidence.Options{Worktree: filepath.Join(dir, "w"), Out: filepath.Join(dir, "e")})
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", strings.TrimPrefix(os.Getenv("PATH"), filepath.Join(dir, "bin")+":"))
			if !record.Proven || test.changing != "" && !slices.ContainsFunc(record.Changing, func(name string) bool { return strings.HasPrefix(name, test.changing) }) {
				t.Errorf("proven: %v, changing: %q, want %q", record.Proven, record.Changing, test.changing)
			}
			if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "e"), filepath.Join(dir, "back")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Without the proof a snapshot says so, and nothing is removed on the strength of it.
func TestFast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh(t, dir, repo+`echo 3 >> f`)
	record := take(t, dir, evidence.Options{Fast: true})
	if record.Proven || !record.Fast {
		t.Errorf("proven: %v, fast: %v", record.Proven, record.Fast)
	}
	if err := evidence.Remove(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "l")); !errors.Is(err, evidence.ErrUnproven) || !strings.Contains(err.Error(), "--fast") {
		t.Errorf("removing: %v", err)
	}
}

const seal = `rm MANIFEST.sha256; find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum > ../m; mv ../m MANIFEST.sha256`

// Evidence that was changed and sealed anew is refused: by its digest, and where it would put something into a repository
// that git obeys.
func TestTamperedEvidence(t *testing.T) {
	t.Parallel()
	archive := func(dir string, names ...string) {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, name := range names {
			if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), os.WriteFile(filepath.Join(dir, "evidence", evidence.DataFile), b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		reason, script string
		data           []string // names in git.tar
	}{
		{reason: "the tree is another one", script: `sed -i s/f/g/ tree.txt`},
		{reason: "the digest is another one", script: `sed -i 's/"digest": "./"digest": "x/' snapshot.json`},
		{reason: "HEAD is another one", script: `sed -i 's#refs/heads/work#refs/heads/other#' snapshot.json`},
		{reason: "the state is another one", script: `mkdir -p in-progress; echo x > in-progress/MERGE_MSG`},
		{reason: "a configuration among the state files", script: `mkdir -p in-progress; echo x > in-progress/config`},
		{reason: "commondir among the state files", script: `mkdir -p in-progress; echo x > in-progress/commondir`},
		{reason: "a hook among the state files", script: `mkdir -p in-progress/hooks; echo x > in-progress/hooks/pre-commit`},
		{reason: "a configuration in a folder of state files", script: `mkdir -p in-progress/rebase-merge; echo x > in-progress/rebase-merge/config`},
		{reason: "a configuration in git's files", data: []string{"config"}},
		{reason: "a hook in git's files", data: []string{"hooks/pre-commit"}},
		{reason: "borrowed objects in git's files", data: []string{"objects/info/alternates"}},
		{reason: "a submodule's configuration in git's files", data: []string{"modules/a/b/config"}},
		{reason: "a submodule's hook in git's files", data: []string{"modules/a/hooks/x"}},
		{reason: "a name that climbs in git's files", data: []string{"refs/../../x"}},
	}
	for _, test := range tests {
		dir := t.TempDir()
		sh(t, dir, repo+`echo 3 >> f`)
		take(t, dir, evidence.Options{})
		if test.data != nil {
			archive(dir, test.data...)
		}
		sh(t, filepath.Join(dir, "evidence"), test.script+"\n"+seal)
		if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "back")); !errors.Is(err, evidence.ErrDamaged) {
			t.Errorf("%s: %v", test.reason, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "back")); err == nil {
			t.Errorf("%s: it was restored", test.reason)
		}
	}
}

// An empty folder that is there already is as good as none; one that is not empty is never written to.
func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh(t, dir, repo+`echo 3 >> f; mkdir ../evidence ../back`)
	take(t, dir, evidence.Options{})
	if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "back")); err != nil {
		t.Error(err)
	}
	if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "l")); !errors.Is(err, evidence.ErrExists) {
		t.Errorf("restoring over the worktree: %v", err)
	}
	sh(t, dir, "echo x >> evidence/tree.txt")
	if _, err := evidence.Verify(t.Context(), filepath.Join(dir, "evidence")); !errors.Is(err, evidence.ErrDamaged) {
		t.Errorf("a changed file of the evidence: %v", err)
	}
}

func TestMasked(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"https://me:hush@host/x", "https://***@host/x"},
		{"fatal: 'https://ghp_hush@host/x': no", "fatal: 'https://***@host/x': no"},
		{"ssh://git@host:22/x and http://host/x?y=a@b", "ssh://***@host:22/x and http://host/x?y=a@b"},
		{"Authorization: Basic hush", "Authorization: ***"},
		{"\textraheader = Authorization: hush", "\textraheader = ***"},
		{"password=hush", "password=***"},
		{"--remote-password hush --x", "--remote-password *** --x"},
		{"me@host:x.git", "me@host:x.git"},
	}
	for _, test := range tests {
		if got := evidence.Masked(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
