package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fakepi.example/internal/watchdog/recovery"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"piwatch": main})
}

// TestScripts runs testdata/*.txtar. $RECORDINGS is the folder of the real Pi's recordings.
func TestScripts(t *testing.T) {
	recordings, err := filepath.Abs("../../fakepi/native/testdata/recordings/1.6.0")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("RECORDINGS", recordings)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
	})
}

// TestReaderGoesAway: a closed pipe ends the command without a word and with status 0.
func TestReaderGoesAway(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd := exec.Command("piwatch", "observe", "--json", "../../fakepi/native/testdata/recordings/1.6.0/json/01-simple/events.rec.jsonl", "missing")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("got %v and %q, want success and silence", err, &stderr)
	}
}

// TestFullDisk: any other failure to write is told.
func TestFullDisk(t *testing.T) {
	var stderr bytes.Buffer
	code := run([]string{"observe", "../../fakepi/native/testdata/recordings/1.6.0/json/01-simple/events.rec.jsonl"}, full{}, &stderr)
	if code != exitError || !bytes.Contains(stderr.Bytes(), []byte("no space left")) {
		t.Errorf("got %d and %q, want %d and the reason", code, &stderr, exitError)
	}
}

// full is a writer on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestLogFollows: what is recorded later is told too, until an interrupt, which is no error.
func TestLogFollows(t *testing.T) {
	dir := t.TempDir()
	record := func(name recovery.EventName) {
		if err := recovery.Record(dir, recovery.Event{Recovery: "1", Event: name}); err != nil {
			t.Fatal(err)
		}
	}
	record(recovery.EventDetected)
	cmd := exec.CommandContext(t.Context(), "piwatch", "log", "--case", dir, "--follow")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, name := range []recovery.EventName{recovery.EventDetected, recovery.EventPlanned} {
		if !lines.Scan() || !strings.Contains(lines.Text(), string(name)) {
			t.Errorf("told %q, want %s", lines.Text(), name)
		}
		record(recovery.EventPlanned)
	}
	if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
		t.Errorf("interrupted: %v", err)
	}
}
