package main

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
)

// tool is a process of a tool, seen from the worker.
type tool struct {
	child  fakepi.Child
	cmd    *exec.Cmd
	socket *os.File
	output *os.File         // held open by the process until it ends, as a shell's is
	doing  []*fakepi.Effect // in their order, those that are no commands and not answered

	orders  *gob.Encoder
	mu      sync.Mutex
	waiting []toolOrder // those that wait until the process takes them
	writing bool
}

// socketPair makes two ends, which no process inherits by accident.
func socketPair() (a, b *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])
	return os.NewFile(uintptr(ends[0]), "tool"), os.NewFile(uintptr(ends[1]), "worker"), nil
}

func (l *tool) close() error { return errors.Join(l.socket.Close(), l.output.Close()) }

// order tells the process something when it takes that: it may have been stopped. That it has gone is told otherwise.
func (l *tool) order(o toolOrder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, o)
	if !l.writing {
		l.writing = true
		go l.write()
	}
}

// write writes what waits.
func (l *tool) write() {
	for {
		l.mu.Lock()
		orders := l.waiting
		l.waiting, l.writing = nil, len(orders) > 0
		l.mu.Unlock()
		if len(orders) == 0 {
			return
		}
		for i := range orders {
			_ = l.orders.Encode(&orders[i]) // it may have gone
		}
	}
}

// act has the process carry out an effect.
func (l *tool) act(e *fakepi.Effect) {
	if e.Kind != script.EffectRun {
		l.doing = append(l.doing, e)
	}
	l.order(toolOrder{Effect: e})
}

// acted is the effect that the process has answered, the first of those that it has not; nil: there is none.
func (l *tool) acted() (e *fakepi.Effect) {
	if len(l.doing) > 0 {
		e, l.doing = l.doing[0], l.doing[1:]
	}
	return e
}

// listen passes on the answers of the process.
func (l *tool) listen(updates chan<- toolUpdate) {
	in := gob.NewDecoder(l.socket)
	for {
		var a toolAnswer
		if in.Decode(&a) != nil {
			return
		}
		updates <- toolUpdate{call: l.child.Call, tool: l, toolAnswer: a}
	}
}

// wait waits until nobody holds the output any more, and until the process itself has ended.
func (l *tool) wait(ended chan<- *tool) {
	_, _ = io.Copy(io.Discard, l.output) // its end is all that matters
	_ = l.cmd.Wait()                     // how it ended is in its state
	ended <- l
}

// code is the exit status of the process, or below 0 the number of the signal that ended it.
func (l *tool) code() int {
	if status := l.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return l.cmd.ProcessState.ExitCode()
}
