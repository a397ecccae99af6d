package evidence_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
)

// What is refused is refused with the reason and the remedy; nothing is made, and the worktree stays as it is.
func TestTakeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, setUp string
		options       evidence.Options // @ is the test's folder
		want          error
		why           string
	}{
		{"the folder has a file", "mkdir e; echo x > e/x", evidence.Options{}, evidence.ErrExists, "name another folder"},
		{"the folder is a file", "echo x > e", evidence.Options{}, evidence.ErrExists, "not a directory"},
		{"the folder is a link to one with files", "mkdir d; echo x > d/x; ln -s d e", evidence.Options{}, evidence.ErrExists, "name another folder"},
		{"the folder lies in the worktree", "", evidence.Options{Out: "@/w/e"}, evidence.ErrExists, "take a folder outside"},
		{"the folder lies in the worktree, by way of a link", "ln -s w/d out; mkdir w/d", evidence.Options{Out: "@/out/e"}, evidence.ErrExists, "take a folder outside"},
		{"the folder is the worktree", "", evidence.Options{Out: "@/w"}, evidence.ErrExists, "take a folder outside"},
		{"the folder lies in the repository's git data", "mv w/.git git; echo 'gitdir: ../git' > w/.git", evidence.Options{Out: "@/git/e"}, evidence.ErrExists, "take a folder outside"},
		{"too much is untracked", "head -c 2000 /dev/zero > w/u", evidence.Options{MaxUntracked: 1000}, evidence.ErrTooLarge, "2000 bytes, the limit is 1000; raise it"},
		{"no worktree", "", evidence.Options{Worktree: "@/none"}, evidence.ErrRepository, "is no folder"},
		{"a folder within the worktree", "mkdir w/d", evidence.Options{Worktree: "@/w/d"}, evidence.ErrRepository, "name that one"},
		{"a pipe as the session", "mkfifo p", evidence.Options{Session: "@/p"}, evidence.ErrNotAFile, "the session: it is no file"},
		{"a device as the session", "ln -s /dev/zero p", evidence.Options{Session: "@/p"}, evidence.ErrNotAFile, "the session: it is no file"},
		{"a pipe as the database", "mkfifo p", evidence.Options{Database: "@/p"}, evidence.ErrNotAFile, "the database: it is no file"},
		{"no session", "", evidence.Options{Session: "@/none.jsonl"}, os.ErrNotExist, "name none if the worker has none"},
	}
	for _, test := range tests {
		dir := t.TempDir()
		sh(t, dir, `git init -q w; cd w; echo one > f; git add f; git commit -qm one; cd ..; `+test.setUp)
		o := test.options
		for _, path := range []*string{&o.Worktree, &o.Out, &o.Session, &o.Database} {
			*path = strings.ReplaceAll(*path, "@", dir)
		}
		if o.Worktree == "" {
			o.Worktree = filepath.Join(dir, "w")
		}
		if o.Out == "" {
			o.Out = filepath.Join(dir, "e")
		}
		before := fingerprint(t, dir)
		_, err := evidence.Take(t.Context(), o)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), strings.ReplaceAll(test.why, "/@", dir)) {
			t.Errorf("%s: got %v, want %q", test.reason, err, test.why)
		}
		if changed := cmp.Diff(withoutTop(before), withoutTop(fingerprint(t, dir))); changed != "" {
			t.Errorf("%s: something changed (-before +after):\n%s", test.reason, changed)
		}
	}
}

// Too much is refused by its size, before it is read: these files would take hours.
func TestTooLargeToRead(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, setUp string }{
		{"untracked", "truncate -s 4T u"},
		{"in a nested repository", "git init -q n; cd n; echo x > f; git add f; truncate -s 4T u"},
		{"without git", "rm -r .git; truncate -s 4T u"},
	}
	for _, test := range tests {
		dir := t.TempDir()
		sh(t, dir, `git init -q w; cd w; echo one > f; git add f; git commit -qm one; `+test.setUp)
		_, err := evidence.Take(t.Context(), evidence.Options{Worktree: filepath.Join(dir, "w"), Out: filepath.Join(dir, "e")})
		if !errors.Is(err, evidence.ErrTooLarge) {
			t.Errorf("%s: got %v", test.reason, err)
		}
	}
}

