package engine_test

import (
	"bytes"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
	"fakepi.example/watchdog/journal"
)

// TestUnacknowledged: what a checkpoint cannot hold is not acknowledged, and what it can is, as soon as the worker is at rest
// (WDC-REST-001).
func TestUnacknowledged(t *testing.T) {
	spawned := watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true, PID: 100, Start: 7, Autonomous: true}
	for _, row := range []struct {
		reason string
		body   watchdog.Body
		want   int
	}{
		{"a row of the tracker", watchdog.Task{ID: "t1", LeaseUntil: epoch}, 2},
		{"one with a time that has no JSON form", watchdog.Task{ID: "t1", LeaseUntil: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, 1},
		{"a line that nobody knows", watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("?\n")}, 2},
		{"one that is too long to be read, and goes on", watchdog.Bytes{Stream: watchdog.StreamOut, Data: bytes.Repeat([]byte{'x'}, native.MaxLine+1)}, 1},
	} {
		var state journal.Memory
		now := watchdog.Instant{Wall: epoch, BootID: "boot-1"}
		w, err := state.Acquire("engine", now, 0)
		if err != nil {
			t.Fatal(err)
		}
		e, err := engine.New(watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1, Now: now, State: w})
		if err != nil {
			t.Fatal(err)
		}
		ack := 0
		for i, body := range []watchdog.Body{spawned, row.body} {
			d, err := e.Step(now, []watchdog.Observation{{N: i + 1, At: now, Worker: "w1", Generation: 1, Body: body}})
			if err != nil {
				t.Fatalf("%s: %v", row.reason, err)
			}
			ack = d.Ack
		}
		if ack != row.want {
			t.Errorf("%s: got ack %d, want %d", row.reason, ack, row.want)
		}
	}
}
