package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// Violation is one broken invariant.
type Violation struct {
	Requirement string        // that it is charged to
	Sort        string        // what kind of mistake it is
	Crash       bool          // the subject failed to answer at all, which proves nothing about its judgement
	At          time.Duration // on Mono
	Worker      string
	Expected    string
	Actual      string
	Event       int // number of the first record of the history that should have been otherwise
}

// finding is a violation before it is charged.
type finding struct {
	said     watchdog.VerdictName // what the subject claimed, if that matters
	of       string               // the requirement, where it is the only one that this breaks; empty: the table of charges tells
	expected string
	actual   string
}

// blame records a finding that concerns no single worker.
func (o *Oracle) blame(s sort, f finding) { o.charge(s, nil, "", f) }

// blame records a finding about a worker, once for each sort and phase.
func (w *worker) blame(s sort, f finding) {
	b := blamed{s, w.truth.Phase, f.said, f.of}
	if slices.Contains(w.blamed, b) {
		return
	}
	w.blamed = append(w.blamed, b)
	w.o.charge(s, w, w.truth.Phase, f)
}

// isBlamed reports whether a mistake was already found in this phase.
func (w *worker) isBlamed(s sort, said watchdog.VerdictName) bool {
	return slices.Contains(w.blamed, blamed{sort: s, phase: w.truth.Phase, said: said})
}

// blamed is what a worker's later findings are compared with, so that one mistake is reported once.
type blamed struct {
	sort  sort
	phase watchdog.VerdictName
	said  watchdog.VerdictName
	of    string
}

func (o *Oracle) charge(s sort, w *worker, phase watchdog.VerdictName, f finding) {
	v := Violation{
		Sort: s.String(), Crash: s == crash, At: o.now.Mono,
		Expected: f.expected, Actual: f.actual, Event: o.event,
	}
	if w != nil {
		v.Worker = w.id
	}
	if v.Requirement = f.of; f.of == "" {
		v.Requirement = o.requirement(s, w, phase, f.said)
	}
	o.found = append(o.found, v)
}

// crash records that the subject failed in Step; the history cannot be judged further.
func (o *Oracle) crash(err error) {
	o.crashed = true
	o.blame(crash, finding{expected: "a decision, whatever the workers wrote", actual: err.Error()})
}

// spin records that the subject asks to be stepped, or commands, without end though nothing happens.
func (o *Oracle) spin() {
	o.crashed = true
	o.blame(awake, finding{
		expected: "wake-ups that let time pass, and commands in answer to something",
		actual:   fmt.Sprintf("steps and commands without end at %s", o.now.Mono),
	})
}

// contract checks the form of a decision.
func (o *Oracle) contract(s *trace.Step) {
	d := &s.Decision
	if d.Wake != 0 && d.Wake < s.Now.Mono {
		o.blame(awake, finding{
			expected: fmt.Sprintf("a wake-up at %s or later", s.Now.Mono),
			actual:   fmt.Sprintf("a wake-up at %s", d.Wake),
		})
	}
}

func quote(s string) string { return strconv.Quote(s) }

// describe names a command for people.
func describe(c *watchdog.Command) string {
	return string(c.Kind) + " for " + quote(c.Worker) + " because of " + reason(c.Cause)
}

func reason(c watchdog.Cause) string {
	return orNone(c.Name) + " (phase " + orNone(c.Phase) + ", limit " + orNone(c.Limit) + ")"
}

func orNone[T ~string](s T) string {
	if s == "" {
		return "none"
	}
	return string(s)
}

// spell names a verdict for people.
func spell(v *watchdog.Verdict) string {
	if v.Name == "" {
		return "no verdict"
	}
	return fmt.Sprintf("%s %s", v.Name, v.Status)
}
