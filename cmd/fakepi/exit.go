package main

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/cli/system"
	"fakepi.example/internal/fakepi/ledger"
)

// end ends what the process has begun, and waits for who reads what it has printed.
func (p *process) end() (fakepi.Exit, error) {
	err := p.tools.follow(p.worker, p.at)
	if err == nil {
		err = p.tools.leave(p.worker, p.at, os.Stdout)
	}
	if err == nil && !p.lossy() {
		err = p.awaitReaders()
	}
	if err != nil {
		return fakepi.Exit{}, err
	}
	p.notes.note(&ledger.Exit{Code: p.exit.Code, Signal: p.exit.Signal})
	return *p.exit, nil
}

// lossy reports whether nobody waits for the readers: on a signal, but a SIGHUP in rpc mode, and where the rules say so of rpc mode
// (docs/pi-formats.md, section 1).
func (p *process) lossy() bool {
	return p.exit.Signal != "" || p.hasty || p.rules.hastyRPC && p.mode == script.ModeRPC
}

// awaitReaders waits until all was read, or a signal ends that: stdout, and of a one-shot stderr, since Node then has nothing
// else to do.
func (p *process) awaitReaders() error {
	for p.stdout.Stalled() || p.mode.OneShot() && p.stderr.Stalled() {
		select {
		case <-p.stdout.Drained:
		case <-p.stderr.Drained:
		case s := <-p.signals:
			if p.lastSignal(s) {
				return nil
			}
		}
	}
	return p.stdout.Failure()
}

// lastSignal handles a signal while readers are waited for, and reports whether the process ends by it. One-shots do not
// handle signals any more, so that they act as on any program; an rpc worker lets who asks a second time not wait.
func (p *process) lastSignal(s syscall.Signal) (ends bool) {
	pis := p.mode == script.ModeRPC && slices.Contains(piSignals, os.Signal(s))
	nodes := slices.Contains(nodeSignals, os.Signal(s))
	p.noteSignal(s, pis || nodes)
	switch {
	case nodes:
		return false
	case slices.Contains(stopSignals, os.Signal(s)):
		system.ActDefault(s)
		return false
	case pis:
		if p.asked++; p.asked > 1 {
			p.exit = &fakepi.Exit{Code: 128 + int(s)}
		}
		return p.asked > 1
	}
	p.exit = &fakepi.Exit{Code: -1, Signal: unix.SignalName(s)}
	return true
}
