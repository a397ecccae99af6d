package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const head = "session model_change thinking_level_change system user"

const prompt = `{"id":"p","type":"prompt","message":"go"}`

// How an rpc worker ends, and what it has saved by then (docs/pi-formats.md, sections 7, 8 and 10).
func TestEnds(t *testing.T) {
	const (
		tool   = "0s prompt \"x\"\n+1s tool bash \"x\" runs never"
		stream = "0s prompt \"x\"\n+1s says \"Half of\"\n+0s stalls"
		dialog = "0s prompt \"x\"\n+1s tool bash \"x\" runs 1s as=t\n@t asks confirm \"?\"\n+0s user answers \"yes\" after 1s\n@t.end+1s says \"a\"\n+0s settles"
		idle   = "0s prompt \"x\"\n+1s says \"a\"\n+0s settles"
	)
	const (
		inTool   = `"partialResult":{"content":[]}`
		inStream = `"text_delta"`
		inDialog = `"extension_ui_request"`
		settled  = `"agent_settled"`
	)
	term := []syscall.Signal{syscall.SIGTERM}
	tests := []struct {
		name, src, await string
		signals          []syscall.Signal
		line             string // then sent
		eof              bool   // then
		end, saved       string
	}{
		{"SIGTERM idle", idle, settled, term, "", false, "143", head + " stop"},
		{"SIGTERM in a stream", stream, inStream, term, "", false, "143", head + " aborted"},
		{"SIGTERM in a tool", tool, inTool, term, "", false, "143", head + " toolUse result aborted"},
		{"SIGTERM in a dialog, then EOF", dialog, inDialog, term, "", true, "0", head + " toolUse"},
		{"SIGHUP in a stream", stream, inStream, []syscall.Signal{syscall.SIGHUP}, "", false, "129", head + " aborted"},
		{"SIGINT in a stream", stream, inStream, []syscall.Signal{syscall.SIGINT}, "", false, "interrupt", head},
		{"SIGKILL in a stream", stream, inStream, []syscall.Signal{syscall.SIGKILL}, "", false, "killed", head},
		{"SIGKILL in a tool", tool, inTool, []syscall.Signal{syscall.SIGKILL}, "", false, "killed", head + " toolUse"},
		{"SIGKILL in a dialog", dialog, inDialog, []syscall.Signal{syscall.SIGKILL}, "", false, "killed", head + " toolUse"},
		{"EOF idle", idle, settled, nil, "", true, "0", head + " stop"},
		{"EOF in a stream", stream, inStream, nil, "", true, "0", head + " aborted"},
		{"EOF in a tool", tool, inTool, nil, "", true, "0", head + " toolUse result aborted"},
		{"EOF in a dialog", dialog, inDialog, nil, "", true, "0", head + " toolUse"},
		{"EOF behind the prompt", stream, `"response"`, nil, "", true, "0", head + " aborted"},
		{"null", stream, inStream, nil, "null", false, "1", head},
		{"by itself", "0s prompt \"x\"\n+1s exits 7", `"response"`, nil, "", false, "7", head},
		{"killed by itself", "0s prompt \"x\"\n+1s killed SIGTERM", `"response"`, nil, "", false, "terminated", head},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startPi(t, "", tt.src, "--mode", "rpc")
			p.send(prompt)
			p.await(tt.await)
			before := len(p.seen)
			for _, s := range tt.signals {
				if err := p.cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			if tt.line != "" {
				p.send(tt.line)
			}
			if tt.eof {
				p.in.Close()
			}
			if got := p.end(); got != tt.end {
				t.Errorf("ended by %s, want %s", got, tt.end)
			}
			if got := p.saved(); got != tt.saved {
				t.Error(cmp.Diff(tt.saved, got))
			}
			if len(tt.signals) > 0 && len(p.seen) > before {
				t.Errorf("printed after the signal: %q", p.seen[before:])
			}
			if tt.line == "null" && !strings.Contains(p.err.String(), "\n    at ") {
				t.Errorf("stderr %q has no stack", p.err.String())
			}
		})
	}
}

// A dialog swallows the first SIGTERM: the worker still answers. The second one ends it (section 7).
func TestSecondSIGTERM(t *testing.T) {
	p := startPi(t, "", "0s prompt \"x\"\n+1s tool bash \"x\" runs 1s as=t\n@t asks confirm \"?\"", "--mode", "rpc")
	p.send(prompt)
	p.await(`"extension_ui_request"`)
	rounds := 0
	for p.signal(syscall.SIGTERM); p.answers(50); p.signal(syscall.SIGTERM) {
		rounds++ // two signals that come too close are one
	}
	if got := p.end(); rounds == 0 || got != "143" {
		t.Errorf("ended by %s after %d signals that it outlived, want 143 after some", got, rounds)
	}
}

