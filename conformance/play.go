package conformance

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// maxFailures is how many failures of one case are told with their timelines.
const maxFailures = 8

// history is one played history.
type history struct {
	summary    world.Summary
	violations []oracle.Violation
	claims     *claims // what was said and done
	digest     [sha256.Size]byte
	unanswered bool // the subject broke off
}

// playOne plays the history of one vector of choices. It does so on a goroutine of its own, since a subject may never come
// back from a step, or end the goroutine on which it is stepped, as t.Fatal does. Behind one that hangs nothing is played.
func (r *runner) playOne(c *matchCase, vector []int, more ...trace.Sink) (*history, error) {
	if where := r.hangs.Load(); where != nil {
		return nil, fmt.Errorf("%s still hangs in %s, so that no other history is played", r.subject.Name(), *where)
	}
	var h *history
	err := fmt.Errorf("%s has ended the goroutine on which it was stepped; it must not call t.Fatal there, nor runtime.Goexit", r.subject.Name())
	var alive pulse
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h, err = r.simulate(c, vector, append(more, &alive)...)
	}()
	if !alive.await(ended) {
		r.hangs.Store(&c.id)
		return nil, fmt.Errorf("%s hangs: it has not come back from a step for %s of real time", r.subject.Name(), patience)
	}
	return h, err
}

// simulate has a world play the history of one vector of choices.
func (r *runner) simulate(c *matchCase, vector []int, more ...trace.Sink) (*history, error) {
	w, err := world.New(world.Config{
		Steps: c.steps(), Files: c.scenario.Files, Policy: c.scenario.Policy, Seed: r.opts.Seed, Agents: r.opts.workers(),
		Poll: r.poll, Horizon: c.horizon() + r.delay(c), Renames: renames(c.scenario),
		Recovery: c.recovery,
	})
	if err != nil {
		return nil, err
	}
	judge := oracle.New(oracle.Config{
		Policy: c.scenario.Policy, Workers: w.Workers(), Poll: r.poll, Requires: c.scenario.Requires,
		Explain: r.explains(), Facts: w, OwnerKey: world.OwnerKey(), Recovery: c.scenario.Acts(), Durable: c.scenario.Profile == "durable",
	})
	claims := newClaims(c, w.Workers(), vector == nil, r.lateness(&c.scenario.Policy), r.quiet(&c.scenario.Policy))
	digest := trace.NewDigest()
	var cut cutOff
	lives, err := r.open(Case{ID: c.id, Needs: c.scenario.Features})
	if err != nil {
		return nil, err
	}
	summary, err := w.Run(lives.start, world.NewChooser(vector), append([]trace.Sink{judge, claims, digest, &cut}, more...)...)
	last := lives.close()
	unanswered := errors.Is(err, ErrUnanswered)
	if err != nil && !unanswered {
		return nil, fmt.Errorf("%s did not start: %w", r.subject.Name(), err)
	}
	violations := append(judge.Violations(), claims.violations(faulty(summary.Choices))...)
	if unanswered {
		violations = []oracle.Violation{noAnswer(0, "the watchdog starts", err)}
	} else if last != nil && !cut.happened {
		violations = append(violations, noAnswer(summary.Span, "an end in good order", last))
	}
	err = nil
	if !summary.Fits && !unanswered {
		err = errChoices
	}
	return &history{
		summary:    summary,
		violations: violations,
		unanswered: unanswered || cut.happened || last != nil,
		claims:     claims,
		digest:     digest.Sum(),
	}, err
}

func renames(s *scenarios.Scenario) []world.Rename {
	var list []world.Rename
	for _, r := range s.Renames {
		list = append(list, world.Rename(r))
	}
	return list
}

// lateness is by how much a verdict or notice of a subject that polls may be later.
func (r *runner) lateness(p *watchdog.Policy) time.Duration {
	return oracle.Lateness(&p.Limits, r.poll)
}

// delay is how much longer a history is for a subject that polls.
func (r *runner) delay(c *matchCase) time.Duration {
	if c.scenario.Acts() {
		return oracle.Chain(&c.scenario.Policy.Limits, r.poll)
	}
	return r.lateness(&c.scenario.Policy)
}

// quiet is by how much later an end is known in a dialect that has no terminal event.
func (r *runner) quiet(p *watchdog.Policy) time.Duration {
	if r.noTerminal() {
		return p.Settle
	}
	return 0
}

// noTerminal reports whether the workers' dialect has no terminal event.
func (r *runner) noTerminal() bool { return r.opts.Dialect == native.Pi073 }

// errChoices says that a vector of choices was made for another history.
var errChoices = errors.New("the choices do not fit the history")

// explains reports whether profile E is judged.
func (r *runner) explains() bool {
	return r.opts.Profile == "" || r.opts.Profile == "explain"
}

// report adds the violations of a history to the case, each requirement and kind of mistake once.
func (r *runner) report(c *matchCase, vector []int, h *history, result *CaseResult) {
	for i := range h.violations {
		v := &h.violations[i]
		same := func(f Failure) bool {
			return f.Requirement == v.Requirement && f.Mistake == string(v.Mistake) && f.Worker == v.Worker
		}
		if !r.terse && len(result.Failures) >= maxFailures || slices.ContainsFunc(result.Failures, same) {
			continue
		}
		result.Failures = append(result.Failures, r.failure(c, vector, h, v))
	}
}

func (r *runner) failure(c *matchCase, vector []int, h *history, v *oracle.Violation) Failure {
	f := r.bare(v)
	if !r.terse {
		f.Token = r.token(c, vector, h.summary.Choices).String()
		if !h.unanswered { // another ten seconds for the same
			f.Timeline = r.timeline(c, vector, v)
		}
	}
	return f
}

// bare is a violation with the level of its requirement.
func (r *runner) bare(v *oracle.Violation) Failure {
	f := Failure{
		Requirement: v.Requirement, Level: requirements.Must, Mistake: string(v.Mistake), Crash: v.Mistake == mistakes.Crash, At: v.At, Worker: v.Worker,
		Expected: v.Expected, Actual: v.Actual, Event: v.Event,
	}
	if req, ok := r.set.Lookup(v.Requirement); ok {
		f.Level = req.Level
	}
	return f
}

// timeline plays a history again and writes down what happened around a violation.
func (r *runner) timeline(c *matchCase, vector []int, v *oracle.Violation) string {
	var text bytes.Buffer
	t := trace.NewTimeline(&text, v.Event)
	if _, err := r.playOne(c, vector, t); err != nil && !errors.Is(err, errChoices) {
		return err.Error()
	}
	t.Flush()
	return text.String()
}

// rate gives a case its status by its failures.
func (c *CaseResult) rate() {
	if c.Status == NotApplicable || c.Status == HarnessError || c.Status == Untestable {
		return
	}
	c.Status = Pass
	for i := range c.Failures {
		switch f := &c.Failures[i]; {
		case f.Known:
			if c.Status == Pass {
				c.Status = KnownFailure
			}
		case f.Level == requirements.Should:
			if c.Status != Fail {
				c.Status = Warn
			}
		default:
			c.Status = Fail
		}
	}
}
