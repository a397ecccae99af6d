package main

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/ledger"
)

// newStart is the first record of this process, as far as it is known at once.
func newStart() *ledger.Start {
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
