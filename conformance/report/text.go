package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
)

// maxGroups is how many broken requirements the text tells: who has more begins with these. maxAlso is how many further cases of
// one are named.
const (
	maxGroups = 10
	maxAlso   = 5
)

// Text writes the report for people: a table by family, the requirements by area, the broken ones with the simplest failure of
// each and its timeline, and a summary at the end. With color it uses the escape sequences of a terminal.
func (r Report) Text(w io.Writer, color bool) error { return r.text(w, color, maxGroups) }

// text tells that many broken requirements, or each failure of all if it is none.
func (r Report) text(w io.Writer, color bool, groups int) error {
	p := &printer{w: bufio.NewWriter(w), color: color, groups: groups}
	r.head(p)
	r.families(p)
	r.requirements(p)
	r.oddities(p)
	r.frontier(p)
	r.printFailures(p)
	r.summary(p)
	return p.w.Flush()
}

// Summary writes the end of Text: the failures, the counts, the outcome.
func (r Report) Summary(w io.Writer, color bool) error {
	p := &printer{w: bufio.NewWriter(w), color: color, groups: maxGroups}
	r.printFailures(p)
	r.summary(p)
	return p.w.Flush()
}

func (r Report) head(p *printer) {
	profile := r.Result.Profile
	if profile == "" {
		profile = "all"
	}
	p.line("%s: suite %s, dialect %s, profile %s, seed %d", harmless(r.Result.Subject), r.Result.Suite, r.Result.Dialect, profile, r.Result.Seed)
	if r.Result.Poll > 0 {
		p.line("It looks every %s; every bound in time is longer by as much.", r.Result.Poll)
	}
}

func (r Report) families(p *printer) {
	about := map[string]string{}
	for _, f := range scenarios.Families() {
		about[f.Code] = f.About
	}
	p.line("\n%-10s %5s %5s %5s %5s", "family", "cases", "pass", "warn", "fail")
	for _, t := range r.Result.Families {
		row := fmt.Sprintf("%-10s %5d %5d %5d %5d  %s", t.Name, t.Cases, t.Passed, t.Warned, t.Failed, about[t.Name])
		p.line("%s", p.paint(row, t))
	}
}

// requirements prints one line an area: each requirement that was tested, with the cases that passed of those that test
// it.
func (r Report) requirements(p *printer) {
	p.line("\nrequirements: cases passed, of those that test it")
	byID := map[string]conformance.Tally{}
	for _, t := range r.Result.Requirements {
		byID[t.Name] = t
	}
	for _, area := range r.Set.Areas {
		var cells []string
		for _, req := range area.Requirements {
			if t, ok := byID[req.ID]; ok {
				cell := fmt.Sprintf("%s %d/%d", strings.TrimPrefix(req.ID, "WDC-"+area.Code+"-"), t.Passed, t.Cases)
				cells = append(cells, p.paint(cell, t))
			}
		}
		if len(cells) > 0 {
			p.line("%-10s %s", area.Code, strings.Join(cells, "  "))
		}
	}
}

// oddities prints the cases that were not judged, and why.
func (r Report) oddities(p *printer) {
	heading := "\nnot judged"
	for _, o := range oddities(r.Result.Cases) {
		if heading != "" {
			p.line("%s", heading)
			heading = ""
		}
		p.line("%-14s %s: %s", o.status, strings.Join(o.ids, ", "), harmless(o.reason))
	}
	for _, k := range r.Result.Stale {
		p.line("\n%s", p.red(fmt.Sprintf("%s is listed as a known failure of %s, and no longer fails it; remove it from the list", k.Case, k.Requirement)))
	}
}

// frontier prints how far a full exploration has come.
func (r Report) frontier(p *printer) {
	if r.Result.Explore != conformance.ExploreFull {
		return
	}
	complete := 0
	p.line("\nexplored, by case")
	for i := range r.Result.Cases {
		switch c := &r.Result.Cases[i]; {
		case c.Capped:
			p.line("%7d of %s: %s", c.Histories, c.ID, c.Reach)
		case c.Reach.Complete:
			complete++
		}
	}
	p.line("complete: %d cases", complete)
}

// oddity is why some cases were not judged.
type oddity struct {
	status conformance.Status
	reason string
	ids    []string // a twin goes with its scenario
}

func oddities(cases []conformance.CaseResult) []oddity {
	var list []oddity
	for _, c := range cases {
		switch c.Status {
		case conformance.Untestable, conformance.Inconclusive, conformance.HarnessError, conformance.NotApplicable:
		default:
			continue
		}
		i := slices.IndexFunc(list, func(o oddity) bool { return o.status == c.Status && o.reason == c.Reason })
		if i < 0 {
			i = len(list)
			list = append(list, oddity{status: c.Status, reason: c.Reason})
		}
		if id := strings.TrimSuffix(c.ID, conformance.TwinSuffix); !slices.Contains(list[i].ids, id) {
			list[i].ids = append(list[i].ids, id)
		}
	}
	return list
}

func (r Report) printFailures(p *printer) {
	for _, f := range r.before() {
		r.printFailure(p, f)
		p.line("  it failed before, and was played first")
	}
	groups := grouped(r.failures())
	for i, g := range groups {
		if p.groups == 0 {
			for _, f := range g {
				r.printFailure(p, f)
			}
			continue
		}
		if i == p.groups {
			p.line("\n... and %d more requirements are broken; --out DIR writes each failure down", len(groups)-i)
			return
		}
		r.printGroup(p, g)
	}
}

