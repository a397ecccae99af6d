package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/recording"
	"fakepi.example/watchdog"
)

// ErrFormat is wrapped by the error about a file that is neither a recording, nor Pi's stdout, nor a session file.
var ErrFormat = errors.New("no recording")

// Recording is one file of one worker's run, ready to be played.
type Recording struct {
	File    string
	mode    watchdog.Mode
	source  watchdog.Source
	epoch   time.Time // civil time at 0
	spawnAt time.Duration // never after the first line
	records []record // in the order of their times
}

// record is one thing that happened: bytes of a stream, or another body.
type record struct {
	at     time.Duration
	line   int // in the file, from 1; 0 = not from the file
	stream watchdog.Stream
	data   []byte
	body   watchdog.Body
}

// first is the time of the first line, from which Options.Until counts.
func (r *Recording) first() time.Duration {
	if len(r.records) == 0 {
		return 0
	}
	return r.records[0].at
}

func (r *Recording) spawned() watchdog.Spawned {
	return watchdog.Spawned{Mode: r.mode, Source: r.source, Parent: true}
}

// Open reads a file: a recording (events.rec.jsonl, with meta.json beside it or without), the bare stdout of Pi in json
// or rpc mode, the bytes of its terminal, or a session file. What it is shows in its content. A torn last line is part
// of the story; any other line that does not fit its format is an error with file, line and column.
func Open(file string) (*Recording, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	switch kindOf(data) {
	case kindRecording:
		return openEvents(file, data)
	case kindSession:
		return openSession(file, data)
	case kindStdout:
		return openStdout(file, data, watchdog.Out), nil
	case kindTerminal:
		return openStdout(file, data, watchdog.PTY), nil
	}
	return nil, fmt.Errorf("%s:1:1: %w: want events.rec.jsonl, the stdout of pi --mode json or rpc, or a session file", file, ErrFormat)
}

type kind int

const (
	kindNone kind = iota
	kindRecording
	kindSession
	kindStdout
	kindTerminal
)

// sniffed is how many lines tell what a file is: a session file shows it in its second line.
const sniffed = 32

// kindOf tells what a file is by its first lines.
func kindOf(data []byte) kind {
	var s native.Skimmed
	found := kindNone
	rest := data
	for range sniffed {
		line, more, ok := bytes.Cut(rest, []byte{'\n'})
		rest = more
		native.Skim(line, &s)
		switch {
		case s.Kind.IsEntry():
			return kindSession
		case s.Kind == native.KindMalformed:
		case isEvent(line):
			return kindRecording
		case s.Kind == native.KindHeader:
			found = kindStdout // or a session file without entries: nothing told them apart then
		case s.Kind != native.KindUnknown:
			return kindStdout
		}
		if !ok {
			break
		}
	}
	if found == kindNone && bytes.Contains(data[:min(len(data), 4096)], []byte("\x1b[")) {
		return kindTerminal
	}
	return found
}

// isEvent reports whether a line looks like one of the recording format; what is wrong with it the reader says.
func isEvent(line []byte) bool {
	v, err := native.ParseValue(line)
	if err != nil {
		return bytes.Contains(line, []byte(`"t_ms"`)) && bytes.Contains(line, []byte(`"dir"`))
	}
	o, ok := v.(native.Object)
	return ok && (o.Get("t_ms") != nil || o.Get("dir") != nil)
}

