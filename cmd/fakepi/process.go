package main

import (
	"bufio"
	"io"
	"os"
	"syscall"
	"time"

	"fakepi.example/fakepi"
)

// process runs a worker in the place of a process of Pi: on a clock, with its pipes, signals and session file.
type process struct {
	worker  *fakepi.Worker
	speed   float64 // how many times faster than written; 0: no waiting
	start   time.Time
	at      time.Duration    // the worker's time, where nothing waits
	lines   <-chan []byte    // of stdin, closed at its end; nil: not read
	signals <-chan os.Signal // that Pi handles
	out     io.WriteCloser
	err     io.WriteCloser
	session *sessionLog
}

// run plays until the worker exits. The error is that of a stream or of the session file.
func (p *process) run() (fakepi.Exit, error) {
	p.start = time.Now()
	out := p.worker.Step(0, nil)
	for {
		for i := range out {
			if out[i].Exit != nil {
				return *out[i].Exit, nil
			}
			if err := p.write(&out[i]); err != nil {
				return fakepi.Exit{}, err
			}
		}
		out = p.next(out[:0])
	}
}

// next waits for what comes first: a line, a signal, or the script.
func (p *process) next(out []fakepi.Output) []fakepi.Output {
	at, ok := p.worker.Next()
	var due <-chan time.Time
	switch {
	case ok && p.speed == 0:
		due = always
	case ok:
		timer := time.NewTimer(time.Duration(float64(at)/p.speed) - time.Since(p.start))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case line, open := <-p.lines:
		if open {
			return p.worker.Send(p.now(), line, out)
		}
		p.lines = nil
		return p.worker.CloseStdin(p.now(), out)
	case s := <-p.signals:
		return p.worker.Signal(p.now(), signalNames[s], out)
	case <-due:
		p.at = max(at, p.now())
		return p.worker.Step(p.at, out)
	}
}

// always is ready at once, every time.
var always = func() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

var signalNames = map[os.Signal]string{syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}

// now is the worker's time; it never goes back.
func (p *process) now() time.Duration {
	if p.speed > 0 {
		p.at = max(p.at, time.Duration(float64(time.Since(p.start))*p.speed))
	}
	return p.at
}

// write does what the worker has done to one of its streams, each line in a write of its own.
func (p *process) write(o *fakepi.Output) error {
	switch o.Stream {
	case fakepi.Out:
		return writeOrClose(p.out, o)
	case fakepi.Err:
		return writeOrClose(p.err, o)
	case fakepi.Session:
		return p.session.write(o.Data)
	}
	return nil
}

func writeOrClose(w io.WriteCloser, o *fakepi.Output) error {
	if o.Closed {
		return w.Close()
	}
	_, err := w.Write(o.Data)
	return err
}

// readLines sends the lines of stdin; a last one without its newline is one too.
func readLines(in io.Reader) <-chan []byte {
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadBytes('\n')
			if len(line) > 0 {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
