// Package report renders what a run of the suite came to: as text for people, as one JSON object for programs, and as
// files.
package report

import (
	"time"

	"fakepi.example/conformance"
	"fakepi.example/conformance/requirements"
)

// Report is a result with what is needed to explain it.
type Report struct {
	Result *conformance.Result
	Set    *requirements.Set // the sentences of the requirements
	Wall   time.Duration     // real time that the run took
}

// outcome is the result in one word.
func (r Report) outcome() string {
	switch r.Result.ExitCode() {
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

// sentence is what a requirement says, for a failure charged to it.
func (r Report) sentence(id string) string {
	req, ok := r.Set.Lookup(id)
	if !ok {
		return "not a requirement of this set"
	}
	return req.Sentence()
}