// openEvents reads the recording format. The exit status stands in meta.json, its time in the eof records.
func openEvents(file string, data []byte) (*Recording, error) {
	events, err := recording.Read(bytes.NewReader(data), file)
	if err != nil {
		return nil, err
	}
	r := &Recording{File: file, source: watchdog.SourceHeld, mode: modeOf(events), epoch: time.Unix(0, 0).UTC()}
	meta, err := recording.ReadMeta(filepath.Join(filepath.Dir(file), recording.MetaFile))
	switch {
	case err == nil:
		r.mode = watchdog.Mode(meta.Mode)
		r.epoch = meta.Epoch
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if len(events) > 0 {
		r.spawnAt = events[0].At
		if err == nil {
			r.spawnAt = min(r.spawnAt, meta.SpawnedAt)
		}
	}
	at, end := time.Duration(0), -1
	for _, e := range events {
		at = max(at, e.At) // the recorder's clock is monotonic; a step back would be its own
		if rec, ok := r.event(e, at); ok {
			r.records = append(r.records, rec)
		}
		if e.Dir == recording.EOF && string(e.Line) == "out" {
			end = len(r.records)
		}
	}
	if meta.Exited {
		exit := record{at: at, body: exitOf(meta)}
		if end < 0 {
			exit.at = max(at, meta.ExitAt)
		} else {
			exit.at, exit.line = r.records[end-1].at, r.records[end-1].line
		}
		r.records = append(r.records, exit)
	}
	return r, nil
}

func exitOf(meta recording.Meta) watchdog.Exited {
	if meta.Signal != "" {
		return watchdog.Exited{Code: -1, Signal: meta.Signal}
	}
	return watchdog.Exited{Code: meta.ExitCode}
}

// event is a line of a recording as what the holder of the worker would have seen.
func (r *Recording) event(e recording.Event, at time.Duration) (record, bool) {
	rec := record{at: at, line: e.N}
	switch e.Dir {
	case recording.Out:
		rec.stream = watchdog.Out
	case recording.In:
		rec.stream = watchdog.In
	case recording.Err:
		rec.stream = watchdog.Err
	case recording.EOF:
		s := watchdog.Stream(e.Line)
		rec.body = watchdog.Closed{Stream: s}
		return rec, s == watchdog.Out || s == watchdog.In || s == watchdog.Err
	}
	rec.data = append(bytes.Clone(e.Line), '\n')
	return rec, true
}

// modeOf tells the mode of a recording without meta.json: only json mode prints a header, only rpc mode answers.
func modeOf(events []recording.Event) watchdog.Mode {
	var s native.Skimmed
	for _, e := range events {
		if e.Dir != recording.Out {
			continue
		}
		native.Skim(e.Line, &s)
		if s.Kind == native.KindHeader {
			return watchdog.ModeJSON
		}
		break
	}
	return watchdog.ModeRPC
}

// openStdout reads bare bytes: they carry no time, so all of them come at 0.
func openStdout(file string, data []byte, stream watchdog.Stream) *Recording {
	r := &Recording{File: file, source: watchdog.SourceHeld, mode: watchdog.ModeRPC, epoch: time.Unix(0, 0).UTC()}
	switch {
	case stream == watchdog.PTY:
		r.mode = watchdog.ModeTUI
		r.records = append(r.records, record{line: 1, stream: stream, data: data})
		return r
	case bytes.HasPrefix(data, []byte(`{"type":"session"`)):
		r.mode = watchdog.ModeJSON
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		r.records = append(r.records, record{line: n, stream: stream, data: line})
	}
	return r
}

// openSession reads a session file: each entry comes at its own time. A stamp that is missing or runs back is not
// believed; the entry comes with the one before it (WDC-CLOCK-002).
func openSession(file string, data []byte) (*Recording, error) {
	r := &Recording{File: file, source: watchdog.SourceFollowed, mode: watchdog.ModePrint}
	var s native.Skimmed
	var at time.Duration
	n := 0
	for line := range bytes.Lines(data) {
		n++
		native.Skim(bytes.TrimRight(line, "\r\n"), &s)
		if s.HasEntryTimestamp {
			stamp := time.UnixMilli(s.EntryTimestamp).UTC()
			if r.epoch.IsZero() {
				r.epoch = stamp
			}
			at = max(at, stamp.Sub(r.epoch))
		}
		r.records = append(r.records, record{at: at, line: n, stream: watchdog.Session, data: line})
	}
	return r, nil
}
