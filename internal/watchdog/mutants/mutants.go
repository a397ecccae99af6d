// Package mutants holds watchdogs that are wrong on purpose: the reference engine with one defect each, and benign
// variants that do nothing wrong. A suite that lets a bad one pass, or flags a benign one, proves nothing.
//
// The engine has no hooks for this. A mutant wraps it in lies: about the policy (policy.go), the clocks (instants.go),
// what was observed (observations.go), the lines of a stream (lines.go) or the durable state (states.go), and about what
// the engine said (decisions.go); or a forger answers commands in the world's place (forge.go). The tables of all mutants
// are table.go and, of those of recovery, acting.go.
package mutants

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// Kind says what a suite must make of a mutant.
type Kind string

// The kinds.
const (
	Bad    Kind = "bad"    // must be failed by an assertion on its own requirement
	Benign Kind = "benign" // must pass
)

// Mutant is one watchdog that is wrong, or only different.
type Mutant struct {
	ID          string
	Kind        Kind
	Requirement string // the one that it breaks, such as WDC-TOOL-001; empty for a benign one
	Doc         string // one sentence: the defect, with the public failure that it is modelled on in brackets
	New         func(watchdog.Boot) (watchdog.Watchdog, error)
	Acts        bool           // it is wrong in what it does, not in what it sees and says
	Dialect     native.Dialect // the only one whose workers show the defect; empty: all do
	Why         string         // the others do not
}

// All returns every mutant, in a fixed order. Watchdogs made by New share nothing.
func All() []Mutant {
	return slices.Concat(classics(), sources(), ends(), limits(), tools(), pauses(), owners(), reasons(), misspeakers(), keepers(), acting(), benigns())
}

func bad(id, requirement, doc string, lies ...lie) Mutant {
	return Mutant{ID: id, Kind: Bad, Requirement: requirement, Doc: doc, New: told(lies...)}
}

// only is a mutant whose defect shows in one dialect alone, and why.
func only(d native.Dialect, why string, m Mutant) Mutant {
	m.Dialect, m.Why = d, why
	return m
}

func benign(id, doc string, lies ...lie) Mutant {
	return Mutant{ID: id, Kind: Benign, Doc: doc, New: told(lies...)}
}
