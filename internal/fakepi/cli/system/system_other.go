//go:build unix && !linux

package system

import (
	"os/signal"
	"syscall"

	"fakepi.example/internal/fakepi/ledger"
)

// setDefault gives a signal back to Go's own handler, which ends the process for most of them.
func setDefault(s syscall.Signal) { signal.Reset(s) }

// actDefault does once what the kernel does on a signal. It returns when the process goes on.
func actDefault(s syscall.Signal) {
	signal.Reset(s)
	_ = syscall.Kill(syscall.Getpid(), s)
}

// standAside lets the process be stopped as any other, and SIGINT not end it, until undo is called. From then on SIGTSTP
// stops it at once.
func standAside() (undo func()) {
	signal.Reset(syscall.SIGTSTP)
	signal.Ignore(syscall.SIGINT)
	return func() { signal.Reset(syscall.SIGINT) }
}

// describe knows nothing on these systems.
func describe(*ledger.Start) {}

// watchParent never tells.
func watchParent(int) <-chan int { return nil }
