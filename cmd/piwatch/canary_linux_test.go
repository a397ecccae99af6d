package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"fakepi.example/internal/watchdog/canary"
	"fakepi.example/internal/watchdog/live"
	"fakepi.example/watchdog"
)

// A canary run passes the worker's streams through, records them without their contents, takes marks, and leaves nothing
// else behind.
func TestCanary(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script("0s prompt \"go\"\n+10ms says \"sekrit\"\n+0s stalls\n")
	recorded := filepath.Join(s.dir, "recorded")
	cmd := s.command("piwatch", "canary", "--id", "w", "--out", recorded, "--set", "stream_gap=300ms", "--set", "confirm_every=50ms",
		"--set", "preset=autonomous", "--set", "attention=1h", "--", s.pi, "--mode", "json", "sekrit prompt")
	in, _, stderr := start(t, cmd)
	in.Close()
	readTo(t, stderr, "stalled_stream")
	if out, err := s.command("piwatch", "mark", "right", "it hangs").CombinedOutput(); err != nil || !strings.Contains(string(out), ": right at ") {
		t.Errorf("mark: %v: %s", err, out)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil { // the recorder dies in the middle of the run
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	r, err := canary.Read(recorded)
	if err != nil || len(r.Damage) > 0 {
		t.Fatalf("a killed canary has left %+v, %v", r, err)
	}
	if len(r.Marks) != 1 || r.Marks[0].Kind != canary.MarkRight || r.Marks[0].Text != "it hangs" || r.Marks[0].At < 300 {
		t.Errorf("the marks are %+v", r.Marks)
	}
	confirmed := func(j canary.Judged) bool {
		return j.Name == watchdog.VerdictStalledStream && j.Status == watchdog.StatusConfirmed
	}
	if !slices.ContainsFunc(r.Verdicts, confirmed) {
		t.Errorf("no confirmed stall is recorded: %+v", r.Verdicts)
	}
	if len(r.Events) < 5 || r.Meta.Complete {
		t.Errorf("%d events are recorded, and complete is %v", len(r.Events), r.Meta.Complete)
	}
	if got := secretsIn(t, recorded, "sekrit"); len(got) > 0 {
		t.Errorf("the secret is in %q", got)
	}
	if err := s.folder().Stop(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

func TestCanaryEnds(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script("0s prompt \"go\"\n+10ms says \"Done.\"\n+0s settles\n")
	recorded := filepath.Join(s.dir, "recorded")
	cmd := s.command("piwatch", "canary", "--id", "w", "--out", recorded, "--", s.pi, "--mode", "json", "go")
	in, out, _ := start(t, cmd)
	in.Close()
	readTo(t, out, `"agent_settled"`)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	r, err := canary.Read(recorded)
	if err != nil || !r.Meta.Complete || r.Meta.Code == nil || *r.Meta.Code != 0 {
		t.Errorf("the recording is %+v, %v; want complete, exit code 0", r, err)
	}
	if _, err := os.Stat(string(s.folder())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the worker's folder, with all contents, is still there (error %v)", err)
	}
	shown, err := s.command("piwatch", "replay", recorded).Output()
	if err != nil || !strings.Contains(string(shown), "agent_settled") || !strings.Contains(string(shown), "  settled\n") || !strings.Contains(string(shown), "exit 0") {
		t.Errorf("replay: %v:\n%s", err, shown)
	}
	again := s.command("piwatch", "canary", "--id", "w", "--out", recorded, "--", s.pi, "--mode", "json", "go")
	if text, err := again.CombinedOutput(); err == nil || !strings.Contains(string(text), "the folder is not empty") {
		t.Errorf("a second run into the same folder: %v: %s", err, text)
	}
}

// reckless wants everything at once: each verdict, and each command.
type reckless struct {
	commands []watchdog.Command
	outcomes map[string]watchdog.Result
	asked    bool
	stop     context.CancelFunc
}

func (d *reckless) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	var out watchdog.Decision
	for _, o := range seen {
		switch b := o.Body.(type) {
		case watchdog.Outcome:
			d.outcomes[b.Key] = b.Result
		case watchdog.Probe, watchdog.Inspect:
			d.outcomes[string(o.Body.Kind())] = watchdog.ResultDone
		}
	}
	if len(d.outcomes) >= len(d.commands) {
		d.stop()
	}
	if d.asked {
		return out, nil
	}
	d.asked = true
	for _, name := range watchdog.VerdictNames() {
		out.Verdicts = append(out.Verdicts, watchdog.Verdict{Worker: "w", Name: name, Status: watchdog.StatusConfirmed})
	}
	out.Commands = d.commands
	return out, nil
}

// TestCanaryNeverActs gives canary mode every verdict and every command, on a real worker: it lives on, has got nothing on its
// stdin, and its worktree is not saved. (The watcher of "piwatch run" is killed first, to get its place.)
func TestCanaryNeverActs(t *testing.T) {
	s := newSupervised(t, fakePi(t))
	s.script("0s prompt \"go\"\n+10ms says \"One.\"\n+0s settles\n")
	cmd := s.run(nil, "--mode", "rpc")
	in, out, _ := start(t, cmd)
	if _, err := in.Write([]byte(`{"type":"prompt","message":"go"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	readTo(t, out, `"agent_settled"`)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = cmd.Process.Wait() // it was killed
	sent, _ := s.spooled(watchdog.StreamIn)
	ctx, stop := context.WithCancel(t.Context())
	dog := &reckless{outcomes: map[string]watchdog.Result{}, stop: stop}
	var spawned watchdog.Spawned
	for _, o := range s.observed() {
		if b, ok := o.Body.(watchdog.Spawned); ok {
			spawned = b
		}
	}
	for _, kind := range watchdog.CommandKinds() {
		dog.commands = append(dog.commands, watchdog.Command{
			Key: string(kind), Kind: kind, Worker: "w", Generation: 1, Text: "sure?", Input: []byte("{}\n"), What: watchdog.WhatProcesses,
			Target: &watchdog.Target{PID: spawned.PID, Start: spawned.Start},
		})
	}
	_, err := live.Watch(ctx, live.Options{
		Folder: s.folder(), Policy: watchdog.DefaultPolicy(), LookOnly: true,
		Start:  func(watchdog.Boot) (watchdog.Watchdog, error) { return dog, nil },
		Tell:   func(live.Notice) {},
		Change: func(watchdog.Verdict) {},
		Failed: func(err error) { t.Error(err) },
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the end of the context", err)
	}
	for _, c := range dog.commands {
		got, want := dog.outcomes[c.Key], watchdog.ResultRefused
		switch c.Kind {
		case watchdog.CmdNotify, watchdog.CmdEscalate, watchdog.CmdPropose, watchdog.CmdHeartbeat, watchdog.CmdProbe, watchdog.CmdInspect:
			want = watchdog.ResultDone
		}
		if got != want {
			t.Errorf("%s: %s, want %s", c.Kind, got, want)
		}
	}
	if now, exited := s.spooled(watchdog.StreamIn); string(now) != string(sent) || exited != nil {
		t.Errorf("the worker was sent %q, and its exit is %v", now[len(sent):], exited)
	}
	if err := syscall.Kill(spawned.PID, 0); err != nil {
		t.Errorf("the worker: %v", err)
	}
	if _, err := os.Stat(s.folder().Evidence()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is evidence (error %v)", err)
	}
	in.Close() // the worker ends with its input
}

// secretsIn lists the files below dir that hold a text.
func secretsIn(t *testing.T, dir, secret string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
