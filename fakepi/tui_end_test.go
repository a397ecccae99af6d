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

// ending tells how a worker's terminal and process ended: whether the modes of the screen were given back, and how it
// exited how long after a time.
func ending(outs []fakepi.Output, since time.Duration) string {
	var words []string
	for _, o := range outs {
		if o.At < since {
			continue
		}
		if strings.Contains(string(o.Data), "\x1b[?2004l") && (len(words) == 0 || words[len(words)-1] != "restored") {
			words = append(words, "restored")
		}
		if o.Exit != nil {
			words = append(words, token(&o), (o.At - since).String())
		}
	}
	return strings.Join(words, " ")
}

// How a TUI ends, as measured at the real Pi: what it gives back, its exit, and how long it takes.
func TestEnds(t *testing.T) {
	const (
		stall  = "0s prompt \"\"\n+100ms says \"First part\"\n+0s stalls"
		tool   = "0s prompt \"\"\n+100ms tool bash \"make\" runs 1h as=t\n@t.end+100ms says \"Made.\"\n+0s settles"
		dialog = "0s prompt \"\"\n+100ms tool bash \"make\" runs never as=t\n@t asks select \"Allow?\" \"Allow\" \"Block\""
		menu   = "0s asks trust \"Trust this folder?\" \"Yes\" \"No\"\n+1h prompt \"\"\n+0s says \"x\"\n+0s settles"
	)
	prompt := keysAt("hi\r")
	at := 10 * time.Second
	then := func(more ...sent) []sent { return append(prompt[:len(prompt):len(prompt)], more...) }
	tests := []struct {
		name, src         string
		sent              []sent
		want16, want073   string
		saved16, saved073 string
	}{
		{"SIGTERM at rest", stall, []sent{{at: at, signal: "SIGTERM"}}, "restored exit:0 110ms", "SIGTERM 0s", "", ""},
		{"SIGTERM in a reply", stall, then(sent{at: at, signal: "SIGTERM"}), "restored exit:0 110ms", "SIGTERM 0s", "user assistant", ""},
		{"SIGTERM in a tool", tool, then(sent{at: at, signal: "SIGTERM"}), "restored exit:0 110ms", "SIGTERM 0s", "user assistant result assistant", "user assistant"},
		{"SIGHUP in a reply", stall, then(sent{at: at, signal: "SIGHUP"}), "restored exit:0 110ms", "exit:129 0s", "user assistant", ""},
		{"SIGINT", stall, then(sent{at: at, signal: "SIGINT"}), "SIGINT 0s", "SIGINT 0s", "user", ""},
		{"SIGTERM under a dialog", dialog, then(sent{at: at, signal: "SIGTERM"}, sent{at: at + 10*ms, signal: "SIGTERM"}), "", "SIGTERM 0s", "user assistant", "user assistant"},
		{"SIGTERM under a dialog that is then answered", dialog, then(sent{at: at - 5*ms, signal: "SIGTERM"}, sent{at: at, line: "\r"}),
			"restored exit:0 110ms", "", "user assistant result assistant", "user assistant"},
		{"SIGTERM in the menu", menu, []sent{{at: at, signal: "SIGTERM"}}, "SIGTERM 0s", "SIGTERM 0s", "", ""},
		{"ctrl+d", stall, then(sent{at: at, line: "\x04"}), "restored exit:0 75ms", "restored exit:0 75ms", "user assistant", ""},
		{"ctrl+c twice", tool, then(sent{at: at, line: "\x03\x03"}), "restored exit:0 75ms", "restored exit:0 75ms", "user assistant result assistant", "user assistant"},
		{"/quit", stall, then(sent{at: at - ms, line: "\x1b"}, sent{at: at + 20*ms, line: "/quit\r"}), "restored exit:0 95ms", "restored exit:0 95ms", "user assistant", "user assistant"},
		{"the terminal goes away at rest", stall, []sent{{at: at, eof: true}}, "exit:0 0s", "SIGABRT 0s", "", ""},
		{"the terminal goes away in a reply", stall, then(sent{at: at, eof: true}), "exit:129 18ms", "SIGABRT 0s", "user assistant", ""},
		{"the terminal goes away in a tool", tool, then(sent{at: at, eof: true}), "exit:129 18ms", "SIGABRT 0s", "user assistant result assistant", "user assistant"},
		{"the terminal goes away under a dialog", dialog, then(sent{at: at, eof: true}), "exit:129 0s", "SIGABRT 0s", "user assistant", "user assistant"},
		{"the terminal goes away in the menu", menu, []sent{{at: at, eof: true}}, "exit:0 0s", "SIGABRT 0s", "", ""},
		{"the terminal goes away while suspended", stall, []sent{{at: at - 5*ms, line: "\x1a"}, {at: at, eof: true}}, "exit:129 0s", "SIGABRT 0s", "", ""},
	}
	for _, tt := range tests {
		for i, d := range dialects {
			w := newWorker(t, tt.src, interactive(d))
			outs := driveUntil(w, tt.sent, time.Minute)
			want, saved := tt.want16, tt.saved16
			if i == 1 {
				want, saved = tt.want073, tt.saved073
			}
			if diff := cmp.Diff(want, ending(outs, at)); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", d, tt.name, diff)
			}
			if diff := cmp.Diff(saved, remembered(outs)); diff != "" {
				t.Errorf("%s, %s: session: -want +got\n%s", d, tt.name, diff)
			}
		}
	}
}

