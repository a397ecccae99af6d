package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"fakepi.example/conformance"
)

type matrixJSON struct {
	Mutants []mutantJSON `json:"mutants"`
	Bad     int          `json:"bad"`
	Killed  int          `json:"killed"`
	Benign  int          `json:"benign"`
	Flagged int          `json:"flagged"`
}

type mutantJSON struct {
	ID          string           `json:"id"`
	Kind        conformance.Kind `json:"kind"`
	Requirement string           `json:"requirement,omitempty"`
	KilledBy    []string         `json:"killed_by"`         // cases whose assertion on its requirement failed
	Further     []killJSON       `json:"further,omitempty"` // assertions on other requirements
	Crashes     int              `json:"crashes,omitempty"` // cases without an answer, which kill nothing
}

type killJSON struct {
	Case        string `json:"case"`
	Requirement string `json:"requirement"`
}

// MatrixJSON writes what the matrix did to the mutants as one object on one line.
func MatrixJSON(w io.Writer, m *conformance.Matrix) error {
	doc := matrixJSON{Mutants: []mutantJSON{}, Bad: m.Bad, Killed: m.Killed, Benign: m.Benign, Flagged: m.Flagged}
	for _, r := range m.Mutants {
		j := mutantJSON{ID: r.ID, Kind: r.Kind, Requirement: r.Requirement, KilledBy: cases(r.KilledBy), Crashes: r.Crashes}
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

// MatrixText writes what the matrix did to the mutants for people: a line each, then the count.
func MatrixText(w io.Writer, m *conformance.Matrix, color bool) error {
	p := &printer{w: bufio.NewWriter(w), color: color}
	for _, r := range m.Mutants {
		p.mutant(r)
	}
	outcome := p.green("PASSED")
	if !m.Holds() {
		outcome = p.red("FAILED")
	}
	p.line("\n%s: %d of %d bad mutants killed, %d of %d benign ones flagged", outcome, m.Killed, m.Bad, m.Flagged, m.Benign)
	return p.w.Flush()
}

func (p *printer) mutant(r conformance.MutantResult) {
	word, what := p.red("ALIVE  "), "no assertion on "+r.Requirement+" failed"
	switch {
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
