package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
)

// Coverage tells what a run reached of the requirements and of the subject's own state machine.
type Coverage struct {
	Requirements []Covered
	Transitions  []Transition
	Histories    int // that were played
}

// Covered is what tests one requirement.
type Covered struct {
	ID        string             `json:"id"`
	Level     requirements.Level `json:"level"`
	Scenarios int                `json:"scenarios"`
	Measures  int                `json:"measures,omitempty"` // cases that no scenario can be
	Twins     int                `json:"twins"`
	Mutants   int                `json:"mutants"` // known-bad watchdogs that break it
	Histories int                `json:"histories"`
	Excused   string             `json:"no_twin,omitempty"`   // why a scenario of it has none
	Elsewhere string             `json:"elsewhere,omitempty"` // the test of what no scenario can show
}

// Transition is one row of the subject's state machine.
type Transition struct {
	From string `json:"from"`
	On   string `json:"on"`
	To   string `json:"to"`
	Made int    `json:"made"` // times, in all histories
}

// Cover counts what tests each requirement of the profiles that have scenarios: all are the scenarios of which a run came,
// broken the requirement of each known-bad watchdog, and elsewhere the tests of requirements that no scenario can show.
func Cover(set *requirements.Set, all []scenarios.Scenario, run *conformance.Result, broken []string, elsewhere map[string]string) Coverage {
	byID := map[string]*Covered{}
	c := Coverage{Histories: run.Histories}
	for _, req := range set.All() {
		if judged(set.Profiles[req.Profile].Name, all) {
			c.Requirements = append(c.Requirements, Covered{ID: req.ID, Level: req.Level, Elsewhere: elsewhere[req.ID]})
		}
	}
	for i := range c.Requirements {
		byID[c.Requirements[i].ID] = &c.Requirements[i]
	}
	each := func(ids []string, f func(*Covered)) {
		for _, id := range ids {
			if req, ok := byID[id]; ok {
				f(req)
			}
		}
	}
	for _, s := range all {
		each(s.Requires, func(req *Covered) {
			req.Scenarios++
			if s.Twin != nil {
				req.Twins++
			} else if req.Excused == "" {
				req.Excused = s.NoTwin
			}
		})
	}
	for _, m := range conformance.Measures() {
		each(m.Requires, func(req *Covered) { req.Measures++ })
	}
	each(broken, func(req *Covered) { req.Mutants++ })
	for i := range run.Cases {
		each(run.Cases[i].Requires, func(req *Covered) { req.Histories += run.Cases[i].Histories })
	}
	return c
}

// judged reports whether a profile has scenarios of its own: one that has none is for another version of the suite.
func judged(profile string, all []scenarios.Scenario) bool {
	return slices.ContainsFunc(all, func(s scenarios.Scenario) bool { return s.Profile == profile })
}

// Gaps lists what must not be: MUSTs that nothing tests, or no scenario with a twin, unless the scenario says why it has none,
// a measure tests them, or a test elsewhere; requirements that are said to be tested elsewhere and have a scenario; and
// transitions that no history made.
func (c Coverage) Gaps() []string {
	var gaps []string
	for _, req := range c.Requirements {
		switch {
		case req.Elsewhere != "" && req.Scenarios > 0:
			gaps = append(gaps, fmt.Sprintf("%s is said to be tested elsewhere, and has a scenario; take it from that list", req.ID))
		case req.Elsewhere != "":
		case req.Level != requirements.Must || req.Twins+req.Measures > 0 || req.Excused != "":
		case req.Scenarios == 0:
			gaps = append(gaps, fmt.Sprintf("%s is a MUST that no scenario tests", req.ID))
		default:
			gaps = append(gaps, fmt.Sprintf("%s is a MUST without a twin", req.ID))
		}
	}
	for _, tr := range c.Transitions {
		if tr.Made == 0 {
			gaps = append(gaps, fmt.Sprintf("no history goes from %s on %s to %s", tr.From, tr.On, tr.To))
		}
	}
	return gaps
}

type coverageJSON struct {
	Histories    int          `json:"histories"`
	Requirements []Covered    `json:"requirements"`
	Transitions  []Transition `json:"transitions"`
	Gaps         []string     `json:"gaps"`
}

// JSON writes the coverage as one object on one line.
func (c Coverage) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(coverageJSON{c.Histories, c.Requirements, c.Transitions, slices.Concat([]string{}, c.Gaps())})
}

// Text writes the coverage for people: both tables, then the gaps.
func (c Coverage) Text(w io.Writer, color bool) error {
	p := &printer{w: bufio.NewWriter(w), color: color}
	p.line("%-15s %-6s %9s %6s %8s %10s", "requirement", "level", "scenarios", "twins", "mutants", "histories")
	for _, r := range c.Requirements {
		note := ""
		switch {
		case r.Twins == 0 && r.Excused != "":
			note = "  no twin: " + r.Excused
		case r.Elsewhere != "":
			note = "  tested by " + r.Elsewhere
		case r.Measures > 0:
			note = "  measured"
		}
		p.line("%-15s %-6s %9d %6d %8d %10d%s", r.ID, r.Level, r.Scenarios, r.Twins, r.Mutants, r.Histories, note)
	}
	p.line("\n%-16s %-14s %-16s %8s", "from", "on", "to", "made")
	for _, tr := range c.Transitions {
		row := fmt.Sprintf("%-16s %-14s %-16s %8d", tr.From, tr.On, tr.To, tr.Made)
		if tr.Made == 0 {
			row = p.red(row)
		}
		p.line("%s", row)
	}
	c.summary(p)
	return p.w.Flush()
}

// Summary writes the gaps, and the counts.
func (c Coverage) Summary(w io.Writer, color bool) error {
	p := &printer{w: bufio.NewWriter(w), color: color}
	c.summary(p)
	return p.w.Flush()
}

func (c Coverage) summary(p *printer) {
	gaps, made := c.Gaps(), 0
	for _, tr := range c.Transitions {
		if tr.Made > 0 {
			made++
		}
	}
	if len(gaps) > 0 {
		p.line("\ngaps")
	}
	for _, g := range gaps {
		p.line("  %s", p.red(g))
	}
	p.line("\n%d histories: %d of %d transitions made, %d gaps", c.Histories, made, len(c.Transitions), len(gaps))
}
