package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi16"
)

// pi is a process of fakepi under test, with real pipes.
type pi struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	err  strings.Builder
	seen []string // lines of stdout
	home string
}

// setup is how a process of fakepi is started.
type setup struct {
	home   string   // also the working directory; empty: a new one
	script string   // what is played
	env    []string // on top of the usual: sixty times as fast
	out    *os.File // stdout; nil: a pipe that the test reads
	errors *os.File // stderr; nil: it is kept
}

// startPi starts fakepi with a script in a home of its own, or in one that was used before.
func startPi(t *testing.T, home, src string, args ...string) *pi {
	t.Helper()
	return setup{home: home, script: src}.start(t, args...)
}

func (s setup) start(t *testing.T, args ...string) *pi {
	t.Helper()
	if s.home == "" {
		s.home = t.TempDir()
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.home, "script.txtar")
	if err := os.WriteFile(file, []byte(s.script), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &pi{t: t, home: s.home}
	p.cmd = &exec.Cmd{
		Path: self, Args: append([]string{"fakepi"}, args...), Dir: s.home, Stderr: &p.err,
		Env: append([]string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE"), "FAKEPI_SCRIPT=" + file, "FAKEPI_TIME=x60"}, s.env...),
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // no process of an orphaned group is stopped by a SIGTSTP
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if s.out != nil {
		p.cmd.Stdout = s.out
	} else {
		out, err := p.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		p.out = bufio.NewReader(out)
	}
	if s.errors != nil {
		p.cmd.Stderr = s.errors
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watch := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() { watch.Stop(); p.cmd.Process.Kill(); p.cmd.Wait() })
	return p
}

func (p *pi) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// await reads stdout up to a line that contains a text, and returns it.
func (p *pi) await(text string) string {
	p.t.Helper()
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			p.t.Fatalf("stdout ended before %q: %v\n%s%s", text, err, strings.Join(p.seen, ""), p.err.String())
		}
		p.seen = append(p.seen, line)
		if strings.Contains(line, text) {
			return line
		}
	}
}

// end reads stdout to its end and returns how the process ended.
func (p *pi) end() string {
	p.t.Helper()
	rest, err := io.ReadAll(p.out)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(rest) > 0 {
		p.seen = append(p.seen, strings.SplitAfter(strings.TrimSuffix(string(rest), "\n"), "\n")...)
	}
	return p.wait()
}

// wait waits for the end and returns it: an exit status, or a signal.
func (p *pi) wait() string {
	p.cmd.Wait() // tells by its error what is read from the state
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return status.Signal().String()
	}
	return fmt.Sprint(status.ExitStatus())
}

// saved is what the session files of the home hold, a word an entry, "-" between files.
func (p *pi) saved() string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".pi/agent/sessions/*/*.jsonl"))
	if err != nil {
		p.t.Fatal(err)
	}
	var words []string
	for i, file := range files {
		if i > 0 {
			words = append(words, "-")
		}
		data, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			words = append(words, p.entry(line))
		}
	}
	return strings.Join(words, " ")
}

func (p *pi) entry(line string) string {
	p.t.Helper()
	r, err := pi16.Codec{}.Decode([]byte(strings.TrimSuffix(line, "\n")))
	if err != nil || !strings.HasSuffix(line, "\n") {
		p.t.Fatalf("%q: %v", line, err)
	}
	m, ok := r.(*native.MessageEntry)
	if !ok {
		return r.Type()
	}
	switch m := m.Message.(type) {
	case *native.AssistantMessage:
		return m.StopReason
	case *native.ToolResultMessage:
		return "result"
	case *native.SystemMessage:
		return "system"
	}
	return "user"
}

// writeSettings writes a file, such as one of settings, and makes its folder.
func writeSettings(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	limit := time.After(20 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}
