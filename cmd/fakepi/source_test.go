package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A script that cannot be played is refused at once, a pipe without a writer too.
func TestScriptFile(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "script"), filepath.Join(dir, "pipe")
	err := errors.Join(os.WriteFile(file, []byte("0s prompt \"x\"\n+0s stalls\n"), 0o644), unix.Mkfifo(pipe, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		file: nil, pipe: errNoFile, dir: errNoFile, os.DevNull: errNoFile, filepath.Join(dir, "none"): fs.ErrNotExist,
	} {
		if _, err := readScript(name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}
