//go:build unix && !linux

package main

import (
	"os/signal"
	"syscall"

	"fakepi.example/fakepi/ledger"
)

// setDefault gives a signal back to Go's own handler, which ends the process for most of them.
func setDefault(s syscall.Signal) { signal.Reset(s) }

// actDefault does once what the kernel does on a signal. It returns when the process goes on.
func actDefault(s syscall.Signal) {
	signal.Reset(s)
	_ = syscall.Kill(syscall.Getpid(), s)
}

// describe knows nothing on these systems.
func describe(*ledger.Start) {}

// watchParent never tells.
func watchParent(int) <-chan int { return nil }

func programOf(int) string { return "" }
