package agentdir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
)

// What trust.json says of a folder, and what Pi says of the file: as the real Pi 1.6 was seen to do it.
func TestReadTrust(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cwd := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	above := filepath.Dir(cwd)
	tests := []struct{ file, want, err, reason string }{
		{file: `{}`, want: "nothing"},
		{file: `{"` + cwd + `":true}`, want: "yes"},
		{file: `{"` + root + `":true}`, want: "yes", reason: "a folder above it"},
		{file: `{"` + root + `":true,"` + above + `":false}`, want: "no", reason: "the nearest"},
		{file: `{"` + above + `":true,"` + cwd + `":null}`, want: "yes", reason: "null says nothing"},
		{file: `{"` + cwd + `/c":true}`, want: "nothing", reason: "a folder below it"},
		{file: `{`, want: "nothing", err: "Failed to read trust store FILE: Expected property name or '}' in JSON at position 1 (line 1 column 2)"},
		{file: `[]`, want: "nothing", err: "Invalid trust store FILE: expected an object"},
		{file: `{"a\"b":3}`, want: "nothing", err: `Invalid trust store FILE: value for "a\"b" must be true, false, or null`},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		file := filepath.Join(dir, "trust.json")
		writeText(t, file, tt.file)
		said, err := agentdir.ReadTrust(native.Pi16, dir, cwd)
		got, problem := "nothing", ""
		if said != nil {
			got = map[bool]string{true: "yes", false: "no"}[*said]
		}
		if err != nil {
			problem = strings.ReplaceAll(err.Error(), file, "FILE")
		}
		if got != tt.want || problem != tt.err {
			t.Errorf("trust.json %q: got %s and %q, want %s and %q (%s)", tt.file, got, problem, tt.want, tt.err, tt.reason)
		}
	}
}

// Without a trust.json nobody has said anything; the folder is there then, and no lock.
func TestReadTrustOfNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	if said, err := agentdir.ReadTrust(native.Pi16, dir, t.TempDir()); said != nil || err != nil {
		t.Errorf("got %v, %v, want nothing", said, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("in the folder are %v (%v), want an empty folder", left, err)
	}
}
