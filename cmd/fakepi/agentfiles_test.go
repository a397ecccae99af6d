package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
)

// What a start leaves in the folder of the agent: as the real Pi of each version was seen to do it.
func TestAgentFiles(t *testing.T) {
	tests := []struct {
		args, files string
		pi16, pi073 string
	}{
		{args: "--mode rpc --no-session", pi16: "auth.json -rw------- {}, models-store.json -rw------- {}", pi073: "auth.json -rw------- {}"},
		{args: "--list-models", pi16: "auth.json -rw------- {}, models-store.json -rw------- {}", pi073: "auth.json -rw------- {}"},
		{args: "--version"},
		{args: "--export none.jsonl"},
		{args: "--mode rpc --no-session", files: `{"p":1}`, pi16: `auth.json -rw-r--r-- {"p":1}, models-store.json -rw------- {}`, pi073: `auth.json -rw-r--r-- {"p":1}`},
	}
	for _, tt := range tests {
		for dialect, want := range map[string]string{"pi-1.6": tt.pi16, "pi-0.73": tt.pi073} {
			home := t.TempDir()
			agent := filepath.Join(home, ".pi/agent")
			if tt.files != "" {
				writeSettings(t, filepath.Join(agent, "auth.json"), tt.files)
			}
			p := setup{home: home, env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, strings.Fields(tt.args)...)
			p.in.Close()
			p.end()
			if diff := cmp.Diff(want, listFiles(t, agent)); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", tt.args, dialect, diff)
			}
		}
	}
}

// listFiles lists the files of a folder with their modes and texts.
func listFiles(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, filepath.Base(file)+" "+info.Mode().String()+" "+readText(t, file))
	}
	return strings.Join(all, ", ")
}

// An interactive Pi notes which version's news the user has seen, unless that is a newer one.
func TestNoteVersion(t *testing.T) {
	tests := []struct{ before, want string }{
		{"", "{\n  \"lastChangelogVersion\": \"1.6.0\"\n}"},
		{`{"lastChangelogVersion":"0.73.1","theme":"dark"}`, "{\n  \"lastChangelogVersion\": \"1.6.0\",\n  \"theme\": \"dark\"\n}"},
		{`{"lastChangelogVersion":"1.6.0"}`, `{"lastChangelogVersion":"1.6.0"}`},
		{`{"lastChangelogVersion":"1.10.0"}`, `{"lastChangelogVersion":"1.10.0"}`},
	}
	for _, tt := range tests {
		rules, _ := launchRulesOf(native.Pi16)
		l := launch{options: options{dialect: native.Pi16}, rules: rules}
		l.files = agentdir.SettingsFiles{Dialect: native.Pi16, Dir: t.TempDir()}
		file := filepath.Join(l.files.Dir, "settings.json")
		if tt.before != "" {
			writeSettings(t, file, tt.before)
		}
		l.readSettings(t.TempDir(), false)
		l.noteVersion()
		if diff := cmp.Diff(tt.want, readText(t, file)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.before, diff)
		}
	}
}
