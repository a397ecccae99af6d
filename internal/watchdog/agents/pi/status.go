package pi

import (
	"bytes"
	"encoding/base64"
	"strings"

	"fakepi.example/internal/watchdog/agents"
)

// programStatus is one report of OSC 7501, by which Pi 1.6 tells a terminal what it is doing (docs/pi-formats.md,
// section 13).
type programStatus struct {
	state   string // idle, working, blocked, done, error, clear
	message string // of blocked the title, of error its text
}

// maxStatus bounds one report; a longer one is not one of Pi's.
const maxStatus = 4096

var statusOpens = []byte("\x1b]7501;")

// statusScanner finds program status reports in a terminal's bytes. Everything else there, the spinner above all,
// proves only that the event loop turns.
type statusScanner struct {
	pending []byte // a report, or the start of its introducer, not yet complete
}

// scan calls report for each status in a piece of the stream, cut anywhere.
func (s *statusScanner) scan(data []byte, report func(programStatus)) {
	if len(s.pending) > 0 {
		data = append(s.pending, data...)
		s.pending = nil
	}
	for {
		i := bytes.IndexByte(data, 0x1b)
		if i < 0 {
			return
		}
		data = data[i:]
		if !bytes.HasPrefix(data, statusOpens) {
			if bytes.HasPrefix(statusOpens, data) {
				s.pending = bytes.Clone(data)
				return
			}
			data = data[1:]
			continue
		}
		body := data[len(statusOpens):]
		end := bytes.IndexAny(body, "\x07\x1b")
		switch {
		case end < 0 && len(body) < maxStatus:
			s.pending = bytes.Clone(data)
			return
		case end < 0:
			data = body
			continue
		}
		if st, ok := parseStatus(string(body[:end])); ok {
			report(st)
		}
		data = body[end:]
	}
}

// parseStatus reads "state=blocked:app=pi:msg=<base64>". A query ("?") is no report.
func parseStatus(body string) (programStatus, bool) {
	var st programStatus
	for _, field := range strings.Split(body, ":") {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "state":
			st.state = value
		case "msg":
			if text, err := base64.StdEncoding.DecodeString(value); err == nil {
				st.message = string(text)
			}
		}
	}
	return st, st.state != ""
}

// event is what a report says.
func (s *programStatus) event() agents.Event {
	ev := agents.Event{Kind: agents.Status}
	switch s.state {
	case "working":
		ev.State = agents.StateWorking
	case "blocked":
		ev.State = agents.StateBlocked
	case "done":
		ev.State = agents.StateDone
	case "error":
		ev.State, ev.Trouble = agents.StateFailed, troubleIn([]byte(s.message))
	case "idle":
		ev.State = agents.StateIdle
	}
	return ev
}
