// Package pi reads the streams of Pi: its records on stdout and stdin, its session file, and the status that it reports to a
// terminal.
package pi

import (
	"encoding/json"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// Name is what Spawned.Agent calls Pi.
const Name = "pi"

// Reader implements agents.Reader.
type Reader struct {
	mode             watchdog.Mode
	out, in, session native.Splitter
	pty              statusScanner
	detector         native.Detector
	records          bool // stdout has shown records: the session file tells nothing that they do not

	from  watchdog.Stream // of the bytes that Next reads
	lines *native.Splitter
	now   time.Time
	queue []agents.Event // of a terminal
	skim  native.Skimmed
	event agents.Event
}

// New makes a reader. The stream itself tells the dialect, whatever version is announced (WDC-OBS-003).
func New(string) agents.Reader { return new(Reader) }

// Start implements agents.Reader.
func (r *Reader) Start(s watchdog.Spawned) { r.mode = s.Mode }

// Feed implements agents.Reader.
func (r *Reader) Feed(from watchdog.Stream, data []byte, now time.Time) {
	if from == watchdog.StreamPTY {
		r.pty.scan(data, func(s programStatus) { r.queue = append(r.queue, s.event()) })
	}
	r.from, r.now = from, now
	if r.lines = r.splitter(from); r.lines != nil {
		r.lines.Feed(data)
	}
}

// Close implements agents.Reader.
func (r *Reader) Close(from watchdog.Stream, now time.Time) {
	r.from, r.now = from, now
	if r.lines = r.splitter(from); r.lines != nil {
		r.lines.Close()
	}
}

// Forget implements agents.Reader.
func (r *Reader) Forget(from watchdog.Stream) {
	if s := r.splitter(from); s != nil {
		s.Reset(0)
	}
}

// splitter is the splitter of a stream of lines, or nil: stderr and the text of print mode are for people.
func (r *Reader) splitter(s watchdog.Stream) *native.Splitter {
	switch {
	case s == watchdog.StreamOut && r.mode != watchdog.ModePrint:
		return &r.out
	case s == watchdog.StreamIn:
		return &r.in
	case s == watchdog.StreamSession:
		return &r.session
	}
	return nil
}

// Pending implements agents.Reader.
func (r *Reader) Pending() bool {
	return r.out.Pending() > 0 || r.in.Pending() > 0 || r.session.Pending() > 0 || len(r.pty.pending) > 0
}

// Traits implements agents.Reader.
func (r *Reader) Traits() agents.Traits {
	d, sure := r.detector.Dialect()
	return agents.Traits{Known: sure == native.Likely || sure == native.Certain, TruthInDelay: d == native.Pi16 && sure == native.Certain}
}

// Prompt implements agents.Reader: the command that prompts a worker over rpc.
func (r *Reader) Prompt(id, text string) []byte {
	line, err := json.Marshal(struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Message string `json:"message"`
	}{id, "prompt", text})
	if err != nil {
		return nil
	}
	return append(line, '\n')
}

// Next implements agents.Reader.
func (r *Reader) Next() *agents.Event {
	if len(r.queue) > 0 {
		r.event = r.queue[0]
		if r.queue = r.queue[1:]; len(r.queue) == 0 {
			r.queue = nil
		}
		return &r.event
	}
	if r.lines == nil {
		return nil
	}
	line, ok := r.lines.Next()
	if !ok {
		return nil
	}
	if line.Oversize {
		r.event = agents.Event{Kind: agents.Cut}
		return &r.event
	}
	native.Skim(line.Data, &r.skim)
	switch r.from {
	case watchdog.StreamOut:
		r.record()
	case watchdog.StreamIn:
		r.command()
	default:
		r.entry(line.Data)
	}
	return &r.event
}

// idOf is the id of a dialog, any JSON value. A string keeps its opening quote: the text of a number is not the number.
func idOf(text []byte) string {
	if len(text) >= 2 && text[0] == '"' {
		return `"` + nameOf(text)
	}
	return name(text)
}

// nameOf is name for an id that may be any JSON value.
func nameOf(text []byte) string {
	if len(text) >= 2 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	return name(text)
}

// name copies an id or name out of a line, unescaped and bounded.
func name(raw []byte) string { return debris.Bound(native.Unescape(raw)) }
