package fakepi_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// What begins with a slash or an exclamation mark is for Pi itself, if it knows the word; else it is a prompt.
func TestOrders(t *testing.T) {
	const reply = "0s prompt \"\"\n+100ms says \"Hello.\"\n+0s settles"
	tests := []struct {
		name    string
		keys    []string
		session string // what is written behind the first reply
		shows   string
	}{
		{"a name", []string{"/name the imports\r"}, "session:session_info", "\x1b]0;π - the imports - project\a"},
		{"no name", []string{"/name \r"}, "", "Usage: /name <name>"},
		{"a name that is asked for", []string{"/name it\r", "/name\r"}, "session:session_info", "Session name: it"},
		{"a word with a text behind it", []string{"/quit now\r"}, "session:user session:assistant", " /quit now"},
		{"a menu that is left", []string{"/settings\r", "x\x03"}, "", "Settings"},
		{"a menu without a choice", []string{"/tree\r", "\r\x03"}, "", "Session Tree"},
		{"escape twice", []string{"\x1b[27u\x1b[27u"}, "", "Session Tree"},
		{"a model", []string{"/model \r", "\r"}, "session:model_change", "Model: "},
		{"no other model", []string{"\x10"}, "", "Only one model available"},
		{"no level", []string{"\x1b[Z"}, "", "Current model does not support thinking"},
		{"a page", []string{"/export\r"}, "", "Session exported to:"},
		{"a fork", []string{"/fork\r", "\r", "\r"}, "session:session session:model_change session:thinking_level_change session:system session:user session:assistant", "Forked to new session"},
		{"a clone", []string{"/clone\r"}, "session:session session:model_change session:thinking_level_change session:system session:user session:assistant", "Cloned to new session"},
		{"a mark alone", []string{"! \r"}, "session:user session:assistant", " !"},
		{"a new session", []string{"/new\r", "again\r"}, "session:session session:model_change session:thinking_level_change session:system session:user session:assistant", "Noted."},
		{"a command", []string{"!make\r"}, "session:", "$ make"}, // a message of no role that the words know
		{"not known", []string{"/tidy up\r"}, "session:user session:assistant", " /tidy up"},
	}
	for _, tt := range tests {
		w := newWorker(t, reply, interactive("pi-1.6"))
		first := driveUntil(w, keysAt("hi\r"), 5*time.Second)
		var todo []sent
		for i, keys := range tt.keys {
			todo = append(todo, sent{at: 6*time.Second + time.Duration(i)*time.Second, line: keys})
		}
		outs := driveUntil(w, todo, time.Minute)
		if got := remembered(first); got != "user assistant" {
			t.Fatalf("%s: got session %s, want one reply", tt.name, got)
		}
		if diff := cmp.Diff(tt.session, tokens(only(outs, fakepi.Session))); diff != "" {
			t.Errorf("%s: session: -want +got\n%s", tt.name, diff)
		}
		if screen := text(only(outs, fakepi.PTY)); !strings.Contains(screen, tt.shows) {
			t.Errorf("%s: the terminal never showed %q: %q", tt.name, tt.shows, screen)
		}
	}
}

// A session that goes on is on the screen from the start, with a call of which no end is known.
func TestShowsHistory(t *testing.T) {
	const src = "0s prompt \"\"\n+100ms thinks \"Three groups.\"\n+0s says \"I make it.\"\n+10ms tool bash \"make\" runs 1s gives \"made\\n\" as=t\n" +
		"@t.end+10ms says \"Now the tests.\"\n+0s tool bash \"make test\" runs never\n"
	before := newWorker(t, src, interactive("pi-1.6"))
	var file []byte
	for _, o := range only(driveUntil(before, keysAt("tidy\r"), time.Minute), fakepi.Session) {
		file = append(file, o.Data...)
	}
	history, err := fakepi.ReadHistory(native.Pi16, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dialects {
		w := newWorker(t, src, interactive(d), func(c *fakepi.Config) { c.History = history })
		screen := text(play(w, time.Second, nil))
		for _, want := range []string{" tidy", "Three groups.", " I make it.", "$ make", "made", " Now the tests.", "$ make test"} {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: the screen does not show %q: %q", d, want, screen)
			}
		}
		if at, ok := w.Next(); ok {
			t.Errorf("%s: something is due at %s at rest", d, at)
		}
	}
}

