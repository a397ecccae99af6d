// Package observe plays recordings of workers to a watchdog and tells what it said, and when.
//
// A recording is played on its own clock: the watchdog is stepped at each recorded line and whenever it asked to be
// woken, as if it had watched the run. Nobody is there to be probed, so probes answer "unknown"; a stream that is
// inspected has the bytes that the recording had by then.
package observe

import (
	"fmt"
	"time"

	"fakepi.example/watchdog"
)

// Change is one changed verdict, as printed by piwatch observe --json: one object a line.
type Change struct {
	File      string               `json:"file"`
	Time      float64              `json:"t_ms"` // on the recording's clock
	Worker    string               `json:"worker"`
	Phase     watchdog.VerdictName `json:"phase"` // the verdict's name
	Status    watchdog.Status      `json:"status"`
	Since     float64              `json:"since_ms"`
	Cause     watchdog.Cause       `json:"cause"`
	Evidence  []int                `json:"evidence"`      // line numbers of File
	NextCheck *float64             `json:"next_check_ms"` // null if nothing but news can change the verdict
	Detail    watchdog.Detail      `json:"detail,omitzero"`
	Flags     []watchdog.Flag      `json:"flags,omitempty"`
}

// Options say how a recording is played.
type Options struct {
	Policy watchdog.Policy
	Until  time.Duration // play at least this long, counted from the first line; 0 = to the last record
}

// Start starts the watchdog that is to watch.
type Start func(watchdog.Boot) (watchdog.Watchdog, error)

// workerID names the one worker of a recording.
const workerID = "w1"

// maxSteps bounds the steps that a watchdog may ask for between two records.
const maxSteps = 1_000_000

// Play plays one recording and calls emit for each changed verdict.
func Play(r *Recording, start Start, opts Options, emit func(Change) error) error {
	p := &player{recording: r, emit: emit, sizes: map[watchdog.Stream]int64{}, lines: []int{0}}
	p.now = p.instant(r.spawnAt)
	var err error
	p.watchdog, err = start(watchdog.Boot{
		Policy: opts.Policy, Incarnation: 1, Now: p.now, Spawner: watchdog.SpawnerPlain,
		Roster: []watchdog.Worker{{ID: workerID, Generation: 1}},
	})
	if err != nil {
		return fmt.Errorf("start the watchdog: %w", err)
	}
	if err := p.observe(0, r.spawned()); err != nil {
		return err
	}
	for i := range r.records {
		rec := &r.records[i]
		if err := p.wait(rec.at); err != nil {
			return err
		}
		if err := p.record(rec); err != nil {
			return err
		}
	}
	if end := r.first() + opts.Until; opts.Until > 0 && end > p.now.Mono {
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
	sizes     map[watchdog.Stream]int64
	lines     []int // by observation number: the line that it came from, 0 for what the player made up
}

// instant is a moment of the recording on all clocks; the host of a recording did not sleep.
func (p *player) instant(at time.Duration) watchdog.Instant {
	return watchdog.Instant{Mono: at, Boot: at, Wall: p.recording.epoch.Add(at), BootID: "recording"}
}

// wait lets time pass up to a moment, waking the watchdog when it asked for it.
func (p *player) wait(to time.Duration) error {
	for steps := 0; p.wake > 0 && p.wake < to; steps++ {
		if p.wake <= p.now.Mono || steps == maxSteps {
			return fmt.Errorf("the watchdog asked to be woken at %s, at %s", p.wake, p.now.Mono)
		}
		p.now = p.instant(p.wake)
		if err := p.step(nil); err != nil {
			return err
		}
	}
	p.now = p.instant(max(to, p.now.Mono))
	if p.wake > 0 && p.wake <= p.now.Mono {
		return p.step(nil)
	}
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

func (p *player) observe(line int, body watchdog.Body) error {
	p.lines = append(p.lines, line)
	return p.step([]watchdog.Observation{{N: len(p.lines) - 1, At: p.now, Worker: workerID, Generation: 1, Body: body}})
}

// step steps the watchdog once, tells its verdicts and answers its questions.
func (p *player) step(seen []watchdog.Observation) error {
	d, err := p.watchdog.Step(p.now, seen)
	if err != nil {
		return fmt.Errorf("watchdog: %w", err)
	}
	p.wake = d.Wake
	for i := range d.Verdicts {
		if err := p.emit(p.change(&d.Verdicts[i])); err != nil {
			return err
		}
	}
	var answers []watchdog.Body
	for i := range d.Commands {
		if body := p.answer(&d.Commands[i]); body != nil {
			answers = append(answers, body)
		}
	}
	for _, body := range answers {
		if err := p.observe(0, body); err != nil {
			return err
		}
	}
	return nil
}

// answer is what a question to a recording gets.
func (p *player) answer(c *watchdog.Command) watchdog.Body {
	switch {
	case c.Kind == watchdog.ProbeCmd:
		return watchdog.Probe{Key: c.Key, What: c.What, Source: "recording", Result: watchdog.ProbeUnknown}
	case c.Kind == watchdog.InspectCmd && c.What == watchdog.WhatStream:
		return watchdog.Inspect{Key: c.Key, What: c.What, Stream: c.Stream, Offset: p.sizes[c.Stream]}
	case c.Kind == watchdog.InspectCmd:
		return watchdog.Inspect{Key: c.Key, What: c.What, Offset: -1}
	}
	return nil
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
