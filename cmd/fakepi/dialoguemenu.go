package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/cli/terminal"
	"fakepi.example/internal/fakepi/tui"
)

// choose lets the user choose a session. The error is errDeclined, or that of the terminal.
func (d *dialogue) choose(s *sessions) (string, error) {
	list := newSessionMenu(s)
	m, leave, err := d.open(list.dialog(0))
	if err != nil {
		return "", err
	}
	chosen, err := m.chooseOf(list)
	if err = errors.Join(err, leave()); err != nil {
		return "", err
	}
	if chosen < 0 {
		fmt.Fprint(d.out, "No session selected\n")
		return "", refusal.ErrDeclined
	}
	return list.found[chosen].path, nil
}

// chooseOf returns which of the sessions that were found the user has chosen; -1 if none.
func (m *openMenu) chooseOf(list *sessionMenu) (int, error) {
	for {
		a, err := m.answer()
		if err != nil || a.Kind == tui.Answer {
			return a.Choice, err
		}
		switch {
		case a.Kind != tui.Key:
			return -1, nil
		case a.Text != "ctrl+d":
			m.ui.Reask(m.now(), list.dialog(list.press(a.Text, a.Choice, a.Moved)))
		case a.Choice >= 0:
			if err := m.remove(list, a.Choice); err != nil {
				return 0, err
			}
		}
	}
}

// remove deletes a session, if the user says so once more.
func (m *openMenu) remove(list *sessionMenu, chosen int) error {
	confirm := list.dialog(chosen)
	confirm.Title, confirm.Keys, confirm.Sure = "Delete session? enter confirm  escape/ctrl+c cancel", nil, true
	m.ui.Reask(m.now(), confirm)
	a, err := m.answer()
	if err != nil {
		return err
	}
	back := list.dialog(chosen)
	if a.Kind == tui.Answer {
		if err := list.remove(chosen); err != nil {
			back.Title = "Failed to delete: " + err.Error() + "\n" + back.Title
		}
	}
	m.ui.Reask(m.now(), back)
	return nil
}

// open shows a menu before there is a worker. What closes it gives the terminal back.
func (d *dialogue) open(menu tui.Dialog) (m *openMenu, leave func() error, err error) {
	o := tui.Options{Version: tui.Version(d.version), Status: terminal.ProgramStatus(os.Getenv("PI_PROGRAM_STATUS"))}
	t := &terminal.Terminal{In: d.in}
	restore := func() {}
	if fd := int(d.in.Fd()); term.IsTerminal(fd) {
		if err := t.MakeRaw(); err != nil {
			return nil, nil, err
		}
		stop := t.OutliveHangUp()
		restore = func() { stop(); t.Restore() }
		if cols, rows, err := term.GetSize(fd); err == nil {
			o.Cols, o.Rows = cols, rows
		}
	}
	m = &openMenu{ui: tui.New(o), terminal: t, out: d.out, start: time.Now(), version: o.Version}
	m.ui.OpenMenu(0, menu)
	m.ui.Play(0)
	return m, func() error {
		defer restore()
		m.ui.CloseMenu(m.now())
		return m.write()
	}, nil
}

// openMenu is a menu that waits for its answer.
type openMenu struct {
	ui       *tui.UI
	terminal *terminal.Terminal
	out      io.Writer
	start    time.Time
	version  tui.Version
}

func (m *openMenu) now() time.Duration { return time.Since(m.start) }

// answer waits for the user.
func (m *openMenu) answer() (tui.Action, error) {
	for {
		actions, err := m.next()
		switch {
		case errors.Is(err, refusal.ErrHungUp) && m.version == tui.V16:
			return tui.Action{}, refusal.ErrDeclined
		case err != nil:
			return tui.Action{}, err
		case len(actions) > 0:
			return actions[0], nil
		}
	}
}

// next waits for a key, or for what the menu does by itself. It takes a byte at a time: what follows the answer is for
// whom comes after. The end of input is the error errDeclined, or errHungUp.
func (m *openMenu) next() ([]tui.Action, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	wait := -1
	if at, ok := m.ui.Next(); ok {
		wait = int(max(0, at-m.now()) / time.Millisecond)
	}
	switch n, err := unix.Poll([]unix.PollFd{{Fd: int32(m.terminal.In.Fd()), Events: unix.POLLIN}}, wait); {
	case err != nil && !errors.Is(err, unix.EINTR):
		return nil, err
	case n <= 0:
		return m.ui.Play(m.now()), nil
	}
	var key [1]byte
	if _, err := m.terminal.In.Read(key[:]); err != nil {
		if m.terminal.HungUp() {
			return nil, refusal.ErrHungUp
		}
		return nil, refusal.ErrDeclined
	}
	return slices.Collect(m.ui.Type(m.now(), key[:])), nil
}

func (m *openMenu) write() error {
	for _, s := range m.ui.Written() {
		if _, err := io.WriteString(m.out, s); err != nil {
			return err
		}
	}
	return nil
}
