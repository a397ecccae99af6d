package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// longReply is more than a pipe holds, in both dialects.
const longReply = "0s prompt \"x\"\n+1s says \"word \" over 1s chunks 1000\n+0s settles\n"

// A client that stops reading holds up a run of Pi 1.6, which still answers commands, and is let go when it reads again:
// nothing is lost. A SIGTERM waits too, a second one does not. The provider's reply, which is over by then, is saved whole.
func TestClientThatStopsReading(t *testing.T) {
	tests := []struct {
		name    string
		signals []syscall.Signal
		end     string
		saved   string
		reason  string
	}{
		{"reads again", nil, "0", head + " session_info stop", ""},
		{"SIGTERM", []syscall.Signal{syscall.SIGTERM}, "143", head + " session_info stop", "it waits for the reader"},
		{"SIGHUP", []syscall.Signal{syscall.SIGHUP}, "129", head + " session_info stop", "so does this one"},
		{"SIGTERM twice", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, "143", head + " session_info", "who asks twice is not made wait"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, out := startUnread(t, "pi-1.6")
			p.send(`{"type":"set_session_name","name":"held up"}`)
			eventually(t, "the command was carried out", func() bool { return strings.HasSuffix(p.saved(), " session_info") })
			for i, s := range tt.signals {
				p.signal(s)
				eventually(t, "the signal was noted", func() bool { return p.noted(`"kind":"signal"`) == i+1 })
			}
			p.out = bufio.NewReader(out)
			if len(tt.signals) == 0 {
				p.await(`"agent_settled"`)
				p.in.Close()
			}
			if got := p.end(); got != tt.end {
				t.Errorf("ended by %s, want %s (%s)", got, tt.end, tt.reason)
			}
			if got := p.saved(); got != tt.saved {
				t.Errorf("saved %s, want %s (%s)", got, tt.saved, tt.reason)
			}
			if n := strings.Count(strings.Join(p.seen, ""), `"type":"text_delta"`); (n == 1000) != (len(tt.signals) == 0) {
				t.Errorf("%d deltas came out", n)
			}
		})
	}
}

// Pi 0.73 lets its memory grow instead: the run ends and is saved, and what was not read is lost at the exit.
func TestUnreadRunOfPi073(t *testing.T) {
	p, out := startUnread(t, "pi-0.73")
	eventually(t, "the run is saved", func() bool { return strings.HasSuffix(p.saved(), " stop") })
	p.signal(syscall.SIGTERM)
	if got := p.wait(); got != "143" {
		t.Errorf("ended by %s, want 143", got)
	}
	data, err := io.ReadAll(out)
	if err != nil || bytes.Contains(data, []byte("agent_end")) {
		t.Errorf("%d bytes came out, to the end: %v", len(data), err)
	}
}

// startUnread starts a worker that has more to say than its stdout holds, and waits until that is full.
func startUnread(t *testing.T, dialect string) (*pi, *os.File) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	home := t.TempDir()
	fd := int32(in.Fd()) // asked for once: to ask again would let the worker's writes block
	p := setup{
		home: home, script: longReply, out: in,
		env: []string{"FAKEPI_DIALECT=" + dialect, "FAKEPI_LEDGER=" + home + "/ledger.jsonl", "FAKEPI_TIME=x100000"},
	}.start(t, "--mode", "rpc")
	p.send(prompt)
	eventually(t, "stdout is full", func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: fd, Events: unix.POLLOUT}}, 0)
		return err == nil && n == 0
	})
	in.Close()
	return p, out
}

// noted counts the records of the ledger that contain a text.
func (p *pi) noted(text string) int {
	p.t.Helper()
	data, err := os.ReadFile(p.home + "/ledger.jsonl")
	if err != nil {
		p.t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// A client that goes away ends the worker, which says why, as Node does.
func TestClientThatGoesAway(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	p := setup{out: in}.start(t, "--mode", "rpc")
	in.Close()
	p.send(`{"type":"get_state"}`)
	if got := p.wait(); got != "1" || !strings.Contains(p.err.String(), "Error: write EPIPE\n    at ") {
		t.Errorf("ended by %s: %q, want 1 and a stack", got, p.err.String())
	}
}
