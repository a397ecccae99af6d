// Package system is what a process asks of the operating system about itself: its name, its signals, its parent.
package system

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/ledger"
)

// NewStart is the first record of this process, as far as it is known at once.
func NewStart() *ledger.Start {
	if os.Getenv("FAKEPI_LEDGER") == "" {
		return nil
	}
	s := &ledger.Start{
		Argv: slices.Clone(os.Args), ParentPID: os.Getppid(), PGID: syscall.Getpgrp(), UID: os.Getuid(),
		Path: os.Getenv("PATH"), Home: os.Getenv("HOME"), Term: os.Getenv("TERM"),
	}
	s.SID, _ = unix.Getsid(0) // it does not fail for the process itself
	describe(s)
	return s
}
