package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

func interactive(d native.Dialect) func(*fakepi.Config) {
	return func(c *fakepi.Config) { c.Mode, c.Driven, c.Dialect = script.ModeTUI, true, d }
}

var dialects = []native.Dialect{native.Pi16, native.Pi073}

// keysAt types each text one second after the one before, from the first second on.
func keysAt(texts ...string) []sent {
	var all []sent
	for i, text := range texts {
		all = append(all, sent{at: time.Duration(i+1) * time.Second, line: text})
	}
	return all
}

// driveUntil is drive for a worker that paints for ever.
func driveUntil(w *fakepi.Worker, todo []sent, until time.Duration) []fakepi.Output {
	var outs []fakepi.Output
	for _, s := range todo {
		outs = play(w, s.at, outs)
		switch {
		case s.signal != "":
			outs = w.Signal(s.at, s.signal, outs)
		case s.eof:
			outs = w.CloseStdin(s.at, outs)
		default:
			outs = w.Send(s.at, []byte(s.line), outs)
		}
	}
	return play(w, until, outs)
}

// remembered lists the roles of the messages in the session file, the system message left out.
func remembered(outs []fakepi.Output) string {
	var roles []string
	for _, word := range strings.Fields(tokens(only(outs, fakepi.Session))) {
		switch role := strings.TrimPrefix(word, "session:"); role {
		case "user", "assistant", "result", "user*2", "assistant*2":
			roles = append(roles, role)
		}
	}
	return strings.Join(roles, " ")
}

func only(outs []fakepi.Output, stream string) []fakepi.Output {
	var kept []fakepi.Output
	for _, o := range outs {
		if o.Stream == stream {
			kept = append(kept, o)
		}
	}
	return kept
}

// What a person types in a driven worker's terminal, and what comes of it in the session.
func TestTypes(t *testing.T) {
	const (
		reply = "0s prompt \"\"\n+100ms says \"Hello.\"\n+0s settles"
		long  = "0s prompt \"\"\n+100ms says \"One. \"\n+4s says \"Two.\"\n+0s closes\n+100ms says \"Three.\"\n+0s settles"
		tool  = "0s prompt \"\"\n+100ms tool bash \"make\" runs 10s as=t\n@t.end+100ms says \"Made.\"\n+0s settles"
		gate  = "0s prompt \"\"\n+100ms tool bash \"make\" runs 1s as=t\n@t asks select \"Allow?\" \"Allow\" \"Block\"\n" +
			"+0s user answers \"Allow\" after 1s\n@t.end+100ms says \"Made.\"\n+0s settles"
	)
	tests := []struct {
		name, src string
		sent      []sent
		want      string // in the session
		shows     string // at some time
		phase     fakepi.Phase
	}{
		{"a prompt", reply, keysAt("hi\r"), "user assistant", "Hello.", fakepi.Settled},
		{"in pieces", reply, keysAt("h", "i", "\r"), "user assistant", "Hello.", fakepi.Settled},
		{"nothing", reply, keysAt("\r", " \r"), "", "", fakepi.Idle},
		{"a prompt that the script does not know", reply, keysAt("hi\r", "and?\r"), "user assistant user assistant", "Noted.", fakepi.Settled},
		{"a steer", long, keysAt("hi\r", "no\r"), "user assistant user assistant", "Steering: no", fakepi.Settled},
		{"a follow-up", long, keysAt("hi\r", "and\x1b\r"), "user assistant user assistant", "Follow-up: and", fakepi.Settled},
		{"what waits is taken back", long, keysAt("hi\r", "no\r", "\x1b[1;3A"), "user assistant", "no", fakepi.Settled},
		{"escape in a reply", long, keysAt("hi\r", "\x1b"), "user assistant", "Operation aborted", fakepi.SettledUnproven},
		{"escape in a tool", tool, keysAt("hi\r", "\x1b"), "user assistant result assistant", "Command aborted", fakepi.SettledUnproven},
		{"escape at rest", reply, keysAt("hi\r", "\x1b"), "user assistant", "Hello.", fakepi.Settled},
		{"a dialog, allowed", gate, keysAt("hi\r", "\r"), "user assistant result assistant", "Made.", fakepi.Settled},
		{"a dialog, blocked", gate, keysAt("hi\r", "\x1b[B\r"), "user assistant result assistant", "Blocked by user", fakepi.Settled},
		{"a dialog, cancelled", gate, keysAt("hi\r", "\x1b"), "user assistant result assistant", "Blocked by user", fakepi.Settled},
		{"a dialog, open", gate, keysAt("hi\r"), "user assistant", "Allow?", fakepi.AwaitingUser},
	}
	for _, d := range dialects {
		for _, tt := range tests {
			w := newWorker(t, tt.src, interactive(d))
			outs := driveUntil(w, tt.sent, time.Minute)
			if diff := cmp.Diff(tt.want, remembered(outs)); diff != "" {
				t.Errorf("%s, %s: session: -want +got\n%s", d, tt.name, diff)
			}
			if screen := text(only(outs, fakepi.PTY)); !strings.Contains(screen, tt.shows) {
				t.Errorf("%s, %s: the terminal never showed %q", d, tt.name, tt.shows)
			}
			if got := w.Truth(time.Minute).Phase; got != tt.phase {
				t.Errorf("%s, %s: phase %s, want %s", d, tt.name, got, tt.phase)
			}
		}
	}
}
