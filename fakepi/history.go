package fakepi

import (
	"bytes"
	"errors"
	"path"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

var (
	// ErrNoHeader: the data does not begin with the header of a session.
	ErrNoHeader = errors.New("no session header in the first line")
	// ErrNoMessage: an entry of type message has none.
	//lint:ignore ST1005 the text is that of the exception in Pi
	ErrNoMessage = errors.New("Cannot read properties of undefined (reading 'role')")
	// ErrNullEntry: a line is null, which Pi 0.73 takes for an entry.
	//lint:ignore ST1005 the text is that of the exception in Pi
	ErrNullEntry = errors.New("Cannot read properties of null (reading 'type')")
)

// History is a session that a worker goes on with.
type History struct{ data []byte }

// ReadHistory reads a session file: the last entry is the leaf, an entry of an unknown type counts as one, and a line that
// is no JSON, as a torn last one, is skipped (docs/pi-formats.md, sections 8 and 9). The error is [ErrNoHeader],
// [ErrNoMessage], [ErrNullEntry], or that of an unknown dialect.
func ReadHistory(d native.Dialect, data []byte) (*History, error) {
	r, err := rulesOf(d)
	if err != nil {
		return nil, err
	}
	header, entries, err := readEntries(r, data)
	switch {
	case err != nil:
		return nil, err
	case header == nil:
		return nil, ErrNoHeader
	case lackMessage(entries):
		return nil, ErrNoMessage
	}
	return &History{data}, nil
}

// lackMessage reports whether Pi stumbles over one of the entries.
func lackMessage(entries []native.Entry) bool {
	return slices.ContainsFunc(entries, func(e native.Entry) bool {
		m, ok := e.(*native.MessageEntry)
		return ok && m.Message == nil
	})
}

// readEntries reads a session file as a dialect's Pi does. A call without a result stays so: only the model is told. The error
// is [ErrNullEntry].
func readEntries(r *rules, data []byte) (header *native.SessionHeader, entries []native.Entry, err error) {
	for line := range bytes.Lines(native.DecodeUTF8(data)) {
		line = bytes.TrimRight(line, "\r\n")
		record, err := r.codec.Decode(line)
		if errors.Is(err, native.ErrNotObject) {
			record, err = r.bareValue(line)
		}
		if errors.Is(err, ErrNullEntry) {
			return nil, nil, err
		}
		if err != nil {
			continue
		}
		h, isHeader := record.(*native.SessionHeader)
		switch {
		case header == nil && isHeader && h.ID != "":
			header = h
		case header == nil:
			return nil, nil, nil
		case !isHeader:
			entries = append(entries, entryOf(record))
		}
	}
	return header, entries, nil
}

// errSkipped: a line that Pi reads over.
var errSkipped = errors.New("no entry")

// bareValue is a line that is no object: to Pi an entry without an id, but Pi 1.6 reads over what JavaScript takes for
// false. The error is errSkipped or [ErrNullEntry].
func (r *rules) bareValue(line []byte) (native.Record, error) {
	v, err := native.ParseValue(line)
	switch {
	case err != nil || r.repairs && !javascript.Truthy(v):
		return nil, errSkipped
	case v == native.Value(native.Null{}):
		return nil, ErrNullEntry
	}
	return &native.UnknownEntry{Value: v}, nil
}

// entryOf is a record of a session file as an entry.
func entryOf(record native.Record) native.Entry {
	if u, ok := record.(*native.UnknownRecord); ok {
		return &native.UnknownEntry{Value: u.Value}
	}
	if e, ok := record.(native.Entry); ok {
		return e
	}
	return &native.UnknownEntry{Value: native.Object{}}
}

// sessionOf is the session in memory of a file. Pi 0.73 empties a file without a header, both do so with an empty one. The
// error is [ErrNoMessage] or [ErrNullEntry].
func (w *Worker) sessionOf(data []byte, file string) (session, error) {
	s := w.newSession(path.Dir(file), w.ids.session(w.epoch.Add(w.now)), w.now, nil)
	s.path, s.exists, s.saved = file, true, true
	s.header.CWD = w.startCWD
	header, entries, err := readEntries(w.rules, data)
	switch {
	case err != nil:
		return session{}, err
	case header == nil:
		s.emptied = true
		return s, nil
	}
	if header.Version < sessionVersion || header.Odd != nil { // of an odd one the version may be no number
		if newer, ok := migrate(data, w.ids.entry); ok {
			data, s.migrated = newer, newer
			header, entries, _ = readEntries(w.rules, data) // it has objects alone
		}
	}
	if lackMessage(entries) {
		return session{}, ErrNoMessage
	}
	s.header = header
	s.torn = w.rules.repairs && !bytes.HasSuffix(data, []byte("\n"))
	s.take(entries, w.rules)
	return s, nil
}

// mendFile does to the file of a session what Pi does when it has read it.
func (w *Worker) mendFile() {
	s := &w.session
	switch {
	case s.unsaved:
	case s.migrated != nil:
		w.emit(Session, s.migrated, false)
		w.out[len(w.out)-1].Path, w.out[len(w.out)-1].Emptied = s.path, true
	case s.emptied:
		w.write(Session, s.header, false)
		w.out[len(w.out)-1].Emptied = true
	case s.torn:
		w.emit(Session, []byte("\n"), false)
		w.out[len(w.out)-1].Path = s.path
	}
	s.emptied, s.torn, s.migrated = false, false, nil
}
