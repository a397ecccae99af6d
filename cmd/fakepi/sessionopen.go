package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/cli/disk"
	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/native/pi16"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// opened is the session that a process writes.
type opened struct {
	path    string // empty: a new one, by Pi's name
	id      string // of a new one; empty: any
	cwd     string // in which the session works
	history *fakepi.History
}

// choose opens the session that the command line asks for. The error is errDeclined, a usageError, a plainError, or that of
// a file.
func (s *sessions) choose(o *options, ask *dialogue) (opened, error) {
	fresh := opened{cwd: s.cwd}
	switch {
	case o.noSession:
	case o.fork != "":
		return s.forkNamed(o)
	case o.session != "":
		return s.openNamed(o.session, ask)
	case o.resume:
		path, err := ask.choose(s)
		if err != nil {
			return fresh, err
		}
		return s.open(path)
	case o.goOn:
		if path := s.newest(); path != "" {
			recent, err := s.open(path)
			recent.cwd = s.cwd
			return recent, err
		}
	case o.sessionID != nil:
		if path := s.byID(*o.sessionID); path != "" {
			return s.open(path)
		}
		fmt.Fprintln(os.Stderr, "Warning: No project session found with id '"+*o.sessionID+"'; creating a new session with that id.")
	}
	if o.sessionID != nil {
		fresh.id = *o.sessionID
	}
	return fresh, nil
}

// openNamed opens the session of --session. One of another working directory is only copied, if the user agrees.
func (s *sessions) openNamed(arg string, ask *dialogue) (opened, error) {
	path, foreign, err := s.find(arg)
	switch {
	case err != nil:
		return opened{}, err
	case foreign == "":
		return s.open(path)
	}
	if err := ask.mayFork(foreign); err != nil {
		return opened{}, err
	}
	return s.fork(path, "")
}

// forkNamed copies the session of --fork.
func (s *sessions) forkNamed(o *options) (opened, error) {
	id := ""
	if o.sessionID != nil {
		if id = *o.sessionID; s.byID(id) != "" {
			return opened{}, refusal.PlainError("Session already exists with id '" + id + "'")
		}
	}
	path, _, err := s.find(o.fork)
	if err != nil {
		return opened{}, err
	}
	return s.fork(path, id)
}

// open opens a session file to go on with. One that is missing is a new session in its place, and so is an empty one, which
// gets its header now. Of a file without a header Pi 1.6 says that it is no session, Pi 0.73 empties it. A last line
// without its line feed gets it from Pi 1.6; of Pi 0.73 the next entry is glued to it (docs/pi-formats.md, section 8).
func (s *sessions) open(path string) (opened, error) {
	absolute := disk.InFolder(s.cwd, path)
	if !nodefs.Exists(path) { // whatever the reason, to Pi it is not there
		return opened{path: absolute, cwd: s.cwd}, nil
	}
	data, err := s.read(path)
	if err != nil {
		return opened{}, err
	}
	skipped := s.rules.headOffset(data)
	h, offset, ok := headerOf(data[skipped:])
	offset += skipped
	if !ok {
		if data, err = s.beginAgain(path, data); err != nil {
			return opened{}, err
		}
		h, offset = sessionHeader{CWD: s.cwd}, 0
	}
	if s.rules.endsLine && !bytes.HasSuffix(data, []byte("\n")) {
		if err := appendTo(path, []byte("\n")); err != nil {
			return opened{}, err
		}
	}
	history, err := fakepi.ReadHistory(s.rules.dialect, data[offset:])
	if errors.Is(err, fakepi.ErrNoMessage) || errors.Is(err, fakepi.ErrNullEntry) {
		return opened{}, refusal.PlainError("TypeError: " + err.Error())
	}
	if err != nil {
		return opened{}, fmt.Errorf("session file %s: %w", path, err)
	}
	return opened{path: absolute, cwd: disk.InFolder(s.cwd, h.CWD), history: history}, nil
}

// read reads a session file. A byte order mark is white space to JavaScript, which one Pi trims off.
func (s *sessions) read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if s.rules.byteOrder {
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	return data, err
}

// beginAgain writes and returns the header of a file that has none, if Pi does so.
func (s *sessions) beginAgain(path string, data []byte) ([]byte, error) {
	_, err := fakepi.ReadHistory(s.rules.dialect, data)
	switch {
	case errors.Is(err, fakepi.ErrNullEntry):
		return nil, refusal.PlainError("TypeError: " + err.Error())
	case s.rules.needsHeader && len(data) > 0:
		return nil, refusal.UsageError("Session file is not a valid pi session: " + path)
	}
	header, err := headerLine(newHeader("", s.cwd, ""))
	if err != nil {
		return nil, err
	}
	return header, os.WriteFile(path, header, 0o644)
}

// missingCWD is Pi's refusal to go on with a session whose working directory is gone.
func (s *sessions) missingCWD(c opened) error {
	if nodefs.Exists(c.cwd) {
		return nil
	}
	return refusal.PlainError("Stored session working directory does not exist: " + c.cwd + "\nSession file: " + c.path +
		"\nCurrent working directory: " + s.cwd)
}

// fork copies a session into this working directory, under a new id.
func (s *sessions) fork(source, id string) (opened, error) {
	data, err := s.read(source)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return opened{}, err
	}
	_, offset, ok := headerOf(data)
	if !ok {
		return opened{}, refusal.UsageError("Cannot fork: source session file is empty or invalid: " + source)
	}
	header := newHeader(id, s.cwd, source)
	copied, err := headerLine(header)
	if err != nil {
		return opened{}, err
	}
	first := true
	for line := range bytes.Lines(data[offset:]) {
		if line = bytes.TrimSpace(line); !first && json.Valid(line) {
			copied = append(append(copied, line...), '\n')
		}
		first = false
	}
	path := filepath.Join(s.folder(), strings.NewReplacer(":", "-", ".", "-").Replace(header.Timestamp)+"_"+header.ID+".jsonl")
	if err := create(path, copied); err != nil {
		return opened{}, err
	}
	return s.open(path)
}

func newHeader(id, cwd, parent string) *native.SessionHeader {
	if id == "" {
		id = uuid.Must(uuid.NewV7()).String() // it fails only where the system has no randomness
	}
	return &native.SessionHeader{
		Version: 3, ID: id, Timestamp: string(native.AppendISO(nil, time.Now().UnixMilli())), CWD: cwd,
		ParentSession: native.Opt[string]{V: parent, Set: parent != ""},
	}
}

// headerLine is the same in both dialects.
func headerLine(h *native.SessionHeader) ([]byte, error) {
	line, err := pi16.Codec{}.Append(nil, h)
	return append(line, '\n'), err
}
