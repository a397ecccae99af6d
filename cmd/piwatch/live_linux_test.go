package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/live"
	"fakepi.example/internal/watchdog/live/spool"
	"fakepi.example/watchdog"
)

// supervised is a worktree and a folder of workers, in which piwatch runs fake workers.
type supervised struct {
	t   *testing.T
	dir string
	pi  string
}

func newSupervised(t *testing.T, pi string) *supervised {
	t.Helper()
	s := &supervised{t: t, dir: t.TempDir(), pi: pi}
	if out, err := exec.Command("git", "init", "-q", filepath.Join(s.dir, "w")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(s.killDescendants)
	return s
}

// killDescendants ends what a killed worker has left: Pi's tools outlive it.
func (s *supervised) killDescendants() {
	mark := []byte("PIWATCH_WORKER=" + string(s.folder()))
	procs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		s.t.Error(err)
	}
	for _, proc := range procs {
		environ, err := os.ReadFile(proc)
		if err != nil || !slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(v []byte) bool { return bytes.Equal(v, mark) }) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(proc))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // one that has ended needs none
		}
	}
}

// script writes the script of the worker.
func (s *supervised) script(lines string) {
	if err := os.WriteFile(filepath.Join(s.dir, "script.txtar"), []byte(lines), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// command is a command that runs in the worktree, with the environment that the fake worker needs.
func (s *supervised) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), name, args...)
	cmd.Dir = filepath.Join(s.dir, "w")
	cmd.Env = append(os.Environ(), "PIWATCH_DIR="+s.dir, "FAKEPI_SCRIPT="+filepath.Join(s.dir, "script.txtar"),
		"PI_CODING_AGENT_DIR="+filepath.Join(s.dir, "agent"))
	return cmd
}

// run is piwatch run of a worker named w.
func (s *supervised) run(flags []string, args ...string) *exec.Cmd {
	return s.command("piwatch", append(append(append([]string{"run", "--id", "w"}, flags...), "--", s.pi), args...)...)
}

func (s *supervised) folder() live.Folder { return live.Folder(filepath.Join(s.dir, "workers", "w")) }

// observed is all that the spool holds.
func (s *supervised) observed() []watchdog.Observation {
	log, err := spool.Open(s.folder().Spool())
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	var all []watchdog.Observation
	if err := log.Next(func(o watchdog.Observation) error { all = append(all, o); return nil }); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// spooled is what the spool has of a stream, and the worker's exit.
func (s *supervised) spooled(stream watchdog.Stream) (data []byte, exited *watchdog.Exited) {
	for _, o := range s.observed() {
		switch b := o.Body.(type) {
		case watchdog.Bytes:
			if b.Stream != stream {
				continue
			}
			if b.Offset != int64(len(data)) {
				s.t.Errorf("observation %d is at offset %d, want %d", o.N, b.Offset, len(data))
			}
			data = append(data, b.Data...)
		case watchdog.Exited:
			exited = &b
		}
	}
	return data, exited
}

// notices are the kinds and texts of what was told.
func (s *supervised) notices() []string {
	text, err := os.ReadFile(filepath.Join(string(s.folder()), "notices.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	var all []string
	for line := range bytes.Lines(text) {
		var n live.Notice
		if err := json.Unmarshal(line, &n); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, string(n.Kind)+" "+string(n.Cause.Name))
	}
	return all
}

// readTo reads lines up to one that has a text.
func readTo(t *testing.T, r *bufio.Reader, text string) {
	t.Helper()
	var all strings.Builder
	for {
		line, err := r.ReadString('\n')
		all.WriteString(line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("%v before %q came; there was:\n%s", err, text, all.String())
		}
	}
}

func start(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, out, stderr *bufio.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	o, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, bufio.NewReader(o), bufio.NewReader(e)
}

const quickReply = "0s prompt \"go\"\n+10ms says \"Done.\"\n+0s settles\n"

// A worker under piwatch run gives its user what it gives alone: stdout, stderr and status; and what the watchdog sees is
// the same to the byte.
func TestRunPassesThrough(t *testing.T) {
	pi := fakePi(t)
	tests := []struct {
		reason, script string
		args           []string
		stdin          string
		code           int
	}{
		{"a one-shot", quickReply, []string{"--mode", "json", "go"}, "", 0},
		{"a one-shot whose words are no JSON", quickReply, []string{"-p", "go"}, "", 0},
		{"an rpc worker that is asked and then left", quickReply, []string{"--mode", "rpc"},
			"{\"id\":\"1\",\"type\":\"get_state\"}\n{\"id\":\"2\",\"type\":\"nonsense\"}\n", 0},
		{"a start that fails", quickReply, []string{"--mode", "rpc", "--nonsense-flag-xyz", "--session", "/nonexistent/s.jsonl"}, "", 1},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			s := newSupervised(t, pi)
			s.script(test.script)
			var want, got, wantErr, gotErr bytes.Buffer
			alone := s.command(pi, test.args...)
			alone.Env = append(alone.Env, "FAKEPI_TIME=virtual")
			alone.Stdin, alone.Stdout, alone.Stderr = strings.NewReader(test.stdin), &want, &wantErr
			wantCode := status(t, alone)
			under := s.run(nil, test.args...)
			under.Env = append(under.Env, "FAKEPI_TIME=virtual")
			under.Stdin, under.Stdout, under.Stderr = strings.NewReader(test.stdin), &got, &gotErr
			if code := status(t, under); code != wantCode || (code == 0) != (test.code == 0) {
				t.Errorf("status %d, alone %d, want %d; stderr %s", code, wantCode, test.code, &gotErr)
			}
			if a, b := masked(want.Bytes()), masked(got.Bytes()); !bytes.Equal(a, b) {
				t.Errorf("stdout (-alone +under piwatch):\n%s", cmp.Diff(string(a), string(b)))
			}
			if diff := cmp.Diff(wantErr.String(), gotErr.String()); diff != "" {
				t.Errorf("stderr (-alone +under piwatch):\n%s", diff)
			}
			out, exited := s.spooled(watchdog.StreamOut)
			if !bytes.Equal(out, got.Bytes()) {
				t.Errorf("the spool has %d bytes of stdout, the user got %d", len(out), got.Len())
			}
			if in, _ := s.spooled(watchdog.StreamIn); string(in) != test.stdin {
				t.Errorf("the spool has the input %q, want %q", in, test.stdin)
			}
			if exited == nil || exited.Code != wantCode {
				t.Errorf("the spool has the exit %+v, want %d", exited, wantCode)
			}
		})
	}
}

