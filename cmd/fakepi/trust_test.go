package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// The settings of a working directory are read by Pi 0.73, and by Pi 1.6 where somebody trusts it.
func TestTrust(t *testing.T) {
	yes, no := true, false
	agent := t.TempDir()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cwd := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	always := fakepi.Settings{Global: native.Object{{Key: "defaultProjectTrust", Value: native.String("always")}}}
	tests := []struct {
		dialect  native.Dialect
		trust    *bool
		file     string // trust.json
		settings fakepi.Settings
		want     bool
		err      string
		reason   string
	}{
		{dialect: native.Pi073, want: true},
		{dialect: native.Pi16, reason: "nobody has said so"},
		{dialect: native.Pi16, trust: &yes, file: `{"` + cwd + `":false}`, want: true, reason: "the command line goes before"},
		{dialect: native.Pi16, trust: &no, file: `{"` + cwd + `":true}`, settings: always},
		{dialect: native.Pi16, file: `{"` + root + `":true,"` + cwd + `":null,"` + filepath.Dir(cwd) + `":false}`, settings: always, reason: "the nearest"},
		{dialect: native.Pi16, settings: always, want: true},
		{dialect: native.Pi16, file: `{`, err: "Failed to read trust store FILE: Expected property name or '}' in JSON at position 1 (line 1 column 2)"},
		{dialect: native.Pi16, trust: &yes, file: `{`, want: true, reason: "it is not read"},
	}
	for _, tt := range tests {
		file := filepath.Join(agent, "trust.json")
		writeSettings(t, file, tt.file)
		if tt.file == "" {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		rules, _ := launchRulesOf(tt.dialect)
		l := launch{options: options{dialect: tt.dialect, trust: tt.trust}, rules: rules, agent: agent, settings: tt.settings}
		got, err := l.trusts(cwd)
		said := ""
		if err != nil {
			said = strings.ReplaceAll(err.Error(), file, "FILE")
		}
		if got != tt.want || said != tt.err {
			t.Errorf("%s, trust.json %q: got %v and %q, want %v and %q (%s)", tt.dialect, tt.file, got, said, tt.want, tt.err, tt.reason)
		}
	}
}
