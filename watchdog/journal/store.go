package journal

import (
	"fmt"
	"time"

	"fakepi.example/watchdog"
)

// Store keeps a journal and lets one Writer at a time change it.
type Store interface {
	// Acquire takes the lease for a while; the error wraps ErrHeld while another holder has it. holder names the process
	// for people. A writer that had the store before is fenced from now on.
	Acquire(holder string, now watchdog.Instant, ttl time.Duration) (Writer, error)
	// Evict ends the lease with this fence, if it is still that one: for whoever has proof that its holder is dead.
	Evict(fence int64) error
}

// Writer is a watchdog.State whose every change is refused with ErrFenced once there is a newer Writer. Truncate and Drop
// are durable when they return; after ErrFull they have changed nothing.
type Writer interface {
	watchdog.State
	Dropper
	Fence() int64
	// Renew makes the lease last until ttl from now.
	Renew(now watchdog.Instant, ttl time.Duration) error
}

// Dropper is a watchdog.State that can give space back.
type Dropper interface {
	// Drop removes the first size bytes, all of them synced. A crash leaves either all of them or none.
	Drop(size int64) error
}

// Lease is the right to write. Time is the boot clock, which nobody sets and which counts sleep; another boot id means that
// the host has restarted and the holder is gone.
type Lease struct {
	Fence  int64 // one more for each Writer
	Holder string
	BootID string
	Until  time.Duration // on the boot clock
}

// Take returns the next lease, or a *HeldError while this one lasts.
func (l Lease) Take(holder string, now watchdog.Instant, ttl time.Duration) (Lease, error) {
	if l.BootID == now.BootID && l.Until > now.Boot {
		return l, &HeldError{Lease: l, For: l.Until - now.Boot}
	}
	return Lease{Fence: l.Fence + 1, Holder: holder, BootID: now.BootID, Until: now.Boot + ttl}, nil
}

// HeldError says who holds a store.
type HeldError struct {
	Lease Lease
	For   time.Duration // how long the lease still lasts, if it is not renewed
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%v: %s, for another %v (fence %d); stand by, or evict it if it is proven dead",
		ErrHeld, e.Lease.Holder, e.For, e.Lease.Fence)
}

// Is makes errors.Is(err, ErrHeld) hold.
func (e *HeldError) Is(target error) bool { return target == ErrHeld }
