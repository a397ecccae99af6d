package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/mutation/active"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// probe asks what one scenario reaches in one dialect.
type probe struct {
	Scenario string         `json:"scenario"`
	Dialect  native.Dialect `json:"dialect"`
}

// reached is the answer: the mutants that do otherwise there, and the digests of the scenario and its twin.
type reached struct {
	Mutants []int               `json:"mutants"`
	Digests conformance.Digests `json:"digests"`
}

// task is a mutant, and what may kill it in this order.
type task struct {
	Mutant int       `json:"mutant"`
	By     []killers `json:"by"`
	Deep   bool      `json:"deep"` // if it lives through all, many histories of each scenario may kill it yet
}

// killers are scenarios in one dialect, with what they come to with all mutants off.
type killers struct {
	Dialect   native.Dialect      `json:"dialect"`
	Scenarios []string            `json:"scenarios"`
	Digests   conformance.Digests `json:"digests"`
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
	tests string // a folder with the programs of the engine's tests; empty: it does without
	lines *json.Decoder
	told  *json.Encoder
}

// play answers what the driver asks on in, line by line: about coverage or about mutants.
func play(ctx context.Context, o options, in io.Reader, out io.Writer) error {
	all, err := scenarios.Load()
	if err != nil {
		return err
	}
	p := player{
		all: map[string]scenarios.Scenario{}, tests: o.engineTests, lines: json.NewDecoder(bufio.NewReader(in)), told: json.NewEncoder(out),
	}
	for _, s := range all {
		p.all[s.ID] = s
	}
	answer := p.try
	if o.play == playCoverage {
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

func (p *player) named(ids []string) []scenarios.Scenario {
	var list []scenarios.Scenario
	for _, id := range ids {
		list = append(list, p.all[id])
	}
	return list
}

// optionsOf are those of the recorded histories, so that what differs here differs there.
func optionsOf(d native.Dialect, histories int) conformance.Options {
	return conformance.Options{Jobs: 1, Dialect: d, Histories: histories}
}

// cover plays a scenario with all mutants off.
func (p *player) cover(ctx context.Context) error {
	var q probe
	if err := p.lines.Decode(&q); err != nil {
		return err
	}
	var c *conformance.Comparison
	var err error
	found := active.Record(func() {
		c, err = conformance.Compare(ctx, subject{}, p.named([]string{q.Scenario}), optionsOf(q.Dialect, 0), nil)
	})
	if err != nil {
		return err
	}
	if c.Failed { // by itself: it kills nobody
		return p.told.Encode(reached{})
	}
	return p.told.Encode(reached{found, c.Digests})
}

// try plays one mutant, up to what kills it.
func (p *player) try(ctx context.Context) error {
	var t task
	if err := p.lines.Decode(&t); err != nil {
		return err
	}
	active.Switch(t.Mutant)
	defer active.Switch(active.None)
	f, err := p.fate(ctx, &t)
	if err != nil {
		return err
	}
	return p.told.Encode(f)
}

// How long an assertion is looked for that minds what a mutant does otherwise: so many histories of each of the cases in
// which that shows, and no other dialect if these are enough.
const (
	changedHistories = 12
	enough           = 4
)

// fate has the judge see a mutant near each base history, then the engine's tests, then the records. One that shows in none
// of these is judged in many histories.
func (p *player) fate(ctx context.Context, t *task) (*fate, error) {
	f := &fate{}
	changed := ""
	for _, by := range t.By {
		c, err := conformance.Compare(ctx, subject{}, p.named(by.Scenarios), optionsOf(by.Dialect, changedHistories), by.Digests)
		if err != nil || c.Failed {
			return f.kill(c.Kill), err
		}
		if changed == "" && len(c.Changed) > 0 {
			changed = c.Changed[0]
		}
		if len(c.Changed) >= enough {
			break
		}
	}
	if failed, err := p.failsTests(ctx, t.Mutant); failed || err != nil {
		f.By = byTests
		return f, err
	}
	if changed != "" {
		return &fate{By: byHistories, Case: changed}, nil
	}
	if !t.Deep {
		return f, nil
	}
	for _, by := range t.By {
		k, failed, err := conformance.FirstFailure(ctx, subject{}, p.named(by.Scenarios), optionsOf(by.Dialect, conformance.DefaultHistories))
		if err != nil || failed {
			return f.kill(k), err
		}
	}
	return f, nil
}

// testTime is how long the tests may take, which take seconds with all mutants off.
const testTime = 3 * time.Minute

// failsTests reports whether one of the engine's own tests fails with a mutant.
func (p *player) failsTests(ctx context.Context, mutant int) (bool, error) {
	if p.tests == "" {
		return false, nil
	}
	limited, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	for _, pkg := range enginePackages {
		cmd := exec.CommandContext(limited, testsOf(p.tests, pkg), "-test.failfast", "-test.short")
		cmd.Dir = pkg
		cmd.Env = append(os.Environ(), active.Variable+"="+strconv.Itoa(mutant))
		if cmd.Run() != nil {
			return true, ctx.Err()
		}
	}
	return false, ctx.Err()
}
