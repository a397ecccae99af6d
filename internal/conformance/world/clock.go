package world

import (
	"strconv"
	"time"

	"fakepi.example/watchdog"
)

// clocks tells the four times of a moment. The script's own clock is Mono: a suspend is a moment at which the others
// leap.
type clocks struct {
	epoch  time.Time // civil time at 0
	mono   time.Duration
	asleep time.Duration // in total
	jumped time.Duration // of the civil clock, in total
	zone   *time.Location
	boots  int
	bootID string
}

func newClocks(epoch time.Time) clocks {
	c := clocks{epoch: epoch, zone: time.UTC}
	c.reboot()
	return c
}

func (c *clocks) now() watchdog.Instant { return c.at(c.mono) }

// at is a moment since the last leap.
func (c *clocks) at(mono time.Duration) watchdog.Instant {
	boot := mono + c.asleep
	return watchdog.Instant{
		Mono:   mono,
		Boot:   boot,
		Wall:   c.epoch.Add(boot + c.jumped).In(c.zone),
		BootID: c.bootID,
	}
}

func (c *clocks) reboot() {
	c.boots++
	c.bootID = "boot-" + strconv.Itoa(c.boots)
}
