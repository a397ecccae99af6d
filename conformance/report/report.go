// Package report renders what a run of the suite came to: as text for people, as one JSON object for programs, and as
// files.
package report

import (
	"slices"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/requirements"
)

// Report is a result with what is needed to explain it.
type Report struct {
	Result *conformance.Result
	Set    *requirements.Set       // the sentences of the requirements
	Wall   time.Duration           // real time that the run took
	Again  string                  // what the replay lines for people have behind the token, such as an adapter's command
	Before []*conformance.Replayed // histories that failed before and were played first, in which something is found still
}

// ExitCode is that of the result, or 1 if it found nothing and a history that failed before still fails.
func (r Report) ExitCode() int {
	code := r.Result.ExitCode()
	for _, b := range r.Before {
		if b.Case.Status == conformance.Fail && code != 3 {
			return 1
		}
	}
	return code
}

// outcome is the result in one word.
func (r Report) outcome() string {
	switch r.ExitCode() {
	case 0:
		return "PASSED"
	case 1:
		return "FAILED"
	case 2:
		return "INCONCLUSIVE"
	}
	return "HARNESS ERROR"
}

// rate is how much of something the run did in a second of real time.
func (r Report) rate(n float64) float64 {
	if r.Wall <= 0 {
		return 0
	}
	return n / r.Wall.Seconds()
}

// failure is a failure with the case in which it came up.
type failure struct {
	*conformance.Failure
	Case *conformance.CaseResult
}

func (r Report) failures() []failure {
	var all []failure
	for i := range r.Result.Cases {
		c := &r.Result.Cases[i]
		for j := range c.Failures {
			all = append(all, failure{&c.Failures[j], c})
		}
	}
	return all
}

// before lists the failures of histories that failed before, and that this run has not found itself.
func (r Report) before() []failure {
	var all []failure
	for _, b := range r.Before {
		for i := range b.Case.Failures {
			f := &b.Case.Failures[i]
			found := func(g failure) bool { return g.Token == f.Token && g.Requirement == f.Requirement }
			if !slices.ContainsFunc(r.failures(), found) {
				all = append(all, failure{f, &b.Case})
			}
		}
	}
	return all
}

// again is the line that plays a history again.
func (r Report) again(token string) string {
	line := replayLine(token)
	if r.Again != "" {
		line += " " + r.Again
	}
	return line
}

// sentence is what a requirement says, for a failure charged to it.
func (r Report) sentence(id string) string {
	req, ok := r.Set.Lookup(id)
	if !ok {
		return "not a requirement of this set"
	}
	return req.Sentence()
}
