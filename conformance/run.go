package conformance

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/scenarios"
)

// Options say what is run and how. The zero value runs all, with seed 0.
type Options struct {
	Profile   string // of scenarios.Profiles; core is in every other; empty: all
	CaseGlob  string // of ids, as path.Match takes it: "stall/*", "*/*~twin"; empty: all
	Seed      uint64 // of every id and text that the workers invent. Run plays 0 as it plays any other; Test draws one for 0
	Jobs      int    // cases played at once; 0 = one for each processor, and half as many more of an Isolated subject
	Dialect   native.Dialect
	Explore   Exploration // empty: bounded
	NoMemory  bool        // leave the measure of memory out
	Audit     bool        // play each history twice, not only the base histories: a difference is a failure
	Shard     Shard       // zero: all cases
	Histories int         // of one case at most; 0 = DefaultHistories, or FullHistories
	// More, if set, is asked after each round, with the histories of a case that were played at most and the cases that
	// have more, how many histories of a case may be played in all; not more than before ends the run. The result is that
	// of a run with the last number as Histories.
	More  func(histories, open int) int
	Known []Known // failures that are accepted; one that does not happen is itself a failure
	// Shrink is for how long smaller histories of what fails are looked for, behind the run: 0 = not. Test looks for them
	// behind each case that fails; there 0 = for two seconds, less = not.
	Shrink time.Duration

	Progress func(done, total int) // if set, called after each case, one call at a time

	agents map[string]world.Agent // further kinds of workers, by the names that spawns give them
}

// workers returns the kinds of workers that there are.
func (o *Options) workers() map[string]world.Agent {
	all := pi.Agents(o.Dialect)
	maps.Copy(all, o.agents)
	return all
}

// DrawSeed returns a seed by chance, never 0, so that no subject can know the ids and texts of the next run.
func DrawSeed() uint64 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	return max(1, uint64(binary.LittleEndian.Uint32(b[:])))
}

func (o *Options) defaults() {
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	o.defaultDialect()
}

func (o *Options) defaultDialect() {
	if o.Dialect == "" {
		o.Dialect = native.Dialect(scenarios.Dialects()[0])
	}
}

// Run plays the cases that the options ask for and judges them. The result does not depend on Jobs. An error is one of
// the options (ErrOptions), says that there is nothing to judge (ErrNoCases), or is the context's; whatever goes wrong
// inside a case is that case's status.
func Run(ctx context.Context, subject Subject, all []scenarios.Scenario, o Options) (*Result, error) {
	cases, err := choose(all, o)
	if err != nil && !(errors.Is(err, ErrNoCases) && o.CaseGlob != "" && o.measuresMemory()) {
		return nil, err
	}
	if err := checkKnown(o.Known, all); err != nil {
		return nil, err
	}
	r, err := newRunner(subject, o)
	if err != nil {
		return nil, err
	}
	r.memory = o.measuresMemory() && o.Shard.holds(0)
	if cases, err = o.Shard.of(cases); err != nil {
		return nil, err
	}
	return r.run(ctx, cases)
}

func newRunner(subject Subject, o Options) (*runner, error) {
	if subject == nil {
		return nil, fmt.Errorf("%w: the subject is nil; pass one whose Start returns your watchdog", ErrOptions)
	}
	if _, elsewhere := subject.(Isolated); elsewhere && o.Jobs <= 0 {
		o.Jobs = (3*runtime.GOMAXPROCS(0) + 1) / 2 // in a conversation one of the two always waits
	}
	o.defaults()
	if err := o.explores(); err != nil {
		return nil, err
	}
	set, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	if known := scenarios.Dialects(); !slices.Contains(known, string(o.Dialect)) {
		return nil, fmt.Errorf("%w: no dialect %q; known: %s", ErrOptions, o.Dialect, strings.Join(known, ", "))
	}
	r := &runner{subject: subject, poll: pollOf(subject), features: featuresOf(subject), set: set, opts: o}
	if r.poll < 0 || r.poll > MaxPoll {
		return nil, fmt.Errorf("%w: a poll of %s; it may be at most %s", ErrOptions, r.poll, MaxPoll)
	}
	return r, nil
}

func (r *runner) run(ctx context.Context, cases []matchCase) (*Result, error) {
	result := &Result{
		Suite: Version, Subject: r.subject.Name(), Poll: r.poll, Profile: r.opts.Profile, Pattern: r.opts.CaseGlob, Dialect: string(r.opts.Dialect),
		Seed: r.opts.Seed, Explore: r.opts.Explore, Shard: r.opts.Shard,
	}
	if err := ctx.Err(); err != nil {
		return nil, &Interrupted{cause: err}
	}
	played, err := r.playRounds(ctx, cases)
	if err != nil {
		return nil, err
	}
	result.Most = r.opts.Histories
	result.Cases = played
	if r.memory {
		result.Cases = append(result.Cases, r.playMemory())
	}
	result.Stale = r.accept(result.Cases)
	r.shrinkAll(ctx, result.Cases, cases)
	result.collect(r.set)
	return result, nil
}

// checkKnown finds listed failures that can never happen, since there is no such case or requirement.
func checkKnown(known []Known, all []scenarios.Scenario) error {
	if len(known) == 0 {
		return nil
	}
	set, err := requirements.Load()
	if err != nil {
		return err
	}
	ids := []string{memoryCase}
	for _, c := range allCases(all) {
		ids = append(ids, c.id)
	}
	for _, k := range known {
		if !slices.Contains(ids, k.Case) {
			return fmt.Errorf("%w: known failure of case %q: there is no such case; piconform list prints them", ErrOptions, k.Case)
		}
		if _, ok := set.Lookup(k.Requirement); !ok {
			return fmt.Errorf("%w: known failure of %s: there is no requirement %q; piconform explain prints them", ErrOptions, k.Case, k.Requirement)
		}
	}
	return nil
}

// runner plays cases.
type runner struct {
	subject  Subject
	poll     time.Duration
	features []string
	set      *requirements.Set
	opts     Options
	memory   bool                   // measure memory, last of all
	terse    bool                   // failures without timeline and token
	hangs    atomic.Pointer[string] // the case in which the subject hangs
}

// counter returns a function that reports one more of total cases as played.
func (r *runner) counter(total int) func() {
	if r.opts.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		r.opts.Progress(done, total)
	}
}

// accept marks the failures that were listed, and returns those listed that did not happen.
func (r *runner) accept(results []CaseResult) (stale []Known) {
	used := make([]bool, len(r.opts.Known))
	for i := range results {
		c := &results[i]
		for j := range c.Failures {
			f := &c.Failures[j]
			k := slices.Index(r.opts.Known, Known{c.ID, f.Requirement})
			if k >= 0 {
				used[k], f.Known = true, true
			}
		}
		c.rate()
	}
	for k, ok := range used {
		if !ok {
			stale = append(stale, r.opts.Known[k])
		}
	}
	return stale
}
