//go:build unix

package smoke_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/fakepi/ledger"
	"fakepi.example/internal/watchdog/recovery"
)

// The script of a worker that is killed while a tool writes a file, and of the one that finishes its work.
const (
	halfDone = `0s           prompt "rename the greeting"
+200ms       tool write args "{\"path\":\"greet.txt\",\"content\":\"good morning\\n\"}" runs 60s   as=edit
@edit+100ms  does write greet.txt "good mor"
@edit.end+1s says "Done."
+0s          settles
`
	finishes = `0s           prompt "go on"
+100ms       tool bash "git commit -am 'rename the greeting'" runs 300ms   as=commit
@commit+100ms     does write greet.txt "good morning\n"
+100ms            does commit "rename the greeting"
@commit.end+100ms says "The greeting is renamed and committed."
+0s               settles
`
)

// testRecovery kills a worker in mid-edit and recovers its work by hand, as the README tells it.
func testRecovery(t *testing.T, prefix string) {
	dir := t.TempDir()
	run := func(at, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = filepath.Join(dir, at)
		cmd.Env = append(os.Environ(), "PATH="+prefix+":"+os.Getenv("PATH"), "FAKEPI_SCRIPT="+filepath.Join(dir, "finishes"),
			"FAKEPI_TIME=virtual", "GIT_CONFIG_GLOBAL=/dev/null", "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	for name, text := range map[string]string{"half": halfDone, "finishes": finishes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(prefix, "fakepi"), filepath.Join(prefix, "pi")); err != nil {
		t.Fatal(err)
	}
	run("", "bash", "-euc", `git init -q -b main w; cd w; git config user.name dev; git config user.email dev@localhost
		echo hello > greet.txt; git add .; git commit -qm one`)
	pid := killInMidEdit(t, prefix, dir)
	watch := filepath.Join(prefix, "piwatch")
	looking := []string{"--worktree", "w", "--session", "s.jsonl", "--pid", strconv.Itoa(pid)}

	var d recovery.Diagnosis
	if err := json.Unmarshal([]byte(run("", watch, append([]string{"diagnose", "--json"}, looking...)...)), &d); err != nil {
		t.Fatal(err)
	}
	if d.Class != recovery.DeadAtRisk || d.Debris != recovery.HalfDone {
		t.Errorf("diagnosed as %s, %s:\n%s", d.Class, d.Debris, strings.Join(d.Evidence, "\n"))
	}
	run("", watch, append([]string{"snapshot", "--out", "e"}, looking...)...)
	run("", watch, append([]string{"plan", "--evidence", "e"}, looking...)...)
	run("", watch, "key", "--out", "key")
	if out := run("", watch, "apply", "--case", "e.case", "--key", "key.pub"); !strings.Contains(out, "nobody has approved") {
		t.Errorf("without an approval: %s", out)
	}
	run("", watch, "approve", "resume", "--case", "e.case", "--key", "key")
	run("", watch, "apply", "--case", "e.case", "--key", "key.pub")

	if got := run("w", "bash", "-c", "cat greet.txt; git status --short; git log --format=%s"); got != "good morning\nrename the greeting\none\n" {
		t.Errorf("the second worker left %q", got)
	}
	events := run("", watch, "log", "--case", "e.case")
	for _, want := range []string{"detected", "planned", "approved", "intended", "acted", "verified"} {
		if !strings.Contains(events, want) {
			t.Errorf("the log does not tell of %s:\n%s", want, events)
		}
	}
	run("", watch, "restore", "e", "--to", "back")
	if got := run("back", "cat", "greet.txt"); got != "good mor" {
		t.Errorf("the evidence has %q, the dead worker left %q", got, "good mor")
	}
}

// killInMidEdit starts a worker and kills it when its tool has written half of a file. It returns its pid.
func killInMidEdit(t *testing.T, prefix, dir string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	notes := filepath.Join(dir, "ledger.jsonl")
	worker := exec.CommandContext(ctx, filepath.Join(prefix, "pi"), "--mode", "json", "--session", filepath.Join(dir, "s.jsonl"), "rename the greeting")
	worker.Dir = filepath.Join(dir, "w")
	worker.Env = append(os.Environ(), "FAKEPI_SCRIPT="+filepath.Join(dir, "half"), "FAKEPI_LEDGER="+notes)
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	started := false
	for !started && lines.Scan() {
		started = strings.Contains(lines.Text(), "tool_execution_start")
	}
	if !started {
		t.Fatalf("stdout ended before the tool began: %v, %v", lines.Err(), worker.Wait())
	}
	awaitEffect(ctx, t, notes)
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.Wait()
	return worker.Process.Pid
}

// awaitEffect follows a ledger until it tells of an effect.
func awaitEffect(ctx context.Context, t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for notes := ledger.NewReader(file); ; {
		record, err := notes.Next()
		_, effect := record.Event.(*ledger.Effect)
		switch {
		case errors.Is(err, io.EOF):
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatal("the ledger tells of no effect: ", ctx.Err())
			}
		case err != nil:
			t.Fatal(err)
		case effect:
			return
		}
	}
}