// grouped puts the failures of one requirement together: in each group the simplest first, and the groups in the order of these.
// MUSTs come before what is only a warning, or known.
func grouped(all []failure) [][]failure {
	rank := func(f failure) int {
		switch {
		case f.Crash && !f.Known: // whatever else is found rests on it
			return -1
		case f.Known:
			return 2
		case f.Level == requirements.Should:
			return 1
		}
		return 0
	}
	simpler := func(a, b failure) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(deviations(a), deviations(b)), cmp.Compare(a.Event, b.Event))
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, simpler)
	var groups [][]failure
	at := map[string]int{}
	for _, f := range all {
		key := fmt.Sprint(f.Requirement, rank(f))
		i, ok := at[key]
		if !ok {
			i, at[key] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// deviations is how many choices of a failure's history are not those of the base history.
func deviations(f failure) int {
	t, err := conformance.ParseToken(f.Token)
	if err != nil {
		return 0
	}
	n := 0
	for _, pick := range t.Vector {
		if pick != 0 {
			n++
		}
	}
	return n
}

// printGroup tells the simplest failure of a requirement, and where else it is broken.
func (r Report) printGroup(p *printer, g []failure) {
	first := g[0]
	var others []string
	for _, f := range g {
		if f.Case.ID != first.Case.ID && !slices.Contains(others, f.Case.ID) {
			others = append(others, f.Case.ID)
		}
		if first.Shrunk == nil && f.Shrunk != nil {
			with := *first.Failure
			with.Shrunk, first.Failure = f.Shrunk, &with
		}
	}
	r.printFailure(p, first)
	if n := len(others); n > maxAlso {
		p.line("  also in   %s and %d more", strings.Join(others[:maxAlso], ", "), n-maxAlso)
	} else if n > 0 {
		p.line("  also in   %s", strings.Join(others, ", "))
	}
}

func (r Report) printFailure(p *printer, f failure) {
	word := p.red("FAIL")
	switch {
	case f.Known:
		word = p.yellow("KNOWN")
	case f.Level == requirements.Should:
		word = p.yellow("WARN")
	}
	p.line("\n%s %s in %s: %s", word, f.Requirement, f.Case.ID, f.Case.Title)
	p.line("  %s", r.sentence(f.Requirement))
	p.line("  expected  %s", harmless(f.Expected))
	p.line("  actual    %s", harmless(f.Actual))
	who := ""
	if f.Worker != "" {
		who = ", worker " + f.Worker
	}
	p.line("  where     at %s%s; > marks what should have been otherwise first", f.At, who)
	p.indented(f.Timeline)
	p.line("  replay    %s", r.again(f.Token))
	if s := f.Shrunk; s != nil {
		p.line("  smaller   %s", r.again(s.Token.String()))
		p.line("            %d of %d steps, %d of %d choices", s.Steps[1], s.Steps[0], s.Choices[1], s.Choices[0])
	}
}

func (r Report) summary(p *printer) {
	res := r.Result
	p.line("\n%d of %d cases that were judged passed", res.Counts[conformance.Pass]+res.Counts[conformance.Warn], r.judged())
	p.line("%d scenarios, %d cases, %d histories, %d events in %s", res.Scenarios, len(res.Cases), res.Histories, res.Events, r.Wall.Round(10*time.Millisecond))
	p.line("%.0f histories/s, %.0f s of virtual time a second", r.rate(float64(res.Histories)), r.rate(res.Span.Seconds()))
	if res.Capped > 0 {
		p.line("explored %s, at most %d histories a case; cases with more: %d", res.Explore, res.Most, res.Capped)
	}
	p.line("digest %s", res.Digest)
	var counts []string
	for _, s := range conformance.Statuses() {
		if n := res.Counts[s]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	outcome := p.green(r.outcome())
	if r.ExitCode() != 0 {
		outcome = p.red(r.outcome())
	}
	p.line("%s: %s (%s)", outcome, strings.Join(counts, ", "), res.Dialect)
}

// judged is how many cases came to a judgement.
func (r Report) judged() (n int) {
	for _, s := range []conformance.Status{conformance.Pass, conformance.Warn, conformance.Fail, conformance.KnownFailure} {
		n += r.Result.Counts[s]
	}
	return n - len(r.Result.Stale)
}

// harmless spells out the control characters of a text that a subject or a worker may have written: a terminal must not
// obey them (WDC-SAFE-002).
func harmless(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if unicode.IsControl(c) {
			quoted := strconv.QuoteRune(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// printer writes lines and, on a terminal, colors. Write errors wait for Flush.
type printer struct {
	w      *bufio.Writer
	color  bool
	groups int // of failures that are told; 0 = each failure is
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *printer) indented(text string) {
	for l := range strings.Lines(text) {
		p.line("    %s", harmless(strings.TrimRight(l, "\n")))
	}
}

func (p *printer) red(s string) string    { return p.sgr("31", s) }
func (p *printer) green(s string) string  { return p.sgr("32", s) }
func (p *printer) yellow(s string) string { return p.sgr("33", s) }

func (p *printer) sgr(code, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// paint gives a row the color of the worst that it counts.
func (p *printer) paint(s string, t conformance.Tally) string {
	switch {
	case t.Failed > 0:
		return p.red(s)
	case t.Warned > 0:
		return p.yellow(s)
	}
	return s
}
