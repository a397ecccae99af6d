package main

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// pipe is stdout or stderr. Writing to it never holds the process up: what its reader does not take waits in memory, each
// write for itself, as it does in Node.
type pipe struct {
	file   *os.File
	fd     int
	queues bool // it is a pipe or socket, which is made non-blocking; otherwise every write is done at once

	mu      sync.Mutex
	waiting [][]byte
	drained chan struct{} // holds a value when what waited has gone
	err     error         // of a write in the background
}

func newPipe(file *os.File) *pipe {
	p := &pipe{file: file, fd: int(file.Fd()), drained: make(chan struct{}, 1)}
	info, err := file.Stat()
	if err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		p.queues = unix.SetNonblock(p.fd, true) == nil
	}
	return p
}

// Write writes data with one write of the system. The error may be that of an earlier one.
func (p *pipe) Write(data []byte) (int, error) {
	if !p.queues {
		return p.file.Write(data)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	if len(p.waiting) > 0 {
		p.waiting = append(p.waiting, data)
		return len(data), nil
	}
	rest, err := p.try(data)
	if err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		p.waiting = append(p.waiting, rest)
		go p.drain()
	}
	return len(data), nil
}

// try writes what the reader has room for and returns the rest.
func (p *pipe) try(data []byte) ([]byte, error) {
	for len(data) > 0 {
		n, err := unix.Write(p.fd, data)
		switch {
		case err == nil:
			data = data[n:]
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return data, nil
		default:
			return nil, &os.PathError{Op: "write", Path: p.file.Name(), Err: err}
		}
	}
	return nil, nil
}

// drain writes what waits as the reader takes it.
func (p *pipe) drain() {
	for {
		fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			p.mu.Lock()
			p.end(err)
			p.mu.Unlock()
			return
		}
		if p.drainSome() {
			return
		}
	}
}

// drainSome writes until the reader has no more room, and reports whether that was all.
func (p *pipe) drainSome() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) > 0 {
		rest, err := p.try(p.waiting[0])
		if err != nil {
			p.end(err)
			return true
		}
		if len(rest) > 0 {
			p.waiting[0] = rest
			return false
		}
		p.waiting[0] = nil
		p.waiting = p.waiting[1:]
	}
	p.end(nil)
	return true
}

// end tells that nothing waits any more.
func (p *pipe) end(err error) {
	p.err, p.waiting = err, nil
	select {
	case p.drained <- struct{}{}:
	default: // it was not taken the last time
	}
}

// stalled reports whether something waits for the reader. Once it was taken, or there is no reader, drained holds a value.
func (p *pipe) stalled() bool {
	if !p.queues {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}

// flush waits until the reader has taken all.
func (p *pipe) flush() error {
	for p.stalled() {
		<-p.drained
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close ends the stream for its reader. What waits is lost.
func (p *pipe) Close() error { return p.file.Close() }

// release leaves the file as it was found: others may have it open.
func (p *pipe) release() {
	if p.queues {
		_ = unix.SetNonblock(p.fd, false) // nothing can be done about it now
	}
}
