package main

import (
	"errors"
	"math"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/cli/system"
	"fakepi.example/internal/fakepi/ledger"
)

// What Node and Pi do with signals. The others do what the kernel does by default; so does the process, but notes them
// first if it has a ledger.
var (
	piSignals      = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}                                     // Pi handles them
	nodeSignals    = []os.Signal{syscall.SIGUSR1, syscall.SIGPIPE, syscall.SIGWINCH, syscall.SIGCONT} // nothing comes of them
	stopSignals    = []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}
	defaultSignals = []os.Signal{
		syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGTRAP, syscall.SIGSYS, syscall.SIGUSR2, syscall.SIGALRM,
		syscall.SIGVTALRM, syscall.SIGPROF, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGIO,
	}
)

// watchSignals begins to catch signals: with a ledger all that can be caught, without one those that Pi handles, and those
// that it handles in a terminal.
func watchSignals(all bool, terminals ...os.Signal) <-chan syscall.Signal {
	came := make(chan os.Signal, 16)
	// Those that are ignored tools' processes would ignore too.
	signal.Notify(came, slices.Concat(piSignals, nodeSignals, terminals)...)
	if all {
		signal.Notify(came, slices.Concat(stopSignals, defaultSignals)...)
	} else {
		for _, s := range defaultSignals {
			system.SetDefault(s.(syscall.Signal)) // Go has actions of its own
		}
	}
	c := make(chan syscall.Signal, 16)
	go func() {
		for s := range came {
			if number := s.(syscall.Signal); all || !slices.Contains(nodeSignals, s) || slices.Contains(terminals, s) {
				c <- number
			}
		}
	}()
	return c
}

// signal does what Pi does on a signal.
func (p *process) signal(s syscall.Signal) {
	pis, nodes := slices.Contains(piSignals, os.Signal(s)), slices.Contains(nodeSignals, os.Signal(s))
	suspends := s == syscall.SIGTSTP && p.worker.Suspends()
	held := p.held() // who reads the note may begin to read stdout
	p.noteSignal(s, pis || nodes || suspends)
	switch {
	case s == syscall.SIGCONT:
		p.failed = errors.Join(p.failed, p.goOn())
	case s == syscall.SIGHUP && p.terminal != nil && p.terminal.HungUp():
		p.loseTerminal()
	case suspends:
		p.out = p.worker.Signal(p.at, unix.SignalName(s), p.out)
	case nodes:
	case slices.Contains(stopSignals, os.Signal(s)):
		system.ActDefault(s)
	case pis:
		p.ask(s, held)
	default:
		p.out = p.worker.Signal(p.at, unix.SignalName(s), p.out)
	}
}

func (p *process) noteSignal(s syscall.Signal, handled bool) {
	p.notes.note(&ledger.Signal{Name: unix.SignalName(s), Handled: handled})
}

// ask has the worker go. Where its run waits for the reader, so does a signal, but no second one; one behind the end of
// stdin is not heard.
func (p *process) ask(s syscall.Signal, held bool) {
	p.asked++
	switch {
	case !p.parting:
		p.hasty = p.hasty || s == syscall.SIGTERM || p.mode.OneShot()
		p.gone = p.hasty && p.rules.waitsForReader && !(held && p.blocked())
		p.out = p.worker.Signal(p.at, unix.SignalName(s), p.out)
		p.part(held && !p.gone)
	case p.asked > 1:
		p.hasty, p.exit = true, &fakepi.Exit{Code: 128 + int(s)}
	}
}

// beWedged lets the process be what the script's worker is: stopped, or busy for ever.
func (p *process) beWedged() {
	if p.speed == 0 || p.wedged {
		return
	}
	switch agent := p.worker.Processes(p.at); {
	case len(agent) == 0 || agent[0].Role != fakepi.RoleAgent:
	case agent[0].State == "T":
		p.wedged = true
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case agent[0].State == "R":
		p.wedged = true
		go system.Burn(math.MaxInt64)
	}
}
