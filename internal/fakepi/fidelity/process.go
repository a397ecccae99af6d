package fidelity

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"fakepi.example/fakepi/native"
)

// process is a running Pi, or what stands in its place, with everything that it has printed.
type process struct {
	cmd   Command
	stdin io.WriteCloser // nil once closed, and where there is none

	mu     sync.Mutex
	lines  []Record
	stderr bytes.Buffer
	title  string        // as what the system lists it, when it had printed its first line
	done   int           // acts of the client so far
	grown  chan struct{} // has room for one: something has come
	exited chan struct{} // closed when cmd.ProcessState is known and all output has been read

	seen      int      // lines that were awaited
	prompts   []string // of the worker's half that have not been sent
	signalled bool     // by a signal that may end it
	left      bool     // it has exited, and ended says what it left
	ended     Ended
}

// start starts a command in a process group of its own. Without stdin it has an empty one.
func start(cmd Command, stdin bool) (p *process, err error) {
	defer func() {
		if err != nil {
			cmd.Begun()
			cmd.Exited()
		}
	}()
	p = &process{cmd: cmd, grown: make(chan struct{}, 1), exited: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = lockedWriter{p}
	cmd.WaitDelay = patience // descendants may hold stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if stdin {
		if p.stdin, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(stdout)
	return p, nil
}

type lockedWriter struct{ p *process }

func (w lockedWriter) Write(b []byte) (int, error) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	return w.p.stderr.Write(b)
}

// read takes the lines of stdout as they come; a last one without its line end is one too.
func (p *process) read(stdout io.Reader) {
	in := bufio.NewReader(stdout)
	for {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 || err == nil {
			r := NewRecord(line)
			p.mu.Lock()
			if r.Act = p.done; len(p.lines) == 0 {
				p.title = titleOf(p.cmd.Process.Pid)
				p.cmd.Begun()
			}
			p.lines = append(p.lines, r)
			p.mu.Unlock()
			p.wake()
		}
		if err != nil {
			break
		}
	}
	_ = p.cmd.Wait() // how it ended is in cmd.ProcessState
	if len(p.lines) == 0 {
		p.cmd.Begun()
	}
	close(p.exited)
}

func (p *process) wake() {
	select {
	case p.grown <- struct{}{}:
	default:
	}
}

// errAwaited: what was awaited did not come.
var errAwaited = errors.New("did not come")

// await returns when found says so of the lines so far, or with an error. found is asked whenever something has come, and
// again so often; 0: not else.
func (p *process) await(ctx context.Context, what string, again time.Duration, found func([]Record) bool) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	exited := p.exited
	var tick <-chan time.Time
	if again > 0 {
		ticker := time.NewTicker(again)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		p.mu.Lock()
		ok := found(p.lines)
		p.mu.Unlock()
		if ok {
			return nil
		}
		if exited == nil {
			return fmt.Errorf("%s %w before the exit", what, errAwaited)
		}
		select {
		case <-p.grown:
		case <-tick:
		case <-p.exited:
			exited = nil // look once more
		case <-deadline.C:
			return fmt.Errorf("%s %w in %v", what, errAwaited, patience)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// on awaits the n-th record of a kind behind the one awaited before.
func (p *process) on(ctx context.Context, kind string, n int) error {
	if kind == "settled" {
		return p.settled(ctx)
	}
	return p.await(ctx, kind, 0, func(lines []Record) bool {
		left := n
		for i := p.seen; i < len(lines); i++ {
			if lines[i].is(kind) {
				if left--; left == 0 {
					p.seen = i + 1
					return true
				}
			}
		}
		return false
	})
}

// settled awaits the end of a run: agent_settled, or for pi-0.73, which has no such record, agent_end with nothing behind
// it for a while.
func (p *process) settled(ctx context.Context) error {
	var quietSince time.Time
	var last int
	return p.await(ctx, "the end of the run", rest/20, func(lines []Record) bool {
		if len(lines) != last {
			last, quietSince = len(lines), time.Now()
		}
		for i := p.seen; i < len(lines); i++ {
			if lines[i].Kind == "agent_settled" {
				p.seen = i + 1
				return true
			}
		}
		if len(lines) <= p.seen || time.Since(quietSince) < rest || !endsRun(lines[p.seen:]) {
			return false
		}
		p.seen = len(lines)
		return true
	})
}

// endsRun reports whether the run of a pi-0.73 is over, as far as its lines tell.
func endsRun(lines []Record) bool {
	ended := false
	for _, r := range lines {
		switch o, _ := r.Value.(native.Object); r.Kind {
		case "agent_end":
			ended = o.Get("willRetry") == nil
		case "agent_start", "auto_retry_start", "compaction_start(threshold)", "compaction_start(overflow)":
			ended = false
		case "auto_retry_end": // of one that has worked the run goes on
			ended = o.Get("success") != native.Value(native.Bool(true))
		case "compaction_end(threshold)":
			ended = true
		}
	}
	return ended
}

// write sends bytes. That nobody reads them any more is no error: the exit tells.
func (p *process) write(b []byte) error {
	if p.stdin == nil {
		return errors.New("stdin is closed")
	}
	if _, err := p.stdin.Write(b); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return nil
}

func (p *process) closeStdin() error {
	if p.stdin == nil {
		return nil
	}
	in := p.stdin
	p.stdin = nil
	if err := in.Close(); !errors.Is(err, os.ErrClosed) { // as it is behind the exit
		return err
	}
	return nil
}

// wait awaits the exit.
func (p *process) wait(ctx context.Context) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case <-p.exited:
		return nil
	case <-deadline.C:
		return fmt.Errorf("the exit %w in %v", errAwaited, patience)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end ends the process group, whatever it does.
func (p *process) end() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may be gone
	<-p.exited
	if !p.left {
		p.cmd.Exited()
	}
}

// acted notes that the client goes on.
func (p *process) acted(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = n
}

// exit tells how the process ended: "exit 0", "SIGKILL".
func (p *process) exit() string {
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		for _, s := range signals {
			if s.signal == status.Signal() {
				return s.name
			}
		}
		return status.Signal().String()
	}
	return fmt.Sprintf("exit %d", status.ExitStatus())
}
