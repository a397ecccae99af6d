package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"fakepi.example/fakepi/native"
)

// trusts reports whether Pi reads the settings of a working directory: Pi 0.73 always does, Pi 1.6 where the command line,
// trust.json of the agent folder, or the global settings say so. A fake asks nobody.
func (l *launch) trusts(cwd string) bool {
	if !l.options.is16() {
		return true
	}
	if trust := l.options.trust; trust != nil {
		return *trust
	}
	if trusted, ok := trustEntry(filepath.Join(l.agent, "trust.json"), cwd); ok {
		return trusted
	}
	return l.settings.Global.Get("defaultProjectTrust") == native.Value(native.String("always"))
}

// trustEntry is what the user has once said of a folder, or of the nearest above it of which they said something.
func trustEntry(file, dir string) (trusted, ok bool) {
	text, err := os.ReadFile(file)
	entries := map[string]*bool{}
	if err != nil || json.Unmarshal(text, &entries) != nil {
		return false, false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for ; ; dir = filepath.Dir(dir) {
		if said := entries[dir]; said != nil {
			return *said, true
		}
		if dir == filepath.Dir(dir) {
			return false, false
		}
	}
}
