package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"fakepi.example/scenarios"
)

// How many histories of a case a mutant is played in: what a mutant breaks shows in the base history, or in one near it.
const (
	mutantHistories = 4
	deepHistories   = 300 // of a case that tests the very requirement which a mutant of recovery breaks
)

// trial is a mutant that is being played.
type trial struct {
	m      Mutant
	first  bool // end at the first kill
	result MutantResult
	silent []string // cases in which it failed to answer
}

// tryAll plays mutants, several at once, and returns their results in order. What is measured is measured alone.
func tryAll(ctx context.Context, mutants []Mutant, all []scenarios.Scenario, o MatrixOptions) ([]MutantResult, error) {
	results, errs := make([]MutantResult, len(mutants)), make([]error, len(mutants))
	played := (&runner{opts: o.Options}).counter(len(mutants))
	try := func(i int) {
		results[i], errs[i] = tryOne(ctx, mutants[i], all, o)
		played()
	}
	next := make(chan int, len(mutants))
	for i := range mutants {
		if mutants[i].Requirement == memoryRequirement {
			try(i)
		} else {
			next <- i
		}
	}
	close(next)
	var group sync.WaitGroup
	for range min(o.Jobs, len(mutants)) {
		group.Go(func() {
			for i := range next {
				try(i)
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		group.Wait()
		close(finished)
	}()
	select {
	case <-finished:
		return results, errors.Join(errs...)
	case <-ctx.Done():
		return nil, ctx.Err() // a mutant in this process cannot be stopped: it is left to itself
	}
}

// tryOne plays one mutant.
func tryOne(ctx context.Context, m Mutant, all []scenarios.Scenario, o MatrixOptions) (MutantResult, error) {
	t := trial{m: m, first: o.FirstKill, result: MutantResult{ID: m.ID, Kind: m.Kind, Requirement: m.Requirement}}
	if m.Dialect != "" && m.Dialect != o.Dialect {
		t.result.Unseen = m.Why
		return t.result, nil
	}
	cases, err := choose(m.meets(all), o.Options)
	if errors.Is(err, ErrNoCases) {
		t.result.Unseen = "no case that was chosen is for it"
		return t.result, nil
	}
	if err == nil {
		if o.FirstKill && m.Kind == Benign && o.Histories == 0 {
			o.Histories = 1
		}
		err = t.play(ctx, cases, o.Options)
	}
	if err != nil {
		return t.result, fmt.Errorf("%w %s: %w", ErrMutant, m.ID, err)
	}
	return t.result, nil
}

// meets lists the scenarios that a mutant is played in.
func (m *Mutant) meets(all []scenarios.Scenario) []scenarios.Scenario {
	return slices.DeleteFunc(slices.Clone(all), func(s scenarios.Scenario) bool {
		return m.Kind == Bad && s.Acts() != m.Acts
	})
}

// play plays the base histories of all cases; then, of a mutant that lives, a few of each; then, of one of recovery, every
// fault around the cases that test what it breaks.
func (t *trial) play(ctx context.Context, cases []matchCase, o Options) error {
	bounded, err := t.runner(o, ExploreBounded)
	if err != nil {
		return err
	}
	if t.m.Requirement == memoryRequirement {
		found := bounded.playMemory()
		t.take(&found)
	}
	own, rest := t.divide(cases)
	most := o.Histories
	if most == 0 {
		most = mutantHistories
	}
	near := bounded.beginAll(append(own, rest...))
	stages := []stage{{bounded, near, 1}, {bounded, near, most}}
	if t.m.Kind == Bad && t.m.Acts {
		full, err := t.runner(o, ExploreFull)
		if err != nil {
			return err
		}
		stages = append(stages, stage{full, full.beginAll(own), deepHistories})
	}
	for i, s := range stages {
		if i > 0 && (t.m.Kind == Bad || t.first) && t.over() {
			break
		}
		if err := t.stage(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// stage is a number of histories of some cases.
type stage struct {
	r     *runner
	cases []*exploration
	most  int
}

func (t *trial) runner(o Options, e Exploration) (*runner, error) {
	o.Explore, o.Progress, o.Histories = e, nil, 0
	r, err := newRunner(t.m.Subject, o)
	if err == nil {
		r.terse = true
	}
	return r, err
}

// divide puts the cases that test what the mutant breaks before the others.
func (t *trial) divide(cases []matchCase) (own, rest []matchCase) {
	for _, c := range cases {
		if slices.Contains(c.scenario.Requires, t.m.Requirement) {
			own = append(own, c)
		} else {
			rest = append(rest, c)
		}
	}
	return own, rest
}

func (r *runner) beginAll(cases []matchCase) []*exploration {
	var all []*exploration
	for i := range cases {
		all = append(all, r.begin(&cases[i]))
	}
	return all
}

// over reports whether the mutant is known for what it is.
func (t *trial) over() bool {
	if t.m.Kind == Bad {
		return t.result.Killed()
	}
	return t.result.Flagged()
}

// stage plays what of a stage was not played before.
func (t *trial) stage(ctx context.Context, s stage) error {
	for _, e := range s.cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.r.explore(e, s.most)
		t.take(&e.result)
		if t.first && t.over() {
			return nil
		}
	}
	return nil
}

// take adds what one case found.
func (t *trial) take(c *CaseResult) {
	m := &t.result
	silent := c.Status == HarnessError
	for _, f := range c.Failures {
		k := Kill{c.ID, f.Requirement}
		switch {
		case f.Crash:
			silent = true
		case f.Requirement == m.Requirement && m.Kind == Bad:
			m.KilledBy = appendOnce(m.KilledBy, k)
		default:
			m.Further = appendOnce(m.Further, k)
		}
	}
	if silent {
		t.silent = appendOnce(t.silent, c.ID)
		m.Crashes = len(t.silent)
	}
}

func appendOnce[E comparable](list []E, e E) []E {
	if slices.Contains(list, e) {
		return list
	}
	return append(list, e)
}
