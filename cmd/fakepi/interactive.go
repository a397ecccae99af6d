package main

import (
	"cmp"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/tui"
)

// runInteractive plays a worker in the terminal that stdin and stdout are, until it exits. Whatever ends it, the terminal is
// then as it was found; only a signal leaves it as it stands, as it does Pi's.
func runInteractive(p *process) (exit fakepi.Exit, err error) {
	t := &terminal{in: os.Stdin}
	if err := t.take(); err != nil {
		return fakepi.Exit{}, err
	}
	ended := false
	defer func() { // in a panic, too
		if !ended {
			_, _ = os.Stdout.Write(p.worker.Restore())
		}
		if exit.Signal == "" {
			t.restore()
		}
	}()
	p.terminal, p.lines = t, t.readKeys()
	p.resized = watchSize(int(os.Stdout.Fd()))
	exit, err = p.run()
	ended = err == nil
	return exit, err
}

// rawLine lets a terminal give each key as it comes, as Node does: what is written is still processed, so that a line feed
// begins a line.
func rawLine(fd int) (restore func(), err error) {
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	processOutput(fd)
	return func() { _ = term.Restore(fd, before) }, nil // a terminal that has gone needs none
}

// watchSize sends the size of a terminal, in columns and rows, whenever it changes.
func watchSize(fd int) <-chan [2]int {
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, syscall.SIGWINCH)
	sizes := make(chan [2]int)
	go func() {
		for range changes {
			if cols, rows, err := term.GetSize(fd); err == nil {
				sizes <- [2]int{cols, rows}
			}
		}
	}()
	return sizes
}

// terminal describes the terminal of an interactive worker; others have none.
func (l *launch) terminal() fakepi.Terminal {
	if l.mode != script.ModeTUI {
		return fakepi.Terminal{}
	}
	mode := cmp.Or(l.options.tuiMode, native.Text(l.settings.Get("", "tuiMode")))
	t := fakepi.Terminal{
		Status:   programStatus(os.Getenv("PI_PROGRAM_STATUS")),
		Progress: l.settings.Get("terminal", "showTerminalProgress") == native.Value(native.Bool(true)), Regular: mode == "regular",
		Speed: l.speed, Still: l.speed == 0, Dir: underHome(l.cwd), Prompts: l.options.messages,
	}
	if cols, rows, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		t.Cols, t.Rows = cols, rows
	}
	return t
}

func programStatus(variable string) tui.Status {
	switch variable {
	case "1":
		return tui.StatusOn
	case "0":
		return tui.StatusOff
	}
	return tui.StatusAsk
}

// underHome shortens a path below the user's home.
func underHome(dir string) string {
	home := os.Getenv("HOME")
	if rest, ok := strings.CutPrefix(dir, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return dir
}
