package agents

import (
	"time"

	"fakepi.example/watchdog"
)

// Opaque reads an agent that nobody knows: each piece of its stdout is a record that was not understood, so that no
// verdict rests on its silence.
type Opaque struct {
	event Event
	left  bool
}

// Start implements Reader.
func (o *Opaque) Start(watchdog.Spawned) {}

// Feed implements Reader.
func (o *Opaque) Feed(from watchdog.Stream, data []byte, _ time.Time) {
	o.left = from == watchdog.StreamOut && len(data) > 0
}

// Close implements Reader.
func (o *Opaque) Close(watchdog.Stream, time.Time) {}

// Forget implements Reader.
func (o *Opaque) Forget(watchdog.Stream) {}

// Next implements Reader.
func (o *Opaque) Next() *Event {
	if !o.left {
		return nil
	}
	o.left = false
	o.event = Event{Kind: Unread, Foreign: true}
	return &o.event
}

// Pending implements Reader.
func (o *Opaque) Pending() bool { return false }

// Traits implements Reader.
func (o *Opaque) Traits() Traits { return Traits{} }

// Prompt implements Reader.
func (o *Opaque) Prompt(string, string) []byte { return nil }
