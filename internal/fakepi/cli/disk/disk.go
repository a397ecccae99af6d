// Package disk is the file system as Pi's commands see it: its paths, and its errors in Node's words.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// Disk is the file system as Pi's commands see it. Its errors have Node's words.
type Disk struct {
	expands bool // ~ is the home, and a file URL stands for its path
}

// Of is the disk of a dialect's Pi.
func Of(dialect native.Dialect) Disk { return Disk{expands: dialect != native.Pi073} }

// Path is the file that a name means.
func (d Disk) Path(named string) string {
	rest, isURL := strings.CutPrefix(named, "file://")
	switch {
	case !d.expands:
		return named
	case isURL && strings.HasPrefix(rest, "/"):
		return rest
	}
	return UnderTilde(named)
}

// Read finds nothing where anything is in the way: Pi looks whether there is a file before it opens that.
func (d Disk) Read(path string) ([]byte, error) {
	if !d.Exists(path) {
		return nil, fs.ErrNotExist
	}
	data, err := os.ReadFile(path)
	return data, inNodeWords(err)
}

func (Disk) Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (Disk) MakeFolder(path string) error { return inNodeWords(nodefs.MakeFolder(path)) }

func (Disk) Export(path string, page []byte) error {
	return inNodeWords(os.WriteFile(path, page, 0o666))
}

// inNodeWords is an error with the text that Node gives it.
func inNodeWords(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(nodefs.Words(err))
}
