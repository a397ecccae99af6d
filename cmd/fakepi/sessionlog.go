package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fakepi.example/fakepi"
)

// sessionLog is a session file on disk: created by the first line, exclusively; each line is one open, one write in
// append mode, and a close, without lock or sync, as Pi's (docs/pi-formats.md, section 8).
type sessionLog struct {
	path   string
	exists bool
}

func (l *sessionLog) write(line []byte) error {
	mode := os.O_WRONLY | os.O_APPEND
	if !l.exists {
		if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
			return err
		}
		mode |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(l.path, mode, 0o644)
	if err != nil {
		return err
	}
	l.exists = true
	if _, err := f.Write(line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// openSession reads a session to go on with. A file that is missing or empty is a new session in its place: the
// history is then nil. A last line without its newline gets it.
func openSession(path string) (*fakepi.History, *sessionLog, error) {
	l := &sessionLog{path: path}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, l, nil
	}
	if err != nil {
		return nil, nil, err
	}
	l.exists = true
	if len(data) == 0 {
		return nil, l, nil
	}
	h, err := fakepi.ReadHistory(data)
	if err != nil {
		return nil, nil, fmt.Errorf("session file %s: %w", path, err)
	}
	if !bytes.HasSuffix(data, []byte("\n")) {
		err = l.write([]byte("\n"))
	}
	return h, l, err
}

// newestSession finds the session of a folder that was written last; empty if there is none.
func newestSession(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")) // the pattern is well-formed but for dir: then none
	newest, when := "", time.Time{}
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && (newest == "" || !info.ModTime().Before(when)) {
			newest, when = file, info.ModTime()
		}
	}
	return newest
}

// sessionDir is where the sessions of a working directory are.
func sessionDir(o options, cwd string) (string, error) {
	if o.sessionDir != "" {
		return filepath.Abs(o.sessionDir)
	}
	agent := os.Getenv("PI_CODING_AGENT_DIR")
	if agent == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		agent = filepath.Join(home, ".pi", "agent")
	}
	return filepath.Join(agent, "sessions", fakepi.SessionFolder(cwd)), nil
}
