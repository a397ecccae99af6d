package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/ledger"
)

const idle = "0s prompt \"x\"\n+1s says \"a\"\n+0s settles"

// What signals do to a process, with a ledger, which notes them, and without one: as to the real Pi.
func TestSignals(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere Go's own handlers stand in for the kernel's")
	}
	tests := []struct {
		signal syscall.Signal
		end    string // empty: it goes on
		noted  []string
	}{
		{syscall.SIGTERM, "143", []string{"SIGTERM handled", "exit 143"}},
		{syscall.SIGHUP, "129", []string{"SIGHUP handled", "exit 129"}},
		{syscall.SIGINT, "interrupt", []string{"SIGINT", "exit -1SIGINT"}},
		{syscall.SIGQUIT, "quit", []string{"SIGQUIT", "exit -1SIGQUIT"}},
		{syscall.SIGABRT, "aborted", []string{"SIGABRT", "exit -1SIGABRT"}},
		{syscall.SIGUSR2, "user defined signal 2", []string{"SIGUSR2", "exit -1SIGUSR2"}},
		{syscall.SIGALRM, "alarm clock", []string{"SIGALRM", "exit -1SIGALRM"}},
		{syscall.SIGXCPU, "CPU time limit exceeded", []string{"SIGXCPU", "exit -1SIGXCPU"}},
		{syscall.SIGUSR1, "", []string{"SIGUSR1 handled"}},
		{syscall.SIGPIPE, "", []string{"SIGPIPE handled"}},
		{syscall.SIGWINCH, "", []string{"SIGWINCH handled"}},
		{syscall.SIGCONT, "", []string{"SIGCONT handled"}},
	}
	for _, tt := range tests {
		for _, noted := range []bool{true, false} {
			start := func() *pi { return startPi(t, "", idle, "--mode", "rpc") }
			if noted {
				start = func() *pi { return withLedger(t, "", idle) }
			}
			p := start()
			p.send(`{"type":"get_state"}`)
			p.await("isStreaming")
			p.signal(tt.signal)
			if tt.end == "" {
				for range 20 {
					p.send(`{"type":"get_state"}`)
					p.await("isStreaming")
				}
				continue
			}
			if got := p.end(); got != tt.end {
				t.Errorf("%s: ended by %s, want %s", tt.signal, got, tt.end)
			}
			if noted {
				if got := p.ledgered("signal", "exit"); !cmp.Equal(tt.noted, got) {
					t.Errorf("%s: %s", tt.signal, cmp.Diff(tt.noted, got))
				}
			}
		}
	}
}

// A stopped process goes on where it was.
func TestStopAndGoOn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it reads /proc")
	}
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGTSTP} {
		p := withLedger(t, "", idle)
		p.send(`{"type":"get_state"}`)
		p.await("isStreaming")
		for range 2 {
			p.signal(s)
			eventually(t, "it has stopped", func() bool { return stat(p.cmd.Process.Pid)[0] == "T" })
			p.signal(syscall.SIGCONT)
			p.send(`{"type":"get_state"}`)
			p.await("isStreaming")
		}
		p.in.Close()
		if got := p.end(); got != "0" {
			t.Errorf("%s: ended by %s, want 0", s, got)
		}
	}
}

// A wedged worker is so in the process table too, and hears nothing.
func TestWedges(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it reads /proc")
	}
	for how, is := range map[string]func(stat []string) bool{
		"frozen":   func(stat []string) bool { return stat[0] == "T" },
		"spinning": func(stat []string) bool { ticks, err := strconv.Atoi(stat[11]); return err == nil && ticks > 20 },
	} {
		p := withLedger(t, "", "0s prompt \"x\"\n+1s wedges "+how)
		p.send(prompt)
		p.await(`"turn_start"`)
		eventually(t, "it is "+how, func() bool { return is(stat(p.cmd.Process.Pid)) })
		p.signal(syscall.SIGTERM)
		p.signal(syscall.SIGKILL)
		if got := p.end(); got != "killed" {
			t.Errorf("%s: ended by %s", how, got)
		}
	}
}

// Who started the worker has gone: it is told, and the worker goes on, since Pi does not look.
func TestParentDeath(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere it is not known")
	}
	home := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(home, "fakepi"))
	}
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", "-c", "exec 3<&0; ./fakepi --mode rpc <&3 & until test -s ledger.jsonl; do :; done")
	shell.Dir, shell.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "FAKEPI_LEDGER=ledger.jsonl"}
	out, in, err := os.Pipe() // of the worker, not of the shell alone
	if err != nil {
		t.Fatal(err)
	}
	shell.Stdin = out
	if err := shell.Run(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	p := &pi{t: t, home: home}
	eventually(t, "its parent's death is noted", func() bool { return len(p.ledgered("parent_death")) == 1 })
	for _, r := range p.records() {
		if e, ok := r.Event.(*ledger.ParentDeath); ok && e.PID != shell.Process.Pid {
			t.Errorf("parent %d, want %d", e.PID, shell.Process.Pid)
		}
	}
	if got := p.ledgered("exit"); len(got) > 0 {
		t.Errorf("it ended with its parent: %q", got)
	}
	in.Close()
	eventually(t, "it ends with its stdin", func() bool { return cmp.Equal(p.ledgered("exit"), []string{"exit 0"}) })
}
