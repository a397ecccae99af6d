package fakepi_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/native/recording"
)

// talks is what a program says to the terminal beside what it draws: modes, questions, signs. Frames, links, the hidden
// cursor and the marks of prompts belong to what is drawn.
var talks = regexp.MustCompile(`\x1b\[[?<>][0-9;]*[a-zA-Z]|\x1b\[c|\x1b\][0-9]+;[^\x07\x1b]*(?:\x07|\x1b\\)`)
var draws = regexp.MustCompile(`^\x1b(\[\?2026[hl]|\[\?25l|\]8;|\]133;)`)

func talked(stream string) []string {
	var said []string
	for _, s := range talks.FindAllString(stream, -1) {
		if !draws.MatchString(s) {
			said = append(said, s)
		}
	}
	return said
}

// The terminal is told and asked the same as by the recorded Pi, in the same order: at the start, in a run, at the end.
// The session file and the end are the same too. Keys and signals are the recorded ones.
func TestTalksAsRecorded(t *testing.T) {
	tests := []struct{ name, src string }{
		{"04-true-stall", "0s prompt \"\"\n+50ms says \"First part. \" over 150ms chunks 3\n+0s stalls"},
		{"01-simple", "0s prompt \"\"\n+80ms says \"Hello there, this is a short reply.\" over 120ms\n+0s reports input 1200 output 9\n+0s settles"},
		{"12a-select-answered", "0s prompt \"\"\n+50ms calls bash \"echo ask-select\" as=c\n+0s reports input 100 output 20\n+0s closes\n" +
			"+0s tool @c runs 5ms gives \"ask-select\\n\" as=t\n@t asks select \"Allow this command?\" \"Allow\" \"Block\"\n" +
			"+0s user answers \"Allow\" after 1s\n@t.end+20ms says \"All done.\"\n+0s reports input 120 output 3\n+0s settles"},
	}
	for _, lang := range tongues {
		for _, tt := range tests {
			name := lang.version + "-" + tt.name
			shown, err := os.ReadFile("testdata/terminal/" + name + ".raw")
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join("native/testdata/recordings", lang.version, "tui", tt.name)
			w := newWorker(t, tt.src, in(lang.dialect), func(c *fakepi.Config) {
				c.Mode, c.Driven, c.CWD, c.Models = script.ModeTUI, true, "/home/dev/demo", recordedModels()
			})
			meta, err := recording.ReadMeta(filepath.Join(dir, recording.MetaFile))
			if err != nil {
				t.Fatal(err)
			}
			outs := drive(w, typed(t, dir, meta))
			if diff := cmp.Diff(talked(string(shown)), talked(text(without(outs, fakepi.Session)))); diff != "" {
				t.Errorf("%s: -recorded +got\n%s", name, diff)
			}
			if diff := cmp.Diff(masked(recordedSession(t, dir)), masked(lines(outs, fakepi.Session))); diff != "" {
				t.Errorf("%s, session: -recorded +saved\n%s", name, diff)
			}
			if diff := cmp.Diff(exitOf(meta), outs[len(outs)-1].Exit); diff != "" {
				t.Errorf("%s, exit: -recorded +got\n%s", name, diff)
			}
		}
	}
}

// typed is what a recorded terminal was sent.
func typed(t *testing.T, dir string, meta recording.Meta) []sent {
	t.Helper()
	events, err := recording.ReadFile(filepath.Join(dir, recording.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	var keys []sent
	for _, e := range events {
		keys = append(keys, sent{at: e.At, line: string(e.Line)})
	}
	if meta.Killed != "" {
		keys = append(keys, sent{at: meta.ExitAt, signal: meta.Killed})
	}
	return keys
}

// exitOf is how a recorded process ended.
func exitOf(meta recording.Meta) *fakepi.Exit {
	if meta.Signal != "" {
		return &fakepi.Exit{Code: -1, Signal: meta.Signal}
	}
	return &fakepi.Exit{Code: meta.ExitCode}
}
