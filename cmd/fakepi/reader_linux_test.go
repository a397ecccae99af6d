package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/cli/stdio"
)

// loud is more on stderr than a pipe holds, before a short reply.
const loud = "0s prompt \"x\"\n+1s raw stream=err \"0123456789abcde\\n\" times 20000\n+1s says \"Done.\"\n+0s settles\n"

// slowPipe is a pipe that is read late.
type slowPipe struct {
	out, in *os.File
	fd      int32 // of in, asked for once: to ask again would let the worker's writes block
}

func newSlowPipe(t *testing.T) slowPipe {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close(); in.Close() })
	return slowPipe{out, in, int32(in.Fd())}
}

// fill waits until the pipe holds no more.
func (s slowPipe) fill(t *testing.T) {
	t.Helper()
	eventually(t, "the pipe is full", func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: s.fd, Events: unix.POLLOUT}}, 0)
		return err == nil && n == 0
	})
}

// rest reads the pipe to its end.
func (s slowPipe) rest(t *testing.T) string {
	t.Helper()
	s.in.Close()
	data, err := io.ReadAll(s.out)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// oneShot starts one that goes fast, with a ledger.
func oneShot(t *testing.T, dialect native.Dialect, s setup, args ...string) *pi {
	t.Helper()
	s.home = t.TempDir()
	s.env = append(s.env, "FAKEPI_DIALECT="+string(dialect), "FAKEPI_LEDGER="+s.home+"/ledger.jsonl", "FAKEPI_TIME=x100000")
	p := s.start(t, args...)
	p.in.Close()
	return p
}

// settled waits until the run is over.
func (p *pi) settled() {
	p.t.Helper()
	eventually(p.t, "it has settled", func() bool { return p.noted(`"kind":"settled"`) > 0 })
}

// A one-shot of either Pi waits at its end for a slow reader, of stdout and of stderr, which loses nothing.
func TestSlowReaderOfAOneShot(t *testing.T) {
	for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
		for _, args := range [][]string{{"-p"}, {"--mode", "json"}} {
			t.Run(string(dialect)+" "+args[0], func(t *testing.T) {
				t.Parallel()
				stdout := newSlowPipe(t)
				p := oneShot(t, dialect, setup{script: "0s prompt \"x\"\n+1s says long.txt chunks 5\n+0s settles\n-- long.txt --\n" + strings.Repeat("word ", 60_000) + "\n", out: stdout.in}, append(args, "go")...)
				stdout.fill(t)
				if args[0] == "-p" || dialect == native.Pi073 {
					p.settled()
				}
				got := stdout.rest(t)
				if status := p.wait(); status != "0" || strings.Count(got, "word ") < 60_000 || !strings.HasSuffix(got, "\n") {
					t.Errorf("ended by %s after %d words, the last of %q: %s", status, strings.Count(got, "word "), got[max(0, len(got)-40):], p.err.String())
				}
			})
		}
		t.Run(string(dialect)+" stderr", func(t *testing.T) {
			t.Parallel()
			stderr := newSlowPipe(t)
			p := oneShot(t, dialect, setup{script: loud, errors: stderr.in}, "-p", "go")
			stderr.fill(t)
			if line, err := p.out.ReadString('\n'); line != "Done.\n" || err != nil {
				t.Errorf("stdout has %q, %v: stderr holds nothing up", line, err)
			}
			p.settled()
			got := stderr.rest(t)
			if status := p.wait(); status != "0" || got != strings.Repeat("0123456789abcde\n", 20000) {
				t.Errorf("ended by %s with %d bytes on stderr, want 320000", status, len(got))
			}
		})
	}
}

// Answers wait for no reader, and stdin's end loses none of them.
func TestSlowReaderOfAnswers(t *testing.T) {
	const n = 300
	stdout := newSlowPipe(t)
	s := setup{script: idle, out: stdout.in, home: t.TempDir()}
	p := s.start(t, "--mode", "rpc")
	p.send(strings.Repeat(`{"type":"get_state"}`+"\n", n))
	p.in.Close()
	stdout.fill(t)
	got := stdout.rest(t)
	if status := p.wait(); status != "0" || strings.Count(got, `"command":"get_state","success":true`) != n {
		t.Errorf("ended by %s after %d answers, want %d", status, strings.Count(got, "\n"), n)
	}
}

// The end of a stream comes behind all of it, and nothing of it goes where its number is used again.
func TestSlowReaderOfAStreamThatEnds(t *testing.T) {
	stderr := newSlowPipe(t)
	src := strings.Replace(loud, "+1s says", "+1s eof err\n+1s tool bash \"x\" runs 1s as=t\n@t+500ms does write a.txt \"one\"\n@t.end+1s says", 1)
	p := oneShot(t, native.Pi16, setup{script: src, errors: stderr.in}, "-p", "go")
	stderr.fill(t)
	if line, err := p.out.ReadString('\n'); line != "Done.\n" || err != nil {
		t.Errorf("stdout has %q, %v", line, err)
	}
	if got := stderr.rest(t); got != strings.Repeat("0123456789abcde\n", 20000) {
		t.Errorf("%d bytes on stderr, want 320000", len(got))
	}
	if status := p.wait(); status != "0" || p.file("a.txt") != "one" {
		t.Errorf("ended by %s; the tool wrote %q", status, p.file("a.txt"))
	}
}

