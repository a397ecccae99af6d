package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/explore"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
)

// Status is how a case ended.
type Status string

// The statuses, from best to worst as far as an exit code is concerned.
const (
	Pass          Status = "pass"
	NotApplicable Status = "not_applicable" // it needs a feature or dialect that the subject does not declare
	KnownFailure  Status = "known_failure"  // it fails, and that was listed
	Warn          Status = "warn"           // a SHOULD was missed
	Inconclusive  Status = "inconclusive"
	Untestable    Status = "untestable" // a prerequisite is missing, or a declared feature was not served
	Fail          Status = "fail"
	HarnessError  Status = "harness_error" // the suite or the start of the subject failed
)

// Statuses lists the statuses in the order in which a report counts them.
func Statuses() []Status {
	return []Status{Pass, Warn, Fail, Untestable, NotApplicable, KnownFailure, Inconclusive, HarnessError}
}

// Result is what a run came to. It holds nothing of the time of day, the host or its paths.
type Result struct {
	Suite   string
	Subject string
	Poll    time.Duration
	Profile string // empty: all
	Pattern string // of the cases' ids; empty: all
	Dialect string
	Seed    uint64
	Explore Exploration
	Shard   Shard  // zero: the whole
	Most    int    // histories of one case that were played at most
	Digest  string // SHA-256 of all that follows, in hexadecimal

	Cases     []CaseResult // in the order of the matrix
	Counts    map[Status]int
	Scenarios int // that were played, twins not counted
	Histories int
	Events    int
	Span      time.Duration // virtual time of all histories
	Capped    int           // cases that have more histories than were played

	Requirements []Tally // in the order of the set, those that a case tests or a failure names
	Families     []Tally
	Stale        []Known // listed failures that did not happen
}

// CaseResult is what one scenario or twin came to.
type CaseResult struct {
	ID        string // with "~twin" for a twin
	Title     string
	Family    string
	Requires  []string
	Status    Status
	Reason    string // of a status that is neither pass nor fail
	Histories int
	Events    int
	Span      time.Duration // virtual time of its histories
	Capped    bool          // there are more of them
	Reach     explore.Reach // how far they go
	Verdicts  []string      // what the subject said in the base history, in order: "w1 slow_first_token suspected"
	Acts      []string      // what it did there, in order: "w1 abort"
	Failures  []Failure
	Digest    string // SHA-256 of its histories, in hexadecimal
}

// Failure is one broken requirement in one case.
type Failure struct {
	Requirement string
	Level       requirements.Level
	Mistake     string        // what kind of mistake it is
	Crash       bool          // the subject failed to answer, which says nothing about its judgement
	At          time.Duration // on Mono
	Worker      string
	Expected    string
	Actual      string
	Event       int     // number of the first record of the history that should have been otherwise
	Timeline    string  // what happened around it
	Token       string  // replays the history
	Shrunk      *Shrunk // a smaller history that fails in the same way; nil: none was looked for, or found. Not part of the digest
	Known       bool
}

// Tally counts the cases of a requirement or a family.
type Tally struct {
	Name   string
	Cases  int // that test it
	Passed int
	Warned int
	Failed int
}

// Known is a failure that is accepted for now.
type Known struct{ Case, Requirement string }

// collect adds up the cases of a run.
func (r *Result) collect(set *requirements.Set) {
	r.Counts = map[Status]int{}
	seen := map[string]bool{}
	for i := range r.Cases {
		c := &r.Cases[i]
		r.Counts[c.Status]++
		r.Histories += c.Histories
		r.Events += c.Events
		r.Span += c.Span
		if c.Capped {
			r.Capped++
		}
		if id := scenarioOf(c.ID); c.Histories > 0 && id != memoryCase && !seen[id] {
			seen[id] = true
			r.Scenarios++
		}
	}
	r.Counts[Fail] += len(r.Stale)
	r.tallyRequirements(set)
	r.tallyFamilies()
	r.Digest = r.sum()
}

// judged reports whether a case was played to a judgement.
func (c *CaseResult) judged() bool {
	return c.Status == Pass || c.Status == Warn || c.Status == Fail || c.Status == KnownFailure
}

func (c *CaseResult) breaks(requirement string) bool {
	return slices.ContainsFunc(c.Failures, func(f Failure) bool { return f.Requirement == requirement })
}

func (r *Result) tallyRequirements(set *requirements.Set) {
	for _, req := range set.All() {
		t := Tally{Name: req.ID}
		for i := range r.Cases {
			c := &r.Cases[i]
			broken := c.breaks(req.ID)
			if !c.judged() || !broken && !slices.Contains(c.Requires, req.ID) {
				continue
			}
			t.add(broken, req.Level)
		}
		if t.Cases > 0 {
			r.Requirements = append(r.Requirements, t)
		}
	}
}

func (t *Tally) add(broken bool, level requirements.Level) {
	t.Cases++
	switch {
	case !broken:
		t.Passed++
	case level == requirements.Should:
		t.Warned++
	default:
		t.Failed++
	}
}

func (r *Result) tallyFamilies() {
	for _, f := range scenarios.Families() {
		t := Tally{Name: f.Code}
		for i := range r.Cases {
			c := &r.Cases[i]
			if c.Family != f.Code || !c.judged() {
				continue
			}
			t.Cases++
			switch c.Status {
			case Warn:
				t.Warned++
			case Fail:
				t.Failed++
			default:
				t.Passed++
			}
		}
		if t.Cases > 0 {
			r.Families = append(r.Families, t)
		}
	}
}

// sum is the digest of the results: of every history, and of what was found in it.
func (r *Result) sum() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n%s\n", r.Suite, r.Dialect, r.Seed, r.Profile)
	for i := range r.Cases {
		c := &r.Cases[i]
		fmt.Fprintf(h, "%s %s %d %d %s\n", c.ID, c.Status, c.Histories, c.Events, c.Digest)
		for _, f := range c.Failures {
			fmt.Fprintf(h, "%s %s %d %q %q\n", f.Requirement, f.Mistake, f.Event, f.Expected, f.Actual)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ExitCode is what a command that ran the suite returns: 0 ok, 1 failed, 2 inconclusive, 3 harness error.
func (r *Result) ExitCode() int {
	switch {
	case r.Counts[HarnessError] > 0 || len(r.Cases) == 0:
		return 3
	case r.Counts[Fail]+r.Counts[Untestable] > 0:
		return 1
	case r.Counts[Inconclusive] > 0:
		return 2
	}
	return 0
}