// withoutTop leaves out the folder itself, whose time changes when something is made in it and removed again.
func withoutTop(fingerprint string) []string {
	lines := strings.Split(fingerprint, "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return strings.HasSuffix(line, " . ") })
}

// writing is set in a child that takes a snapshot of W into E and says how that ended.
const writing = "EVIDENCE_CHILD"

// TestChild is no test of its own: the tests below run it in a process that may not do everything.
func TestChild(t *testing.T) {
	dir := os.Getenv(writing)
	if dir == "" {
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // a write past the limit is then an error
	if limit := os.Getenv("EVIDENCE_FSIZE"); limit != "" {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 16 << 10, Max: 16 << 10}); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "e")
	if disk := os.Getenv("EVIDENCE_DISK"); disk != "" {
		out = filepath.Join(disk, "e")
	}
	_, err := evidence.Take(t.Context(), evidence.Options{Worktree: filepath.Join(dir, "w"), Out: out})
	switch {
	case err == nil:
		if _, err := evidence.Restore(t.Context(), out, filepath.Join(dir, "back")); err != nil {
			t.Fatal(err)
		}
	case errors.Is(err, evidence.ErrNoSpace):
		t.Fatalf("ErrNoSpace: %v", err)
	default:
		t.Fatal(err)
	}
}

// child runs TestChild with more environment.
func child(dir string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), append(env, writing+"="+dir)...)
	return cmd
}

// A disk that cannot hold the snapshot is refused before anything is written. The disk is a small one in memory.
func TestSmallDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh(t, dir, `git init -q w; cd w; head -c 3000000 /dev/urandom > f; git add f; git commit -qm one; mkdir ../disk`)
	const mount = `mount -t tmpfs -o size=2m none disk && cd disk && ls -lA > ../before && (cd .. && "$@"); status=$?; ls -lA > ../after; exit $status`
	own := child(dir, "EVIDENCE_DISK="+filepath.Join(dir, "disk"))
	args := append([]string{"--map-root-user", "--mount", "sh", "-c", mount, "sh"}, own.Args...)
	cmd := exec.Command("unshare", args...)
	cmd.Dir, cmd.Env = dir, own.Env
	out, err := cmd.CombinedOutput()
	if _, statErr := os.Stat(filepath.Join(dir, "before")); statErr != nil {
		t.Skipf("this system lets nobody mount a disk of their own: %v: %s", err, out)
	}
	if err == nil || !bytes.Contains(out, []byte("ErrNoSpace")) || !bytes.Contains(out, []byte("free some, or name a folder on another disk")) {
		t.Errorf("got %v: %s", err, out)
	}
	if before, after := sh(t, dir, "cat before"), sh(t, dir, "cat after"); before != after {
		t.Errorf("on the disk was\n%s, and is\n%s", before, after)
	}
}

// A disk that fills up meanwhile, here by a limit on the size of files, leaves nothing.
func TestDiskFillsUp(t *testing.T) {
	t.Parallel()
	for _, grows := range []string{"head -c 100000 /dev/urandom > u", "head -c 100000 /dev/urandom > f; git add f; git commit -qm two"} {
		dir := t.TempDir()
		sh(t, dir, `git init -q w; cd w; echo one > f; git add f; git commit -qm one; `+grows)
		before := fingerprint(t, dir)
		out, err := child(dir, "EVIDENCE_FSIZE=1").CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte("file too large")) && !bytes.Contains(out, []byte("File too large")) {
			t.Errorf("got %v: %s", err, out)
		}
		if changed := cmp.Diff(withoutTop(before), withoutTop(fingerprint(t, dir))); changed != "" {
			t.Errorf("something changed (-before +after):\n%s", changed)
		}
	}
}

// nobody is a user without rights, for what root can read all the same.
const nobody = 65534

