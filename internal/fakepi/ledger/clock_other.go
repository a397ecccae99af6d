//go:build unix && !linux

package ledger

import "golang.org/x/sys/unix"

// bootClock counts sleep on these systems.
const bootClock = unix.CLOCK_MONOTONIC
