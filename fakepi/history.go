package fakepi

import (
	"bytes"
	"errors"
	"path"
	"slices"

	"fakepi.example/fakepi/native"
)

var (
	// ErrNoHeader: the data does not begin with the header of a session.
	ErrNoHeader = errors.New("no session header in the first line")
	// ErrNoMessage: an entry of type message has none.
	//lint:ignore ST1005 the text is that of the exception in Pi
	ErrNoMessage = errors.New("Cannot read properties of undefined (reading 'role')")
)

// History is a session that a worker goes on with.
type History struct{ data []byte }

// ReadHistory reads a session file: the last entry is the leaf, an entry of an unknown type counts as one, and a line that
// is no entry, as a torn last one, is skipped (docs/pi-formats.md, sections 8 and 9). The error is [ErrNoHeader] or
// [ErrNoMessage].
func ReadHistory(data []byte) (*History, error) {
	header, entries := readEntries(&rules16, data)
	switch {
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

// readEntries reads a session file as a dialect's Pi does. A call without a result stays so: only the model is told.
func readEntries(r *rules, data []byte) (header *native.SessionHeader, entries []native.Entry) {
	for line := range bytes.Lines(native.DecodeUTF8(data)) {
		record, err := r.codec.Decode(bytes.TrimRight(line, "\r\n"))
		if errors.Is(err, native.ErrSyntax) {
			continue
		}
		h, isHeader := record.(*native.SessionHeader)
		switch {
		case header == nil && isHeader && h.ID != "":
			header = h
		case header == nil:
			return nil, nil
		case err == nil && !isHeader:
			entries = append(entries, entryOf(record))
		}
	}
	return header, entries
}

// entryOf is a record of a session file as an entry.
func entryOf(record native.Record) native.Entry {
	if e, ok := record.(native.Entry); ok {
		return e
	}
	if u, ok := record.(*native.UnknownRecord); ok {
		return &native.UnknownEntry{Value: u.Value}
	}
	return &native.UnknownEntry{}
}

// sessionOf is the session in memory of a file. Pi 0.73 empties a file without a header, both do so with an empty one. The
// error is [ErrNoMessage].
func (w *Worker) sessionOf(data []byte, file string) (session, error) {
	s := w.newSession(path.Dir(file), w.ids.session(w.epoch.Add(w.now)), w.now, nil)
	s.path, s.exists, s.saved = file, true, true
	s.header.CWD = w.startCWD
	header, entries := readEntries(w.rules, data)
	if header == nil {
		s.emptied = true
		return s, nil
	}
	if header.Version < sessionVersion || header.Odd != nil { // of an odd one the version may be no number
		if newer, ok := migrate(data, w.ids.entry); ok {
			data, s.migrated = newer, newer
			header, entries = readEntries(w.rules, data)
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
