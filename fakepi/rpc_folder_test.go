package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// Where the sessions of a working directory are, as both Pis name it.
func TestSessionFolder(t *testing.T) {
	for cwd, want := range map[string]string{
		"/home/me/demo": "--home-me-demo--", "/": "----", `/a b/c:d\e`: "--a b-c-d-e--",
	} {
		if got := fakepi.SessionFolder(cwd); got != want {
			t.Errorf("%s: %s, want %s", cwd, got, want)
		}
	}
}

// Sessions of odd working directories: how one goes on, and whether a command runs there, as the real Pi of each version was
// seen to do.
func TestSessionFolders(t *testing.T) {
	const (
		goesOn   = `"success":true,"data":{"cancelled":false}`
		runs     = `"success":true,"data":{"output":""`
		missing  = `"error":"Stored session working directory does not exist: `
		nowhere  = `"error":"Working directory does not exist: \nCannot execute bash commands."`
		spawning = `"error":"spawn ENOTDIR"`
	)
	tests := []struct {
		cwd                string // of the header
		pi16, pi073        string // what switch_session answers
		command16, command string // what the command bash answers then
		reason             string
	}{
		{`,"cwd":"/there"`, goesOn, goesOn, runs, runs, ""},
		{`,"cwd":"/gone"`, missing + "/gone", missing + "/gone", runs, runs, "the old session goes on"},
		{`,"cwd":"/file"`, goesOn, goesOn, spawning, spawning, "it is there, but no folder"},
		{``, goesOn, goesOn, runs, runs, "none: that of the process"},
		{`,"cwd":""`, goesOn, goesOn, runs, nowhere, "Pi 0.73 takes it as it comes"},
		{`,"cwd":5`, goesOn, missing + "5", runs, runs, "the same"},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			wantSwitch, wantBash := tt.pi16, tt.command16
			if lang.dialect == native.Pi073 {
				wantSwitch, wantBash = tt.pi073, tt.command
			}
			files := disk{"/s.jsonl": `{"type":"session","version":3,"id":"a","timestamp":"2026-01-05T09:00:00.000Z"` + tt.cwd + "}\n"}
			w := newWorker(t, "0s chatter queue", in(lang.dialect), func(c *fakepi.Config) { c.Sessions = files })
			if got := text(w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":"/s.jsonl"}`), nil)); !strings.Contains(got, wantSwitch) {
				t.Errorf("%s, %s (%s): got %s, want %s", lang.dialect, tt.cwd, tt.reason, got, wantSwitch)
			}
			if got := text(w.Send(time.Second, []byte(`{"type":"bash","command":"pwd"}`), nil)); !strings.Contains(got, wantBash) {
				t.Errorf("%s, %s (%s): bash: got %s, want %s", lang.dialect, tt.cwd, tt.reason, got, wantBash)
			}
		}
	}
}

// An empty path, to Pi 0.73 a new session in the folder above its working directory.
func TestSwitchToNoPath(t *testing.T) {
	w := newWorker(t, "0s chatter queue", in(native.Pi073))
	play(w, time.Second, nil)
	out := text(w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":""}`), nil))
	out += text(w.Send(time.Second, []byte(`{"type":"get_state"}`), nil))
	if want := `"sessionFile":"/home/dev/2026-01-05T09-00-01-000Z_`; !strings.Contains(out, want) {
		t.Errorf("got %s, want %s", out, want)
	}
}
