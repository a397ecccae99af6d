package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/mutation"
	"fakepi.example/mutation/active"
	"fakepi.example/scenarios"
)

// errLives says that something lives that is not explained, or is explained that does not live.
var errLives = errors.New("not all mutants are killed or explained")

// errTests says that tests prove nothing.
var errTests = errors.New("the engine's tests fail with all mutants off")

// maxExplained is which part of the mutants may be explained.
const maxExplained = 0.1

// drive has the mutants played and reports what became of them.
func drive(ctx context.Context, o options, w io.Writer) error {
	begun := time.Now()
	reasons, err := readExplained(explanations)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := build(ctx, dir)
	if err != nil {
		return err
	}
	if stale := reasons.unknown(b.mutants); len(stale) > 0 {
		return fmt.Errorf("%w: %s explains what there is no more:\n%s", errLives, explanations, strings.Join(stale, "\n"))
	}
	reach, err := cover(ctx, o, b)
	if err != nil {
		return err
	}
	s := &session{options: o, built: b, reach: reach, reasons: reasons, kills: map[string]int{}, fates: map[int]string{}}
	if err := s.play(ctx); err != nil {
		return err
	}
	return s.report(w, time.Since(begun))
}

// unknown lists explanations of mutants that there are not.
func (e explained) unknown(all []mutation.Mutant) []string {
	left := map[string]bool{}
	for id := range e {
		left[id] = true
	}
	for i := range all {
		delete(left, all[i].ID())
	}
	var ids []string
	for id := range left {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// coverage is which scenarios reach each mutant, in each dialect.
type coverage map[int]map[native.Dialect][]string

// cover has every scenario played with all mutants off.
func cover(ctx context.Context, o options, b *built) (coverage, error) {
	all, err := scenarios.Load()
	if err != nil {
		return nil, err
	}
	var questions []probe
	for _, d := range scenarios.Dialects() {
		for i := range all {
			questions = append(questions, probe{all[i].ID, native.Dialect(d)})
		}
	}
	next := func() *probe {
		if len(questions) == 0 {
			return nil
		}
		q := questions[0]
		questions = questions[1:]
		return &q
	}
	c := coverage{}
	take := func(_ *probe, r reached) {
		for _, m := range r.Mutants {
			if c[m] == nil {
				c[m] = map[native.Dialect][]string{}
			}
			c[m][r.Dialect] = append(c[m][r.Dialect], r.Scenario)
		}
	}
	var lost error
	silent := func(q *probe) { lost = fmt.Errorf("%s in %s: %w", q.Scenario, q.Dialect, errSilent) }
	err = pool(ctx, o.jobs, b.player, "coverage", next, take, silent)
	return c, errors.Join(err, lost)
}

// session is one run over mutants.
type session struct {
	options
	*built
	reach   coverage
	reasons explained
	chosen  []int
	kills   map[string]int // by scenario
	fates   map[int]string // by mutant: what killed it
}

// Fates of mutants beside the id of a case.
const (
	byTests = "the engine's tests"
	stopped = "it did not answer"
)

// choose draws the mutants that are played. A sample leaves those out that are known to live.
func (s *session) choose() {
	for i := range s.mutants {
		id := s.mutants[i].ID()
		if _, known := s.reasons[id]; (s.sample == 0 || !known) && strings.Contains(id, s.only) {
			s.chosen = append(s.chosen, i)
		}
	}
	if s.sample > 0 && s.sample < len(s.chosen) {
		random := rand.New(rand.NewPCG(s.seed, 0))
		random.Shuffle(len(s.chosen), func(i, j int) { s.chosen[i], s.chosen[j] = s.chosen[j], s.chosen[i] })
		s.chosen = s.chosen[:s.sample]
		slices.Sort(s.chosen)
	}
}

// play plays the mutants that are reached, and has the engine's tests play what lives.
func (s *session) play(ctx context.Context) error {
	s.choose()
	left := slices.DeleteFunc(slices.Clone(s.chosen), func(m int) bool { return s.reach[m] == nil })
	next := func() *task {
		if len(left) == 0 {
			return nil
		}
		m := left[0]
		left = left[1:]
		return &task{Mutant: m, By: s.killers(m)}
	}
	take := func(_ *task, f fate) {
		if f.Case != "" {
			s.fates[f.Mutant] = f.Case
			s.kills[strings.TrimSuffix(f.Case, "~twin")]++
		}
	}
	silent := func(t *task) { s.fates[t.Mutant] = stopped }
	if err := pool(ctx, s.jobs, s.player, "mutants", next, take, silent); err != nil || !s.options.tests {
		return err
	}
	if s.failsTests(ctx, active.None) {
		return errTests
	}
	for _, m := range s.chosen {
		if _, dead := s.fates[m]; dead || s.reasons[s.mutants[m].ID()] != "" {
			continue
		}
		if s.failsTests(ctx, m) {
			s.fates[m] = byTests
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// killers lists the scenarios that reach a mutant: those first that have killed most, then those that few others reach.
func (s *session) killers(m int) []killers {
	var list []killers
	for _, d := range scenarios.Dialects() {
		k := killers{native.Dialect(d), slices.Clone(s.reach[m][native.Dialect(d)])}
		slices.SortStableFunc(k.Scenarios, func(a, b string) int { return cmp.Compare(s.kills[b], s.kills[a]) })
		if len(k.Scenarios) > 0 {
			list = append(list, k)
		}
	}
	return list
}

// testTime is how long the tests may take, which take seconds with all mutants off.
const testTime = 3 * time.Minute

// failsTests reports whether the engine's own tests fail with a mutant.
func (s *session) failsTests(ctx context.Context, m int) bool {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.built.tests, "-test.failfast", "-test.short")
	cmd.Dir = enginePackage
	cmd.Env = append(os.Environ(), active.Variable+"="+strconv.Itoa(m))
	return cmd.Run() != nil
}

// report tells what became of the mutants; its error says that this is not good enough.
func (s *session) report(w io.Writer, took time.Duration) error {
	var killed, tested, halted, unreached int
	var lives, stale []string
	known := 0
	for _, m := range s.chosen {
		mutant := &s.mutants[m]
		reason := s.reasons[mutant.ID()]
		if s.reach[m] == nil {
			unreached++
		}
		switch f := s.fates[m]; {
		case f != "" && reason != "":
			stale = append(stale, mutant.ID()+" (killed by "+f+")")
		case f == byTests:
			tested++
		case f == stopped:
			halted++
		case f != "":
			killed++
		case reason != "":
			known++
		default:
			lives = append(lives, mutant.ID()+"\n\t"+mutant.Place)
		}
	}
	fmt.Fprintf(w, "%d mutants of %s, %d played, %d of them reached by no scenario\n", len(s.mutants), enginePackage, len(s.chosen), unreached)
	fmt.Fprintf(w, "killed: %d by scenarios, %d more by %s, %d did not come to an end\n", killed, tested, byTests, halted)
	fmt.Fprintf(w, "live: %d explained, %d not; %s\n", known, len(lives), took.Round(time.Second))
	for _, id := range lives {
		fmt.Fprintln(w, "LIVES", id)
	}
	for _, id := range stale {
		fmt.Fprintln(w, "EXPLAINED, and killed:", id)
	}
	if float64(len(s.reasons)) > maxExplained*float64(len(s.mutants)) {
		return fmt.Errorf("%w: %d of %d are explained, and at most a tenth may be", errLives, len(s.reasons), len(s.mutants))
	}
	if len(lives)+len(stale) > 0 {
		return errLives
	}
	return nil
}
