package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/explore"
	"fakepi.example/internal/conformance/requirements"
)

// Read reads what JSON has written: the result, without its tallies, and the real time that the run took.
func Read(r io.Reader) (*conformance.Result, time.Duration, error) {
	var d document
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return nil, 0, fmt.Errorf("no report of piconform run --json: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, 0, fmt.Errorf("no report of piconform run --json: something stands behind its object, which ends at byte %d", dec.InputOffset())
	}
	shard, err := conformance.ParseShard(d.Shard)
	if err != nil {
		return nil, 0, err
	}
	res := &conformance.Result{
		Suite: d.Suite, Subject: d.Subject, Poll: duration(d.Poll / 1000), Profile: d.Profile, Pattern: d.Pattern, Dialect: d.Dialect, Seed: d.Seed,
		Explore: d.Explore, Most: d.Most, Shard: shard, Digest: d.Digest, Counts: d.Counts,
	}
	for i := range d.Cases {
		res.Cases = append(res.Cases, d.Cases[i].result(&d))
	}
	for _, k := range d.Stale {
		res.Stale = append(res.Stale, conformance.Known(k))
	}
	return res, duration(d.Wall), nil
}

// result is the case with its failures.
func (c *caseJSON) result(d *document) conformance.CaseResult {
	res := conformance.CaseResult{
		ID: c.ID, Title: c.Title, Family: c.Family, Requires: c.Requires, Status: c.Status, Reason: c.Reason,
		Histories: c.Histories, Events: c.Events, Span: duration(c.Virtual), Capped: c.Capped, Verdicts: c.Verdicts,
		Digest: c.Digest,
	}
	switch {
	case c.Reach != nil:
		res.Reach = explore.Reach{Deviations: c.Reach.Deviations, Beyond: c.Reach.Beyond}
	case c.Digest != "" && d.Explore != conformance.ExploreNone:
		res.Reach = explore.Reach{Complete: true}
	}
	for i := range d.Failures {
		if f := &d.Failures[i]; f.Case == c.ID {
			res.Failures = append(res.Failures, f.failure())
		}
	}
	return res
}

func (f *failureJSON) failure() conformance.Failure {
	g := conformance.Failure{
		Requirement: f.Requirement, Level: requirements.Level(f.Level), Mistake: f.Mistake, Crash: f.Crash, Known: f.Known,
		At: duration(f.At / 1000), Worker: f.Worker, Expected: f.Expected, Actual: f.Actual, Event: f.Event,
		Timeline: f.Timeline, Token: f.Token,
	}
	if s := f.Shrunk; s != nil {
		if token, err := conformance.ParseToken(s.Token); err == nil { // else another version has written it
			g.Shrunk = &conformance.Shrunk{Token: token, Steps: s.Steps, Choices: s.Choices}
		}
	}
	return g
}

func duration(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}
