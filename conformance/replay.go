package conformance

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"slices"
	"strings"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/scenarios"
)

// Replayed is one history that was played again.
type Replayed struct {
	Token    Token
	Case     CaseResult // of this history alone
	Timeline string     // all of it
	Story    []trace.Entry
}

// Replay plays the history of a token. The error wraps ErrForeign if the matrix has no such case, or if the history no
// longer has the choices that the token speaks of; it says what would work.
func Replay(subject Subject, all []scenarios.Scenario, t Token) (*Replayed, error) {
	r, c, err := resume(subject, all, t)
	if err != nil {
		return nil, err
	}
	h, err := r.again(c, t)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	line := trace.NewTimeline(&text, 0)
	for i := range h.violations {
		line.Mark(h.violations[i].Event, h.violations[i].Requirement)
	}
	var story []trace.Entry
	if _, err := r.playOne(c, t.Vector, line, trace.NewEntries(func(e trace.Entry) { story = append(story, e) })); err != nil {
		return nil, err
	}
	line.Flush()
	result := CaseResult{
		ID: c.id, Title: c.scenario.Title, Family: c.scenario.Family, Requires: c.scenario.Requires,
		Histories: 1, Events: h.summary.Events, Verdicts: h.claims.spoken(), Digest: hex.EncodeToString(h.digest[:]),
	}
	r.report(c, t.Vector, h, &result)
	result.rate()
	return &Replayed{Token: t, Case: result, Timeline: text.String(), Story: story}, nil
}

// resume finds the case of a token, and makes it ready to be played.
func resume(subject Subject, all []scenarios.Scenario, t Token) (*runner, *matchCase, error) {
	cases := allCases(all)
	i := slices.IndexFunc(cases, func(c matchCase) bool { return c.id == t.Case })
	if i < 0 {
		return nil, nil, fmt.Errorf("%w: there is no case %s%s", ErrForeign, t.Case, near(t.Case, cases))
	}
	r, err := newRunner(subject, Options{Seed: t.Seed, Dialect: t.Dialect, Profile: t.Profile})
	if err != nil {
		return nil, nil, err
	}
	c := &cases[i]
	if why := c.excused(r.features, t.Dialect); why != "" {
		return nil, nil, fmt.Errorf("%w: %s does not apply: %s", ErrForeign, c.id, why)
	}
	if n, steps := len(t.Without), len(c.steps()); n > 0 {
		switch {
		case t.Source != crc32.ChecksumIEEE(c.scenario.Source):
			return nil, nil, fmt.Errorf("%w: %s has changed, and the token leaves out steps of it; %s", ErrForeign, c.scenario.ID, runAgain(c))
		case t.Without[n-1] >= steps:
			return nil, nil, fmt.Errorf("%w: it leaves out step %d of %s, which has %d, counted from 0; %s", ErrForeign, t.Without[n-1], c.id, steps, runAgain(c))
		}
	}
	if err := r.prepare(c); err != nil {
		return nil, nil, err
	}
	c.without = t.Without
	return r, c, nil
}

// again plays the history of a token.
func (r *runner) again(c *matchCase, t Token) (*history, error) {
	h, err := r.playOne(c, t.Vector)
	if err != nil && !errors.Is(err, errChoices) {
		return nil, err
	}
	if why := t.misfit(h.summary.Choices); why != "" {
		return nil, fmt.Errorf("%w: in %s %s; %s", ErrForeign, c.id, why, runAgain(c))
	}
	return h, nil
}

func runAgain(c *matchCase) string {
	return fmt.Sprintf("run it again: piconform run --case %q", c.scenario.ID)
}

// near names cases of the same folder.
func near(id string, cases []matchCase) string {
	var same []string
	for i := range cases {
		if path.Dir(cases[i].id) == path.Dir(id) {
			same = append(same, cases[i].id)
		}
	}
	if len(same) == 0 {
		return "; piconform list shows them all"
	}
	return "; there are " + strings.Join(same, ", ")
}

// scenarioOf is the id of a case's scenario.
func scenarioOf(id string) string { return strings.TrimSuffix(id, TwinSuffix) }
