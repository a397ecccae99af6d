package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// laneWidths are the columns of a drawing behind the clock's, by lane. What does not fit is cut off: the steps tell all of it.
var laneWidths = map[trace.Lane]int{trace.LaneWorker: 36, trace.LaneWorld: 26, trace.LaneWatchdog: 40, trace.LaneOwner: 14}

// Moment is what happened in one record of a history: as a row of lanes, and in full.
type Moment struct {
	Rows string // of the drawing, each with its line end
	Full string // everything, a line each; empty where the rows say it all
}

// Moments draws a history that was played again, record by record: who did what, in lanes side by side, and where which
// requirement is broken first.
func Moments(played *conformance.Replayed, set *requirements.Set) []Moment {
	d := drawing{set: set, failures: slices.Clone(played.Case.Failures)}
	slices.SortStableFunc(d.failures, func(a, b conformance.Failure) int { return a.Event - b.Event })
	var all []Moment
	story := played.Story
	for len(story) > 0 {
		n := 1
		for n < len(story) && story[n].Event == story[0].Event {
			n++
		}
		all = append(all, d.moment(story[:n]))
		story = story[n:]
	}
	return all
}

// LanesHead is the line above a drawing.
func LanesHead() string {
	return row(trace.LaneClock.String(), trace.Lane.String)
}

// Lanes writes the drawing of a history, and then what was found in it. The report needs no result.
func (r Report) Lanes(w io.Writer, played *conformance.Replayed, color bool) error {
	p := &printer{w: bufio.NewWriter(w), color: color}
	Opening(p.w, played)
	for _, m := range Moments(played, r.Set) {
		p.w.WriteString(p.marked(m.Rows))
	}
	r.findings(p, played)
	return p.w.Flush()
}

// Opening writes what is played again, and the heads of the lanes.
func Opening(w io.Writer, played *conformance.Replayed) {
	fmt.Fprintf(w, "%s: %s, seed %d\n", played.Case.ID, played.Case.Title, played.Token.Seed)
	for _, label := range played.Token.Labels {
		fmt.Fprintf(w, "  otherwise than the base history: %s\n", harmless(label))
	}
	fmt.Fprint(w, LanesHead())
}

// Findings writes what was found in a history that was played again. The report needs no result.
func (r Report) Findings(w io.Writer, played *conformance.Replayed, color bool) error {
	p := &printer{w: bufio.NewWriter(w), color: color}
	r.findings(p, played)
	return p.w.Flush()
}

// marked paints the rows in which a requirement is broken.
func (p *printer) marked(rows string) string {
	if !p.color {
		return rows
	}
	var b strings.Builder
	for l := range strings.Lines(rows) {
		if text, broken := strings.CutSuffix(l, "\n"); broken && strings.HasPrefix(l, ">") {
			l = p.red(text) + "\n"
		}
		b.WriteString(l)
	}
	return b.String()
}

// drawing draws moments in their order.
type drawing struct {
	set      *requirements.Set
	failures []conformance.Failure // that are not marked yet
}

func (d *drawing) moment(entries []trace.Entry) Moment {
	var rows, full strings.Builder
	for i := 0; i < len(entries); {
		e := &entries[i]
		text, n := brief(e), 1
		for i+n < len(entries) && entries[i+n].Lane == e.Lane && entries[i+n].Worker == e.Worker && brief(&entries[i+n]) == text {
			n++
		}
		if n > 1 {
			text = fmt.Sprintf("%s x %d", text, n)
		}
		rows.WriteString(d.row(e, text))
		i += n
	}
	for i := range entries {
		e := &entries[i]
		fmt.Fprintln(&full, strings.TrimRight(fmt.Sprintf("    %-4s %-8s %s", e.Worker, e.Word, harmless(e.Text)), " "))
	}
	return Moment{Rows: d.broken(&entries[0]) + rows.String(), Full: full.String()}
}

// row draws one entry in its lane. What tells or asks the owner shows in the owner's lane too.
func (d *drawing) row(e *trace.Entry, text string) string {
	if e.Worker != "" && e.Lane != trace.LaneOwner {
		text = e.Worker + " " + text
	}
	if e.Lane == trace.LaneClock {
		return fmt.Sprintf("  %s -- %s\n", clockTime(e.At), harmless(text))
	}
	return row(clockTime(e.At), func(l trace.Lane) string {
		switch {
		case l == e.Lane:
			return harmless(text)
		case l == trace.LaneOwner && e.Word == "command":
			return reaches(e.Text)
		}
		return ""
	})
}

// reaches says what of a command the owner gets.
func reaches(command string) string {
	kind, _, _ := strings.Cut(command, " ")
	switch watchdog.CommandKind(kind) {
	case watchdog.CmdNotify, watchdog.CmdEscalate:
		return "is told"
	case watchdog.CmdPropose:
		return "is asked"
	}
	return ""
}

// broken draws the requirements that a moment, or one that is not told, is the first to break.
func (d *drawing) broken(e *trace.Entry) string {
	var b strings.Builder
	for len(d.failures) > 0 && (e.Event == 0 || d.failures[0].Event <= e.Event) {
		f := &d.failures[0]
		d.failures = d.failures[1:]
		fmt.Fprintf(&b, "> %s  breaks %s: %s\n", clockTime(f.At), f.Requirement, Report{Set: d.set}.sentence(f.Requirement))
	}
	return b.String()
}

func clockTime(at time.Duration) string { return fmt.Sprintf("%11.3fs", at.Seconds()) }

// row draws a line of lanes, the clock's first.
func row(clock string, text func(trace.Lane) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %12s ", clock)
	for _, l := range trace.Lanes()[1:] {
		fmt.Fprintf(&b, "| %s", fit(text(l), laneWidths[l]))
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// fit makes a text so many columns wide.
func fit(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n <= width-1 {
		return text + strings.Repeat(" ", width-n)
	}
	return string([]rune(text)[:width-4]) + "... "
}

// record is the beginning of a record that a worker writes; the stream, then its type.
var record = regexp.MustCompile(`^([a-z]+) \{(?:"id":"[^"]*",)?"type":"([a-z_]+)"`)

// brief is what a lane says of an entry.
func brief(e *trace.Entry) string {
	switch e.Word {
	case "truth":
		text, _, _ := strings.Cut(e.Text, " since ")
		return "is " + text
	case "verdict":
		text, _, _ := strings.Cut(e.Text, " (")
		return text
	case "command":
		kind, cause, _ := strings.Cut(e.Text, " because of ")
		name, _, _ := strings.Cut(cause, " ")
		return strings.TrimSuffix(kind+": "+name, ": ")
	case "end":
		return e.Word
	}
	m := record.FindStringSubmatch(e.Text)
	switch {
	case m == nil:
		return e.Text
	case m[1] == "out":
		return m[2]
	}
	return m[1] + ": " + m[2]
}
