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
	Acts        bool   // wrong in what it does: it meets the scenarios for watchdogs that act
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
	Unseen      string // why it was not played: it cannot show in this dialect, or no case is left for it; else empty
}

// Killed reports whether an assertion on the mutant's own requirement caught it.
func (m *MutantResult) Killed() bool { return len(m.KilledBy) > 0 }

// Flagged reports whether anything was found at all.
func (m *MutantResult) Flagged() bool { return len(m.KilledBy)+len(m.Further)+m.Crashes > 0 }

// Matrix is what a set of scenarios did to a set of mutants.
type Matrix struct {
	Mutants   []MutantResult // in the order given
	Bad       int            // that were played
	Killed    int            // of the bad ones
	Benign    int            // that were played
	Flagged   int            // of the benign ones
	Canary    Canary
	FirstKill bool // mutants were left at their first kill
}

// Holds reports whether every bad mutant was killed and no benign one flagged, and the canary heard wherever it should be.
func (m *Matrix) Holds() bool {
	return m.Bad == m.Killed && m.Flagged == 0 && len(m.Canary.Passed) == 0
}

// MatrixOptions say how mutants are played.
type MatrixOptions struct {
	Options // Histories: of one case of a benign mutant, or of a bad one that its base histories let live; 0 = a few
	// FirstKill leaves a mutant once it is known for what it is; what else would kill it, or is broken by it, is then not
	// known. Benign ones are played in base histories alone.
	FirstKill bool
}

// ErrMutant is wrapped by the error about a mutant that cannot be judged.
var ErrMutant = errors.New("mutant")

// KillMatrix runs mutants through scenarios. A kill counts only by an assertion of the mutant's own requirement; a
// crash, a panic or a subject that does not start is none. SHOULDs count as well: a mutant may break one. The error
// wraps ErrMutant if a mutant is no mutant, or is one of Run. Mutants of watching meet the scenarios for watchdogs that
// watch, those of recovery the scenarios for watchdogs that act, benign ones both. A mutant that no case is left for is
// not played. Each history is played once; o.Jobs mutants are played at once, and the result does not depend on it.
func KillMatrix(ctx context.Context, mutants []Mutant, all []scenarios.Scenario, o MatrixOptions) (*Matrix, error) {
	o.defaults()
	for _, m := range mutants {
		if err := m.check(); err != nil {
			return nil, err
		}
	}
	m := &Matrix{FirstKill: o.FirstKill}
	var err error
	if m.Canary, err = playCanary(ctx, all, o.Options); err != nil {
		return nil, err
	}
	results, err := tryAll(ctx, mutants, all, o)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		m.add(r)
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

func (m *Matrix) add(r MutantResult) {
	m.Mutants = append(m.Mutants, r)
	switch {
	case r.Unseen != "":
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

// same reports whether the subject said and did the same in two cases.
func (c *CaseResult) same(d *CaseResult) bool {
	return slices.Equal(c.Verdicts, d.Verdicts) && slices.Equal(c.Acts, d.Acts)
}

// Duplicates finds cases that test the same requirement, let the same subject say and do the same and kill the same mutants:
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
			if !a.judged() || !b.judged() || scenarioOf(a.ID) == scenarioOf(b.ID) || !a.same(b) || !slices.Equal(kills[a.ID], kills[b.ID]) {
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