// A process that ends otherwise can give the terminal back, once.
func TestRestore(t *testing.T) {
	for _, d := range dialects {
		w := newWorker(t, "0s prompt \"\"\n+0s stalls", interactive(d))
		driveUntil(w, keysAt("hi\r"), time.Minute)
		if got := string(w.Restore()); !strings.Contains(got, "\x1b[?2004l") || !strings.Contains(got, "\x1b[?25h") {
			t.Errorf("%s: got %q, want the modes given back", d, got)
		}
		if got := w.Restore(); len(got) > 0 {
			t.Errorf("%s: got %q the second time", d, got)
		}
	}
	if got := newWorker(t, "0s chatter queue").Restore(); len(got) > 0 {
		t.Errorf("a worker without a terminal gave back %q", got)
	}
}

// A menu stands before the program: until it is answered, the screen is not the program's, and nothing is told of it.
func TestMenu(t *testing.T) {
	const src = "0s spawn mode=tui status\n0s asks trust \"Trust this folder?\" \"Yes\" \"No\"\n+0s user answers \"Yes\" after 1s\n+1s prompt \"\"\n+0s says \"x\"\n+0s settles"
	for _, answer := range []string{"\r", "\x1b[B\r", "\x1b"} {
		w := newWorker(t, src, interactive(native.Pi16))
		menu := play(w, time.Second, nil)
		if got := text(menu); !strings.Contains(got, "Trust this folder?") || strings.Contains(got, "\x1b[?1049h") || strings.Contains(got, "\x1b]0;") {
			t.Errorf("the menu: %q", got)
		}
		if got := w.Truth(time.Second).Phase; got != fakepi.AwaitingUser {
			t.Errorf("phase %s, want awaiting_user", got)
		}
		program := text(play(w, 2*time.Second, w.Send(time.Second, []byte(answer), nil)))
		if !strings.Contains(program, "\x1b[?1049h") || !strings.Contains(program, "\x1b]7501;state=idle") {
			t.Errorf("behind %q: %q", answer, program)
		}
	}
}

// Of a reply that was aborted a terminal's Pi saves what it shows, and not the provider's words.
func TestAbortWords(t *testing.T) {
	const (
		stall   = "0s prompt \"\"\n+100ms says \"First part\"\n+0s stalls"
		tool    = "0s prompt \"\"\n+100ms tool bash \"make\" runs 1h as=t\n@t.end+100ms says \"Made.\"\n+0s settles"
		retried = "0s prompt \"\"\n+100ms refused transient\n+0s retries 2s\n+100ms says \"First part\"\n+0s stalls"
	)
	tests := []struct{ name, src, keys, want, want073 string }{
		{"escape in a reply", stall, "\x1b", "Operation aborted", "Operation aborted"},
		{"escape in a tool", tool, "\x1b", "Operation aborted", "Operation aborted"},
		{"escape in a reply behind a retry", retried, "\x1b", "Aborted after 1 retry attempt", "Aborted after 1 retry attempt"},
		{"quit in a reply", stall, "\x04", "Request was aborted", ""},
		{"quit in a tool", tool, "\x04", "This operation was aborted", ""},
		{"quit before the first word", "0s prompt \"\"\n+1h says \"x\"\n+0s settles", "\x04", "Request aborted", ""},
	}
	for _, tt := range tests {
		for _, d := range dialects {
			var saved []string
			for _, o := range only(driveUntil(newWorker(t, tt.src, interactive(d)), append(keysAt("hi\r"), sent{at: 10 * time.Second, line: tt.keys}), time.Minute), fakepi.Session) {
				for _, m := range regexp.MustCompile(`"stopReason":"aborted".*"errorMessage":"([^"]*)"`).FindAllSubmatch(o.Data, -1) {
					saved = append(saved, string(m[1]))
				}
			}
			want := tt.want
			if d == native.Pi073 {
				want = tt.want073
			}
			if diff := cmp.Diff(want, strings.Join(saved, ", ")); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", d, tt.name, diff)
			}
		}
	}
}

// What a command of the user leaves behind: a signal ends it, which Pi 1.6 saves, and keys that quit leave it alone in Pi 0.73.
func TestEndsCommand(t *testing.T) {
	tests := []struct {
		dialect       native.Dialect
		sends         sent
		saved, leaves int
		reason        string
	}{
		{native.Pi16, sent{signal: "SIGTERM"}, 1, 0, "it is stopped, and saved"},
		{native.Pi073, sent{signal: "SIGTERM"}, 0, 0, "it is killed"},
		{native.Pi16, sent{line: "\x04"}, 0, 0, "it is killed"},
		{native.Pi073, sent{line: "\x04"}, 0, 1, "it lives on"},
	}
	for _, tt := range tests {
		w := newWorker(t, "0s prompt \"\"\n+100ms says \"Hello.\"\n+0s settles", interactive(tt.dialect), runs)
		tt.sends.at = 3 * time.Second
		outs := driveUntil(w, []sent{{line: "hi\r"}, {at: 2 * time.Second, line: "!make\r"}, tt.sends}, time.Minute)
		saved := strings.Count(text(only(outs, fakepi.Session)), `"bashExecution"`)
		if saved != tt.saved || len(w.Children()) != tt.leaves {
			t.Errorf("%s, %s: got %d saved and %d processes, want %d and %d", tt.dialect, tt.reason, saved, len(w.Children()), tt.saved, tt.leaves)
		}
	}
}
