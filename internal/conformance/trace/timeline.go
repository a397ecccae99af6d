package trace

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// before and behind are how many lines a timeline shows around its focus.
const (
	before = 10
	behind = 6
)

// Timeline is a Sink that writes a history as text for people, a line for whatever happened. Times are on Mono.
type Timeline struct {
	*Entries
	out   io.Writer
	focus int              // the record that it is about; 0 = all are shown
	ring  []string         // the lines that stand before the focus
	marks map[int][]string // requirements that a record breaks
	after int              // lines behind the focus
	step  bool             // the step in the focus is being told
	spoke bool             // and the watchdog said something in it
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

// Step implements Sink. In the step that the timeline is about, what was seen is told, and what the watchdog made of it is
// marked; if it made nothing of it, that is.
func (t *Timeline) Step(s *Step) {
	t.step, t.spoke = t.focus > 0 && s.Event == t.focus, false
	t.Entries.Step(s)
	if t.step && !t.spoke {
		wake := "asks for no wake-up"
		if s.Decision.Wake > 0 {
			wake = "asks to be woken at " + seconds(s.Decision.Wake)
		}
		t.line(Entry{Event: s.Event, At: s.Now.Mono, Lane: LaneWatchdog, Word: "step", Text: fmt.Sprintf("%s: it says nothing, and %s", s.Why, wake)})
	}
	t.step = false
}

// line adds a line; before the focus only the last ones are kept, behind it a few.
func (t *Timeline) line(e Entry) {
	seen := t.step && e.Lane != LaneWatchdog
	t.spoke = t.spoke || t.step && !seen
	if t.focus > 0 && (e.Event == 0 || e.Event > t.focus) {
		if t.after++; e.Event == 0 || t.after > behind {
			return
		}
	}
	mark := " "
	if t.focus > 0 && e.Event == t.focus && !seen {
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
	if t.focus > 0 && (e.Event < t.focus || seen) && len(t.ring) > before {
		t.ring = append(t.ring[:0], t.ring[1:]...)
	}
	if t.focus == 0 && len(t.ring) >= before {
		t.Flush()
	}
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "s"
}
