package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// sessionLog writes session files: each line is one open, one write in append mode, and a close, without lock or sync, as
// Pi's (docs/pi-formats.md, section 8).
type sessionLog struct {
	exclusive bool // the first line creates the file, which must not be there
}

// absolute completes the path of a file, which is relative where the folder of the sessions was given so.
func (l *sessionLog) absolute(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

var sessionHeaderStart = []byte(`{"type":"session",`)

// write appends a line. If emptied, what the file had is gone.
func (l *sessionLog) write(path string, line []byte, emptied bool) error {
	mode := os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if emptied {
		mode |= os.O_TRUNC
	} else if bytes.HasPrefix(line, sessionHeaderStart) {
		if err := nodefs.MakeFolder(filepath.Dir(path)); err != nil {
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
	if err := nodefs.MakeFolder(filepath.Dir(path)); err != nil {
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

// savable says why a session's file cannot be written, in Node's words; nil: it can. The folder of one that has not begun is
// made.
func savable(path string, begun bool) error {
	fails := func(err error) error {
		return errors.New(nodefs.Words(&fs.PathError{Op: "open", Path: path, Err: err}))
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fails(syscall.ENAMETOOLONG)
	case err == nil && info.IsDir():
		return fails(syscall.EISDIR)
	case err == nil:
		if err := unix.Access(path, unix.W_OK); err != nil {
			return fails(err)
		}
		return nil
	}
	dir := filepath.Dir(path)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist) && begun:
		return fails(syscall.ENOENT)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return fails(syscall.ENOTDIR)
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return fails(err)
	}
	return nil
}
