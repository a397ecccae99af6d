package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/tui"
)

// kept is a session file.
type kept struct {
	day           int // of its only question
	folder        string
	said, replied string
	name, parent  string
}

// menuSessions are the sessions of two folders; their names are those of the files.
var menuSessions = map[string]kept{
	"alpha":     {day: 1, said: "alpha one", replied: "about imports and zebra"},
	"beta":      {day: 5, said: "beta two", name: "the named beta"},
	"gamma":     {day: 3, said: "gamma three", parent: "alpha"},
	"delta":     {day: 2, said: "delta four"},
	"six":       {day: 4, said: "alpha six imports"},
	"elsewhere": {day: 9, folder: "other", said: "elsewhere five"},
	"far":       {day: 4, folder: "other", said: "far six", name: "far named"},
}

// keepSessions writes the sessions for a working directory.
func keepSessions(t *testing.T, agent, cwd string) {
	t.Helper()
	file := func(name string) string {
		folder := fakepi.SessionFolder(filepath.Join(cwd, menuSessions[name].folder))
		return filepath.Join(agent, "sessions", folder, name+".jsonl")
	}
	for name, k := range menuSessions {
		at := time.Date(2026, 1, k.day, 10, 0, 0, 0, time.UTC)
		parent := ""
		if k.parent != "" {
			parent = fmt.Sprintf(`,"parentSession":%q`, file(k.parent))
		}
		lines := []string{
			fmt.Sprintf(`{"type":"session","version":3,"id":"019b8d62-0000-7000-8000-%012d","timestamp":%q,"cwd":%q%s}`, k.day, at.Format(time.RFC3339), filepath.Join(cwd, k.folder), parent),
			fmt.Sprintf(`{"type":"message","message":{"role":"user","content":[{"type":"text","text":%q}],"timestamp":%d}}`, k.said, at.UnixMilli()),
			fmt.Sprintf(`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":%q}],"timestamp":%d}}`, k.replied, at.UnixMilli()),
			fmt.Sprintf(`{"type":"session_info","name":%q}`, k.name),
		}
		if err := os.MkdirAll(filepath.Dir(file(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file(name), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Which session keys choose, as both Pis had it; behind a slash what Pi 0.73 has otherwise.
func TestSessionMenu(t *testing.T) {
	const down, pageDown, erase = "\x1b[B", "\x1b[6~", "\x7f"
	tests := []struct{ keys, want, reason string }{
		{"", "beta", "the latest first"},
		{down, "six", ""},
		{strings.Repeat(down, 9), "delta / gamma", "a fork below its origin, and how late that counts"},
		{pageDown, "delta / gamma", ""},
		{"\t", "elsewhere", "all folders"},
		{"\t" + down, "beta", ""},
		{down + "\t", "six / beta", "the chosen one stays, or the place"},
		{"\t" + down + "\t", "beta / six", ""},
		{"\x13" + down + down, "gamma", "by age alone"},
		{"\x0e", "beta", "that have a name"},
		{"\x0e\t" + down, "far", ""},
		{"imports", "six", "the later one of two that have it"},
		{"imports" + down, "alpha", ""},
		{"\x13imports", "six", "the same by age"},
		{"\x13\x13" + strings.Repeat(down, 9), "delta / gamma", "in trees again"},
		{"zebra", "alpha", "of a reply"},
		{"alpha ZEBRA", "alpha", "both words, in any case"},
		{"tnb\r\x03", "", "no scattered letters"},
		{down + down + "alpha", "six / alpha", "a search begins with the first, or at the place"},
		{"imports" + strings.Repeat(erase, 7), "beta", ""},
		{"\x04x" + down + "\x03", "beta", "not deleted"},
		{"\x04\r", "six", "deleted"},
		{"gamma\x04\r" + strings.Repeat(erase, 5) + down + down, "delta", "deleted, of a search: its origin is as old as it is"},
		{"\x10", "beta", "with paths"},
		{"nowhere\r\x03", "", "nothing to choose"},
	}
	for version, dialect := range map[tui.Version]native.Dialect{tui.V16: native.Pi16, tui.V073: native.Pi073} {
		for _, tt := range tests {
			agent, cwd := t.TempDir(), "/w"
			keepSessions(t, agent, cwd)
			want, old, differs := strings.Cut(tt.want, " / ")
			if differs && dialect == native.Pi073 {
				want = old
			}
			d := &dialogue{in: typing(t, tt.keys+"\r"), out: io.Discard, version: string(version)}
			path, err := d.choose(&sessions{rules: sessionRulesOf(dialect), cwd: cwd, agent: agent})
			got := strings.TrimSuffix(filepath.Base(path), ".jsonl")
			if want == "" {
				got = path
			}
			if got != want || (err != nil) != (want == "") || err != nil && !errors.Is(err, refusal.ErrDeclined) {
				t.Errorf("%s, %q (%s): got %q (%v), want %q", version, tt.keys, tt.reason, got, err, want)
			}
		}
	}
}

// typing is a file of keys.
func typing(t *testing.T, keys string) *os.File {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
