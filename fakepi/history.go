package fakepi

import (
	"bytes"
	"errors"
	"path"

	"fakepi.example/fakepi/native"
)

// ErrNoHeader: the data does not begin with the header of a session.
var ErrNoHeader = errors.New("no session header in the first line")

// History is a session that a worker goes on with.
type History struct{ data []byte }

// ReadHistory reads a session file: the last entry is the leaf, an entry of an unknown type counts as one, and a line that
// is no entry, as a torn last one, is skipped (docs/pi-formats.md, sections 8 and 9). The error is [ErrNoHeader].
func ReadHistory(data []byte) (*History, error) {
	if header, _ := readEntries(&rules16, data); header == nil {
		return nil, ErrNoHeader
	}
	return &History{data}, nil
}

// readEntries reads a session file as a dialect's Pi does. A call without a result stays so: only the model is told.
func readEntries(r *rules, data []byte) (header *native.SessionHeader, entries []native.Entry) {
	for line := range bytes.Lines(data) {
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

// sessionOf is the session in memory of a file. Pi 0.73 empties a file without a header, both do so with an empty one.
func (w *Worker) sessionOf(data []byte, file string) session {
	s := w.newSession(path.Dir(file), w.ids.session(w.epoch.Add(w.now)), w.now, nil)
	s.path, s.exists, s.saved = file, true, true
	header, entries := readEntries(w.rules, data)
	if header == nil {
		s.emptied = true
		return s
	}
	s.header = header
	s.torn = w.rules.repairs && !bytes.HasSuffix(data, []byte("\n"))
	s.take(entries, w.rules)
	return s
}

// mendFile does to the file of a session what Pi does when it has read it.
func (w *Worker) mendFile() {
	s := &w.session
	switch {
	case s.unsaved:
	case s.emptied:
		w.write(Session, s.header, false)
		w.out[len(w.out)-1].Emptied = true
	case s.torn:
		w.emit(Session, []byte("\n"), false)
		w.out[len(w.out)-1].Path = s.path
	}
	s.emptied, s.torn = false, false
}
