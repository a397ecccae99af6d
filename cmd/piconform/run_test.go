package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// mute is a watchdog that never says anything, or does not even start.
type mute struct{ startErr error }

func (m mute) Name() string                                   { return "mute" }
func (m mute) Start(watchdog.Boot) (watchdog.Watchdog, error) { return m, m.startErr }
func (mute) Step(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
	return watchdog.Decision{}, nil
}

// judge runs a subject through the stall family and returns what was printed and the exit code.
func judge(t *testing.T, subject mute, out string) (string, error) {
	t.Helper()
	var stdout bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&stdout)
	cmd.SetErr(&bytes.Buffer{})
	cmd.SetContext(context.Background())
	what := choice{cases: "stall/*", dialect: scenarios.Dialects()[0], seed: 1}
	err := what.judge(cmd, subject, output{dir: out})
	return stdout.String(), err
}

func TestBrokenWatchdogFails(t *testing.T) {
	text, err := judge(t, mute{}, "")
	if code, ok := errors.AsType[exit](err); !ok || code != exitFailed {
		t.Errorf("a watchdog that never speaks: %v, want exit code %d", err, exitFailed)
	}
	for _, want := range []string{"FAIL WDC-STALL-", "A watchdog MUST ", "  expected  ", "  actual    ", "  where     at ", "    >", "\nFAILED: "} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	_, rest, ok := strings.Cut(text, "  replay    piconform ")
	if !ok {
		t.Fatalf("no replay line in\n%s", text)
	}
	line, _, _ := strings.Cut(rest, "\n")
	if code, out, _ := execute(strings.Fields(line)...); code != exitOK || !strings.Contains(out, "PASSED: nothing was found in this history") {
		t.Errorf("the reference on the history of %q: exit code %d, want 0:\n%s", line, code, out)
	}
}

// TestReportsWithoutSubject checks that a run whose subject cannot start still leaves reports behind.
func TestReportsWithoutSubject(t *testing.T) {
	dir := t.TempDir()
	_, err := judge(t, mute{startErr: errors.New("no licence")}, dir)
	if code, ok := errors.AsType[exit](err); !ok || code != exitError {
		t.Errorf("a watchdog that does not start: %v, want exit code %d", err, exitError)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.txt"))
	if err != nil || !strings.Contains(string(text), "no licence") {
		t.Errorf("report.txt (error %v) does not tell why:\n%s", err, text)
	}
}

// TestOneDigest checks that the digest depends on the seed and on nothing of how the run was made.
func TestOneDigest(t *testing.T) {
	first := digest(t, "--jobs", "1", "--seed", "3")
	for _, args := range [][]string{{"--jobs", "1", "--seed", "3"}, {"--jobs", "2", "--seed", "3"}, {"--jobs", "7", "--seed", "3"}} {
		if got := digest(t, args...); got != first {
			t.Errorf("run %v: digest %s, want %s", args, got, first)
		}
	}
	if got := digest(t, "--seed", "4"); got == first {
		t.Errorf("another seed has the same digest %s", got)
	}
}

func digest(t *testing.T, args ...string) string {
	t.Helper()
	code, out, stderr := execute(append([]string{"run", "--json", "--case", "ttft/*"}, args...)...)
	if code != exitOK {
		t.Fatalf("run %v: exit code %d\n%s", args, code, stderr)
	}
	var doc struct{ Digest string }
	if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Digest == "" {
		t.Fatalf("no digest (error %v) in %s", err, out)
	}
	return doc.Digest
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"run"}, &stdout, &stderr); code != exitError || stdout.Len() > 0 {
		t.Errorf("exit code %d and output %q, want %d and none", code, stdout.Bytes(), exitError)
	}
	if want := "piconform: interrupted; nothing was judged\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}

// TestReaderGoesAway checks that a closed pipe is no failure and changes no exit code.
func TestReaderGoesAway(t *testing.T) {
	for _, args := range [][]string{{"run", "--case", "ttft/*"}, {"list"}, {"list", "--json"}, {"explain", "WDC-OBS-001"}, {"--help"}} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		var stderr bytes.Buffer
		if code := run(context.Background(), args, writer, &stderr); code != exitOK || stderr.Len() > 0 {
			t.Errorf("%v to a closed pipe: exit code %d and stderr %q, want 0 and none", args, code, stderr.Bytes())
		}
		writer.Close()
	}
}

func execute(args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = run(context.Background(), args, &out, &errOut)
	return code, out.String(), errOut.String()
}
