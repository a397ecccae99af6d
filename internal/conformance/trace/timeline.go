package trace

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// before and behind are how many records a timeline shows around its focus.
const (
	before = 10
	behind = 3
)

// Timeline is a Sink that writes a history as text for people, a line for whatever happened. Times are on Mono.
type Timeline struct {
	*Entries
	out   io.Writer
	focus int              // the record that it is about; 0 = all are shown
	ring  []string         // the lines that stand before the focus
	marks map[int][]string // requirements that a record breaks
	lines int              // that were told
}

// NewTimeline returns a timeline around one record of a history, or of all of it for focus 0.
func NewTimeline(out io.Writer, focus int) *Timeline {
	t := &Timeline{out: out, focus: focus}
	t.Entries = NewEntries(t.line)
	return t
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

// Step implements Sink. A step that the timeline is about has a line even if nothing was seen or said in it.
func (t *Timeline) Step(s *Step) {
	told := t.lines
	t.Entries.Step(s)
	if t.focus > 0 && s.Event == t.focus && t.lines == told {
		t.line(Entry{Event: s.Event, At: s.Now.Mono, Lane: LaneWatchdog, Word: "step", Text: s.Why.String()})
	}
}

// line adds a line; before the focus only the last ones are kept, behind it a few.
func (t *Timeline) line(e Entry) {
	t.lines++
	if t.focus > 0 && (e.Event > t.focus+behind || e.Event == 0) {
		return
	}
	mark := " "
	if t.focus > 0 && e.Event == t.focus {
		mark = ">"
	}
	if broken, ok := t.marks[e.Event]; ok {
		mark = ">"
		if len(broken) > 0 {
			t.ring = append(t.ring, fmt.Sprintf("%s %12s  breaks %s", mark, seconds(e.At), strings.Join(broken, ", ")))
			t.marks[e.Event] = nil
		}
	}
	t.ring = append(t.ring, strings.TrimRight(fmt.Sprintf("%s %12s  %-4s %-8s %s", mark, seconds(e.At), e.Worker, e.Word, e.Text), " "))
	if t.focus > 0 && e.Event < t.focus && len(t.ring) > before {
		t.ring = append(t.ring[:0], t.ring[1:]...)
	}
	if t.focus == 0 && len(t.ring) >= before {
		t.Flush()
	}
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "s"
}
