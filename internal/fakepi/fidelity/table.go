package fidelity

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"fakepi.example/fakepi/native"
)

// Table is what the comparison in a dialect came to.
type Table struct {
	Dialect native.Dialect
	Against string // "Pi 1.6.0"
	Rows    []Row
	LeftOut []LeftOut
}

// LeftOut is a case that is not compared here.
type LeftOut struct{ Case, Reason string }

// Row is a case of a table.
type Row struct {
	Result
	Accepted []Difference
	Others   []Difference
}

// Equal reports whether nothing differs but what is accepted.
func (r Row) Equal() bool { return r.Err == nil && len(r.Others) == 0 }

// Print prints a line a case, those that are left out with the reason, and the sums.
func (t Table) Print(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s, against %s\t\tlines\tentries\trequests\taccepted\ttime\n", t.Dialect, t.Against)
	var sum Result
	scripts, equal := map[string]bool{}, 0
	for _, r := range t.Rows {
		fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%d\t%d\t%.1fs\n",
			r.Case.Name(), r.verdict(), r.Lines, r.Entries, r.Requests, len(r.Accepted), r.Took.Seconds())
		sum.Lines, sum.Entries, sum.Requests = sum.Lines+r.Lines, sum.Entries+r.Entries, sum.Requests+r.Requests
		scripts[r.Case.Script.Name] = scripts[r.Case.Script.Name] || !r.Equal()
		if r.Equal() {
			equal++
		}
	}
	for _, l := range t.LeftOut {
		fmt.Fprintf(out, "%s\tleft out: %s\n", l.Case, l.Reason)
	}
	out.Flush()
	same := 0
	for _, differs := range scripts {
		if !differs {
			same++
		}
	}
	fmt.Fprintf(w, "%s, against %s: %d of %d scripts equal, %d of %d cases; %d lines, %d session entries, %d requests compared\n",
		t.Dialect, t.Against, same, len(scripts), equal, len(t.Rows), sum.Lines, sum.Entries, sum.Requests)
}

func (r Row) verdict() string {
	switch {
	case r.Err != nil:
		return "ERROR"
	case len(r.Others) > 0:
		return "DIFFERENT"
	}
	return "equal"
}

// shown is how many differences of a case are printed.
const shown = 8

// Explain prints what differs, each with both lines and the lines of the script.
func (r Row) Explain(w io.Writer) {
	if r.Err != nil {
		fmt.Fprintf(w, "%s: %v\n", r.Case.Name(), r.Err)
	}
	for i, d := range r.Others {
		if i == shown {
			fmt.Fprintf(w, "... and %d more\n", len(r.Others)-shown)
			return
		}
		where := strings.TrimSpace(fmt.Sprintf("%s %s", d.Kind, d.Path))
		fmt.Fprintf(w, "%s: %s, line %d: %s\n", r.Case.Name(), d.Part, d.Line, where)
		if at := r.lines(d); at != "" {
			fmt.Fprintf(w, "  at    %s\n", at)
		}
		around := firstDifference(d.Pi, d.Fake)
		fmt.Fprintf(w, "  pi    %s\n  fake  %s\n", short(d.Pi, around), short(d.Fake, around))
	}
}

// lines are those of the script at which a difference came.
func (r Row) lines(d Difference) string {
	var at []string
	if d.Source != "" {
		at = append(at, d.Source+" (worker)")
	}
	if acts := r.Case.acts(); d.Act > 0 && d.Act <= len(acts) && acts[d.Act-1].Pos.Line > 0 {
		at = append(at, fmt.Sprintf("%s (client)", acts[d.Act-1].Pos))
	}
	return strings.Join(at, ", ")
}

func firstDifference(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// short is the part of a long line around a byte, without the marks of ids.
func short(s string, around int) string {
	const width = 400
	s = strings.NewReplacer(idBegins, "", idEnds, "").Replace(s)
	from := max(0, min(around, len(s))-width/2)
	to := min(len(s), from+width)
	out := s[from:to]
	if from > 0 {
		out = "..." + out
	}
	if to < len(s) {
		out += "..."
	}
	return out
}