// A signal ends the wait for the reader: when a one-shot has nothing else to do, nobody handles it. An rpc worker of Pi 1.6
// is not made wait by who asks twice.
func TestSignalWhileTheReaderIsWaitedFor(t *testing.T) {
	tests := []struct {
		mode    script.Mode
		signals []syscall.Signal
		want    fakepi.Exit
		reason  string
	}{
		{script.ModePrint, []syscall.Signal{syscall.SIGTERM}, fakepi.Exit{Code: -1, Signal: "SIGTERM"}, ""},
		{script.ModeJSON, []syscall.Signal{syscall.SIGHUP}, fakepi.Exit{Code: -1, Signal: "SIGHUP"}, ""},
		{script.ModePrint, []syscall.Signal{syscall.SIGUSR1, syscall.SIGCONT, syscall.SIGINT}, fakepi.Exit{Code: -1, Signal: "SIGINT"}, "nothing comes of the first two"},
		{script.ModeRPC, []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP}, fakepi.Exit{Code: 129}, "the first is not heard"},
	}
	for _, tt := range tests {
		stdout := newSlowPipe(t)
		_, other, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		signals := make(chan syscall.Signal, len(tt.signals))
		for _, s := range tt.signals {
			signals <- s
		}
		p := &process{mode: tt.mode, signals: signals, notes: newNotes(nil), exit: &fakepi.Exit{}}
		p.stdout, p.stderr = stdio.NewPipes(stdout.in, other)
		if _, err := p.stdout.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.stdout.Close(), p.awaitReaders()); err != nil || *p.exit != tt.want {
			t.Errorf("%s, %v: %+v, %v; want %+v (%s)", tt.mode, tt.signals, *p.exit, err, tt.want, tt.reason)
		}
		p.stdout.Release()
		other.Close()
	}
}

// A signal in the middle of a run that the reader holds up waits for that one, but no longer; a second one does not.
func TestSignalToAnUnreadOneShot(t *testing.T) {
	tests := []struct {
		signals []syscall.Signal
		end     string
	}{
		{[]syscall.Signal{syscall.SIGTERM}, "143"}, {[]syscall.Signal{syscall.SIGHUP}, "129"}, {[]syscall.Signal{syscall.SIGHUP, syscall.SIGTERM}, "143"},
	}
	for _, tt := range tests {
		stdout := newSlowPipe(t)
		p := oneShot(t, native.Pi16, setup{script: longReply, out: stdout.in}, "--mode", "json", "go")
		stdout.fill(t)
		for i, s := range tt.signals {
			p.signal(s)
			eventually(t, "the signal was noted", func() bool { return p.noted(`"kind":"signal"`) == i+1 })
		}
		if len(tt.signals) > 1 {
			if got := p.wait(); got != tt.end {
				t.Errorf("%v: ended by %s, want %s", tt.signals, got, tt.end)
			}
		}
		got := stdout.rest(t)
		if end := p.wait(); end != tt.end || strings.Count(got, "text_delta") == 1000 {
			t.Errorf("%v: ended by %s after %d deltas, want %s before all of them", tt.signals, end, strings.Count(got, "text_delta"), tt.end)
		}
	}
}

// A process leaves its stdout and stderr as others share them: their writes block.
func TestLeavesPipesAsFound(t *testing.T) {
	for _, args := range [][]string{{"-p", "go"}, {"--mode", "rpc"}} {
		stdout, stderr := newSlowPipe(t), newSlowPipe(t)
		go func() { _, _ = io.Copy(io.Discard, stdout.out) }()
		p := oneShot(t, native.Pi16, setup{script: idle, out: stdout.in, errors: stderr.in}, args...)
		if got := p.wait(); got != "0" {
			t.Errorf("%q: ended by %s", args, got)
		}
		for name, fd := range map[string]int32{"stdout": stdout.fd, "stderr": stderr.fd} {
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
				t.Errorf("%q: %s is left with flags %o, %v", args, name, flags, err)
			}
		}
	}
}

// Nobody learns what goes to a stderr that nobody reads, nor what --help says to nobody.
func TestNobodyReadsStderr(t *testing.T) {
	gone := newSlowPipe(t)
	gone.out.Close()
	p := oneShot(t, native.Pi16, setup{script: loud, errors: gone.in}, "-p", "--models", "nosuch", "go")
	if line, err := p.out.ReadString('\n'); line != "Done.\n" || err != nil {
		t.Errorf("stdout has %q, %v", line, err)
	}
	if got := p.wait(); got != "0" {
		t.Errorf("ended by %s, want 0", got)
	}
	if got := oneShot(t, native.Pi16, setup{out: gone.in}, "--help").wait(); got != "0" {
		t.Errorf("--help ended by %s, want 0", got)
	}
}
