package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
)

// Kind says what is expected of a mutant.
type Kind string

// The kinds of mutants.
const (
	Bad    Kind = "bad"    // made wrong in one way; must be killed
	Benign Kind = "benign" // different in a way that is allowed; must pass
)

// Mutant is a watchdog that proves something about the suite.
type Mutant struct {
	ID          string
	Kind        Kind
	Requirement string // that a bad one breaks
	Subject     Subject
	Dialect     native.Dialect // the only one in which it differs from what is right; empty: it does in all
	Why         string         // it does not in the others
}

// Kill is one finding against a mutant.
type Kill struct{ Case, Requirement string }

// MutantResult is what the matrix did to one mutant.
type MutantResult struct {
	ID          string
	Kind        Kind
	Requirement string
	KilledBy    []Kill // by assertions on its own requirement
	Further     []Kill // by assertions on others
	Crashes     int    // cases in which it failed to answer, which is no kill
	Unseen      string // why it cannot show in this dialect, in which it was not played; else empty
}

// Killed reports whether an assertion on the mutant's own requirement caught it.
func (m *MutantResult) Killed() bool { return len(m.KilledBy) > 0 }

// Flagged reports whether anything was found at all.
func (m *MutantResult) Flagged() bool { return len(m.KilledBy)+len(m.Further)+m.Crashes > 0 }

// Matrix is what a set of scenarios did to a set of mutants.
type Matrix struct {
	Mutants []MutantResult // in the order given
	Bad     int            // that were played
	Killed  int            // of the bad ones
	Benign  int
	Flagged int // of the benign ones
}

// Holds reports whether every bad mutant was killed and no benign one flagged.
func (m *Matrix) Holds() bool { return m.Bad == m.Killed && m.Flagged == 0 }

// mutantHistories is how many histories of a case a mutant is played in: what a mutant breaks shows in the base history,
// or in one near it.
const mutantHistories = 4

// ErrMutant is wrapped by the error about a mutant that cannot be judged.
var ErrMutant = errors.New("mutant")

// KillMatrix runs mutants through scenarios. A kill counts only by an assertion of the mutant's own requirement; a
// crash, a panic or a subject that does not start is none. SHOULDs count as well: a mutant may break one. The error
// wraps ErrMutant if a mutant is no mutant, or is one of Run. A mutant is played in fewer orders than a subject (o says
// how many; 0 = mutantHistories), and each history once. Scenarios for watchdogs that act are left out: these mutants are
// wrong in what they see and say.
func KillMatrix(ctx context.Context, mutants []Mutant, all []scenarios.Scenario, o Options) (*Matrix, error) {
	m := &Matrix{}
	o.defaultDialect()
	all = slices.DeleteFunc(slices.Clone(all), func(s scenarios.Scenario) bool { return s.Acts() })
	progress := o.Progress
	for i, mutant := range mutants {
		if err := mutant.check(); err != nil {
			return nil, err
		}
		if mutant.Dialect != "" && mutant.Dialect != o.Dialect {
			m.Mutants = append(m.Mutants, MutantResult{ID: mutant.ID, Kind: mutant.Kind, Requirement: mutant.Requirement, Unseen: mutant.Why})
			continue
		}
		if progress != nil {
			o.Progress = func(done, total int) { progress(i*total+done, len(mutants)*total) }
		}
		result, err := runMutant(ctx, mutant, all, o)
		if err != nil {
			return nil, fmt.Errorf("%w %s: %w", ErrMutant, mutant.ID, err)
		}
		m.add(result)
	}
	return m, nil
}

func (m *Mutant) check() error {
	switch {
	case m.Kind != Bad && m.Kind != Benign:
		return fmt.Errorf("%w %s: %q is no kind; it is %s or %s", ErrMutant, m.ID, m.Kind, Bad, Benign)
	case m.Kind == Bad && m.Requirement == "":
		return fmt.Errorf("%w %s: a bad one names the requirement that it breaks", ErrMutant, m.ID)
	case (m.Dialect == "") != (m.Why == ""):
		return fmt.Errorf("%w %s: one that shows in a single dialect says which, and why", ErrMutant, m.ID)
	}
	return nil
}

// runMutant plays a mutant through the matrix. A bad one is played in other orders only if the base histories let it live.
func runMutant(ctx context.Context, m Mutant, all []scenarios.Scenario, o Options) (MutantResult, error) {
	if o.Histories == 0 {
		o.Histories = mutantHistories
	}
	if m.Kind == Bad {
		base := o
		base.Histories = 1
		if result, err := playMutant(ctx, m, all, base); err != nil || result.Killed() || o.Histories == 1 {
			return result, err
		}
	}
	return playMutant(ctx, m, all, o)
}

func playMutant(ctx context.Context, m Mutant, all []scenarios.Scenario, o Options) (MutantResult, error) {
	result := MutantResult{ID: m.ID, Kind: m.Kind, Requirement: m.Requirement}
	cases, err := choose(all, o)
	if err != nil {
		return result, err
	}
	r, err := newRunner(m.Subject, o)
	if err != nil {
		return result, err
	}
	r.terse, r.memory = true, m.Requirement == memoryRequirement
	run, err := r.run(ctx, cases)
	if err != nil {
		return result, err
	}
	for i := range run.Cases {
		result.take(&run.Cases[i])
	}
	return result, nil
}

// take adds what one case found.
func (m *MutantResult) take(c *CaseResult) {
	if c.Status == HarnessError {
		m.Crashes++
	}
	for _, f := range c.Failures {
		k := Kill{c.ID, f.Requirement}
		switch {
		case f.Crash:
			m.Crashes++
		case f.Requirement == m.Requirement && m.Kind == Bad:
			m.KilledBy = appendOnce(m.KilledBy, k)
		default:
			m.Further = appendOnce(m.Further, k)
		}
	}
}

func appendOnce(ks []Kill, k Kill) []Kill {
	if slices.Contains(ks, k) {
		return ks
	}
	return append(ks, k)
}

func (m *Matrix) add(r MutantResult) {
	m.Mutants = append(m.Mutants, r)
	switch {
	case r.Kind == Bad:
		m.Bad++
		if r.Killed() {
			m.Killed++
		}
	default:
		m.Benign++
		if r.Flagged() {
			m.Flagged++
		}
	}
}

// Duplicate is a pair of cases of one requirement, of two scenarios, of which one would do.
type Duplicate struct{ Requirement, First, Second string }

// Duplicates finds cases that test the same requirement, let the same subject say the same and kill the same mutants:
// they count once. The result is that of a right subject, with the matrix of the same scenarios.
func Duplicates(r *Result, m *Matrix) []Duplicate {
	kills := map[string][]string{}
	for _, mutant := range m.Mutants {
		for _, k := range slices.Concat(mutant.KilledBy, mutant.Further) {
			kills[k.Case] = append(kills[k.Case], mutant.ID+" "+k.Requirement)
		}
	}
	var found []Duplicate
	for i := range r.Cases {
		for j := i + 1; j < len(r.Cases); j++ {
			a, b := &r.Cases[i], &r.Cases[j]
			if !a.judged() || !b.judged() || scenarioOf(a.ID) == scenarioOf(b.ID) || !slices.Equal(a.Verdicts, b.Verdicts) || !slices.Equal(kills[a.ID], kills[b.ID]) {
				continue
			}
			for _, id := range a.Requires {
				if slices.Contains(b.Requires, id) {
					found = append(found, Duplicate{id, a.ID, b.ID})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b Duplicate) int {
		return cmp.Or(cmp.Compare(a.Requirement, b.Requirement), cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	return found
}
