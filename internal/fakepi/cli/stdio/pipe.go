// Package stdio is stdin, stdout and stderr as Node has them: reads in lines, and writes that never hold the process up.
package stdio

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Pipe is stdout or stderr. Writing to it never holds the process up: what its reader does not take waits in memory, each
// write for itself, as it does in Node.
type Pipe struct {
	file   *os.File
	fd     int
	queues bool  // it is a pipe or socket, which is made non-blocking; otherwise every write is done at once
	twin   *Pipe // that writes to the same file; may be nil

	Drained chan struct{} // holds a value when what waited has gone

	mu      sync.Mutex
	waiting [][]byte
	err     error // of a write in the background
	ended   bool  // the reader is to find the end behind what waits
	closed  atomic.Bool
}

// NewPipes makes those of stdout and stderr, which may be one file.
func NewPipes(stdout, stderr *os.File) (a, b *Pipe) {
	a, of := newPipe(stdout)
	b, other := newPipe(stderr)
	if os.SameFile(of, other) {
		a.twin, b.twin = b, a
	}
	return a, b
}

func newPipe(file *os.File) (*Pipe, os.FileInfo) {
	p := &Pipe{file: file, fd: int(file.Fd()), Drained: make(chan struct{}, 1)}
	info, err := file.Stat()
	if err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		p.queues = unix.SetNonblock(p.fd, true) == nil
	}
	return p, info
}

// Write writes data with one write of the system; behind the end of the stream nothing. The error may be that of an earlier
// write.
func (p *Pipe) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return len(data), nil
	case !p.queues:
		return p.file.Write(data)
	case p.err != nil:
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
func (p *Pipe) try(data []byte) ([]byte, error) {
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
func (p *Pipe) drain() {
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
func (p *Pipe) drainSome() bool {
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
func (p *Pipe) end(err error) {
	p.err, p.waiting = err, nil
	if p.ended {
		p.err = errors.Join(err, p.close())
	}
	select {
	case p.Drained <- struct{}{}:
	default: // it was not taken the last time
	}
}

// Stalled reports whether something waits for the reader. Once it was taken, or there is no reader, drained holds a value.
func (p *Pipe) Stalled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}

// Failure is the error of what was written in the background.
func (p *Pipe) Failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close ends the stream for its reader, behind what waits.
func (p *Pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if len(p.waiting) > 0 {
		return nil
	}
	return p.close()
}

// close closes the file, once, and with the lock held: its number may from then on be that of another one.
func (p *Pipe) close() error {
	if p.closed.Swap(true) {
		return nil
	}
	if p.twin == nil || p.twin.closed.Load() {
		p.block()
	}
	return p.file.Close()
}

// Release gives up what waits, and leaves the file as it was found.
func (p *Pipe) Release() {
	for _, one := range []*Pipe{p, p.twin} {
		if one != nil {
			one.giveUp()
		}
	}
	if !p.closed.Load() {
		p.block()
	}
}

// giveUp drops what waits.
func (p *Pipe) giveUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = nil
}

// block lets writes block again, for others who may have the file open.
func (p *Pipe) block() {
	if p.queues {
		_ = unix.SetNonblock(p.fd, false) // nothing can be done about it now
	}
}
