package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/watchdog"
)

// openEvents reads the recording format. The exit status stands in meta.json, its time in the eof records.
func openEvents(file string, data []byte) (*Recording, error) {
	events, err := recording.Read(bytes.NewReader(data), file)
	if err != nil {
		return nil, err
	}
	meta, err := readMeta(file)
	if err != nil {
		return nil, err
	}
	r := &Recording{File: file, source: watchdog.SourceHeld, parent: true, mode: watchdog.Mode(meta.Mode), epoch: meta.Epoch}
	if r.mode == "" {
		r.mode = modeOf(events)
	}
	if r.mode == watchdog.ModeTUI {
		r.source = watchdog.SourceFollowed // what the terminal showed is not in this file
	}
	at, exited := time.Duration(0), !meta.Exited
	for _, e := range events {
		if err := check(file, e); err != nil {
			return nil, err
		}
		at = max(at, e.At) // the recorder's clock is monotonic; a step back would be its own
		r.records = append(r.records, eventRecord(e, at))
		if e.Dir == recording.EOF && string(e.Line) == string(watchdog.StreamOut) && !exited {
			r.records = append(r.records, record{at: at, line: e.N, body: exitOf(meta)})
			exited = true
		}
	}
	if !exited {
		r.records = append(r.records, record{at: max(at, min(meta.ExitAt, maxSpan)), body: exitOf(meta)})
	}
	r.spawnAt = min(r.first(), max(0, meta.SpawnedAt))
	return r, nil
}

// check refuses what no recorder writes.
func check(file string, e recording.Event) error {
	bad := recording.Error{File: file, Line: e.N, Column: 1}
	switch s := watchdog.Stream(e.Line); {
	case e.At > maxSpan:
		bad.Reason, bad.Remedy = fmt.Sprintf("t_ms is %.0f years", e.At.Hours()/24/365), "mend the time, or remove the line"
	case e.Dir == recording.EOF && s != watchdog.StreamOut && s != watchdog.StreamErr && s != watchdog.StreamIn:
		bad.Reason, bad.Remedy = fmt.Sprintf("eof of an unknown stream %q", e.Line), "want out, err or in"
	default:
		return nil
	}
	return &bad
}

// readMeta reads the meta.json beside a recording. Without one the run has no known exit, its mode must show, and it
// starts with the first line.
func readMeta(file string) (recording.Meta, error) {
	path := filepath.Join(filepath.Dir(file), recording.MetaFile)
	meta, err := recording.ReadMeta(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return recording.Meta{Epoch: time.Unix(0, 0).UTC(), SpawnedAt: maxSpan}, nil
	case err != nil:
		return meta, err
	}
	switch mode := watchdog.Mode(meta.Mode); mode {
	case "", watchdog.ModeRPC, watchdog.ModeJSON, watchdog.ModePrint, watchdog.ModeTUI:
		return meta, nil
	}
	return meta, &recording.Error{
		File: path, Line: 1, Column: 1, Reason: fmt.Sprintf("unknown mode %q", meta.Mode), Remedy: "want rpc, json, print or tui",
	}
}

func exitOf(meta recording.Meta) watchdog.Exited {
	if meta.Signal != "" {
		return watchdog.Exited{Code: -1, Signal: meta.Signal}
	}
	return watchdog.Exited{Code: meta.ExitCode}
}

// eventRecord is a line of a recording as what the holder of the worker would have seen.
func eventRecord(e recording.Event, at time.Duration) record {
	rec := record{at: at, line: e.N, stream: watchdog.Stream(e.Dir)}
	if e.Dir == recording.EOF {
		rec.body = watchdog.Closed{Stream: watchdog.Stream(e.Line)}
		return rec
	}
	rec.data = append(bytes.Clone(e.Line), '\n')
	return rec
}

// modeOf tells the mode of a recording without meta.json: only json mode prints a header.
func modeOf(events []recording.Event) watchdog.Mode {
	for _, e := range events {
		if e.Dir == recording.Out {
			return modeOfLine(e.Line)
		}
	}
	return watchdog.ModeRPC
}

func modeOfLine(line []byte) watchdog.Mode {
	var s native.Skimmed
	native.Skim(line, &s)
	if s.Kind == native.KindHeader {
		return watchdog.ModeJSON
	}
	return watchdog.ModeRPC
}

// openStdout reads bare stdout: it carries no time, so all of it comes at 0.
func openStdout(file string, data []byte) *Recording {
	r := &Recording{File: file, source: watchdog.SourceHeld, parent: true, epoch: time.Unix(0, 0).UTC()}
	first, _, _ := bytes.Cut(data, []byte{'\n'})
	r.mode = modeOfLine(first)
	for line := range bytes.Lines(data) {
		r.records = append(r.records, record{line: len(r.records) + 1, stream: watchdog.StreamOut, data: line})
	}
	return r
}

// openTerminal reads what a terminal was sent. It has no lines and no time.
func openTerminal(file string, data []byte) *Recording {
	return &Recording{
		File: file, source: watchdog.SourceHeld, parent: true, mode: watchdog.ModeTUI, epoch: time.Unix(0, 0).UTC(),
		records: []record{{line: 1, stream: watchdog.StreamPTY, data: data}},
	}
}

// openSession reads a session file: each entry comes at its own time. A stamp that is missing, runs back or lies years
// ahead is not believed; its entry comes with the one before it (WDC-CLOCK-002).
func openSession(file string, data []byte) *Recording {
	r := &Recording{File: file, source: watchdog.SourceFollowed, mode: watchdog.ModePrint}
	var s native.Skimmed
	var at time.Duration
	for line := range bytes.Lines(data) {
		native.Skim(bytes.TrimRight(line, "\r\n"), &s)
		if s.HasEntryTimestamp {
			stamp := time.UnixMilli(s.EntryTimestamp).UTC()
			if r.epoch.IsZero() {
				r.epoch = stamp
			}
			if ahead := stamp.Sub(r.epoch); ahead <= maxSpan {
				at = max(at, ahead)
			}
		}
		r.records = append(r.records, record{at: at, line: len(r.records) + 1, stream: watchdog.StreamSession, data: line})
	}
	return r
}
