package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"fakepi.example/fakepi/javascript"
	"fakepi.example/fakepi/native"
)

// trusts reports whether Pi reads the settings of a working directory: Pi 0.73 always does, Pi 1.6 where the command line,
// trust.json of the agent folder, or the global settings say so. A fake asks nobody. The error is that of trust.json, with
// which Pi does not begin.
func (l *launch) trusts(cwd string) (bool, error) {
	if !l.options.is16() {
		return true, nil
	}
	if trust := l.options.trust; trust != nil {
		return *trust, nil
	}
	said, err := l.trustEntry(cwd)
	if err != nil {
		return false, err
	}
	if said != nil {
		return *said, nil
	}
	return l.settings.Global.Get("defaultProjectTrust") == native.Value(native.String("always")), nil
}

// trustEntry is what the user has once said of a folder, or of the nearest above it of which they said something; nil:
// nothing. Pi makes and locks its folder for it, though there be no file.
func (l *launch) trustEntry(dir string) (said *bool, err error) {
	if info, err := os.Stat(l.agent); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "mkdir", Path: l.agent, Err: syscall.EEXIST}
	}
	if err := makeFolder(l.agent); err != nil {
		return nil, err
	}
	file := filepath.Join(l.agent, "trust.json")
	entries := map[string]bool{}
	if err := locked(file, func() (err error) { entries, err = readTrust(l.options.dialect, file); return err }); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for ; ; dir = filepath.Dir(dir) {
		if trusted, ok := entries[dir]; ok {
			return &trusted, nil
		}
		if dir == filepath.Dir(dir) {
			return nil, nil
		}
	}
}

// readTrust reads trust.json, of which null says nothing. The error is a usageError.
func readTrust(d native.Dialect, file string) (map[string]bool, error) {
	if !exists(file) {
		return nil, nil
	}
	text, err := readUTF8(file)
	if err != nil {
		return nil, usageError("Failed to read trust store " + file + ": " + nodeWords(err))
	}
	v, err := native.ParseValue([]byte(text))
	if err != nil {
		return nil, usageError("Failed to read trust store " + file + ": " + javascript.ParseError(d, []byte(text)))
	}
	members, ok := v.(native.Object)
	if !ok {
		return nil, usageError("Invalid trust store " + file + ": expected an object")
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
			return nil, usageError("Invalid trust store " + file + ": value for " + key + " must be true, false, or null")
		}
	}
	return entries, nil
}
