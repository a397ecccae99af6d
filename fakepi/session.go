package fakepi

import (
	"cmp"
	"slices"
	"time"

	"fakepi.example/fakepi/native"
)

// session is a session in memory: a tree of entries whose last one is the leaf, and how much of it is on disk
// (docs/pi-formats.md, section 8). Clones share the entries.
type session struct {
	header       *native.SessionHeader
	path         string
	dir          string         // where sessions that follow it are
	entries      []native.Entry // in the file's order; appended to, never changed in place
	leaf         string         // id of the entry that the next one follows; empty: it is a root
	noLeaf       bool           // the last entry of the file has no id: the next one follows nothing, and names no parent
	leaflessPath []native.Entry // the way to such an entry, which the model is shown before the branch; never changed in place

	ids      map[string]bool // of the entries that were read; never changed
	unsaved  bool            // it has no file
	exists   bool            // it has one
	saved    bool            // the file has all entries
	torn     bool            // the file's last line has no line feed
	emptied  bool            // the file had no header and begins anew
	migrated []byte          // what the file has to hold instead, whose version was older; nil: it is as it should be
	begun    bool            // there is a message that begins the file
	odd      bool            // there is a message that was read whose content is no list, or that lacks its usage
	dropped  []string        // ids of replies that a dialect without context_edit hides from the model; never changed in place
}

// newSession is an empty session that began at an instant.
func (w *Worker) newSession(dir, id string, at time.Duration, parent native.Value) session {
	h := &native.SessionHeader{Version: 3, ID: id, Timestamp: w.iso(at), CWD: w.cwd}
	switch parent := parent.(type) {
	case nil:
	case native.String:
		h.ParentSession = native.Some(string(parent))
	default:
		h.Odd = &native.Odd{
			Keys:  []string{"type", "version", "id", "timestamp", "cwd", "parentSession"},
			Extra: native.Object{{Key: "parentSession", Value: parent}},
		}
	}
	return session{header: h, dir: dir, path: w.sessionFile(dir, id, at)}
}

// clone returns a session that can be appended to beside the original.
func (s session) clone() session {
	s.entries = slices.Clip(s.entries)
	return s
}

// base makes the next entry's id and place.
func (w *Worker) base() native.EntryBase {
	id := w.ids.entry()
	for w.session.ids[id] {
		id = w.ids.entry()
	}
	return native.EntryBase{ID: id, ParentID: w.session.leaf, Timestamp: w.iso(w.now)}
}

// append takes an entry into the session and writes it, or lets it wait while the file has not begun. The model, the
// level and the name alone begin no file.
func (w *Worker) append(e native.Entry, progress bool) {
	s := &w.session
	if s.noLeaf {
		e, s.noLeaf = w.rules.withoutParent(e), false
	}
	s.entries = append(s.entries, e)
	s.leaf = placeOf(e).ID
	s.begun = s.begun || w.rules.begins(e)
	switch {
	case !s.begun && (!s.saved || !w.rules.byUser):
		s.saved = false
	case s.saved:
		w.write(Session, e, w.moved(progress))
	default:
		w.writeAll()
		w.moved(progress)
	}
}

// writeAll writes a session of which nothing is on disk.
func (w *Worker) writeAll() {
	w.session.saved, w.session.exists = true, true
	w.write(Session, w.session.header, false)
	for _, e := range w.session.entries {
		w.write(Session, e, false)
	}
}

// openSession makes the entries that every session begins with. One that goes on has them; an older one may lack a
// thinking level.
func (w *Worker) openSession() {
	level := &native.ThinkingLevelChange{ThinkingLevel: w.level}
	switch shown := len(w.transcript()) > 0; {
	case !shown:
		if !w.modelless() {
			w.append(&native.ModelChange{EntryBase: w.base(), Provider: w.model.Provider, ModelID: w.model.ID}, false)
		}
		fallthrough
	case !slices.ContainsFunc(w.session.branch(), isLevel):
		level.EntryBase = w.base()
		w.append(level, false)
	}
}

func isLevel(e native.Entry) bool {
	_, ok := e.(*native.ThinkingLevelChange)
	return ok
}

// save appends a finished message and returns its entry's id.
func (w *Worker) save(m native.Message) string {
	e := &native.MessageEntry{EntryBase: w.base(), Message: m}
	w.append(e, true)
	return e.ID
}

// SessionPath names the session file.
func (w *Worker) SessionPath() string { return w.session.path }

// firstSession is the one that the worker starts with: a new one, or one that goes on.
func (w *Worker) firstSession(c Config) {
	w.cwd = w.startCWD
	w.settings, w.models, w.system, w.broken = c.Settings, w.firstModels(c), c.System, c.Broken
	w.useQueueModes()
	id := cmp.Or(c.SessionID, w.ids.session(w.epoch.Add(w.start)))
	dir := cmp.Or(c.SessionDir, "/home/dev/.pi/agent/sessions/"+SessionFolder(w.cwd))
	w.session = w.newSession(dir, id, w.start, nil)
	if c.History != nil {
		w.session, _ = w.sessionOf(c.History.data, cmp.Or(c.SessionPath, w.session.path)) // [ReadHistory] has refused what it would
		w.session.torn = false                                                            // who has read the file has mended it
	}
	w.session.dir, w.session.unsaved = dir, c.NoSession
	if c.NoSession && !w.rules.keepsUnsaved {
		w.session.dir = "" // of later sessions, which are saved: where it runs
	}
	w.session.path = cmp.Or(c.SessionPath, w.session.path)
	w.choose()
	w.lastEntry, w.sentSections, w.context = w.session.leaf, w.shownSections(), w.sentTokens(w.transcript())
}

// startSession does what Pi does to its session when it starts.
func (w *Worker) startSession() {
	w.mendFile()
	if w.sessionName != "" {
		w.append(&native.SessionInfo{EntryBase: w.base(), Name: w.sessionName}, false)
	}
	w.openSession()
}
