package fakepi

import "fakepi.example/fakepi/native"

// sessionFile is what has been written to disk. The file begins at the first user message; a line goes to the file
// before its event goes to stdout (docs/pi-formats.md, section 8).
type sessionFile struct {
	id      string
	exists  bool
	waiting []native.Entry // made before the file exists; never changed in place
	leaf    string         // id of the last entry
}

// base makes the next entry's id and place.
func (w *Worker) base() native.EntryBase {
	id := w.ids.entry()
	for w.history != nil && w.history.ids[id] {
		id = w.ids.entry()
	}
	b := native.EntryBase{ID: id, ParentID: w.file.leaf, Timestamp: w.iso(w.now)}
	w.file.leaf = b.ID
	return b
}

// header is line 1 of the file and of json mode's stdout.
func (w *Worker) header() *native.SessionHeader {
	if w.history != nil {
		return w.history.header
	}
	return &native.SessionHeader{Version: 3, ID: w.file.id, Timestamp: w.iso(w.start), CWD: w.cwd}
}

// openSession makes the entries that every session begins with; they reach the disk with the first user message. A
// session that goes on has them.
func (w *Worker) openSession() {
	if w.history == nil {
		w.append(&native.ModelChange{EntryBase: w.base(), Provider: w.provider, ModelID: w.model}, false)
		w.append(&native.ThinkingLevelChange{EntryBase: w.base(), ThinkingLevel: w.level}, false)
	}
	if w.sessionName != "" {
		w.append(&native.SessionInfo{EntryBase: w.base(), Name: w.sessionName}, false)
	}
}

// append writes an entry, or keeps it while there is no file.
func (w *Worker) append(e native.Entry, progress bool) {
	if !w.file.exists {
		w.file.waiting = append(w.file.waiting[:len(w.file.waiting):len(w.file.waiting)], e)
		return
	}
	w.write(Session, e, w.moved(progress))
}

// name is the session's, if it has one.
func (w *Worker) name() native.Opt[string] {
	name := w.sessionName
	if name == "" && w.history != nil {
		name = w.history.name
	}
	return native.Opt[string]{V: name, Set: name != ""}
}

// save appends a finished message and returns its entry's id.
func (w *Worker) save(m native.Message) string {
	e := &native.MessageEntry{EntryBase: w.base(), Message: m}
	if w.rules.begins(m) {
		w.createFile()
	}
	w.append(e, true)
	return e.ID
}

func (w *Worker) createFile() {
	if w.file.exists {
		return
	}
	w.file.exists = true
	w.write(Session, w.header(), false)
	for _, e := range w.file.waiting {
		w.write(Session, e, false)
	}
	w.file.waiting = nil
}
