package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// disk is the file system that the worker's commands see. Its errors have Node's words.
type disk struct {
	is16 bool
}

// Path has Pi 1.6 take ~ for the home and a URL for its path.
func (d disk) Path(named string) string {
	rest, isURL := strings.CutPrefix(named, "file://")
	switch {
	case !d.is16:
		return named
	case isURL && strings.HasPrefix(rest, "/"):
		return rest
	}
	return underTilde(named)
}

// Read finds nothing where anything is in the way: Pi looks whether there is a file before it opens that.
func (d disk) Read(path string) ([]byte, error) {
	if !d.Exists(path) {
		return nil, fs.ErrNotExist
	}
	data, err := os.ReadFile(path)
	return data, inNodeWords(err)
}

func (disk) Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (disk) MakeFolder(path string) error { return inNodeWords(nodefs.MakeFolder(path)) }

func (disk) Export(path string, page []byte) error {
	return inNodeWords(os.WriteFile(path, page, 0o666))
}

// inNodeWords is an error with the text that Node gives it.
func inNodeWords(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(nodefs.Words(err))
}
