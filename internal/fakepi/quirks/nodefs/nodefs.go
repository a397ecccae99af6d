// Package nodefs does with files what Node does, and tells of their errors in its words: the real Pi's are those of Node.
package nodefs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/fakepi/native"
)

// texts are Node's words for errors of files where they differ from those of the system.
var texts = map[syscall.Errno]string{
	syscall.EISDIR:       "illegal operation on a directory",
	syscall.EEXIST:       "file already exists",
	syscall.ELOOP:        "too many symbolic links encountered",
	syscall.ENAMETOOLONG: "name too long",
	syscall.EIO:          "i/o error",
	syscall.EBUSY:        "resource busy or locked",
}

// Words is the text of an error as Node gives it, if it is one of a file: "EACCES: permission denied, open '/a/b'".
func Words(err error) string {
	var file *fs.PathError
	var code syscall.Errno
	if !errors.As(err, &file) || err.Error() != file.Error() || !errors.As(file, &code) {
		return err.Error()
	}
	text := texts[code]
	if text == "" {
		text = code.Error()
	}
	words := unix.ErrnoName(code) + ": " + text + ", " + file.Op
	if file.Op == "read" || file.Op == "write" { // then Node knows a descriptor and no path
		return words
	}
	return words + " '" + file.Path + "'"
}

// MakeFolder makes a folder and those above it, if nothing has that name: Pi does not look whether what has it is a folder.
// The error names the whole path, as Node's does.
func MakeFolder(path string) error {
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

// Exists reports whether a path leads to something, as far as the user may see.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ReadText reads a file as UTF-8, without a byte order mark; what is no UTF-8 becomes U+FFFD. The error is that of the system.
func ReadText(path string) (string, error) {
	data, err := os.ReadFile(path)
	return strings.TrimPrefix(string(native.DecodeUTF8(data)), "\ufeff"), err
}