// answers asks for the state so many times and reports whether every answer came.
func (p *pi) answers(n int) bool {
	for range n {
		if _, err := io.WriteString(p.in, `{"id":"s","type":"get_state"}`+"\n"); err != nil {
			return false
		}
		if line, err := p.out.ReadString('\n'); err != nil || !strings.Contains(line, `"isStreaming":true`) {
			return false
		}
	}
	return true
}

func (p *pi) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// A talk with a client: an answered dialog, a steer, an abort, an error, and the file before the line.
func TestTalk(t *testing.T) {
	src := "0s prompt \"x\"\n+1s tool bash \"x\" runs 1s as=t\n@t asks confirm \"?\"\n+0s user answers \"yes\" after 1s\n@t.end+1s says \"a\"\n+0s settles\n" +
		"+1m prompt \"y\"\n+1s says \"b\"\n+0s stalls\n"
	p := startPi(t, "", src, "--mode", "rpc")
	p.send(`{"id":"s","type":"get_state"}`)
	p.await(`"isStreaming":false`)
	if got := p.saved(); got != "" {
		t.Errorf("saved before the first prompt: %s", got)
	}
	p.send(prompt)
	p.await(`"disposition":"started"`)
	p.await(`"type":"message_end","message":{"role":"user"`)
	if got := p.saved(); !strings.HasPrefix(got, head) {
		t.Errorf("the user's message ended on stdout, the file holds %q", got)
	}
	var asked struct{ ID string }
	if err := json.Unmarshal([]byte(p.await(`"extension_ui_request"`)), &asked); err != nil {
		t.Fatal(err)
	}
	p.send(`{"id":"q","type":"prompt","message":"again"}`)
	p.await(`"error":"Agent is already processing.`)
	p.send(`{"id":"t","type":"steer","message":"and this"}`)
	p.await(`"disposition":"queued"`)
	p.send(`{"type":"extension_ui_response","id":"` + asked.ID + `","confirmed":true}`)
	p.await(`"text":"and this"`)
	p.await(`"agent_settled","aborted":false`)
	p.send(prompt)
	p.await(`"delta":"b"`)
	p.send(`{"id":"a","type":"abort"}`)
	p.await(`"agent_settled","aborted":true`)
	p.await(`{"id":"a","type":"response","command":"abort","success":true}`)
	p.in.Close()
	if got := p.end(); got != "0" {
		t.Errorf("ended by %s, want 0", got)
	}
	want := head + " toolUse result user stop user aborted"
	if got := p.saved(); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// json mode prints nothing, not even the header, before the end of stdin (section 1); the header is that of the file.
func TestJSONWaitsForEOF(t *testing.T) {
	p := startPi(t, "", "0s prompt \"x\"\n+1s says \"a\"\n+0s settles", "--mode", "json", "go")
	p.send("piped")
	closed := time.Now().Truncate(time.Millisecond)
	p.in.Close()
	header := p.await("")
	var made struct{ Timestamp time.Time }
	if err := json.Unmarshal([]byte(header), &made); err != nil || made.Timestamp.Before(closed) {
		t.Errorf("%v: the header is of %s, stdin ended at %s", err, made.Timestamp, closed)
	}
	if got := p.end(); got != "0" {
		t.Errorf("ended by %s, want 0", got)
	}
	if got, want := p.saved(), head+" stop"; got != want {
		t.Error(cmp.Diff(want, got))
	}
	again := startPi(t, p.home, "0s prompt \"x\"\n+1s says \"a\"\n+0s settles", "--mode", "json", "--continue", "go")
	again.in.Close()
	if got := again.await(""); got != header {
		t.Errorf("the session goes on: %s", cmp.Diff(header, got))
	}
	if got := again.end(); got != "0" {
		t.Errorf("ended by %s, want 0", got)
	}
	if got, want := again.saved(), head+" stop user stop"; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// A session that was killed goes on behind its last whole line (sections 8 and 9).
func TestGoesOnAfterKill(t *testing.T) {
	p := startPi(t, "", "0s prompt \"x\"\n+1s says \"Half of\"\n+0s stalls", "--mode", "rpc")
	p.send(prompt)
	p.await(`"text_delta"`)
	p.signal(syscall.SIGKILL)
	p.end()
	files, err := filepath.Glob(filepath.Join(p.home, ".pi/agent/sessions/*/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	again := startPi(t, p.home, "0s prompt \"x\"\n+1s says \"a\"\n+0s settles", "--mode", "rpc", "--session", files[0])
	again.send(`{"id":"s","type":"get_state"}`)
	again.await(files[0])
	again.send(prompt)
	again.await(`"agent_settled"`)
	again.in.Close()
	if got := again.end(); got != "0" {
		t.Errorf("ended by %s, want 0", got)
	}
	if got, want := again.saved(), head+" user stop"; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// Two processes write one session without a lock: both go on from the same entry, and the tree forks (section 8).
func TestTwoWritersForkTheTree(t *testing.T) {
	src := "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n+1m prompt \"y\"\n+1s tool bash \"x\" runs 40s\n+40s says \"b\"\n+0s settles\n"
	first := startPi(t, "", src, "--mode", "rpc")
	first.send(prompt)
	first.await(`"agent_settled"`)
	first.send(prompt)
	first.await(`"partialResult":{"content":[]}`)
	second := startPi(t, first.home, "0s prompt \"x\"\n+1s says \"c\"\n+0s settles\n", "--mode", "rpc", "--continue")
	second.send(prompt)
	second.await(`"agent_settled"`)
	first.await(`"agent_settled"`)
	children := map[string]int{}
	files, err := filepath.Glob(filepath.Join(first.home, ".pi/agent/sessions/*/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var entry struct{ ParentID string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		children[entry.ParentID]++
	}
	forks := 0
	for parent, n := range children {
		if n > 1 && parent != "" {
			forks++
		}
	}
	if forks != 1 {
		t.Errorf("%d entries have two children, want 1:\n%s", forks, data)
	}
}

// Sessions in a folder that is given relative to the working directory are named so, as the real Pis do, until one of them
// is gone on with.
func TestRelativeSessionDir(t *testing.T) {
	p := startPi(t, "", "", "--mode", "rpc", "--session-dir", "./kept/")
	p.send(`{"type":"prompt","message":"go"}`)
	p.await(`"agent_settled"`)
	p.send(`{"type":"get_state"}`)
	p.await(`"sessionFile":"kept/2`)
	p.in.Close()
	p.end()
	p = startPi(t, p.home, "", "--mode", "rpc", "--session-dir", "kept", "--continue")
	p.send(`{"type":"get_state"}`)
	home, err := filepath.EvalSymlinks(p.home)
	if err != nil {
		t.Fatal(err)
	}
	p.await(`"sessionFile":"` + home + `/kept/2`)
	p.in.Close()
	p.end()
}

// An empty session folder is none to Pi 1.6, and the working directory to Pi 0.73.
func TestEmptySessionDir(t *testing.T) {
	for dialect, want := range map[string]string{"pi-1.6": ".pi/agent/sessions/*/*.jsonl", "pi-0.73": "*.jsonl"} {
		p := setup{env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, "-p", "--session-dir", "", "go")
		p.in.Close()
		p.end()
		if found, err := filepath.Glob(filepath.Join(p.home, want)); err != nil || len(found) != 1 {
			t.Errorf("%s: %s has %v (%v), want one session", dialect, want, found, err)
		}
	}
}

// The name of the command line is the first entry of a new session, and the first new one of another; ~ is the home.
func TestNameIsFirst(t *testing.T) {
	const named = "session session_info model_change thinking_level_change system user stop"
	home := t.TempDir()
	for _, want := range []string{named, named + " session_info user stop"} {
		p := startPi(t, home, "", "--mode", "rpc", "--name", "x", "--session", "~/.pi/agent/sessions/mine/s.jsonl")
		p.send(prompt)
		p.await(`"agent_settled"`)
		p.in.Close()
		p.end()
		if got := p.saved(); got != want {
			t.Error(cmp.Diff(want, got))
		}
	}
}

// A prompt whose line has no line feed is answered as stdin ends, and its run does not begin.
func TestPromptWithoutItsLineFeed(t *testing.T) {
	for dialect, want := range map[string]string{
		"pi-1.6":  `{"type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`,
		"pi-0.73": `{"type":"response","command":"prompt","success":true}`,
	} {
		p := setup{script: "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n", env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, "--mode", "rpc")
		if _, err := io.WriteString(p.in, `{"type":"prompt","message":"x"}`); err != nil {
			t.Fatal(err)
		}
		p.in.Close()
		if got := p.end(); got != "0" || strings.Join(p.seen, "") != want || p.saved() != "" {
			t.Errorf("%s: ended by %s, printed %q and saved %q; want %q", dialect, got, p.seen, p.saved(), want)
		}
	}
}
