package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/mutation"
	"fakepi.example/internal/mutation/active"
	"fakepi.example/scenarios"
)

// errTests says that tests prove nothing.
var errTests = errors.New("the engine's tests fail with all mutants off")

// drive has the mutants played and reports what became of them.
func drive(ctx context.Context, o options, out, progress io.Writer) error {
	begun := time.Now()
	reasons, err := readExplained(explanations)
	if err != nil {
		return err
	}
	known, err := openFates(o.fates)
	if err != nil {
		return err
	}
	defer known.close()
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
	s := &session{options: o, built: b, reach: reach, reasons: reasons, kills: map[string]int{}, fates: known, progress: progress}
	s.choose()
	if err := s.play(ctx); err != nil {
		return err
	}
	return s.report(out, time.Since(begun))
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
	return slices.Sorted(maps.Keys(left))
}

// coverage is what plays with all mutants off came to, in each dialect.
type coverage map[native.Dialect]*covered

type covered struct {
	by      map[int][]string // the scenarios in which a mutant does otherwise
	digests conformance.Digests
}

// cover has every scenario played with all mutants off.
func cover(ctx context.Context, o options, b *built) (coverage, error) {
	all, err := scenarios.Load()
	if err != nil {
		return nil, err
	}
	c := coverage{}
	var questions []probe
	for _, d := range scenarios.Dialects() {
		c[native.Dialect(d)] = &covered{by: map[int][]string{}, digests: conformance.Digests{}}
		for i := range all {
			questions = append(questions, probe{all[i].ID, native.Dialect(d)})
		}
	}
	take := func(q *probe, r reached) error {
		in := c[q.Dialect]
		for _, m := range r.Mutants {
			in.by[m] = append(in.by[m], q.Scenario)
		}
		maps.Copy(in.digests, r.Digests)
		return nil
	}
	silent := func(q *probe) error { return fmt.Errorf("%s in %s: %w", q.Scenario, q.Dialect, errSilent) }
	return c, pool(ctx, o.jobs, b.command(playCoverage), each(questions), take, silent)
}

// each returns the elements of a list, one a call, and then nil.
func each[E any](list []E) func() *E {
	return func() *E {
		if len(list) == 0 {
			return nil
		}
		e := &list[0]
		list = list[1:]
		return e
	}
}

// session is one run over mutants.
type session struct {
	options
	*built
	reach    coverage
	reasons  explained
	chosen   []int
	kills    map[string]int // by scenario
	fates    *fates
	played   int
	progress io.Writer
}

// choose draws the mutants that are played. The draw goes by their ids, so that a sample stays the same, as far as can be,
// when the engine changes; what of it is known to live is left out.
func (s *session) choose() {
	drawn := map[int]uint64{}
	for i := range s.mutants {
		id := s.mutants[i].ID()
		if strings.Contains(s.mutants[i].Place+" "+id, s.only) {
			h := fnv.New64a()
			fmt.Fprintf(h, "%d %s", s.seed, id)
			s.chosen, drawn[i] = append(s.chosen, i), h.Sum64()
		}
	}
	if s.sample == 0 {
		return
	}
	slices.SortFunc(s.chosen, func(a, b int) int { return cmp.Compare(drawn[a], drawn[b]) })
	s.chosen = s.chosen[:min(s.sample, len(s.chosen))]
	s.chosen = slices.DeleteFunc(s.chosen, func(i int) bool { return s.reasons[s.mutants[i].ID()] != "" })
	slices.Sort(s.chosen)
}

// play plays what was chosen and is not known to be killed.
func (s *session) play(ctx context.Context) error {
	if s.withTests {
		own := player{tests: s.tests}
		if failed, err := own.failsTests(ctx, active.None); failed || err != nil {
			return errors.Join(errTests, err)
		}
	}
	left := slices.DeleteFunc(slices.Clone(s.chosen), func(m int) bool { return s.fates.by[s.mutants[m].ID()].By != "" })
	questions := each(left)
	next := func() *task {
		m := questions()
		if m == nil {
			return nil
		}
		return &task{Mutant: *m, By: s.killers(*m), Deep: s.reasons[s.mutants[*m].ID()] == ""}
	}
	take := func(t *task, f fate) error { return s.take(t, f, len(left)) }
	silent := func(t *task) error { return s.take(t, fate{By: byEnd}, len(left)) }
	var extra []string
	if s.withTests {
		extra = []string{"-engine-tests", s.tests}
	}
	return pool(ctx, s.jobs, s.command(playMutants, extra...), next, take, silent)
}

// take notes what became of a mutant, and tells of one that lives.
func (s *session) take(t *task, f fate, total int) error {
	m := &s.mutants[t.Mutant]
	f.ID = m.ID()
	if f.By == byJudge {
		s.kills[strings.TrimSuffix(f.Case, conformance.TwinSuffix)]++
	}
	s.played++
	clear := ""
	if s.terminal {
		clear = clearLine
	}
	if f.By == "" && s.reasons[f.ID] == "" {
		fmt.Fprintf(s.progress, "%sLIVES %s %s\n", clear, m.Place, f.ID)
	}
	switch {
	case !s.terminal:
	case s.played == total:
		fmt.Fprint(s.progress, clear)
	default:
		fmt.Fprintf(s.progress, "%s%d of %d mutants", clear, s.played, total)
	}
	return s.fates.add(f)
}

// killers lists the scenarios in which a mutant does otherwise, those first that have killed most.
func (s *session) killers(m int) []killers {
	var list []killers
	for _, d := range scenarios.Dialects() {
		in := s.reach[native.Dialect(d)]
		k := killers{native.Dialect(d), slices.Clone(in.by[m]), conformance.Digests{}}
		slices.SortStableFunc(k.Scenarios, func(a, b string) int { return cmp.Compare(s.kills[b], s.kills[a]) })
		for _, id := range k.Scenarios {
			for _, id := range []string{id, id + conformance.TwinSuffix} {
				if digests := in.digests[id]; digests != nil {
					k.Digests[id] = digests
				}
			}
		}
		if len(k.Scenarios) > 0 {
			list = append(list, k)
		}
	}
	return list
}
