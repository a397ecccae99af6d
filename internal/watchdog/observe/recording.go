package observe

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/watchdog"
)

// ErrFormat is wrapped by the error about a file that is none of those that Open reads.
var ErrFormat = errors.New("no recording of Pi")

// Recording is one file of one worker's run, ready to be played.
type Recording struct {
	File    string
	mode    watchdog.Mode
	source  watchdog.Source
	parent  bool          // whoever recorded it started the worker, and saw it exit
	epoch   time.Time     // civil time at 0
	spawnAt time.Duration // never after the first line
	records []record      // in the order of their times
}

// record is one thing that happened: bytes of a stream, or another body.
type record struct {
	at     time.Duration
	line   int // in the file, from 1; 0 = not from the file
	stream watchdog.Stream
	data   []byte
	body   watchdog.Body
}

// maxSpan bounds a recording: a line that claims to come later is damaged.
const maxSpan = 10 * 365 * 24 * time.Hour

// first is the time of the first line, from which Options.Until counts.
func (r *Recording) first() time.Duration {
	if len(r.records) == 0 {
		return r.spawnAt
	}
	return r.records[0].at
}

// Span tells when the first and the last line were recorded, on the recording's clock.
func (r *Recording) Span() (first, last time.Duration) {
	first = r.first()
	if n := len(r.records); n > 0 {
		return first, r.records[n-1].at
	}
	return first, first
}

func (r *Recording) spawned() watchdog.Spawned {
	return watchdog.Spawned{Mode: r.mode, Source: r.source, Parent: r.parent}
}

// Open reads a file: a recording (events.rec.jsonl, with meta.json beside it or without), the bare stdout of Pi in json
// or rpc mode, the bytes of its terminal, or a session file. What it is shows in its content. A torn last line is part
// of the story.
//
// What is wrong with the file is an error with file, line, column and remedy: a *recording.Error where a recording or
// its meta.json is damaged, one that wraps ErrFormat where the file is no recording at all.
func Open(file string) (*Recording, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, syscall.EISDIR) {
		return nil, fmt.Errorf("%w; give a file in it, such as %s", err, filepath.Join(file, recording.EventsFile))
	}
	if err != nil {
		return nil, err
	}
	switch kindOf(data) {
	case kindEvents:
		return openEvents(file, data)
	case kindSession:
		return openSession(file, data), nil
	case kindStdout:
		return openStdout(file, data), nil
	case kindTerminal:
		return openTerminal(file, data), nil
	}
	what := "none of its first lines is a record of Pi"
	if len(data) == 0 {
		what = "the file is empty"
	}
	return nil, fmt.Errorf("%s:1:1: %w: %s; give events.rec.jsonl, the stdout of pi --mode json or rpc, or a session file",
		file, ErrFormat, what)
}

// kind is what a file is.
type kind int

const (
	kindNone kind = iota
	kindEvents
	kindSession
	kindStdout
	kindTerminal
)

// sniffed is how many lines tell what a file is: a session file shows it in its second line.
const sniffed = 32

// kindOf tells what a file is by its first lines, or by what Pi sends to a terminal at its start: the request to mark
// what is pasted (docs/pi-formats.md, section 13).
func kindOf(data []byte) kind {
	var s native.Skimmed
	found := kindNone
	n := 0
	for line := range bytes.Lines(data) {
		if n++; n > sniffed {
			break
		}
		switch k := kindOfLine(bytes.TrimRight(line, "\r\n"), &s); {
		case k == kindStdout && s.Kind == native.KindHeader:
			found = k // or a session file, as its next line tells
		case k != kindNone:
			return k
		}
	}
	if found == kindNone && bytes.Contains(data[:min(len(data), 4096)], []byte("\x1b[?2004h")) {
		return kindTerminal
	}
	return found
}

// kindOfLine tells what file a line belongs to.
func kindOfLine(line []byte, s *native.Skimmed) kind {
	native.Skim(line, s)
	switch {
	case s.Kind.IsEntry():
		return kindSession
	case isEvent(line):
		return kindEvents
	case s.Kind != native.KindMalformed && s.Kind != native.KindUnknown:
		return kindStdout
	}
	return kindNone
}

// isEvent reports whether a line looks like one of the recording format; what is wrong with it the reader says.
func isEvent(line []byte) bool {
	v, err := native.ParseValue(line)
	if err != nil {
		return bytes.Contains(line, []byte(`"t_ms"`)) && bytes.Contains(line, []byte(`"dir"`))
	}
	o, ok := v.(native.Object)
	return ok && o.Get("t_ms") != nil && (o.Get("dir") != nil || o.Get("line") != nil)
}
