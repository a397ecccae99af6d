package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
)

// judgeKept runs a subject on one case, with the histories that failed before in a file.
func judgeKept(t *testing.T, subject conformance.Subject, file, cases string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	cmd.SetErr(&errOut)
	cmd.SetContext(context.Background())
	what := choice{cases: cases, dialect: scenarios.Dialects()[0], seed: 1, explore: "none", failing: file}
	err = what.judge(cmd, subject, output{summary: true})
	return out.String(), errOut.String(), err
}

// What fails is kept, is played first by the next run whatever that plays, and is forgotten when it passes.
func TestFailingFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cache", "failing.txt")
	if _, stderr, err := judgeKept(t, mute{}, file, "stall/silent-after-tool"); !failed(err) || stderr != "" {
		t.Fatalf("a watchdog that never speaks: %v, stderr %q", err, stderr)
	}
	kept, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(kept), ":stall/silent-after-tool:") {
		t.Fatalf("kept %q, %v; want the token", kept, err)
	}
	stdout, stderr, err := judgeKept(t, mute{}, file, "stall/silent-after-tool~twin") // which it may sleep through, but for this
	if !failed(err) || !strings.Contains(stderr, "failed before and were played first") || !strings.Contains(stderr, file) {
		t.Errorf("the next run: %v, stderr %q; want a failure, and where the histories stand", err, stderr)
	}
	if !strings.Contains(stdout, "in stall/silent-after-tool:") || !strings.Contains(stdout, "it failed before, and was played first") {
		t.Errorf("the next run does not tell what still fails:\n%s", stdout)
	}
	if _, stderr, err := judgeKept(t, reference{}, file, "stall/silent-after-tool~twin"); err != nil || !strings.Contains(stderr, ": 0 still fail") {
		t.Errorf("a right one: %v, stderr %q", err, stderr)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what passes is still kept: %v", err)
	}
}

// Without a file nothing is kept. A file that a run did not write, or that cannot be read, is an error.
func TestFailingFile(t *testing.T) {
	dir := t.TempDir()
	other := conformance.Token{Suite: conformance.Version, Case: "wait/dialog", Dialect: native.Pi073}
	files := map[string]string{
		"words": failingHead + "sesame\n", "token": failingHead + other.String() + "\n", "empty": "",
		"foreign": "# nothing\nsesame\n", "headless": other.String() + "\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		where  string
		tokens int
		fails  bool
	}{
		{"", 0, false},
		{failingNowhere, 0, false},
		{filepath.Join(dir, "absent"), 0, false},
		{filepath.Join(dir, "words"), 0, false},
		{filepath.Join(dir, "token"), 1, false},
		{filepath.Join(dir, "empty"), 0, false},
		{filepath.Join(dir, "foreign"), 0, true},
		{filepath.Join(dir, "headless"), 0, true},
		{dir, 0, true},
	}
	for _, c := range cases {
		f, err := openFailing(c.where, "reference")
		if (err != nil) != c.fails || err == nil && len(f.tokens) != c.tokens {
			t.Errorf("%q: got %+v, %v; want %d tokens, error %t", c.where, f, err, c.tokens, c.fails)
		}
	}
	f, err := openFailing(filepath.Join(dir, "token"), "reference")
	if err != nil {
		t.Fatal(err)
	}
	f.play(&bytes.Buffer{}, reference{}, nil, conformance.Options{Dialect: native.Pi16})
	if len(f.tokens) != 1 {
		t.Errorf("a history of another dialect than the run's is forgotten")
	}
}

// A run that is given somebody's file ends before it plays anything, and leaves the file as it is.
func TestFailingFileOfAnother(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	const notes = "what I must not lose\n"
	if err := os.WriteFile(file, []byte(notes), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range []conformance.Subject{reference{}, mute{}} {
		if _, _, err := judgeKept(t, s, file, "stall/silent-after-tool"); err == nil || failed(err) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v, want an error that names the file", s.Name(), err)
		}
		if kept, err := os.ReadFile(file); err != nil || string(kept) != notes {
			t.Errorf("%s: the file is now %q, %v", s.Name(), kept, err)
		}
	}
}

func failed(err error) bool {
	code, ok := errors.AsType[exit](err)
	return ok && code == exitFailed
}
