package fakepi

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// beginSession is the command new_session.
func (w *Worker) beginSession(r request) {
	parent := r.body.Get("parentSession")
	if !javascript.Truthy(parent) {
		parent = nil
	}
	w.leaveInTurn(func(w *Worker) { w.beginSessionOf(r, parent) })
}

// beginSessionOf begins a session, whose header names a parent unless that is nil.
func (w *Worker) beginSessionOf(r request, parent native.Value) {
	if !w.mayLeave(r) {
		return
	}
	if err := w.makeFolder(w.session.dir); err != nil {
		w.respond(r.id, r.name, err.Error())
		return
	}
	next := w.freshSession(parent)
	next.unsaved = next.unsaved && w.rules.keepsUnsaved
	w.leaveSession()
	w.enterSession(next)
	w.respondData(r.id, r.name, &native.CancelledData{})
}

// mayLeave reports whether a command that ends the run first can do so. An open dialog keeps it waiting, and so does
// who does not read; a wedged run does not obey.
func (w *Worker) mayLeave(r request) bool {
	switch {
	case !w.rules.settlesFirst:
		return true
	case w.dialog.open:
		w.dialog.held = append(w.dialog.held[:len(w.dialog.held):len(w.dialog.held)], r)
		return false
	case w.wedge == "" && w.endsUnread():
		w.cutUnread.held = append(slices.Clip(w.cutUnread.held), r)
		return false
	}
	return w.wedge == "" || !w.busy()
}

// freshSession is an empty session beside the current one.
func (w *Worker) freshSession(parent native.Value) session {
	s := w.newSession(w.session.dir, w.ids.session(w.epoch.Add(w.now)), w.now, parent)
	s.unsaved = w.session.unsaved
	return s
}

// leaveSession ends what is under way: by an abort that the old session still takes, or by forgetting it.
func (w *Worker) leaveSession() {
	if !w.rules.settlesFirst {
		w.leaveCompaction()
		w.tui.lost = w.tui.lost || w.running || w.ended
		w.forgetRun()
		return
	}
	w.aborting = true
	w.abortRun()
	w.aborting = false
	w.asking = asking{} // one that came in the same read was answered, and is lost
	w.cancelBash()
}

// enterSession begins or goes on with a session: with its messages and settings, and with empty queues.
func (w *Worker) enterSession(s session) {
	w.session = s
	w.goTo(w.cwdOf(s.header))
	w.mendFile()
	w.steering, w.followUp, w.bashDone = nil, nil, nil
	w.reread()
	w.useQueueModes()
	w.settled, w.ran, w.last, w.lastEntry = false, false, nil, s.leaf
	w.trouble = troubleNone
	w.choose()
	w.sentSections, w.context = w.shownSections(), w.sentTokens(w.transcript())
	w.openSession()
}

// switchSession is the command switch_session. A file that is not there is a new session in its place.
func (w *Worker) switchSession(r request) {
	v := r.body.Get("sessionPath")
	file, ok := v.(native.String)
	if !ok {
		w.respond(r.id, r.name, w.rules.noPath(v))
		return
	}
	w.leaveInTurn(func(w *Worker) { w.switchTo(r, string(file)) })
}

// switchTo goes on with the session of a file.
func (w *Worker) switchTo(r request, file string) {
	next, err := w.openFile(file)
	switch {
	case err != nil:
		w.respond(r.id, r.name, err.Error())
		return
	case !w.found(next.header):
		w.respond(r.id, r.name, "Stored session working directory does not exist: "+javascript.String(cwdNamed(next.header))+
			"\nSession file: "+next.path+"\nCurrent working directory: "+w.cwd)
		return
	case !w.mayLeave(r):
		return
	}
	w.leaveSession()
	w.enterSession(next)
	w.respondData(r.id, r.name, &native.CancelledData{})
}

// cwdOf is the working directory of a session; one that names none works in that of the process.
func (w *Worker) cwdOf(h *native.SessionHeader) string {
	if path.IsAbs(h.CWD) {
		return h.CWD
	}
	return path.Join(w.startCWD, h.CWD)
}

// cwdNamed is what a session has for its working directory, as it came; nil: nothing.
func cwdNamed(h *native.SessionHeader) native.Value {
	if h.Odd != nil && !slices.Contains(h.Odd.Keys, "cwd") {
		return nil
	}
	if h.Odd != nil && h.Odd.Extra.Get("cwd") != nil {
		return h.Odd.Extra.Get("cwd")
	}
	return native.String(h.CWD)
}

// found reports whether the working directory of a session is there.
func (w *Worker) found(h *native.SessionHeader) bool {
	named := cwdNamed(h)
	switch _, text := named.(native.String); {
	case w.sessions == nil || !javascript.Truthy(named):
		return true
	case !text:
		return !w.rules.anyFolder
	}
	return w.sessions.Exists(w.cwdOf(h))
}

// goTo has what follows happen in a working directory.
func (w *Worker) goTo(cwd string) {
	if cwd == w.cwd {
		return
	}
	w.cwd = cwd
	w.out = append(w.out, Output{At: w.now, Dir: cwd})
}

// absolute is a path that may be relative to the working directory of the process.
func (w *Worker) absolute(file string) string {
	if path.IsAbs(file) {
		return path.Clean(file)
	}
	return path.Join(w.startCWD, file)
}

