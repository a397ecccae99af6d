package main

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"fakepi.example/fakepi/tui"
)

// menu asks at the terminal, before there is a worker. It is answered by keys; ok is false if the user cancels.
func menu(version tui.Version, in, out *os.File, d tui.Dialog) (answer string, ok bool, err error) {
	restore, err := rawLine(int(in.Fd()))
	if err != nil {
		return "", false, err
	}
	defer restore()
	o := tui.Options{Version: version, Status: tui.StatusOff}
	if cols, rows, err := term.GetSize(int(out.Fd())); err == nil {
		o.Cols, o.Rows = cols, rows
	}
	m := &openMenu{ui: tui.New(o), in: in, out: out, start: time.Now()}
	m.ui.OpenMenu(0, d)
	for {
		actions, err := m.next()
		if err != nil {
			return "", false, err
		}
		for _, a := range actions {
			if a.Kind == tui.Answer || a.Kind == tui.Cancel {
				m.ui.CloseMenu(time.Since(m.start))
				return a.Text, a.Kind == tui.Answer, m.write()
			}
		}
	}
}

// openMenu is a menu that waits for its answer.
type openMenu struct {
	ui      *tui.UI
	in, out *os.File
	start   time.Time
}

// next waits for keys, or for what the menu does by itself. It reads no more than is there: the rest is for the worker.
func (m *openMenu) next() ([]tui.Action, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	wait := -1
	if at, ok := m.ui.Next(); ok {
		wait = int(max(0, at-time.Since(m.start)) / time.Millisecond)
	}
	fds := []unix.PollFd{{Fd: int32(m.in.Fd()), Events: unix.POLLIN}}
	switch n, err := unix.Poll(fds, wait); {
	case err != nil && !errors.Is(err, unix.EINTR):
		return nil, err
	case n <= 0:
		return m.ui.Play(time.Since(m.start)), nil
	}
	data := make([]byte, 64)
	n, err := m.in.Read(data)
	if err != nil {
		return nil, err
	}
	return m.ui.Type(time.Since(m.start), data[:n]), nil
}

func (m *openMenu) write() error {
	for _, s := range m.ui.Written() {
		if _, err := m.out.WriteString(s); err != nil {
			return err
		}
	}
	return nil
}
