package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/debris"
)

// Session is what a session file tells of a worker's last moments (docs/pi-formats.md, section 8).
type Session struct {
	Path    string    `json:"path"`
	Missing bool      `json:"missing,omitempty"` // a worker of Pi 0.73 writes none before its first reply ends: no proof of anything
	ID      string    `json:"id,omitempty"`
	CWD     string    `json:"cwd,omitempty"`
	Entries int       `json:"entries"`
	Role    string    `json:"role,omitempty"` // of the last message
	Stop    string    `json:"stop_reason,omitempty"`
	Error   string    `json:"error,omitempty"` // of the last message
	Line    int       `json:"line,omitempty"`  // of the last message
	Last    time.Time `json:"last,omitzero"`   // when the last entry was written, by its own stamp or by the file's, whichever is later
	Open    []Call    `json:"open,omitempty"`  // without a result
	Damaged []int     `json:"damaged,omitempty"`
	Torn    bool      `json:"torn,omitempty"`   // the last line is cut off
	Forks   []string  `json:"forks,omitempty"`  // parent ids that two messages have: two writers (WDC-FENCE-004)
	Leaf    string    `json:"leaf,omitempty"`   // id of the last entry
	Prompt  string    `json:"prompt,omitempty"` // first words of the first user message
}

// Call is a tool call.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"` // JSON, cut
	Line int    `json:"line"`

	Began time.Time `json:"began,omitzero"` // when its message was written

	raw native.Object
}

// Effects reports whether a call may have changed something outside the session.
func (c Call) Effects() bool { return !debris.OnlyReads(c.Name) }

// ReadSession reads a session file. A missing one is a fact, not an error.
func ReadSession(file string) (*Session, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSession, err)
	}
	data, info, err := readRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Session{Path: file, Missing: true}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSession, err)
	}
	s := ParseSession(file, data)
	if at := info.ModTime(); at.After(s.Last) {
		s.Last = at
	}
	return s, nil
}

// ParseSession reads the bytes of a session file. What is no entry is counted as damaged and passed over.
func ParseSession(file string, data []byte) *Session {
	r := sessionReader{Session: &Session{Path: file}, parents: map[string]int{}}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // some editor's
		}
		r.Torn = !bytes.HasSuffix(line, []byte("\n"))
		r.line(n, bytes.TrimRight(line, "\r\n"))
	}
	if r.Torn && len(data) > 0 && !slices.Contains(r.Damaged, n) {
		r.Torn = false // the line is whole but for its end
	}
	return r.Session
}

type sessionReader struct {
	*Session
	parents map[string]int
}

func (r *sessionReader) line(n int, line []byte) {
	v, err := native.ParseValue(line)
	o, ok := v.(native.Object)
	if err != nil || !ok {
		r.Damaged = append(r.Damaged, n)
		return
	}
	kind := o.Text("type")
	if kind == "session" {
		r.ID, r.CWD = o.Text("id"), o.Text("cwd")
		return
	}
	r.Entries++
	r.Leaf = o.Text("id")
	at, err := time.Parse(time.RFC3339, o.Text("timestamp"))
	if err == nil && at.After(r.Last) {
		r.Last = at
	}
	if kind != "message" {
		return
	}
	parent := o.Text("parentId")
	if r.parents[parent]++; r.parents[parent] == 2 && parent != "" {
		r.Forks = append(r.Forks, parent)
	}
	if m, ok := o.Get("message").(native.Object); ok {
		r.message(n, at, m)
	}
}

func (r *sessionReader) message(n int, at time.Time, m native.Object) {
	role := m.Text("role")
	if role == "system" {
		return
	}
	r.Role, r.Line, r.Stop, r.Error = role, n, m.Text("stopReason"), m.Text("errorMessage")
	switch role {
	case "user":
		if r.Prompt == "" {
			r.Prompt = cut(firstText(m), 200)
		}
	case "assistant":
		r.calls(n, at, m)
	case "toolResult":
		id := m.Text("toolCallId")
		for i := range r.Open {
			if r.Open[i].ID == id {
				r.Open = append(r.Open[:i:i], r.Open[i+1:]...)
				break
			}
		}
	}
}

// calls notes the calls of a message. Those of one that ended in an error or was aborted never ran.
func (r *sessionReader) calls(n int, at time.Time, m native.Object) {
	if r.Stop == "error" || r.Stop == "aborted" {
		return
	}
	blocks, _ := m.Get("content").(native.Array)
	for _, b := range blocks {
		if o, ok := b.(native.Object); ok && o.Text("type") == "toolCall" {
			c := Call{ID: o.Text("id"), Name: o.Text("name"), Line: n, Began: at}
			c.raw, _ = o.Get("arguments").(native.Object)
			c.Args = cut(string(native.AppendValue(nil, c.raw)), 200)
			r.Open = append(r.Open, c)
		}
	}
}

func firstText(m native.Object) string {
	blocks, _ := m.Get("content").(native.Array)
	for _, b := range blocks {
		if o, ok := b.(native.Object); ok && o.Text("type") == "text" {
			return o.Text("text")
		}
	}
	return ""
}

// cut shortens a text for people and takes from it what could drive a terminal (WDC-SAFE-002).
func cut(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}
