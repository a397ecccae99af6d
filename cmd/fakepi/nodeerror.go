package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nodeTexts are Node's words for errors of files where they differ from those of the system.
var nodeTexts = map[syscall.Errno]string{
	syscall.EISDIR:       "illegal operation on a directory",
	syscall.EEXIST:       "file already exists",
	syscall.ELOOP:        "too many symbolic links encountered",
	syscall.ENAMETOOLONG: "name too long",
	syscall.EIO:          "i/o error",
	syscall.EBUSY:        "resource busy or locked",
}

// nodeWords is the text of an error as Node gives it, if it is one of a file: "EACCES: permission denied, open '/a/b'".
func nodeWords(err error) string {
	var file *fs.PathError
	var code syscall.Errno
	if !errors.As(err, &file) || err.Error() != file.Error() || !errors.As(file, &code) {
		return err.Error()
	}
	text := nodeTexts[code]
	if text == "" {
		text = code.Error()
	}
	words := unix.ErrnoName(code) + ": " + text + ", " + file.Op
	if file.Op == "read" || file.Op == "write" { // then Node knows a descriptor and no path
		return words
	}
	return words + " '" + file.Path + "'"
}

// makeFolder makes a folder and those above it, if nothing has that name: Pi does not look whether what has it is a folder.
// The error names the whole path, as Node's does.
func makeFolder(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	err := os.MkdirAll(path, 0o777)
	var code syscall.Errno
	if errors.As(err, &code) {
		return &fs.PathError{Op: "mkdir", Path: path, Err: code}
	}
	return err
}