// openFile reads a session file, whose path may be relative to the working directory of the process.
func (w *Worker) openFile(file string) (session, error) {
	if file == "" && !w.rules.repairs { // a new one, in the folder above
		s := w.newSession(path.Dir(w.startCWD), w.ids.session(w.epoch.Add(w.now)), w.now, nil)
		s.header.CWD = w.startCWD
		return s, nil
	}
	file = w.absolute(w.pathOf(file))
	data, err := []byte(nil), fs.ErrNotExist
	if w.sessions != nil {
		data, err = w.sessions.Read(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := w.makeFolder(path.Dir(file)); err != nil {
			return session{}, err
		}
		s := w.newSession(path.Dir(file), w.ids.session(w.epoch.Add(w.now)), w.now, nil)
		s.path, s.header.CWD = file, w.startCWD
		return s, nil
	}
	if err != nil {
		return session{}, err
	}
	s, err := w.sessionOf(data, file)
	if s.emptied && len(data) > 0 && w.rules.repairs {
		return session{}, errors.New("Session file is not a valid pi session: " + file)
	}
	return s, err
}

// makeFolder makes the folder of a session.
func (w *Worker) makeFolder(dir string) error {
	if w.sessions == nil || w.session.unsaved || dir == "" {
		return nil
	}
	return w.sessions.MakeFolder(dir)
}

// forkSession is the command fork: a session of what stands before a user message, whose text comes back.
func (w *Worker) forkSession(r request) {
	id, _ := r.body.Get("entryId").(native.String)
	e := w.session.entry(string(id))
	m := userOf(e)
	if e == nil || m == nil {
		w.respond(r.id, r.name, "Invalid entry ID for forking")
		return
	}
	w.branchOff(r, placeOf(e).ParentID, native.Some(contentText(m.Content)))
}

// cloneSession is the command clone: a session of the current branch.
func (w *Worker) cloneSession(r request) {
	if w.session.leaf == "" {
		w.respond(r.id, r.name, "Cannot clone session: no current entry selected")
		return
	}
	w.branchOff(r, w.session.leaf, native.Opt[string]{})
}

// branchOff goes on in a session of its own that has the branch up to an entry.
func (w *Worker) branchOff(r request, leaf string, said native.Opt[string]) {
	if r.next == nil && leaf != "" && !w.session.unsaved && !w.session.exists {
		w.respond(r.id, r.name, w.rules.unsavedFork(leaf))
		return
	}
	w.leaveInTurn(func(w *Worker) { w.enterBranch(r, leaf, said) })
}

// enterBranch leaves the session for its branch, whose file is written before the old session ends, and before the
// command waits for a dialog: what is under way belongs to the old one.
func (w *Worker) enterBranch(r request, leaf string, said native.Opt[string]) {
	if r.next == nil {
		r.next = w.branchOf(leaf)
	}
	if !w.mayLeave(r) {
		return
	}
	w.leaveSession()
	w.enterSession(*r.next)
	w.respondData(r.id, r.name, &native.CancelledData{Text: said})
}

// branchOf makes the session of a branch, and its file.
func (w *Worker) branchOf(leaf string) *session {
	next := w.freshSession(native.String(w.absolute(w.session.path)))
	next.path = w.absolute(next.path)
	if w.session.unsaved {
		next.header.ParentSession = native.Opt[string]{}
	}
	next.take(w.session.branchTo(leaf), w.rules)
	switch {
	case next.begun && !next.unsaved:
		w.writeAhead(&next)
	case leaf != "" && !next.unsaved && !w.rules.byUser: // it looks for the file that is not there, and begins anew
		fresh := w.freshSession(nil)
		fresh.path, fresh.header.CWD = next.path, w.startCWD
		next = fresh
	}
	return &next
}

// unsavedFork is why a session that has no file yet cannot be forked.
func (r *rules) unsavedFork(leaf string) string {
	if r.byUser {
		return "This session has not been saved yet. Send a message before cloning or forking it."
	}
	return "Entry " + leaf + " not found"
}

// noPath is JavaScript's complaint about a path that is no text.
func (r *rules) noPath(v native.Value) string {
	if r.settlesFirst {
		return javascript.NotString(v, "normalized", "startsWith")
	}
	return `The "paths[0]" argument must be of type string. Received ` + javascript.Received(v)
}

// take gives an empty session the entries of another.
func (s *session) take(entries []native.Entry, r *rules) {
	s.entries = entries
	s.ids = map[string]bool{}
	for _, e := range entries {
		s.leaf = placeOf(e).ID
		s.ids[s.leaf] = true
		s.begun = s.begun || r.begins(e)
		s.odd = s.odd || isOdd(e)
	}
	if s.noLeaf = s.leaf == "" && len(entries) > 0; s.noLeaf {
		last := entries[len(entries)-1]
		s.leaflessPath = append(s.branchTo(placeOf(last).ParentID), last)
	}
}

// writeAhead writes a session that is not the current one.
func (w *Worker) writeAhead(s *session) {
	current := w.session
	w.session = *s
	w.writeAll()
	*s, w.session = w.session, current
}

// forgetRun drops what is under way: no record tells, and nothing is saved.
func (w *Worker) forgetRun() {
	w.running, w.ended, w.turn, w.owed, w.resumeAt = false, false, false, false, 0
	w.reply, w.stream, w.calls, w.openIDs, w.messages = reply{}, stream{}, nil, nil, nil
	w.retries, w.compaction, w.asking = retries{}, compaction{}, asking{}
	w.dialog = dialog{}
}
