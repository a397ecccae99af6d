package system

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Die ends the process by a signal.
func Die(name string) {
	number := unix.SignalNum(name)
	SetDefault(number)
	if syscall.Kill(os.Getpid(), number) == nil {
		select {} // until it arrives
	}
}

// Burn uses a CPU for so long.
func Burn(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}
