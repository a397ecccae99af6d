package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// atGate starts a worker whose git waits at its first start until a gate is opened. A git that the worker has left behind waits
// no longer than the test.
func atGate(t *testing.T, script string, env ...string) (p *pi, open func()) {
	t.Helper()
	home := t.TempDir()
	gate, bin := filepath.Join(home, "gate"), filepath.Join(home, "bin")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n[ ! -p "+gate+" ] || read word <"+gate+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // it may wait, be about to, have ended, or never have been started
		f, err := os.OpenFile(gate, os.O_RDWR, 0) // which waits for nobody
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil {
			_, err = f.WriteString("go\n")
		}
		if err := errors.Join(err, os.Remove(gate), f.Close()); err != nil {
			t.Error(err)
		}
	})
	env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "FAKEPI_ALLOW_EXEC=1"}, env...)
	p = withLedger(t, home, script, env...)
	return p, func() {
		f, err := os.OpenFile(gate, os.O_WRONLY, 0) // once git waits
		if err == nil {
			err = os.Remove(gate)
		}
		if err == nil {
			_, err = f.WriteString("go\n")
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// behindRaw is a tool that prints that an effect comes, and behind it something else.
func behindRaw(tool, later, effect string) string {
	return "0s prompt \"x\"\n+1s tool " + tool + " runs 1h as=t\n@t+" + later + " raw \"it begins\\n\"\n+0s does " + effect +
		"\n+0s raw \"it is done\\n\"\n@t.end+1s says \"Done.\"\n+0s settles\n"
}

// A tool's process is stopped when it is to act: the worker still hears, and what the script does next waits for it.
func TestStoppedToolProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it reads /proc")
	}
	tests := []struct {
		name string
		then func(p *pi, child int)
		file string
	}{
		{"it goes on", func(p *pi, child int) {
			if err := syscall.Kill(child, syscall.SIGCONT); err != nil {
				p.t.Fatal(err)
			}
			p.await("it is done")
			if got := p.file("a.txt"); got != "one" {
				p.t.Errorf("behind the effect the file holds %q", got)
			}
			p.in.Close()
		}, "one"},
		{"abort", func(p *pi, _ int) {
			p.send(`{"type":"abort"}`)
			p.await("agent_settled")
			p.in.Close()
		}, ""},
		{"EOF", func(p *pi, _ int) { p.in.Close() }, ""},
		{"SIGTERM", func(p *pi, _ int) { p.signal(syscall.SIGTERM) }, ""},
		{"SIGKILL to the tool", func(p *pi, child int) {
			if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
				p.t.Fatal(err)
			}
			p.await("tool_execution_end")
			p.in.Close()
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := withLedger(t, "", behindRaw(`bash "x"`, "2m", `write a.txt "one"`))
			p.send(prompt)
			child := p.child()
			if err := syscall.Kill(child, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			eventually(t, "it has stopped", func() bool { return stat(child)[0] == "T" })
			p.await("it begins")
			p.send(`{"type":"get_state"}`)
			p.await("isStreaming")
			tt.then(p, child)
			want := "0"
			if tt.name == "SIGTERM" {
				want = "143"
			}
			if got := p.end(); got != want {
				t.Errorf("ended by %s, want %s", got, want)
			}
			eventually(t, "the tool's process has gone", func() bool { return !lives(child) })
			if got := p.file("a.txt"); got != tt.file {
				t.Errorf("the file holds %q, want %q", got, tt.file)
			}
		})
	}
}

// Commands print and end while an effect takes its time, in more messages than any channel holds.
func TestEffectBehindCommands(t *testing.T) {
	const commands = 12
	script := "0s prompt \"x\"\n+1s tool bash \"x\" runs 20s as=t\n@t+1s does run \"echo a\"\n" + strings.Repeat("+0s does run \"echo a\"\n", commands-1) +
		"+0s does commit \"m\"\n@t.end+1s says \"Done.\"\n+0s settles\n"
	p, open := atGate(t, script)
	p.send(prompt)
	p.child()
	eventually(t, "the commands have ended", func() bool { return len(p.ledgered("effect")) == commands })
	p.send(`{"type":"get_state"}`)
	p.await("isStreaming")
	open()
	p.await("agent_settled")
	p.in.Close()
	if got := p.end(); got != "0" {
		t.Errorf("ended by %s, want 0", got)
	}
	if got := p.ledgered("effect"); len(got) != commands+1 || got[commands] != "commit" {
		t.Errorf("effects: %q", got)
	}
}

