package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/mutation/active"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// reached is what one scenario reaches in one dialect.
type reached struct {
	Scenario string         `json:"scenario"`
	Dialect  native.Dialect `json:"dialect"`
	Mutants  []int          `json:"mutants"`
}

// task is a mutant, and what may kill it in this order.
type task struct {
	Mutant int       `json:"mutant"`
	By     []killers `json:"by"`
}

// killers are scenarios in one dialect.
type killers struct {
	Dialect   native.Dialect `json:"dialect"`
	Scenarios []string       `json:"scenarios"`
}

// probe asks what one scenario reaches.
type probe struct {
	Scenario string         `json:"scenario"`
	Dialect  native.Dialect `json:"dialect"`
}

// fate is what became of a mutant.
type fate struct {
	Mutant      int    `json:"mutant"`
	Case        string `json:"case,omitempty"` // that killed it; empty: it lives
	Requirement string `json:"requirement,omitempty"`
}

// subject is the engine in this program, which may be a mutant.
type subject struct{}

func (subject) Name() string { return "engine" }

func (subject) Start(boot watchdog.Boot) (watchdog.Watchdog, error) {
	active.Refuel()
	return engine.New(boot)
}

// player plays what it is asked.
type player struct {
	all   map[string]scenarios.Scenario
	lines *json.Decoder
	told  *json.Encoder
}

// play answers what the driver asks on in, line by line: about coverage or about mutants.
func play(ctx context.Context, what string, in io.Reader, out io.Writer) error {
	all, err := scenarios.Load()
	if err != nil {
		return err
	}
	p := player{all: map[string]scenarios.Scenario{}, lines: json.NewDecoder(bufio.NewReader(in)), told: json.NewEncoder(out)}
	for _, s := range all {
		p.all[s.ID] = s
	}
	answer := p.try
	if what == "coverage" {
		answer = p.cover
	}
	for {
		switch err := answer(ctx); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// near is how many histories of a case are played to find what a scenario reaches.
const near = 8

func (p *player) first(ctx context.Context, histories int, d native.Dialect, names ...string) (conformance.Kill, bool, error) {
	var list []scenarios.Scenario
	for _, name := range names {
		list = append(list, p.all[name])
	}
	return conformance.FirstFailure(ctx, subject{}, list, conformance.Options{Jobs: 1, Seed: 1, Dialect: d, Histories: histories})
}

// try plays one mutant, up to the first scenario that fails.
func (p *player) try(ctx context.Context) error {
	var t task
	if err := p.lines.Decode(&t); err != nil {
		return err
	}
	active.Switch(t.Mutant)
	defer active.Switch(active.None)
	f := fate{Mutant: t.Mutant}
	for _, by := range t.By {
		k, failed, err := p.first(ctx, conformance.DefaultHistories, by.Dialect, by.Scenarios...)
		if err != nil {
			return err
		}
		if failed {
			f.Case, f.Requirement = k.Case, k.Requirement
			break
		}
	}
	return p.told.Encode(f)
}

// cover plays a scenario with all mutants off, and tells which mutants it reaches. What fails by itself kills nobody.
func (p *player) cover(ctx context.Context) error {
	var k probe
	if err := p.lines.Decode(&k); err != nil {
		return err
	}
	var failed bool
	var err error
	found := active.Record(func() { _, failed, err = p.first(ctx, near, k.Dialect, k.Scenario) })
	if err != nil {
		return err
	}
	r := reached{Scenario: k.Scenario, Dialect: k.Dialect}
	if !failed {
		r.Mutants = found
	}
	return p.told.Encode(r)
}
