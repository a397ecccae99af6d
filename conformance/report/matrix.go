package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/requirements"
)

type matrixJSON struct {
	Mutants []mutantJSON `json:"mutants"`
	Dialect string       `json:"dialect"`
	Bad     int          `json:"bad"`
	Killed  int          `json:"killed"`
	Benign  int          `json:"benign"`
	Flagged int          `json:"flagged"`
	Bare    []string     `json:"without_mutant,omitempty"` // core and explain MUSTs that no mutant breaks

	Scenarios int             `json:"scenarios"` // that were played
	Distinct  int             `json:"distinct"`  // of them: those that a duplicate does not make superfluous
	Same      []duplicateJSON `json:"duplicates,omitempty"`
}

type duplicateJSON struct {
	Requirement string `json:"requirement"`
	First       string `json:"first"`
	Second      string `json:"second"`
}

// Kills is what the matrix did to the mutants, and what it says of the scenarios.
type Kills struct {
	Matrix     *conformance.Matrix
	Dialect    string                  // that the workers spoke
	Scenarios  int                     // that were played
	Duplicates []conformance.Duplicate // pairs that count once
}

// superfluous lists the pairs of scenarios of which one would do. Twins are healthy and often alike; a twin goes with its
// scenario.
func (k Kills) superfluous() []conformance.Duplicate {
	return slices.DeleteFunc(slices.Clone(k.Duplicates), func(d conformance.Duplicate) bool {
		return strings.HasSuffix(d.First, conformance.TwinSuffix) || strings.HasSuffix(d.Second, conformance.TwinSuffix)
	})
}

// distinct counts the scenarios without the second ones of each pair.
func (k Kills) distinct() int {
	var second []string
	for _, d := range k.superfluous() {
		second = append(second, d.Second)
	}
	slices.Sort(second)
	return k.Scenarios - len(slices.Compact(second))
}

type mutantJSON struct {
	ID          string           `json:"id"`
	Kind        conformance.Kind `json:"kind"`
	Requirement string           `json:"requirement,omitempty"`
	KilledBy    []string         `json:"killed_by"`         // cases whose assertion on its requirement failed
	Further     []killJSON       `json:"further,omitempty"` // assertions on other requirements
	Crashes     int              `json:"crashes,omitempty"` // cases without an answer, which kill nothing
	Unseen      string           `json:"unseen,omitempty"`  // why it cannot show in this dialect, and was not played
}

type killJSON struct {
	Case        string `json:"case"`
	Requirement string `json:"requirement"`
}

// MatrixJSON writes what the matrix did to the mutants as one object on one line.
func MatrixJSON(w io.Writer, k Kills, set *requirements.Set) error {
	m := k.Matrix
	doc := matrixJSON{
		Dialect: k.Dialect, Mutants: []mutantJSON{}, Bad: m.Bad, Killed: m.Killed, Benign: m.Benign, Flagged: m.Flagged, Bare: bare(m, set),
		Scenarios: k.Scenarios, Distinct: k.distinct(),
	}
	for _, d := range k.superfluous() {
		doc.Same = append(doc.Same, duplicateJSON(d))
	}
	for _, r := range m.Mutants {
		j := mutantJSON{ID: r.ID, Kind: r.Kind, Requirement: r.Requirement, KilledBy: cases(r.KilledBy), Crashes: r.Crashes, Unseen: r.Unseen}
		for _, k := range r.Further {
			j.Further = append(j.Further, killJSON(k))
		}
		doc.Mutants = append(doc.Mutants, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}

func cases(kills []conformance.Kill) []string {
	ids := []string{}
	for _, k := range kills {
		if !slices.Contains(ids, k.Case) {
			ids = append(ids, k.Case)
		}
	}
	return ids
}

// bare lists the MUSTs of the profiles core and explain that no bad mutant breaks: nothing shows that the suite would
// notice.
func bare(m *conformance.Matrix, set *requirements.Set) []string {
	var ids []string
	for _, profile := range []requirements.Profile{requirements.Core, requirements.Explain} {
		for _, req := range set.ByProfile(profile) {
			breaks := func(r conformance.MutantResult) bool { return r.Requirement == req.ID && r.Unseen == "" }
			if req.Level == requirements.Must && !slices.ContainsFunc(m.Mutants, breaks) {
				ids = append(ids, req.ID)
			}
		}
	}
	return ids
}

// MatrixText writes what the matrix did to the mutants for people: a line each, the MUSTs that no mutant breaks, the
// scenarios that say and catch the same, then the count.
func MatrixText(w io.Writer, k Kills, set *requirements.Set, color bool) error {
	m := k.Matrix
	p := &printer{w: bufio.NewWriter(w), color: color}
	for _, r := range m.Mutants {
		p.mutant(r)
	}
	if ids := bare(m, set); len(ids) > 0 {
		p.line("\ncore and explain MUSTs that no mutant breaks: %s", strings.Join(ids, " "))
	}
	if k.Scenarios > 0 {
		p.line("\n%d scenarios, of which %d count: two of one requirement that say and catch the same count once", k.Scenarios, k.distinct())
	}
	for _, d := range k.superfluous() {
		p.line("        %s: %s is like %s", d.Requirement, d.Second, d.First)
	}
	p.line("\ncanary: a watchdog that answers nothing fails %d of %d cases that expect something%s",
		m.Canary.Cases-len(m.Canary.Passed), m.Canary.Cases, unheard(m.Canary.Passed))
	outcome := p.green("PASSED")
	if !m.Holds() {
		outcome = p.red("FAILED")
	}
	p.line("\n%s: %d of %d bad mutants killed, %d of %d benign ones flagged (%s%s)", outcome, m.Killed, m.Bad, m.Flagged,
		m.Benign, k.Dialect, unseen(m))
	return p.w.Flush()
}

// unheard names the cases in which silence passes.
func unheard(passed []string) string {
	if len(passed) == 0 {
		return ""
	}
	return "; it passes " + some(passed)
}

// unseen counts the mutants that cannot show in the dialect.
func unseen(m *conformance.Matrix) string {
	n := 0
	for i := range m.Mutants {
		if m.Mutants[i].Unseen != "" {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d cannot show", n)
}

func (p *printer) mutant(r conformance.MutantResult) {
	word, what := p.red("ALIVE  "), "no assertion on "+r.Requirement+" failed"
	switch {
	case r.Unseen != "":
		word, what = "unseen ", r.Unseen
	case r.Kind == conformance.Benign && r.Flagged():
		word, what = p.red("FLAGGED"), "it is allowed, yet something was found"
	case r.Kind == conformance.Benign:
		word, what = p.green("benign "), "nothing was found"
	case r.Killed():
		word, what = p.green("killed "), r.Requirement+" by "+some(cases(r.KilledBy))
	}
	p.line("%s %-32s %s", word, r.ID, what)
	if len(r.Further) > 0 {
		p.line("        %-32s also: %s", "", some(requirementsOf(r.Further)))
	}
	if r.Crashes > 0 {
		p.line("        %-32s no answer in %d cases, which kills nothing", "", r.Crashes)
	}
}

func requirementsOf(kills []conformance.Kill) []string {
	var ids []string
	for _, k := range kills {
		ids = append(ids, k.Requirement)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// some joins the first few of a list.
func some(list []string) string {
	const shown = 4
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
}
