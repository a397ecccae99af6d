package repository_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRenameModule renames a copy of the tree with `make module PATH=...`: afterwards nothing bears the old name, every
// import of every package and test is found, and it builds.
func TestRenameModule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	copyTree(t, dir)
	old := strings.TrimSpace(run(t, dir, "go", "list", "-m"))
	run(t, dir, "make", "module", "PATH=example.org/renamed")
	if got := strings.TrimSpace(run(t, dir, "go", "list", "-m")); got != "example.org/renamed" {
		t.Errorf("the module is %s, want example.org/renamed", got)
	}
	eachFile(t, dir, func(name string) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(old)) {
			t.Errorf("%s still says %s", name, old)
		}
	})
	run(t, dir, "go", "list", "-deps", "-test", "./...") // compiling them all would say no more, and take a minute
	run(t, dir, "go", "build", "./watchdog/...")
	if unformatted := run(t, dir, "gofmt", "-l", "."); unformatted != "" {
		t.Errorf("no longer formatted: %s", unformatted)
	}
}

func TestRenameModuleRefuses(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "nodots", "example.org/x y", "example.org/$(touch x)", "https://example.org/x"} {
		cmd := exec.Command("make", "module", "PATH="+path)
		if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("write it like: make module PATH=example.org/x")) {
			t.Errorf("PATH=%q: error %v, want a refusal with a remedy; output:\n%s", path, err, out)
		}
	}
}

// copyTree copies the files of the repository, without its history and what was built.
func copyTree(t *testing.T, to string) {
	t.Helper()
	eachFile(t, ".", func(name string) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, text, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	})
}

func eachFile(t *testing.T, root string, f func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case name == ".git" && !entry.IsDir(): // of a linked worktree
		case entry.IsDir() && (name == ".git" || name == "bin" || name == "out" || name == ".smoke" || name == ".realpi"):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			f(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}
