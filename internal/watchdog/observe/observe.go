// Package observe plays recordings of workers to a watchdog and tells what it said, and when.
//
// A recording is played on its own clock: the watchdog is stepped at each recorded line and whenever it asked to be
// woken, as if it had watched the run. Nobody is there to be probed, so probes answer "unknown"; a stream that is
// inspected has the bytes that the recording had by then.
package observe

import (
	"errors"
	"fmt"
	"math"
	"time"

	"fakepi.example/watchdog"
)

// ErrContract is wrapped by the error about a watchdog that cannot be played to: it asks to be woken at a moment that
// is not to come, or asks without end.
var ErrContract = errors.New("the watchdog breaks its contract")

// Change is one changed verdict, as printed by piwatch observe --json: one object a line. Times are milliseconds on the
// recording's clock.
type Change struct {
	File      string               `json:"file"`
	Time      float64              `json:"t_ms"`
	Worker    string               `json:"worker"`
	Phase     watchdog.VerdictName `json:"phase"` // the verdict's name
	Status    watchdog.Status      `json:"status"`
	Since     float64              `json:"since_ms"`
	Cause     watchdog.Cause       `json:"cause"`
	Evidence  []int                `json:"evidence"`      // line numbers of File, rising
	NextCheck *float64             `json:"next_check_ms"` // null if nothing but news can change the verdict
	Detail    watchdog.Detail      `json:"detail,omitzero"`
	Flags     []watchdog.Flag      `json:"flags,omitempty"`
}

// Options say how a recording is played.
type Options struct {
	Policy watchdog.Policy
	// Until is when to stop, counted from the first line: short of the recording's end or beyond it. 0 is its end.
	Until time.Duration
}

// Start starts the watchdog that is to watch.
type Start func(watchdog.Boot) (watchdog.Watchdog, error)

// workerID names the one worker of a recording.
const workerID = "w1"

// Bounds on what a watchdog may ask for.
const (
	maxWakes  = 2_000_000 // in a recording: a check every 30 s for two years
	maxRounds = 64        // of questions and answers at one instant
)

// Play plays one recording and calls emit for each changed verdict. It returns the errors of start, of the watchdog and
// of emit; one that wraps ErrContract is the watchdog's fault.
func Play(r *Recording, start Start, opts Options, emit func(Change) error) error {
	p := &player{recording: r, emit: emit, sizes: map[watchdog.Stream]int64{}, lines: map[int]int{}}
	p.now = p.instant(r.spawnAt)
	var err error
	p.watchdog, err = start(watchdog.Boot{
		Policy: opts.Policy, Incarnation: 1, Now: p.now, Spawner: watchdog.SpawnerPlain,
		Roster: []watchdog.Worker{{ID: workerID, Generation: 1}},
	})
	if err != nil {
		return fmt.Errorf("start the watchdog: %w", err)
	}
	end := time.Duration(math.MaxInt64)
	if opts.Until > 0 {
		end = r.first() + opts.Until
	}
	if err := p.observe(0, r.spawned()); err != nil {
		return err
	}
	for i := range r.records {
		rec := &r.records[i]
		if rec.at > end {
			break
		}
		if err := p.wait(rec.at); err != nil {
			return err
		}
		if err := p.record(rec); err != nil {
			return err
		}
	}
	if opts.Until > 0 {
		return p.wait(end)
	}
	return nil
}

// player is a recording being played.
type player struct {
	recording *Recording
	watchdog  watchdog.Watchdog
	emit      func(Change) error
	now       watchdog.Instant
	wake      time.Duration
	wakes     int
	sizes     map[watchdog.Stream]int64
	seen      int         // observations so far
	lines     map[int]int // by observation number: the line that it came from
}

// instant is a moment of the recording on all clocks; the host of a recording did not sleep.
func (p *player) instant(at time.Duration) watchdog.Instant {
	return watchdog.Instant{Mono: at, Boot: at, Wall: p.recording.epoch.Add(at), BootID: "recording"}
}

