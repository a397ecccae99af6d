package effects_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/effects"
)

// tree makes a working directory with files.
func tree(t *testing.T, files map[string]string) (*effects.Tree, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	tree, err := effects.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree, dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func file(kind fakepi.EffectKind, path, old, text string) fakepi.Effect {
	return fakepi.Effect{Kind: kind, Path: path, Old: old, Text: text}
}

func TestFiles(t *testing.T) {
	tests := []struct {
		name   string
		effect fakepi.Effect
		want   string // what the file holds then
	}{
		{"a new file", file(script.EffectWrite, "a/b/new.txt", "", "x"), "x"},
		{"a file again", file(script.EffectWrite, "old.txt", "", "x"), "x"},
		{"an empty file", file(script.EffectWrite, "old.txt", "", ""), ""},
		{"a longer file", file(script.EffectAppend, "old.txt", "", "x\n"), "one two\nx\n"},
		{"a new file by append", file(script.EffectAppend, "new.txt", "", "x"), "x"},
		{"a changed file", file(script.EffectEdit, "old.txt", "one", "three"), "three two\n"},
		{"a text taken out", file(script.EffectEdit, "old.txt", "one ", ""), "two\n"},
	}
	for _, tt := range tests {
		tree, dir := tree(t, map[string]string{"old.txt": "one two\n"})
		change, err := tree.Do(tt.effect)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if edits := tt.effect.Kind == script.EffectEdit; edits && change != (effects.Change{Before: "one two\n", After: tt.want}) || !edits && change != (effects.Change{}) {
			t.Errorf("%s: it tells %+v", tt.name, change)
		}
		got, err := os.ReadFile(filepath.Join(dir, tt.effect.Path))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

// What fails leaves the tree as it was, and says so in Pi's words where Pi has some.
func TestRefusals(t *testing.T) {
	var any error
	tests := []struct {
		name   string
		effect fakepi.Effect
		want   error
		text   string
		reason string
	}{
		{"an edit of what is not there", file(script.EffectEdit, "a.txt", "none", "x"), any,
			"Could not find the exact text in a.txt. The old text must match exactly including all whitespace and newlines.", ""},
		{"an edit of what is there twice", file(script.EffectEdit, "a.txt", "one", "x"), any,
			"Found 2 occurrences of the text in a.txt. The text must be unique. Please provide more context to make it unique.", ""},
		{"an edit of no file", file(script.EffectEdit, "b.txt", "one", "x"), fs.ErrNotExist, "Could not edit file: b.txt. Error code: ENOENT.", ""},
		{"a way out", file(script.EffectWrite, "../out.txt", "", "x"), any, "", "os.Root has no error to compare with"},
		{"a way out over a link", file(script.EffectWrite, "link/out.txt", "", "x"), any, "", ""},
		{"a file as a folder", file(script.EffectWrite, "a.txt/b", "", "x"), any, "", ""},
		{"a repository's settings", file(script.EffectAppend, "sub/.git/config", "", "x"), effects.ErrGitDir, "", "settings name commands"},
		{"a bare repository's settings", file(script.EffectAppend, "bare/config", "", "x"), effects.ErrGitDir, "", ""},
		{"a bare repository's hook", file(script.EffectWrite, "bare/hooks/post-receive", "", "x"), effects.ErrGitDir, "", ""},
		{"a repository's pointer", file(script.EffectWrite, "sub/.GIT", "", "gitdir: /tmp"), effects.ErrGitDir, "", "some file systems know no case"},
		{"a repository's settings by a link", file(script.EffectAppend, "settings", "", "x"), effects.ErrGitDir, "", "git keeps such links"},
		{"a repository's hook that is not there, by a link", file(script.EffectWrite, "hook", "", "x"), effects.ErrGitDir, "", "a write would make it"},
		{"a repository's folder by two links", file(script.EffectWrite, "again/hooks/post-commit", "", "x"), effects.ErrGitDir, "", ""},
		{"a bare repository by a link upwards", file(script.EffectEdit, "up/config", "one", "x"), effects.ErrGitDir, "", ""},
		{"a link to itself", file(script.EffectWrite, "loop", "", "x"), effects.ErrLinks, "", ""},
		{"a command", fakepi.Effect{Kind: script.EffectRun, Command: "true"}, effects.ErrKind, "", "it is run by Run, where that is allowed"},
	}
	for _, tt := range tests {
		tree, dir := tree(t, map[string]string{"a.txt": "one one\n", "sub/.git/config": "[core]\n",
			"bare/HEAD": "", "bare/config": "one\n", "bare/objects/x": "", "bare/refs/x": "", "deep/er/x": ""})
		outside := t.TempDir()
		for name, target := range map[string]string{
			"link": outside, "settings": "sub/.git/config", "hook": "sub/.git/hooks/pre-commit",
			"again": "first", "first": "./sub/.git", "up": "deep/er/../../bare", "loop": "loop",
		} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		before := listing(t, filepath.Dir(dir))
		_, err := tree.Do(tt.effect)
		var f *effects.Failure
		if !errors.As(err, &f) || tt.want != any && !errors.Is(err, tt.want) || tt.text != "" && err.Error() != tt.text {
			t.Errorf("%s: %v, want a failure (%v) %q", tt.name, err, tt.want, tt.text)
		}
		if diff := cmp.Diff(before, listing(t, filepath.Dir(dir))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if left := listing(t, outside); len(left) > 0 {
			t.Errorf("%s: outside: %v", tt.name, left)
		}
	}
}

// listing is every file below a folder with its text.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// git runs git for the test, without the settings of the machine.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// repository makes a working directory with a bare remote beside it.
func repository(t *testing.T) (work *effects.Tree, dir, remote string) {
	t.Helper()
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		t.Setenv(name, os.DevNull)
	}
	work, dir = tree(t, map[string]string{"a.txt": "one\n"})
	remote = filepath.Join(t.TempDir(), "remote.git")
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	git(t, dir, "init", "--quiet", "--bare", "--initial-branch=main", remote)
	git(t, dir, "remote", "add", "origin", remote)
	return work, dir, remote
}

func TestCommitAndPush(t *testing.T) {
	work, dir, remote := repository(t)
	hook := filepath.Join(dir, ".git/hooks/pre-commit")
	write(t, hook, "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range []fakepi.Effect{
		{Kind: script.EffectCommit, Text: "first: <one>"},
		{Kind: script.EffectPush, Remote: "origin"},
		file(script.EffectAppend, "a.txt", "", "two\n"),
		{Kind: script.EffectCommit, Text: "second"},
	} {
		if _, err := work.Do(e); err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
	}
	if got, want := git(t, dir, "log", "--format=%s"), "second\nfirst: <one>\n"; got != want {
		t.Errorf("committed %q, want %q", got, want)
	}
	if got, want := git(t, remote, "log", "--format=%s", "main"), "first: <one>\n"; got != want {
		t.Errorf("pushed %q, want %q", got, want)
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("not committed: %s", got)
	}
}

// Nothing that a repository's settings name is run, and what the environment says of another repository does not count.
func TestGitRunsNothingElse(t *testing.T) {
	work, dir, remote := repository(t)
	git(t, dir, "config", "filter.a=b.clean", "touch ran; cat")
	git(t, dir, "config", "filter.lfs.process", "touch ran")
	git(t, dir, "config", "filter.lfs.required", "true")
	git(t, dir, "config", "remote.origin.receivepack", "touch ran; git-receive-pack")
	git(t, dir, "config", "core.fsmonitor", "touch ran")
	other := t.TempDir()
	git(t, other, "init", "--quiet")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, "index"))
	for _, e := range []fakepi.Effect{
		file(script.EffectWrite, ".gitattributes", "", "a.txt filter=lfs\nb.txt filter=a=b\n"),
		file(script.EffectWrite, "b.txt", "", "b\n"),
		{Kind: script.EffectCommit, Text: "first"},
		{Kind: script.EffectPush, Remote: "origin"},
	} {
		if _, err := work.Do(e); err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
	}
	os.Unsetenv("GIT_DIR")
	os.Unsetenv("GIT_INDEX_FILE")
	if got := git(t, remote, "show", "main:a.txt") + git(t, remote, "show", "main:b.txt"); got != "one\nb\n" {
		t.Errorf("pushed %q", got)
	}
	for _, where := range []string{dir, remote, other} {
		if _, err := os.Stat(filepath.Join(where, "ran")); err == nil {
			t.Errorf("a command ran in %s", where)
		}
	}
}

func TestGitRefusals(t *testing.T) {
	tests := []struct {
		name, url string
		effect    fakepi.Effect
		want      error
		reason    string
	}{
		{"nothing to commit", "", fakepi.Effect{Kind: script.EffectCommit, Text: "x"}, nil, "git says so"},
		{"no such remote", "", fakepi.Effect{Kind: script.EffectPush, Remote: "other"}, nil, ""},
		{"an address", "https://example.invalid/x.git", fakepi.Effect{Kind: script.EffectPush, Remote: "origin"}, effects.ErrRemote, ""},
		{"a host", "host:x.git", fakepi.Effect{Kind: script.EffectPush, Remote: "origin"}, effects.ErrRemote, "the short form of ssh"},
		{"a command", "ext::touch ran", fakepi.Effect{Kind: script.EffectPush, Remote: "origin"}, effects.ErrRemote, ""},
		{"an option", "", fakepi.Effect{Kind: script.EffectPush, Remote: "--receive-pack=touch ran"}, nil, ""},
		{"no folder", "/no/such/folder", fakepi.Effect{Kind: script.EffectPush, Remote: "origin"}, effects.ErrRemote, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			work, dir, _ := repository(t)
			if _, err := work.Do(fakepi.Effect{Kind: script.EffectCommit, Text: "first"}); err != nil {
				t.Fatal(err)
			}
			if tt.url != "" {
				git(t, dir, "remote", "set-url", "origin", tt.url)
			}
			var f *effects.Failure
			_, err := work.Do(tt.effect)
			if !errors.As(err, &f) || tt.want != nil && !errors.Is(err, tt.want) || f.Text == "" {
				t.Errorf("%v, want a failure (%v)", err, tt.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
				t.Error("a command ran")
			}
		})
	}
}

func TestRun(t *testing.T) {
	tests := []struct {
		command, want string
		code          int
		reason        string
	}{
		{"cat a.txt", "one\n", 0, "in the working directory"},
		{"echo out; echo err >&2; exit 3", "out\nerr\n", 3, "both streams, in their order"},
		{"read x; echo \"<$x>\"", "<>\n", 0, "stdin is empty"},
		{"kill -KILL $$", "", -9, "the signal"},
		{"exit 137", "", 137, "which is none"},
		{"no-such-command-here 2>/dev/null", "", 127, ""},
	}
	for _, tt := range tests {
		work, _ := tree(t, map[string]string{"a.txt": "one\n"})
		var out []byte
		code := work.Run(tt.command, func(more []byte) { out = append(out, more...) })
		if string(out) != tt.want || code != tt.code {
			t.Errorf("%s: %q, %d; want %q, %d (%s)", tt.command, out, code, tt.want, tt.code, tt.reason)
		}
	}
}

// Output is told of while the command runs, but not more often than Pi does: what it prints at once comes together.
func TestRunTellsOfOutput(t *testing.T) {
	work, _ := tree(t, nil)
	var parts []string
	var times []time.Time
	code := work.Run("echo a; for i in 1 2 3 4 5 6 7 8 9; do echo $i; done; sleep 0.3; echo b", func(more []byte) {
		parts, times = append(parts, string(more)), append(times, time.Now())
	})
	if got := strings.Join(parts, ""); got != "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\nb\n" || code != 0 {
		t.Errorf("%q, %d", got, code)
	}
	if len(parts) < 2 || len(parts) > 4 || parts[len(parts)-1] != "b\n" {
		t.Errorf("told in %q", parts)
	}
	for i := 1; i < len(times)-1; i++ { // the last may come at the end
		if times[i].Sub(times[i-1]) < 90*time.Millisecond {
			t.Errorf("told twice within %s", times[i].Sub(times[i-1]))
		}
	}
}

// Who holds the pipe is not waited for: it still runs when Run has returned.
func TestRunLeavesChildren(t *testing.T) {
	work, _ := tree(t, nil)
	var out []byte
	code := work.Run("sleep 60 & echo $!", func(more []byte) { out = append(out, more...) })
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || code != 0 {
		t.Fatalf("%q, %d, %v", out, code, err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the child that holds the pipe has gone: %v", err)
	}
}

func TestOpenNothing(t *testing.T) {
	if _, err := effects.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %v", err, fs.ErrNotExist)
	}
}