// A command of a person is kept from the model if it begins with two exclamation marks, and the session says so either way.
func TestHiddenCommand(t *testing.T) {
	for _, d := range dialects {
		w := newWorker(t, "0s prompt \"\"\n+100ms says \"Hello.\"\n+0s settles", interactive(d))
		driveUntil(w, keysAt("hi\r"), 5*time.Second)
		outs := driveUntil(w, []sent{{at: 6 * time.Second, line: "!echo zap\r"}, {at: 7 * time.Second, line: "!! echo zip\r"}}, time.Minute)
		var saved []string
		for _, o := range only(outs, fakepi.Session) {
			saved = append(saved, regexp.MustCompile(`"command":"[^"]*"|"excludeFromContext":[a-z]*`).FindAllString(string(o.Data), -1)...)
		}
		want := []string{`"command":"echo zap"`, `"excludeFromContext":false`, `"command":"echo zip"`, `"excludeFromContext":true`}
		if diff := cmp.Diff(want, saved); diff != "" {
			t.Errorf("%s: -want +got\n%s", d, diff)
		}
	}
}

// A command waits in the prompt while another one runs.
func TestOneCommand(t *testing.T) {
	for _, d := range dialects {
		w := newWorker(t, "0s prompt \"\"\n+100ms says \"Hello.\"\n+0s settles", interactive(d), runs)
		outs := driveUntil(w, []sent{
			{at: time.Second, line: "!make\r"}, {at: 2 * time.Second, line: "!make test\r"}, {at: 3 * time.Second, line: "\x1b"}, {at: 4 * time.Second, line: "\r"},
		}, 5*time.Second)
		var got []string
		for _, o := range outs {
			if o.Effect != nil {
				got = append(got, o.At.String()+" "+o.Effect.Command)
			}
		}
		if diff := cmp.Diff([]string{"1s make", "4s make test"}, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", d, diff)
		}
		if screen := text(only(outs, fakepi.PTY)); !strings.Contains(screen, "A bash command is already running.") {
			t.Errorf("%s: the terminal never said that one runs: %q", d, screen)
		}
	}
}

// What is typed in a compaction is prompted behind it, also where escape has stopped it, and the answer is no line.
func TestPromptsInCompaction(t *testing.T) {
	src := "0s prompt \"\"\n+50ms says \"" + strings.Repeat("word ", 20000) + "\"\n+0s settles\n+1s compacts manual runs 2s gives \"Much.\"\n" +
		"+1s prompt \"Go on.\"\n+50ms says \"I go on.\"\n+0s settles\n"
	const run = "session:user session:assistant"
	tests := []struct{ keys, want, reason string }{
		{"Go on.\rlater\x1b\r", "session:compaction " + run + " " + run, "the first one begins a run, in which the other waits"},
		{"Go on.\r\x1b[27u", run, "it was stopped"},
	}
	for _, d := range dialects {
		for _, tt := range tests {
			w := newWorker(t, src, interactive(d))
			driveUntil(w, []sent{{line: "hi\r"}}, 10*time.Second)
			outs := driveUntil(w, []sent{{at: 11 * time.Second, line: "/compact\r"}, {at: 12 * time.Second, line: tt.keys}}, time.Minute)
			if diff := cmp.Diff(tt.want, tokens(only(outs, fakepi.Session))); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", d, tt.reason, diff)
			}
			if lines := text(only(outs, fakepi.Out)); lines != "" {
				t.Errorf("%s, %s: got lines %q, want none in a terminal", d, tt.reason, lines)
			}
		}
	}
}

// Pi 0.73 hears no prompt in the delay before a retry, and none behind a session that it left in a run.
func TestLostPrompts(t *testing.T) {
	tests := []struct {
		src, keys string
		lost      bool
	}{
		{"0s prompt \"\"\n+50ms refused transient\n+0s retries 6s\n+1s says \"Tried.\"\n+0s settles\n", "more\r", true},
		{"0s prompt \"\"\n+50ms says \"x\"\n+1h says \"y\"\n+0s settles\n", "/new\rmore\r", true},
		{"0s prompt \"\"\n+50ms says \"x\"\n+0s settles\n", "/new\rmore\r", false},
	}
	for _, d := range dialects {
		for _, tt := range tests {
			w := newWorker(t, tt.src, interactive(d))
			driveUntil(w, []sent{{line: "hi\r"}}, time.Second)
			outs := driveUntil(w, []sent{{at: 2 * time.Second, line: tt.keys}}, 30*time.Second)
			heard := strings.Contains(text(only(outs, fakepi.Session)), `"more"`)
			if want := d == native.Pi16 || !tt.lost; heard != want {
				t.Errorf("%s, %q: heard: %v, want %v", d, tt.keys, heard, want)
			}
		}
	}
}
