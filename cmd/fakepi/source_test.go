package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const pipedScript = "0s prompt \"x\"\n+0s stalls\n"

// A script that cannot be played is refused at once, a pipe without a writer too.
func TestScriptFile(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "script"), filepath.Join(dir, "pipe")
	err := errors.Join(os.WriteFile(file, []byte(pipedScript), 0o644), unix.Mkfifo(pipe, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		file: nil, pipe: errNoData, dir: errNoFile, os.DevNull: errNoFile, filepath.Join(dir, "none"): fs.ErrNotExist,
	} {
		if _, err := readScript(name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
		if _, err := readSource(name, nil); !errors.Is(err, want) {
			t.Errorf("%s as a source: got %v, want %v", name, err, want)
		}
	}
	if err := replace(pipe, nil); !errors.Is(err, errWritePipe) {
		t.Errorf("writing to %s: got %v", pipe, err)
	}
}

// What comes out of a pipe is read to its end: of one whose writer is at work, and of one whose writer has written and gone,
// as that of a shell's <(...) may be.
func TestScriptPipe(t *testing.T) {
	named := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(named, 0o644); err != nil {
		t.Fatal(err)
	}
	kept, err := os.OpenFile(named, os.O_RDONLY|unix.O_NONBLOCK, 0) // so that nobody waits for a reader
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	slow, err := os.OpenFile(named, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for piece := range strings.Lines(pipedScript) {
			if _, err := slow.WriteString(piece); err != nil {
				t.Error(err)
			}
		}
		slow.Close()
	}()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if _, err := w.WriteString(pipedScript); err != nil {
		t.Fatal(err)
	}
	w.Close()
	for _, name := range []string{named, descriptor(r)} {
		if src, err := readSource(name, nil); err != nil || string(src.data) != pipedScript {
			t.Errorf("%s: got %q, %v", name, src.data, err)
		}
	}
}
func descriptor(f *os.File) string { return fmt.Sprintf("/dev/fd/%d", f.Fd()) }
