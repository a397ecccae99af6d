// Package clocks reads the host's clocks as one watchdog.Instant (WDC-CLOCK-001).
package clocks

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"fakepi.example/watchdog"
)

var bootID = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text)), err
})

// Now reads all clocks. The error is that of a host that has no such clocks, which is no Linux.
func Now() (watchdog.Instant, error) {
	id, err := bootID()
	if err != nil {
		return watchdog.Instant{}, fmt.Errorf("the boot's id: %w", err)
	}
	mono, err := read(unix.CLOCK_MONOTONIC)
	if err != nil {
		return watchdog.Instant{}, err
	}
	boot, err := read(unix.CLOCK_BOOTTIME)
	if err != nil {
		return watchdog.Instant{}, err
	}
	return watchdog.Instant{Mono: mono, Boot: boot, Wall: time.Now().UTC(), BootID: id}, nil
}

func read(clock int32) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		return 0, fmt.Errorf("clock %d: %w", clock, err)
	}
	return time.Duration(ts.Nano()), nil
}
