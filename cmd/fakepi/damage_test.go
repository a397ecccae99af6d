package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What becomes of a session file that is not as it should be: as the real Pi of each version was seen to do.
func TestDamagedSessions(t *testing.T) {
	whole := wholeSession(t)
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	const kept = "session model_change thinking_level_change system user stop"
	const fresh16, fresh073 = "session model_change thinking_level_change system user stop", "session session model_change thinking_level_change user stop"
	tests := []struct {
		name, data    string
		pi16, pi073   string // the file then, a word a line; what is no entry is BAD
		fails16, both bool   // exit status 1
		reason        string
	}{
		{"as it should be", whole, kept + " user stop", kept + " user stop", false, false, ""},
		{"empty", "", fresh16, fresh073, false, false, "Pi 0.73 writes the header twice"},
		{"no session", "not json\n{\"a\":1}\n", "BAD {}", fresh073, true, false, "Pi 0.73 empties it"},
		{"without its header", strings.Join(lines[1:], ""), strings.TrimPrefix(kept, "session "), fresh073, true, false, ""},
		{"its header alone", lines[0], fresh16, fresh073, false, false, ""},
		{"a line in between", lines[0] + "not json\n" + strings.Join(lines[1:], ""), "session BAD" + strings.TrimPrefix(kept, "session") + " user stop", "session BAD" + strings.TrimPrefix(kept, "session") + " user stop", false, false, ""},
		{"a line in front", "\n" + whole, "BAD " + kept + " user stop", "BAD " + kept + " user stop", false, false, ""},
		{"a byte order mark", "\ufeff" + whole, "BAD" + strings.TrimPrefix(kept, "session"), "BAD" + strings.TrimPrefix(kept, "session") + " user stop", true, false, "Pi 0.73 trims it off"},
		{"without its last line feed", strings.TrimSuffix(whole, "\n"), kept + " user stop", strings.TrimSuffix(kept, "stop") + "BAD stop", false, false, "Pi 0.73 glues the next entry to it"},
		{"a torn last line", whole + `{"type":"mess`, kept + " BAD user stop", kept + " BAD stop", false, false, ""},
		{"of a folder that is gone", strings.Replace(whole, `"cwd":"`, `"cwd":"/no/such/folder`, 1), kept, kept, true, true, ""},
	}
	for _, tt := range tests {
		for dialect, want := range map[string]string{"pi-1.6": tt.pi16, "pi-0.73": tt.pi073} {
			home := t.TempDir()
			file := filepath.Join(home, "session.jsonl")
			if err := os.WriteFile(file, []byte(tt.data), 0o644); err != nil {
				t.Fatal(err)
			}
			p := setup{home: home, env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, "--session", file, "-p", "go")
			p.in.Close()
			status := "0"
			if tt.both || tt.fails16 && dialect == "pi-1.6" {
				status = "1"
			}
			if got := p.end(); got != status || (status == "1") != (p.err.Len() > 0) {
				t.Errorf("%s, %s: ended by %s, want %s: %s", tt.name, dialect, got, status, p.err.String())
			}
			if got := lineWords(t, file); got != want {
				t.Errorf("%s, %s (%s): %s", tt.name, dialect, tt.reason, cmp.Diff(want, got))
			}
		}
	}
}

// A line of a session file that is null, be it the first, ends a start of Pi 0.73, which asks it for its type. Pi 1.6 reads
// over it.
func TestNullInASession(t *testing.T) {
	whole := wholeSession(t)
	const null, invalid = "TypeError: Cannot read properties of null (reading 'type')", "Error: Session file is not a valid pi session"
	tests := []struct{ data, dialect, want, told string }{
		{whole + "null\n", "pi-1.6", "0", ""},
		{whole + "null\n", "pi-0.73", "1", null},
		{"null\n" + whole, "pi-1.6", "0", ""},
		{"null\n" + whole, "pi-0.73", "1", null},
		{"0\nfalse\n" + whole, "pi-1.6", "0", ""},
		{"5\n" + whole, "pi-1.6", "1", invalid},
		{"null\n", "pi-1.6", "1", invalid},
	}
	for _, tt := range tests {
		home := t.TempDir()
		file := filepath.Join(home, "session.jsonl")
		if err := os.WriteFile(file, []byte(tt.data), 0o644); err != nil {
			t.Fatal(err)
		}
		p := setup{home: home, env: []string{"FAKEPI_DIALECT=" + tt.dialect}}.start(t, "--session", file, "-p", "go")
		p.in.Close()
		if got := p.end(); got != tt.want || !strings.HasPrefix(p.err.String(), tt.told) || tt.told == "" && p.err.Len() > 0 {
			t.Errorf("%s, %.20q: ended by %s, want %s and %q, and on stderr: %s", tt.dialect, tt.data, got, tt.want, tt.told, p.err.String())
		}
	}
}

// wholeSession is a session in a folder that stays.
func wholeSession(t *testing.T) string {
	t.Helper()
	p := startPi(t, "", "", "--session", "session.jsonl", "-p", "go")
	p.in.Close()
	if got := p.end(); got != "0" {
		t.Fatalf("ended by %s: %s", got, p.err.String())
	}
	data, err := os.ReadFile(filepath.Join(p.home, "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// lineWords names each line of a session file.
func lineWords(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(data)) {
		var e struct {
			Type    string
			Message struct{ Role, StopReason string }
		}
		word := "BAD"
		if json.Unmarshal([]byte(line), &e) == nil {
			word = strings.TrimSpace(strings.TrimPrefix(e.Type, "message") + e.Message.Role)
			if e.Message.StopReason != "" {
				word = e.Message.StopReason
			}
		}
		if word == "" {
			word = "{}"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Both Pis end with status 1 where enabledModels holds what is no text, and begin where the command line has models itself.
func TestOddEnabledModels(t *testing.T) {
	tests := []struct{ setting, args, want string }{
		{`[5]`, "", "1"}, {`["a",null]`, "", "1"}, {`[["a"]]`, "", "1"},
		{`["demo"]`, "", "0"}, {`5`, "", "0"}, {`[]`, "", "0"}, {`[5]`, "--models demo", "0"},
	}
	for _, tt := range tests {
		for _, dialect := range []string{"pi-1.6", "pi-0.73"} {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, "settings.json"), []byte(`{"enabledModels":`+tt.setting+`}`), 0o644); err != nil {
				t.Fatal(err)
			}
			env := []string{"FAKEPI_DIALECT=" + dialect, "PI_CODING_AGENT_DIR=" + home}
			p := setup{home: home, env: env}.start(t, append(strings.Fields(tt.args), "-p", "go")...)
			p.in.Close()
			if got := p.end(); got != tt.want || (got == "1") != strings.Contains(p.err.String(), "enabledModels holds") {
				t.Errorf("%s %s in %s: ended by %s, want %s: %s", tt.setting, tt.args, dialect, got, tt.want, p.err.String())
			}
		}
	}
}
