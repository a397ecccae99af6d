package trace

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// before and behind are how many records a timeline shows around its focus.
const (
	before = 10
	behind = 3
)

// Timeline is a Sink that writes a history as text for people, a line for whatever happened. Times are on Mono.
type Timeline struct {
	out   io.Writer
	focus int               // the record that it is about; 0 = all are shown
	ring  []string          // the lines that stand before the focus
	last  map[string]string // the truth last shown, by worker
	marks map[int][]string  // requirements that a record breaks
}

// NewTimeline returns a timeline around one record of a history, or of all of it for focus 0.
func NewTimeline(out io.Writer, focus int) *Timeline {
	return &Timeline{out: out, focus: focus, last: map[string]string{}}
}

// Mark marks a record as the first that breaks a requirement, whose id stands in front of it.
func (t *Timeline) Mark(event int, requirement string) {
	if t.marks == nil {
		t.marks = map[int][]string{}
	}
	t.marks[event] = append(t.marks[event], requirement)
}

// Flush writes what is left; call it when the history is over.
func (t *Timeline) Flush() {
	for _, l := range t.ring {
		fmt.Fprintln(t.out, l)
	}
	t.ring = nil
}

// Advance implements Sink.
func (t *Timeline) Advance(watchdog.Instant) {}

// Step implements Sink. Steps in which nothing was seen or said are left out, unless they are what the timeline is about.
func (t *Timeline) Step(s *Step) {
	if t.past(s.Event) {
		return
	}
	if s.Again > 0 {
		t.line(s.Event, s.Now, "%-4s %-8s #%d to #%d", "", "again", s.Seen[0].N, s.Seen[s.Again-1].N)
	}
	for i := range s.Seen[s.Again:] {
		o := &s.Seen[s.Again+i]
		t.line(s.Event, s.Now, "%-4s %-8s %s", o.Worker, "#"+strconv.Itoa(o.N), show(o.Body))
	}
	for i := range s.Truths {
		t.truth(s, i)
	}
	for i := range s.Decision.Verdicts {
		v := &s.Decision.Verdicts[i]
		t.line(s.Event, s.Now, "%-4s %-8s %s %s (phase %s, limit %s) on %s", v.Worker, "verdict", v.Name, v.Status, v.Cause.Phase, v.Cause.Limit, numbers(v.Evidence))
	}
	for i := range s.Decision.Commands {
		c := &s.Decision.Commands[i]
		t.line(s.Event, s.Now, "%-4s %-8s %s%s because of %s %s", c.Worker, "command", c.Kind, what(c), c.Cause.Name, c.Cause.Limit)
	}
	if s.Err != nil {
		t.line(s.Event, s.Now, "%-4s %-8s %s", "", "error", s.Err)
	}
}

// truth shows the script's truth where it has changed.
func (t *Timeline) truth(s *Step, i int) {
	truth := &s.Truths[i]
	if truth.Generation == 0 {
		return
	}
	text := string(truth.Phase)
	if truth.Stuck {
		text += ", stuck"
	}
	if t.last[truth.Worker] == text {
		return
	}
	t.last[truth.Worker] = text
	t.line(s.Event, s.Now, "%-4s %-8s %s since %s", truth.Worker, "truth", text, truth.Since)
}

// Act implements Sink. What the executor did without a word is not shown.
func (t *Timeline) Act(a *Act) {
	if !t.past(a.Event) && a.Result != watchdog.ResultDone {
		t.line(a.Event, a.Now, "%-4s %-8s %s %s: %s", a.Command.Worker, "act", a.Command.Kind, a.Result, a.Reason)
	}
}

// Fault implements Sink.
func (t *Timeline) Fault(f *Fault) {
	if !t.past(f.Event) {
		t.line(f.Event, f.Now, "%-4s %-8s %s %s", "", "world", f.Kind, f.Span)
	}
}

// End implements Sink.
func (t *Timeline) End(now watchdog.Instant) {
	if t.focus == 0 {
		t.line(0, now, "%-4s %-8s", "", "end")
	}
}

// past reports whether a record stands too far behind the focus.
func (t *Timeline) past(event int) bool { return t.focus > 0 && event > t.focus+behind }

// line adds a line; before the focus only the last ones are kept.
func (t *Timeline) line(event int, now watchdog.Instant, format string, args ...any) {
	mark := " "
	if t.focus > 0 && event == t.focus {
		mark = ">"
	}
	if broken, ok := t.marks[event]; ok {
		mark = ">"
		if len(broken) > 0 {
			t.ring = append(t.ring, fmt.Sprintf("%s %12s  breaks %s", mark, seconds(now.Mono), strings.Join(broken, ", ")))
			t.marks[event] = nil
		}
	}
	text := strings.TrimRight(fmt.Sprintf("%s %12s  "+format, append([]any{mark, seconds(now.Mono)}, args...)...), " ")
	t.ring = append(t.ring, text)
	if t.focus > 0 && event < t.focus && len(t.ring) > before {
		t.ring = append(t.ring[:0], t.ring[1:]...)
	}
	if t.focus == 0 && len(t.ring) >= before {
		t.Flush()
	}
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "s"
}

func numbers(ev []watchdog.Evidence) string {
	words := make([]string, len(ev))
	for i, e := range ev {
		words[i] = "#" + strconv.Itoa(e.N)
	}
	return strings.Join(words, " ")
}

func what(c *watchdog.Command) string {
	switch {
	case c.Stream != "":
		return " of " + string(c.Stream)
	case c.What != "":
		return " of " + string(c.What)
	}
	return ""
}

// show says what was observed.
func show(body watchdog.Body) string {
	switch b := body.(type) {
	case watchdog.Bytes:
		return fmt.Sprintf("%s %s", b.Stream, excerpt(b.Data))
	case watchdog.Closed:
		return fmt.Sprintf("%s closed", b.Stream)
	case watchdog.File:
		return fmt.Sprintf("%s %s", b.Stream, b.Change)
	case watchdog.Gap:
		return fmt.Sprintf("gap of %d bytes in %s", b.Missing, b.Stream)
	case watchdog.Spawned:
		return fmt.Sprintf("spawned, mode %s, %s, parent %t", b.Mode, b.Source, b.Parent)
	case watchdog.Exited:
		return fmt.Sprintf("exited with %d %s", b.Code, b.Signal)
	case watchdog.Probe:
		return fmt.Sprintf("probe of %s: %s, %d processes %s", b.What, b.Result, len(b.Processes), excerpt([]byte(b.Text)))
	case watchdog.Inspect:
		return fmt.Sprintf("inspect of %s: %s offset %d %s", b.What, b.Stream, b.Offset, b.World)
	case watchdog.Outcome:
		return fmt.Sprintf("outcome of %s: %s", b.Key, b.Result)
	}
	return string(body.Kind())
}

// shown is how many bytes of a record a timeline shows.
const shown = 72

// excerpt is the beginning of some bytes, safe to print.
func excerpt(data []byte) string {
	text, _, _ := bytes.Cut(data, []byte("\n"))
	cut := text
	if len(cut) > shown {
		cut = cut[:shown]
	}
	q := strconv.QuoteToASCII(string(cut))
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	if len(cut) < len(text) {
		q += "..."
	}
	return q
}