// What a tool without a process does takes long: the worker hears meanwhile, and goes on a signal.
func TestSlowEffectOfTheWorker(t *testing.T) {
	for _, speed := range []string{"FAKEPI_TIME=x60", "FAKEPI_TIME=virtual"} {
		for _, ends := range []bool{false, true} {
			p, open := atGate(t, behindRaw(`write "a.txt"`, "1s", `commit "m"`), speed)
			p.send(prompt)
			p.await("it begins")
			p.send(`{"type":"get_state"}`)
			p.await("isStreaming")
			want := []string{"exit 143"}
			if ends {
				open()
				p.await("it is done")
				want = []string{"commit", "exit 143"}
			}
			p.signal(syscall.SIGTERM)
			if got := p.end(); got != "143" {
				t.Errorf("%s: ended by %s, want 143", speed, got)
			}
			if got := p.ledgered("effect", "exit"); !cmp.Equal(got, want) {
				t.Errorf("%s: noted %q, want %q", speed, got, want)
			}
			if done := slices.Contains(p.seen, "it is done\n"); done != ends {
				t.Errorf("%s: what comes behind it was printed: %t", speed, done)
			}
		}
	}
}

// What a script writes arrives byte by byte, by a tool's process too, which keeps its line to the worker for itself.
func TestBytesOfEffects(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it reads /proc")
	}
	const text = "\xff\x00\xc3(\n"
	script := "0s prompt \"x\"\n+1s tool bash \"x\" runs 10s as=t\n@t+1s does write a.txt odd.txt\n+0s does run \"test ! -e /proc/self/fd/3 || echo open >b.txt\"\n@t.end+1s says \"Done.\"\n+0s settles\n-- odd.txt --\n" + text
	for _, speed := range []string{"FAKEPI_TIME=x60", "FAKEPI_TIME=virtual"} {
		p := withLedger(t, "", script, speed, "FAKEPI_ALLOW_EXEC=1")
		p.send(prompt)
		p.await("agent_settled")
		if a, b := p.file("a.txt"), p.file("b.txt"); a != text || b != "" {
			t.Errorf("%s: the file holds %q, want %q; descriptor 3 is %q", speed, a, text, b)
		}
	}
}

// A shell fails where the working directory has gone, and the worker goes on.
func TestFolderThatHasGone(t *testing.T) {
	for _, dialect := range []string{"pi-1.6", "pi-0.73"} {
		home := t.TempDir()
		p := setup{home: home, script: "0s prompt \"x\"\n+1s tool bash \"ls\" runs 1s\n+1s says \"Done.\"\n+0s settles", env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, "--mode", "rpc", "--no-session")
		p.send(`{"type":"get_state"}`)
		p.await("isStreaming")
		if err := os.RemoveAll(home); err != nil {
			t.Fatal(err)
		}
		p.send(prompt)
		want := `"result":{"content":[{"type":"text","text":"Working directory does not exist: ` + home + `\nCannot execute bash commands."}],"details":{}},"isError":true`
		if end := p.await("tool_execution_end"); !strings.Contains(end, want) {
			t.Errorf("%s: %s, want %s", dialect, end, want)
		}
		p.await("agent_end")
		p.in.Close()
		if got := p.end(); got != "0" {
			t.Errorf("%s: ended by %s: %s", dialect, got, p.err.String())
		}
	}
}

// A session's folder that is none leaves the tools where they are; that it cannot be told is an error.
func TestEnterAFolder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{os.Mkdir(at("folder"), 0o700), os.WriteFile(at("file"), nil, 0o600), os.Symlink("loop", at("loop"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tools, err := newTools(dir, nil, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, in string
		err      error
	}{{"folder", at("folder"), nil}, {"file", at("folder"), nil}, {"none", at("folder"), nil}, {"loop", at("folder"), syscall.ELOOP}} {
		if err := tools.enter(at(tt.name)); !errors.Is(err, tt.err) || tools.dir != tt.in {
			t.Errorf("%s: %v, in %s; want %v, in %s", tt.name, err, tools.dir, tt.err, tt.in)
		}
	}
}