func status(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// masked hides what each start draws anew: ids and times.
func masked(stdout []byte) []byte {
	return regexp.MustCompile(`"(timestamp|responseId|id|sessionId|sessionFile)":("[^"]*"|\d+)`).ReplaceAll(stdout, []byte(`"$1":"?"`))
}

// A stream that has stopped is told once, at the moment at which it is sure, and nothing is done about it: no policy of
// the person's makes piwatch run act.
func TestRunTells(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script("0s prompt \"go\"\n+10ms opens\n+10ms stalls\n")
	flags := []string{"--set", "first_token=300ms", "--set", "confirm_every=50ms", "--set", "attention=1h", "--set", "preset=autonomous"}
	cmd := s.run(flags, "--mode", "json", "go")
	in, _, stderr := start(t, cmd)
	in.Close() // Pi reads what is piped to it first
	readTo(t, stderr, "slow_first_token")
	if view, err := s.folder().Look(); err != nil || view.Status.Phase != watchdog.VerdictSlowFirstToken || view.Status.Status != watchdog.StatusConfirmed || !view.Watched {
		t.Errorf("the status is %+v, %v; want slow_first_token confirmed, and watched", view, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil { // meant for the worker, as if it were Pi
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is the worker's
	_, exited := s.spooled(watchdog.StreamOut)
	if exited == nil {
		t.Fatal("the worker has not got the SIGTERM")
	}
	if code := cmd.ProcessState.ExitCode(); code != exited.Code && exited.Signal == "" {
		t.Errorf("piwatch ended with %d, the worker with %+v", code, exited)
	}
	told := 0
	for _, n := range s.notices() {
		if n == "notify slow_first_token" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("it was told %d times, want once: %q", told, s.notices())
	}
}

// A worker that is killed ends piwatch as a shell would end, and what it left is saved as evidence.
func TestRunKilledWorker(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script("0s prompt \"go\"\n+10ms tool bash \"make\" runs never busy\n")
	if err := os.WriteFile(filepath.Join(s.dir, "w", "work"), []byte("unsaved"), 0o600); err != nil {
		t.Fatal(err)
	}
	heard := filepath.Join(s.dir, "heard")
	cmd := s.run([]string{"--notify", "cat >> " + heard}, "--mode", "json", "go")
	in, out, _ := start(t, cmd)
	in.Close() // Pi reads what is piped to it first
	readTo(t, out, "tool_execution_start")
	if err := s.folder().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // its status is checked
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGKILL) {
		t.Errorf("piwatch ended with %d, want %d", code, 128+int(syscall.SIGKILL))
	}
	if text, err := os.ReadFile(heard); err != nil || !strings.Contains(string(text), `"name":"dead"`) {
		t.Errorf("the last notice has not reached its command: %s, %v", text, err)
	}
	view, err := s.folder().Look()
	if err != nil || view.Status.Phase != watchdog.VerdictDead || view.Watched || !view.Ended() {
		t.Errorf("the status is %+v, %v; want dead, ended, not watched", view, err)
	}
	kept, err := filepath.Glob(filepath.Join(s.folder().Evidence(), "*", "MANIFEST.sha256"))
	if err != nil || len(kept) == 0 {
		t.Errorf("no evidence was saved: %v; notices %q; observed %s", err, s.notices(), last(s.observed()))
	}
}

// last are the last observations in their JSON form.
func last(all []watchdog.Observation) []byte {
	text, _ := json.Marshal(all[max(0, len(all)-6):])
	return text
}

// A piwatch that is killed takes nothing along: the worker goes on, its user gets every byte, and the next watcher, which
// reads on, gives the verdict and tells it once.
func TestRunOutlivesItsWatchdog(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script("0s prompt \"go\"\n+10ms says \"One.\"\n+0s settles\n+0s prompt \"more\"\n+10ms says \"Two.\"\n+0s settles\n")
	cmd := s.run([]string{"--set", "attention=1h"}, "--mode", "rpc")
	in, out, _ := start(t, cmd)
	send := func(line string) {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"id":"1","type":"prompt","message":"go"}`)
	readTo(t, out, `"agent_settled"`)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	send(`{"id":"2","type":"prompt","message":"more"}`) // the worker does not notice that nobody watches
	readTo(t, out, `"agent_settled"`)
	if view, err := s.folder().Look(); err != nil || view.Watched || view.Ended() {
		t.Errorf("the status is %+v, %v; want neither watched nor ended", view, err)
	}
	attach := s.command("piwatch", "attach", "w")
	_, attached, problems := start(t, attach)
	in.Close() // the worker ends with its input
	readTo(t, attached, "w has exited: status 0")
	if err := attach.Wait(); err != nil {
		rest, _ := io.ReadAll(problems)
		t.Fatalf("attach: %v: %s", err, rest)
	}
	view, err := s.folder().Look()
	if err != nil || view.Status.Phase != watchdog.VerdictSettled && view.Status.Phase != watchdog.VerdictIdle || !view.Ended() {
		t.Errorf("the status is %+v, %v; want settled or idle, and ended", view, err)
	}
	data, exited := s.spooled(watchdog.StreamOut)
	if got := bytes.Count(data, []byte(`{"type":"agent_settled"`)); got != 2 || exited == nil {
		t.Errorf("the spool has %d ends of runs and the exit %v, want 2 and one", got, exited)
	}
	if told := s.notices(); len(told) != 0 {
		t.Errorf("it told %q of a healthy worker", told)
	}
}

// One watches at a time.
func TestAttachRefuses(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script(quickReply)
	cmd := s.run(nil, "--mode", "rpc")
	in, out, _ := start(t, cmd)
	if _, err := io.WriteString(in, `{"id":"1","type":"prompt","message":"go"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	readTo(t, out, "agent_settled")
	text, err := s.command("piwatch", "attach", "w").CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("another piwatch watches this worker")) {
		t.Errorf("a second watcher got %v: %s", err, text)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text, err = s.command("piwatch", "attach", "nobody").CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("no folder of a watched worker")) {
		t.Errorf("an unknown worker got %v: %s", err, text)
	}
	text, err = s.run(nil, "--mode", "rpc").CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("name another --id")) {
		t.Errorf("a second worker of the same name got %v: %s", err, text)
	}
}

var watchKills = flag.Int("watch-kills", 25, "how often to kill the watcher of one worker")

// A watcher that is killed again and again, wherever it stands, loses no byte of the worker's, forgets no stall and tells it
// once.
func TestWatcherKilled(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script(strings.Repeat("+0s prompt \"go\"\n+5ms says \"One.\"\n+5ms says \"Two.\"\n+0s settles\n", *watchKills)[1:] +
		"+0s prompt \"stall\"\n+5ms opens\n+1h settles\n")
	limits := []string{"--set", "first_token=200ms", "--set", "confirm_every=20ms", "--set", "attention=1h"}
	first := s.run(limits, "--mode", "rpc")
	in, out, _ := start(t, first)
	send := func(line string) {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	watcher := first
	kill := func() {
		if err := watcher.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = watcher.Process.Wait() // it was killed
	}
	attach := func() {
		watcher = s.command("piwatch", append([]string{"attach", "w"}, limits...)...)
		if err := watcher.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for range *watchKills {
		send(`{"type":"prompt","message":"go"}`)
		readTo(t, out, `"agent_settled"`)
		kill()
		attach()
	}
	send(`{"type":"prompt","message":"stall"}`)
	readTo(t, out, `"turn_start"`)
	kill()
	told := s.command("piwatch", append([]string{"attach", "w"}, limits...)...)
	_, _, stderr := start(t, told)
	readTo(t, stderr, "slow_first_token")
	if err := told.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = told.Process.Wait() // it was killed
	last := s.command("piwatch", append([]string{"attach", "w"}, limits...)...)
	_, done, _ := start(t, last)
	in.Close()
	if err := s.folder().Stop(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	readTo(t, done, "w has exited")
	if err := last.Wait(); err != nil {
		t.Error(err)
	}
	data, _ := s.spooled(watchdog.StreamOut)
	if got := bytes.Count(data, []byte(`{"type":"agent_settled"`)); got != *watchKills {
		t.Errorf("%d turns are in the spool, want %d", got, *watchKills)
	}
	if diff := cmp.Diff([]string{"notify slow_first_token"}, s.notices()); diff != "" {
		t.Errorf("what was told (-want +got):\n%s", diff)
	}
}
