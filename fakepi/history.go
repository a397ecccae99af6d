package fakepi

import (
	"bytes"
	"errors"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/pi16"
)

// ErrNoHeader: the data does not begin with the header of a session.
var ErrNoHeader = errors.New("no session header in the first line")

// History is a session that a worker goes on with.
type History struct {
	header  *native.SessionHeader
	leaf    string          // id of the last entry
	ids     map[string]bool // of all entries
	count   int             // messages that the model would be sent
	greeted bool            // the system message is among them
	name    string
}

// ReadHistory reads a session file as Pi 1.6 does: the last entry is the leaf, an entry of an unknown type counts as
// one, and a line that is no entry, as a torn last one, is skipped (docs/pi-formats.md, sections 8 and 9). The error is
// [ErrNoHeader].
func ReadHistory(data []byte) (*History, error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	record, err := pi16.Codec{}.Decode(first)
	header, ok := record.(*native.SessionHeader)
	if err != nil || !ok {
		return nil, ErrNoHeader
	}
	h := &History{header: header, ids: map[string]bool{}}
	for line := range bytes.Lines(rest) {
		h.read(bytes.TrimRight(line, "\r\n"))
	}
	return h, nil
}

// read takes one line into account. A call without a result stays so: only the model is told.
func (h *History) read(line []byte) {
	v, err := native.ParseValue(line)
	if err != nil {
		return
	}
	entry, _ := v.(native.Object)
	id, ok := entry.Get("id").(native.String)
	if !ok {
		return
	}
	h.leaf = string(id)
	h.ids[h.leaf] = true
	switch entry.Get("type") {
	case native.String("message"):
		m, _ := entry.Get("message").(native.Object)
		h.greeted = h.greeted || m.Get("role") == native.String("system")
		h.count++
	case native.String("context_edit"):
		h.count--
	case native.String("session_info"):
		name, _ := entry.Get("name").(native.String)
		h.name = string(name)
	}
}

// goOn makes the worker append to a history.
func (w *Worker) goOn(h *History) {
	w.file = sessionFile{id: h.header.ID, exists: true, leaf: h.leaf}
	w.count, w.greeted, w.lastEntry = h.count, h.greeted, h.leaf
}

// SessionPath names the session file.
func (w *Worker) SessionPath() string { return w.sessionPath }
