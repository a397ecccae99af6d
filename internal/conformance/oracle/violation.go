package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// Violation is one broken invariant.
type Violation struct {
	Mistake     mistakes.Mistake
	Requirement string        // that it is charged to
	At          time.Duration // on Mono
	Worker      string
	Expected    string
	Actual      string
	Event       int // number of the first record of the history that should have been otherwise
}

// finding is a violation before it is charged.
type finding struct {
	said     watchdog.VerdictName // what the subject claimed, if that matters
	expected string
	actual   string
}

// blame records a finding that concerns no single worker.
func (o *Oracle) blame(m mistakes.Mistake, f finding) { o.charge(m, nil, f) }

// blame records a finding about a worker, once for each mistake and phase.
func (w *worker) blame(m mistakes.Mistake, f finding) {
	if w.isBlamed(m, f.said) {
		return
	}
	w.blamed = append(w.blamed, blamed{m, w.truth.Phase, f.said})
	w.o.charge(m, w, f)
}

// isBlamed reports whether a mistake was already found in this phase.
func (w *worker) isBlamed(m mistakes.Mistake, said watchdog.VerdictName) bool {
	return slices.Contains(w.blamed, blamed{m, w.truth.Phase, said})
}

// blamed is what a worker's later findings are compared with, so that one mistake is reported once.
type blamed struct {
	mistake mistakes.Mistake
	phase   watchdog.VerdictName
	said    watchdog.VerdictName
}

func (o *Oracle) charge(m mistakes.Mistake, w *worker, f finding) {
	v := Violation{Mistake: m, At: o.now.Mono, Expected: f.expected, Actual: f.actual, Event: o.event}
	c := mistakes.Circumstances{Said: f.said}
	if w != nil {
		v.Worker, c.Phase, c.Facts = w.id, w.truth.Phase, w.circumstances()
	}
	v.Requirement = mistakes.Charge(m, c, o.cfg.Requires)
	o.found = append(o.found, v)
}

// crash records that the subject failed in Step; the history cannot be judged further.
func (o *Oracle) crash(err error) {
	o.crashed = true
	o.blame(mistakes.Crash, finding{expected: "a decision, whatever the workers wrote", actual: err.Error()})
}

// spin records that the subject asks to be stepped, or commands, without end though nothing happens.
func (o *Oracle) spin() {
	o.crashed = true
	o.blame(mistakes.BadWake, finding{
		expected: "wake-ups that let time pass, and commands in answer to something",
		actual:   fmt.Sprintf("steps and commands without end at %s", o.now.Mono),
	})
}

// contract checks the form of a decision.
func (o *Oracle) contract(s *trace.Step) {
	d := &s.Decision
	if d.Wake != 0 && d.Wake < s.Now.Mono {
		o.blame(mistakes.BadWake, finding{
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
