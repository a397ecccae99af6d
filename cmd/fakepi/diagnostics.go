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
	l.tellOnce("Invalid settings file " + p.file + ": " + p.why)
}

func (l *launch) tellOnce(warning string) {
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
	if l.models.models != nil {
		if l.models = readModels(l.options.dialect, l.agent); l.models.models == nil {
			l.models.models = []native.Model{}
		}
	}
	l.settings = settings
	l.findScope()
	l.tellNoModels()
	l.options.warn()
	return settings, l.models.models
}

// findScope finds the models between which the session changes, and keeps what Pi warns of.
func (l *launch) findScope() {
	patterns := l.options.scope
	if enabled, ok := l.settings.Get("", "enabledModels").(native.Array); ok && patterns == nil {
		for _, pattern := range enabled {
			patterns = append(patterns, textOf(pattern))
		}
	}
	if l.models.models == nil { // the fake has what it is asked for
		return
	}
	var warnings []string
	l.scope, warnings = scopeOf(modelSearch{is16: l.options.is16(), levels: l.options.levels()}, patterns, l.models.models)
	for _, w := range warnings {
		if l.options.is16() {
			l.tellOnce(w)
		} else {
			l.options.warnings = append(l.options.warnings, w)
		}
	}
}

// tellNoModels keeps the warning of Pi 1.6 that there is no model to ask.
func (l *launch) tellNoModels() {
	if l.options.is16() && l.mode != script.ModeTUI && l.models.models != nil && len(l.models.models) == 0 {
		l.tellOnce(fakepi.NoModels(l.options.dialect))
	}
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
