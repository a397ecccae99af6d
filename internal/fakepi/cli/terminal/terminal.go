// Package terminal is the terminal of an interactive process: its modes, its keys, its size.
package terminal

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/cli/system"
)

// Terminal is the terminal of an interactive process.
type Terminal struct {
	In      *os.File
	Restore func()     // leaves the line as it was found
	Held    sync.Mutex // while nothing may be read
	Gone    bool

	Keys <-chan [][]byte // while the process is suspended: what it then reads
	Undo func()          // and how its signals become what they were; nil: it is not suspended
}

// MakeRaw lets the terminal give each key as it comes.
func (t *Terminal) MakeRaw() (err error) {
	t.Restore, err = rawLine(int(t.In.Fd()))
	return err
}

// ReadKeys sends what the terminal sends, however it is cut.
func (t *Terminal) ReadKeys() <-chan [][]byte {
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
func (t *Terminal) read() ([]byte, error) {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(t.In.Fd()), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			break // the read has the same error
		}
	}
	t.Held.Lock()
	defer t.Held.Unlock()
	data := make([]byte, 4096)
	n, err := t.In.Read(data)
	return data[:n], err
}

// HungUp reports whether there is nobody at the other end any more.
func (t *Terminal) HungUp() bool {
	fds := []unix.PollFd{{Fd: int32(t.In.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&unix.POLLHUP != 0
}

// OutliveHangUp lets the process live on when the terminal goes away, until stop is called.
func (t *Terminal) OutliveHangUp() (stop func()) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGHUP)
	go func() {
		for range came {
			if !t.HungUp() {
				system.Die("SIGHUP")
			}
		}
	}()
	return func() { signal.Stop(came); close(came) }
}
