package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"fakepi.example/fakepi/tui"
)

// choose lets the user choose a session. The error is errDeclined, or that of the terminal.
func (d *dialogue) choose(list []sessionInfo) (string, error) {
	menu := tui.Dialog{Title: "Resume Session (Current Folder)", Search: "No sessions in current folder. Press Tab to view all."}
	for _, s := range list {
		menu.Options = append(menu.Options, fmt.Sprintf("%s  %d messages  %s",
			cmp.Or(s.name, s.first, s.id), s.messages, s.modified.Format(time.DateTime)))
	}
	switch chosen, err := d.ask(menu); {
	case err != nil:
		return "", err
	case chosen >= 0:
		return list[chosen].path, nil
	}
	fmt.Fprint(d.out, "No session selected\n")
	return "", errDeclined
}

// ask shows a menu before there is a worker, and returns which option the user has chosen; -1 if none.
func (d *dialogue) ask(menu tui.Dialog) (int, error) {
	o := tui.Options{Version: tui.Version(d.version), Status: programStatus(os.Getenv("PI_PROGRAM_STATUS"))}
	t := &terminal{in: d.in}
	if fd := int(d.in.Fd()); term.IsTerminal(fd) {
		if err := t.take(); err != nil {
			return 0, err
		}
		defer t.restore()
		defer t.outliveHangUp()()
		if cols, rows, err := term.GetSize(fd); err == nil {
			o.Cols, o.Rows = cols, rows
		}
	}
	m := &openMenu{ui: tui.New(o), terminal: t, out: d.out, start: time.Now()}
	m.ui.OpenMenu(0, menu)
	m.ui.Play(0)
	chosen, err := m.answer()
	if errors.Is(err, errHungUp) && o.Version == tui.V16 {
		err = errDeclined
	}
	m.ui.CloseMenu(m.now())
	return chosen, errors.Join(err, m.write())
}

// openMenu is a menu that waits for its answer.
type openMenu struct {
	ui       *tui.UI
	terminal *terminal
	out      io.Writer
	start    time.Time
}

func (m *openMenu) now() time.Duration { return time.Since(m.start) }

// answer waits for the answer.
func (m *openMenu) answer() (int, error) {
	for {
		actions, err := m.next()
		switch {
		case err != nil:
			return 0, err
		case len(actions) > 0 && actions[0].Kind == tui.Answer:
			return actions[0].Choice, nil
		case len(actions) > 0:
			return -1, nil
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
	switch n, err := unix.Poll([]unix.PollFd{{Fd: int32(m.terminal.in.Fd()), Events: unix.POLLIN}}, wait); {
	case err != nil && !errors.Is(err, unix.EINTR):
		return nil, err
	case n <= 0:
		return m.ui.Play(m.now()), nil
	}
	var key [1]byte
	if _, err := m.terminal.in.Read(key[:]); err != nil {
		if m.terminal.hungUp() {
			return nil, errHungUp
		}
		return nil, errDeclined
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