// wait lets time pass up to a moment, waking the watchdog when it asked for it, at the moment itself too.
func (p *player) wait(to time.Duration) error {
	to = max(to, p.now.Mono)
	for p.wake > 0 && p.wake <= to {
		if p.wakes++; p.wakes > maxWakes {
			return fmt.Errorf("%w: woken %d times by %s; play less of the recording, or raise confirm_every",
				ErrContract, maxWakes, p.now.Mono)
		}
		if p.wake < p.now.Mono {
			return fmt.Errorf("%w: at %s it asked to be woken at %s", ErrContract, p.now.Mono, p.wake)
		}
		p.now = p.instant(p.wake)
		if err := p.step(nil); err != nil {
			return err
		}
		if p.wake > 0 && p.wake <= p.now.Mono {
			return fmt.Errorf("%w: woken at %s it asked to be woken at %s", ErrContract, p.now.Mono, p.wake)
		}
	}
	p.now = p.instant(to)
	return nil
}

// record shows one record to the watchdog.
func (p *player) record(r *record) error {
	if r.body != nil {
		return p.observe(r.line, r.body)
	}
	b := watchdog.Bytes{Stream: r.stream, Offset: p.sizes[r.stream], Data: r.data}
	p.sizes[r.stream] += int64(len(r.data))
	return p.observe(r.line, b)
}

// observe shows one thing that happened now; line is where the recording says so, 0 if nowhere.
func (p *player) observe(line int, body watchdog.Body) error {
	o := p.observation(body)
	if line > 0 {
		p.lines[o.N] = line
	}
	return p.step([]watchdog.Observation{o})
}

func (p *player) observation(body watchdog.Body) watchdog.Observation {
	p.seen++
	return watchdog.Observation{N: p.seen, At: p.now, Worker: workerID, Generation: 1, Body: body}
}

// step steps the watchdog, tells its verdicts and answers its questions, until it has none.
func (p *player) step(seen []watchdog.Observation) error {
	for range maxRounds {
		d, err := p.watchdog.Step(p.now, seen)
		if err != nil {
			return fmt.Errorf("the watchdog at %s: %w", p.now.Mono, err)
		}
		p.wake = d.Wake
		for i := range d.Verdicts {
			if err := p.emit(p.change(&d.Verdicts[i])); err != nil {
				return err
			}
		}
		if seen = p.answers(d.Commands); len(seen) == 0 {
			return nil
		}
	}
	return fmt.Errorf("%w: at %s it asked more than %d times", ErrContract, p.now.Mono, maxRounds)
}

// answers is what the questions among commands get.
func (p *player) answers(commands []watchdog.Command) []watchdog.Observation {
	var out []watchdog.Observation
	for i := range commands {
		switch c := &commands[i]; c.Kind {
		case watchdog.CmdProbe:
			out = append(out, p.observation(watchdog.Probe{
				Key: c.Key, What: c.What, Source: "recording", Result: watchdog.ProbeUnknown,
			}))
		case watchdog.CmdInspect:
			out = append(out, p.observation(p.inspect(c)))
		}
	}
	return out
}

// inspect looks at a stream again. One that the recording does not hold, and the worktree, cannot be looked at.
func (p *player) inspect(c *watchdog.Command) watchdog.Inspect {
	size, held := p.sizes[c.Stream]
	if c.What != watchdog.WhatStream || !held {
		size = -1
	}
	return watchdog.Inspect{Key: c.Key, What: c.What, Stream: c.Stream, Offset: size}
}

func (p *player) change(v *watchdog.Verdict) Change {
	c := Change{
		File: p.recording.File, Time: ms(p.now.Mono), Worker: v.Worker, Phase: v.Name, Status: v.Status,
		Since: ms(v.Since), Cause: v.Cause, Evidence: []int{}, Detail: v.Detail, Flags: v.Flags,
	}
	for _, e := range v.Evidence {
		if line := p.lines[e.N]; line > 0 {
			c.Evidence = append(c.Evidence, line)
		}
	}
	if v.Next > 0 {
		next := ms(v.Next)
		c.NextCheck = &next
	}
	return c
}

// ms is a duration in milliseconds, to the microsecond.
func ms(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
