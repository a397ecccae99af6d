package holder

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"fakepi.example/watchdog"
)

// pipes holds a worker whose streams are pipes.
func (h *hold) pipes(cmd *exec.Cmd, started func()) (watchdog.Exited, error) {
	ends, err := makePipes(cmd)
	if err != nil {
		return watchdog.Exited{}, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a signal to our group is none to the worker
	err = cmd.Start()
	ends.closeWorkers()
	if err != nil {
		ends.closeOurs()
		return watchdog.Exited{}, err
	}
	h.noteBody(h.spawned(cmd.Process.Pid))
	started()
	go h.feed(ends.in)
	var outputs sync.WaitGroup
	outputs.Go(func() { h.pass(watchdog.StreamOut, ends.out, h.streams.Out) })
	outputs.Go(func() { h.pass(watchdog.StreamErr, ends.err, h.streams.Err) })
	return h.reap(cmd, func() {
		// What the worker has printed is in the pipes; a descendant that still holds one has no say in when we end.
		for _, f := range []*os.File{ends.out, ends.err} {
			_ = f.SetReadDeadline(time.Now())
		}
		outputs.Wait()
	}), nil
}

// feed passes on what the worker is sent. The end of it is passed on, too.
func (h *hold) feed(to *os.File) {
	h.pass(watchdog.StreamIn, h.streams.In, to)
	_ = to.Close() // the worker reads its end there
}

// reap waits for the worker, lets the rest of its output be read, and writes its exit down: it is the last word.
func (h *hold) reap(cmd *exec.Cmd, drain func()) watchdog.Exited {
	done := make(chan struct{})
	var following sync.WaitGroup
	if h.session != nil {
		following.Go(func() { h.follow(h.session, done) })
	}
	_ = cmd.Wait() // a status other than 0 is an error here, and no failure
	drain()
	close(done)
	following.Wait()
	exited := exitOf(cmd.ProcessState)
	h.noteBody(exited)
	return exited
}

// ends are our ends of the worker's pipes, and the worker's.
type ends struct {
	in, out, err *os.File
	workers      []*os.File
}

func makePipes(cmd *exec.Cmd) (*ends, error) {
	e := new(ends)
	pair := func() (*os.File, *os.File, error) {
		r, w, err := os.Pipe()
		return r, w, err
	}
	inR, inW, err := pair()
	if err != nil {
		return nil, err
	}
	e.in, e.workers = inW, append(e.workers, inR)
	for _, out := range []**os.File{&e.out, &e.err} {
		r, w, err := pair()
		if err != nil {
			e.closeOurs()
			e.closeWorkers()
			return nil, err
		}
		*out, e.workers = r, append(e.workers, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.workers[0], e.workers[1], e.workers[2]
	return e, nil
}

func (e *ends) closeOurs() {
	for _, f := range []*os.File{e.in, e.out, e.err} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (e *ends) closeWorkers() {
	for _, f := range e.workers {
		_ = f.Close()
	}
}