// What cannot be read is listed; the rest is captured and comes back.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	sh(t, dir, `git init -q w; cd w; mkdir d locked; echo 1 > tracked; echo 2 > d/f; echo 3 > locked/f; git add .; git commit -qm one
		echo 4 > untracked; echo 5 >> d/f; echo 6 > readable; mkfifo pipe; chmod 000 tracked untracked locked`)
	t.Cleanup(func() { sh(t, dir, "chmod -R u+rwX w") })
	cmd := child(dir)
	if os.Geteuid() == 0 {
		cmd = asNobody(t, dir, cmd)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	record, err := evidence.Verify(t.Context(), filepath.Join(dir, "e"))
	if err != nil {
		t.Fatal(err)
	}
	var skipped []string
	for _, s := range record.Skipped {
		skipped = append(skipped, s.Path+": "+s.Why)
	}
	got := strings.Join(skipped, "\n")
	if want := "locked: permission denied\npipe: neither file, folder nor link: p---------\ntracked: permission denied\nuntracked: permission denied"; got != want {
		t.Errorf("skipped\n%s, want\n%s", got, want)
	}
	if got, want := sh(t, dir, "cd back; find . -path ./.git -prune -o -type f -print | sort; cat d/f; git -c safe.directory='*' status --short"), "./d/f\n./readable\n2\n5\n M d/f\n D locked/f\n D tracked\n?? readable\n"; got != want {
		t.Errorf("restored\n%s, want\n%s", got, want)
	}
}

// asNobody lets a command run as a user without rights, who gets a copy of this test and the folder.
func asNobody(t *testing.T, dir string, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "child")
	if err := os.WriteFile(program, data, 0o755); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "chown 65534:65534 .; chmod 755 ..")
	cmd.Path, cmd.Dir = program, dir
	cmd.Env = append(cmd.Env, "HOME="+dir, "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

// An archive that was made to lead elsewhere is refused, whatever its manifest says (WDC-SAFE-003).
func TestHostileArchive(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason  string
		entries []tar.Header
	}{
		{"an absolute name", []tar.Header{{Name: "/tmp/pwned", Typeflag: tar.TypeReg}}},
		{"a name that climbs", []tar.Header{{Name: "../pwned", Typeflag: tar.TypeReg}}},
		{"a name that climbs in the middle", []tar.Header{{Name: "a/../../pwned", Typeflag: tar.TypeReg}}},
		{"a name through a link", []tar.Header{{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "@"}, {Name: "l/pwned", Typeflag: tar.TypeReg}}},
		{"a name through a link that stays inside", []tar.Header{{Name: "d", Typeflag: tar.TypeDir}, {Name: "l", Typeflag: tar.TypeSymlink, Linkname: "d"}, {Name: "l/pwned", Typeflag: tar.TypeReg}}},
		{"git's own data", []tar.Header{{Name: ".git/hooks/pre-commit", Typeflag: tar.TypeReg, Mode: 0o755}}},
		{"a hard link", []tar.Header{{Name: "h", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}}},
		{"a device", []tar.Header{{Name: "null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}}},
		{"a file that the record does not have", []tar.Header{{Name: "more", Typeflag: tar.TypeReg}}},
		{"a file in the place of a tracked one", []tar.Header{{Name: "f", Typeflag: tar.TypeReg}}},
	}
	for _, test := range tests {
		dir := t.TempDir()
		sh(t, dir, `git init -q l; cd l; echo one > f; git add f; git commit -qm one; echo u > u`)
		take(t, dir, evidence.Options{})
		var archive bytes.Buffer
		w := tar.NewWriter(&archive)
		for _, h := range test.entries {
			h.Linkname = strings.ReplaceAll(h.Linkname, "@", dir)
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "evidence", evidence.UntrackedFile), archive.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		sh(t, filepath.Join(dir, "evidence"), `find . -type f ! -name MANIFEST.sha256 -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum > MANIFEST.sha256`)
		if _, err := evidence.Verify(t.Context(), filepath.Join(dir, "evidence")); err != nil {
			t.Fatalf("%s: the manifest was meant to fit: %v", test.reason, err)
		}
		before := sh(t, dir, "ls -A . ..")
		if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "evidence"), filepath.Join(dir, "back")); err == nil {
			t.Errorf("%s: it was restored", test.reason)
		}
		if after := sh(t, dir, "ls -A . ..; ls /tmp/pwned 2>/dev/null || true"); after != before {
			t.Errorf("%s: there was\n%s, and is\n%s", test.reason, before, after)
		}
	}
}
