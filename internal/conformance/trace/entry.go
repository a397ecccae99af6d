package trace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// Lane is whose doing an entry is.
type Lane uint8

// The lanes.
const (
	LaneClock Lane = iota
	LaneWorker
	LaneWorld
	LaneWatchdog
	LaneOwner
)

// String returns the lane's heading.
func (l Lane) String() string {
	return [...]string{"clock", "worker", "world", "watchdog", "owner"}[l]
}

// Lanes lists them from left to right.
func Lanes() []Lane { return []Lane{LaneClock, LaneWorker, LaneWorld, LaneWatchdog, LaneOwner} }

// Entry is one thing that happened in a history, in words for people.
type Entry struct {
	Event  int // number of the record that tells of it; 0 = the end
	At     time.Duration
	Lane   Lane
	Worker string // whom it concerns; may be empty
	Word   string // what it is: the number of an observation, "verdict", "command" ...
	Text   string
}

// Entries is a Sink that puts a history into words. Steps in which nothing was seen or said are left out.
type Entries struct {
	tell func(Entry)
	last map[string]string // the truth last shown, by worker
}

// NewEntries returns a sink that calls tell for each entry.
func NewEntries(tell func(Entry)) *Entries { return &Entries{tell: tell, last: map[string]string{}} }

func (t *Entries) entry(event int, now watchdog.Instant, lane Lane, worker, word, format string, args ...any) {
	t.tell(Entry{event, now.Mono, lane, worker, word, fmt.Sprintf(format, args...)})
}

// Advance implements Sink.
func (t *Entries) Advance(watchdog.Instant) {}

// Step implements Sink.
func (t *Entries) Step(s *Step) {
	if s.Again > 0 {
		t.entry(s.Event, s.Now, LaneWorld, "", "again", "#%d to #%d", s.Seen[0].N, s.Seen[s.Again-1].N)
	}
	for i := range s.Seen[s.Again:] {
		o := &s.Seen[s.Again+i]
		t.entry(s.Event, s.Now, laneOf(o), o.Worker, "#"+strconv.Itoa(o.N), "%s", show(o.Body))
	}
	for i := range s.Truths {
		t.truth(s, i)
	}
	for i := range s.Decision.Verdicts {
		v := &s.Decision.Verdicts[i]
		t.entry(s.Event, s.Now, LaneWatchdog, v.Worker, "verdict", "%s %s (phase %s, limit %s) on %s", v.Name, v.Status, v.Cause.Phase, v.Cause.Limit, numbers(v.Evidence))
	}
	for i := range s.Decision.Commands {
		c := &s.Decision.Commands[i]
		t.entry(s.Event, s.Now, LaneWatchdog, c.Worker, "command", "%s%s because of %s %s", c.Kind, what(c), c.Cause.Name, c.Cause.Limit)
	}
	if s.Err != nil {
		t.entry(s.Event, s.Now, LaneWatchdog, "", "error", "%s", s.Err)
	}
}

// laneOf is whose doing an observation shows: what the worker writes and how it begins and ends, what people decide, and
// what the world answers.
func laneOf(o *watchdog.Observation) Lane {
	switch o.Body.(type) {
	case watchdog.Bytes, watchdog.Closed, watchdog.Spawned, watchdog.Exited:
		return LaneWorker
	case watchdog.Owner, watchdog.Operator:
		return LaneOwner
	}
	return LaneWorld
}

// truth shows the script's truth where it has changed.
func (t *Entries) truth(s *Step, i int) {
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
	t.entry(s.Event, s.Now, LaneWorker, truth.Worker, "truth", "%s since %s", text, truth.Since)
}

// Act implements Sink. What the executor did without a word is not told.
func (t *Entries) Act(a *Act) {
	if a.Result != watchdog.ResultDone {
		t.entry(a.Event, a.Now, LaneWorld, a.Command.Worker, "act", "%s %s: %s", a.Command.Kind, a.Result, a.Reason)
	}
}

// Fault implements Sink.
func (t *Entries) Fault(f *Fault) {
	lane := LaneWorld
	switch f.Kind {
	case FaultSuspend, FaultJump, FaultReboot:
		lane = LaneClock
	case FaultCrash, FaultSpin:
		lane = LaneWatchdog
	}
	t.entry(f.Event, f.Now, lane, "", "world", "%s %s", f.Kind, f.Span)
}

// End implements Sink.
func (t *Entries) End(now watchdog.Instant) { t.entry(0, now, LaneClock, "", "end", "") }

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
		return strings.TrimSpace(fmt.Sprintf("outcome of %s: %s %s", b.Key, b.Result, b.Reason))
	case watchdog.Task:
		return fmt.Sprintf("task %s, lease %q, vetoes %q", b.Status, b.Lease, b.Vetoes)
	case watchdog.Owner:
		if b.Approve {
			return "yes to " + b.Item
		}
		return "no to " + b.Item
	case watchdog.Operator:
		return string(b.Intent)
	case watchdog.Link:
		if b.Up {
			return "link up"
		}
		return "link down"
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
