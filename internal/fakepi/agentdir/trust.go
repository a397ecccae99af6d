package agentdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// ReadTrust reads from trust.json of an agent folder what the user has once said of a working directory, or of the nearest
// folder above it of which they said something; nil: nothing. Pi makes the agent folder and takes a lock in it, though there
// be no file. The error is one with which Pi 1.6 does not begin.
func ReadTrust(d native.Dialect, dir, cwd string) (said *bool, err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.EEXIST}
	}
	if err := nodefs.MakeFolder(dir); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "trust.json")
	entries := map[string]bool{}
	if err := locked(file, func() (err error) { entries, err = readTrust(d, file); return err }); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = real
	}
	for ; ; cwd = filepath.Dir(cwd) {
		if trusted, ok := entries[cwd]; ok {
			return &trusted, nil
		}
		if cwd == filepath.Dir(cwd) {
			return nil, nil
		}
	}
}

// readTrust reads trust.json, of which null says nothing.
func readTrust(d native.Dialect, file string) (map[string]bool, error) {
	if !nodefs.Exists(file) {
		return nil, nil
	}
	text, err := nodefs.ReadText(file)
	if err != nil {
		return nil, errors.New("Failed to read trust store " + file + ": " + nodefs.Words(err))
	}
	v, err := native.ParseValue([]byte(text))
	if err != nil {
		return nil, errors.New("Failed to read trust store " + file + ": " + javascript.ParseError(d, []byte(text)))
	}
	members, ok := v.(native.Object)
	if !ok {
		return nil, errors.New("Invalid trust store " + file + ": expected an object")
	}
	entries := map[string]bool{}
	for _, m := range members {
		switch trusted := m.Value.(type) {
		case native.Bool:
			entries[m.Key] = bool(trusted)
		case native.Null:
			delete(entries, m.Key)
		default:
			key := string(native.AppendValue(nil, native.String(m.Key)))
			return nil, errors.New("Invalid trust store " + file + ": value for " + key + " must be true, false, or null")
		}
	}
	return entries, nil
}
