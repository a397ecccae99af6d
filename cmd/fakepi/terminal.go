package main

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal is the terminal of an interactive process.
type terminal struct {
	in      *os.File
	restore func()     // leaves the line as it was found
	held    sync.Mutex // while nothing may be read
	gone    bool

	keys <-chan [][]byte // while the process is suspended: what it then reads
	undo func()          // and how its signals become what they were; nil: it is not suspended
}

// take lets the terminal give each key as it comes.
func (t *terminal) take() (err error) {
	t.restore, err = rawLine(int(t.in.Fd()))
	return err
}

// readKeys sends what the terminal sends, however it is cut.
func (t *terminal) readKeys() <-chan [][]byte {
	keys := make(chan [][]byte)
	go func() {
		defer close(keys)
		for {
			data, err := t.read()
			if len(data) > 0 {
				keys <- [][]byte{data}
			}
			if err != nil {
				return
			}
		}
	}()
	return keys
}

// read waits for keys before it may be held: what is typed meanwhile is another program's.
func (t *terminal) read() ([]byte, error) {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(t.in.Fd()), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			break // the read has the same error
		}
	}
	t.held.Lock()
	defer t.held.Unlock()
	data := make([]byte, 4096)
	n, err := t.in.Read(data)
	return data[:n], err
}

// hungUp reports whether there is nobody at the other end any more.
func (t *terminal) hungUp() bool {
	fds := []unix.PollFd{{Fd: int32(t.in.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&unix.POLLHUP != 0
}

// outliveHangUp lets the process live on when the terminal goes away, until stop is called.
func (t *terminal) outliveHangUp() (stop func()) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGHUP)
	go func() {
		for range came {
			if !t.hungUp() {
				die("SIGHUP")
			}
		}
	}()
	return func() { signal.Stop(came); close(came) }
}
