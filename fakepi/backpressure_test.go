package fakepi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What becomes of a reply of Pi 1.6 while nobody reads: the provider's goes on, its end is told when stdout is read again,
// and whoever stops the run meanwhile ends it where the provider is. All as the real Pi was seen to do.
func TestUnreadReplies(t *testing.T) {
	const (
		long   = "0s prompt \"x\"\n+1s says \"a b c d\" over 4s chunks 4\n"
		plain  = long + "+1s settles"
		tool   = long + "+1s tool bash \"x\" runs 1s\n+2s says \"b\"\n+0s settles"
		called = "text_delta*2 toolcall_start toolcall_delta*3 text_end toolcall_end session:assistant -assistant tool_execution_start"
		abort  = `{"type":"abort"}`
	)
	tests := []struct {
		name, src string
		stop      sent // comes while nobody reads
		want      string
		reason    string
	}{
		{"read again", plain, sent{}, "text_delta*2 text_end session:assistant -assistant {end}", "its end has waited"},
		{"aborted in the reply", plain, sent{at: 3 * time.Second, line: abort}, "text_end session:assistant -assistant {end} response", "with what has come"},
		{"aborted behind it", plain, sent{at: time.Minute, line: abort}, "text_delta*2 text_end session:assistant -assistant {end} response", "it is whole"},
		{"SIGTERM behind it", plain, sent{at: time.Minute, signal: "SIGTERM"}, "text_delta*2 session:assistant closed:out closed:err exit:143",
			"no event is printed behind a signal"},
		{"a tool", tool, sent{}, "{called} tool_execution_update{} tool_execution_end +result session:result -result turn_end turn_start " +
			"+assistant text_start text_delta text_end session:assistant -assistant {end}", "it begins when stdout is read again"},
		{"aborted behind a call", tool, sent{at: time.Minute, line: abort}, "{called} tool_execution_end +result session:result -result turn_end turn_start " +
			"+assistant session:assistant -assistant {end} response", "the call does not run"},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src)
		play(w, 2500*ms, nil)
		out := w.Backpressure(2500*ms, true, nil)
		if tt.stop.at > 0 {
			out = play(w, tt.stop.at, out)
		}
		switch {
		case tt.stop.signal != "":
			out = w.Signal(tt.stop.at, tt.stop.signal, out)
		case tt.stop.line != "":
			out = w.Send(tt.stop.at, []byte(tt.stop.line), out)
		}
		out = w.Backpressure(2*time.Minute, false, play(w, 2*time.Minute, out))
		out = play(w, time.Hour, out)
		want := expand(strings.Replace(tt.want, "{called}", called, 1))
		if got := tokens(out); got != want {
			t.Errorf("%s (%s):\n got %s\nwant %s", tt.name, tt.reason, got, want)
		}
	}
}

// A run that nobody reads does not end before it is read, whoever has asked for that: until then it is under way for get_state,
// and the commands that end it wait. So did the real Pi, in a reply and where it was about to call a tool.
func TestUnreadRunEnds(t *testing.T) {
	tests := []struct{ commands, unread, read string }{
		{"abort get_state", "2", "agent_end agent_settled 1"},
		{"abort abort", "", "agent_end agent_settled 1 2"},
		{"abort steer", "2", "agent_end agent_settled 1"},
		{"abort new_session", "", "agent_end agent_settled 1 2"},
		{"new_session get_state", "2", "agent_end agent_settled 1"},
	}
	for _, tt := range tests {
		w := newWorker(t, "0s prompt \"x\"\n+1s says \"a b c d\" over 4s chunks 4\n+1s settles")
		play(w, 2500*ms, nil)
		out := w.Backpressure(2500*ms, true, nil)
		for i, name := range strings.Fields(tt.commands) {
			out = w.Send(3*time.Second, fmt.Appendf(nil, `{"id":"%d","type":"%s","message":"m"}`, i+1, name), out)
		}
		out = play(w, time.Minute, out)
		if streaming, _, _ := w.State(time.Minute); !streaming {
			t.Errorf("%s: the run has ended, unread", tt.commands)
		}
		if got := inADelay(t, text(out)); got != tt.unread {
			t.Errorf("%s: got %s while nobody reads, want %s", tt.commands, got, tt.unread)
		}
		out = play(w, time.Hour, w.Backpressure(2*time.Minute, false, nil))
		if got := inADelay(t, text(out)); got != tt.read {
			t.Errorf("%s: got %s when it is read, want %s", tt.commands, got, tt.read)
		}
	}
}
