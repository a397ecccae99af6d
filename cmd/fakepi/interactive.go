package main

import (
	"os"

	"fakepi.example/fakepi"
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
