//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"sync/atomic"
	"syscall"
)

// Go does not tell who sent a signal. So a few instructions stand before its handler, which note the sender that the kernel
// hands to every handler, and go on with Go's.

// senders are the pids of who sent each signal last. noteSender writes them.
var senders [65]uint32

// noteSenderAddr is the address of noteSender, which is not a function for Go to call.
var noteSenderAddr uintptr

// passOn is the address of Go's handler.
//
//lint:ignore U1000 noteSender reads it
var passOn uintptr

// learnSenders begins to note the senders of signals for which Go has a handler.
func learnSenders(signals []os.Signal) {
	for _, s := range signals {
		number := s.(syscall.Signal)
		action := actionOf(number)
		if action[0] < 2 { // the default, or ignored
			continue
		}
		passOn, action[0] = uintptr(action[0]), uint64(noteSenderAddr)
		swap(number, action)
	}
}

// senderOf is the pid of who sent a signal last; 0: the kernel itself, or nobody.
func senderOf(s syscall.Signal) int { return int(atomic.LoadUint32(&senders[s])) }
