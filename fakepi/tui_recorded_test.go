package fakepi_test

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
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
func TestTalksAsRecorded(t *testing.T) {
	quit := []sent{{at: 20 * time.Second, line: "\x03"}, {at: 20*time.Second + 120*ms, line: "\x03"}}
	const greets = "0s prompt \"\"\n+80ms says \"Hello there, this is a short reply.\" over 120ms\n+0s settles"
	const asks = "0s prompt \"\"\n+50ms tool bash \"echo ask-select\" runs 5ms as=t\n@t asks select \"Allow this command?\" \"Allow\" \"Block\"\n" +
		"+0s user answers \"Allow\" after 1s\n@t.end+20ms says \"All done.\"\n+0s settles"
	const stalls = "0s prompt \"\"\n+50ms says \"First part. \" over 150ms chunks 3\n+0s stalls"
	tests := []struct {
		name, src string
		sent      []sent
	}{
		{"04-true-stall", stalls, []sent{{at: 2 * time.Second, line: "Stall.\r"}, {at: 14 * time.Second, signal: "SIGTERM"}}},
		{"01-simple", greets, append([]sent{{at: 2 * time.Second, line: "Say hello.\r"}}, quit...)},
		{"12a-select-answered", asks, append([]sent{{at: 2 * time.Second, line: "Run it.\r"}, {at: 9 * time.Second, line: "\r"}}, quit...)},
	}
	for _, d := range []struct {
		dialect native.Dialect
		version string
	}{{native.Pi16, "1.6.0"}, {native.Pi073, "0.73.1"}} {
		for _, tt := range tests {
			recorded, err := os.ReadFile("testdata/terminal/" + d.version + "-" + tt.name + ".raw")
			if err != nil {
				t.Fatal(err)
			}
			w := newWorker(t, tt.src, func(c *fakepi.Config) {
				c.Mode, c.Driven, c.Dialect, c.CWD = script.ModeTUI, true, d.dialect, "/home/dev/demo"
			})
			outs := drive(w, tt.sent)
			if diff := cmp.Diff(talked(string(recorded)), talked(text(without(outs, fakepi.Session)))); diff != "" {
				t.Errorf("%s, %s: -recorded +got\n%s", d.version, tt.name, diff)
			}
		}
	}
}
