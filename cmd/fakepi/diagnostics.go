package main

import (
	"fmt"
	"os"
	"slices"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// readSettings reads the settings, and keeps what Pi warns of. during is what Pi 0.73 calls the occasion.
func (l *launch) readSettings(cwd string, trusted bool, during string) {
	var problems []settingsProblem
	l.settings, problems = l.files.read(cwd, trusted)
	o := &l.options
	for _, p := range problems {
		if !o.is16() {
			o.warnings = append(o.warnings, "("+during+", "+p.scope+" settings) "+p.why)
		} else if l.mode != script.ModeTUI { // which shows it in the terminal
			l.tell(p)
		}
	}
}

// tell keeps a warning of Pi 1.6, which it tells once.
func (l *launch) tell(p settingsProblem) {
	warning := "Invalid settings file " + p.file + ": " + p.why
	if !slices.Contains(l.told, warning) {
		l.told = append(l.told, warning)
		l.options.warnings = append(l.options.warnings, warning)
	}
}

// reread reads settings and models again, for a session that a command begins. Pi 1.6 warns of what is new.
func (l *launch) reread(cwd string) (fakepi.Settings, []native.Model) {
	settings, problems := l.files.read(cwd, l.trusts(cwd))
	if l.options.is16() {
		for _, p := range problems {
			l.tell(p)
		}
		l.options.warn()
	}
	if models, err := readModels(l.agent); err == nil && len(models) > 0 {
		l.models = models
	}
	return settings, l.models
}

// textOf is a text, empty of another value.
func textOf(v native.Value) string {
	s, _ := v.(native.String)
	return string(s)
}

// warn prints the warnings that have gathered.
func (o *options) warn() {
	for _, w := range o.warnings {
		fmt.Fprintln(os.Stderr, "Warning: "+w)
	}
	o.warnings = nil
}
