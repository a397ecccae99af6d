package nodefs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// The words are those of Node 22 for what the system's calls return.
func TestWords(t *testing.T) {
	of := func(op string, code syscall.Errno) error { return &fs.PathError{Op: op, Path: "/a/b", Err: code} }
	tests := []struct {
		err          error
		want, reason string
	}{
		{of("open", syscall.EACCES), "EACCES: permission denied, open '/a/b'", ""},
		{of("mkdir", syscall.EEXIST), "EEXIST: file already exists, mkdir '/a/b'", "not the system's words"},
		{of("read", syscall.EISDIR), "EISDIR: illegal operation on a directory, read", "a descriptor has no path"},
		{errors.Join(of("open", syscall.EACCES), errors.New("more")), "open /a/b: permission denied\nmore", "that of a file is not all of it"},
		{errors.New("plain"), "plain", ""},
	}
	for _, tt := range tests {
		if got := nodefs.Words(tt.err); got != tt.want {
			t.Errorf("%v: got %q, want %q (%s)", tt.err, got, tt.want, tt.reason)
		}
	}
}

// A folder is made with those above it; what has its name already is left alone, though it be a file; the error names the
// whole path.
func TestMakeFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("\ufeffa\xffb"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, want string }{
		{"a/b/c", ""}, {"a", ""}, {"file", ""}, {"file/b/c", "ENOTDIR: not a directory, mkdir 'DIR/file/b/c'"},
	}
	for _, tt := range tests {
		got := ""
		if err := nodefs.MakeFolder(filepath.Join(dir, tt.path)); err != nil {
			got = strings.ReplaceAll(nodefs.Words(err), dir, "DIR")
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.path, got, tt.want)
		}
		if there := nodefs.Exists(filepath.Join(dir, tt.path)); there != (tt.want == "") {
			t.Errorf("%s: is there: %v", tt.path, there)
		}
	}
	if text, err := nodefs.ReadText(file); text != "a\ufffdb" || err != nil {
		t.Errorf("got %q, %v, want the text without its mark", text, err)
	}
}
