package main

import (
	"bytes"
	"os"
	"path/filepath"
)

// sessionLog writes session files: each line is one open, one write in append mode, and a close, without lock or sync, as
// Pi's (docs/pi-formats.md, section 8).
type sessionLog struct {
	exclusive bool // the first line creates the file, which must not be there
}

var sessionHeaderStart = []byte(`{"type":"session",`)

// write appends a line. If emptied, what the file had is gone.
func (l *sessionLog) write(path string, line []byte, emptied bool) error {
	mode := os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if emptied {
		mode |= os.O_TRUNC
	} else if bytes.HasPrefix(line, sessionHeaderStart) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if l.exclusive {
			mode |= os.O_EXCL
		}
	}
	return writeFile(path, mode, line)
}

// appendTo appends to a file that there is.
func appendTo(path string, data []byte) error { return writeFile(path, os.O_WRONLY|os.O_APPEND, data) }

// create makes a file that there must not be, and its folder.
func create(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return writeFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, data)
}

func writeFile(path string, mode int, data []byte) error {
	f, err := os.OpenFile(path, mode, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// disk is where the worker finds other session files.
type disk struct{}

func (disk) Read(path string) ([]byte, error) { return os.ReadFile(path) }

func (disk) Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
