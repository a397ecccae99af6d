package main

import (
	"os"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/cli/terminal"
)

// runInteractive plays a worker in the terminal that stdin and stdout are, until it exits. Whatever ends it, the terminal is
// then as it was found; only a signal leaves it as it stands, as it does Pi's.
func runInteractive(p *process) (exit fakepi.Exit, err error) {
	t := &terminal.Terminal{In: os.Stdin}
	if err := t.MakeRaw(); err != nil {
		return fakepi.Exit{}, err
	}
	ended := false
	defer func() { // in a panic, too
		if !ended {
			_, _ = os.Stdout.Write(p.worker.Restore())
		}
		if exit.Signal == "" {
			t.Restore()
		}
	}()
	p.terminal, p.lines = t, t.ReadKeys()
	p.resized = terminal.WatchSize(int(os.Stdout.Fd()))
	exit, err = p.run()
	ended = err == nil
	return exit, err
}
