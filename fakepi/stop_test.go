package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
)

// How a worker ends when it is stopped from outside (docs/pi-formats.md, section 10): what it still writes, what it
// saves, how it exits and after how long.
func TestStops(t *testing.T) {
	const (
		idle   = "0s chatter queue\n"
		reply  = "0s prompt \"x\"\n+1s says \"a\"\n+0s stalls"
		tool   = "0s prompt \"x\"\n+1s tool bash \"x\" runs never"
		dialog = tool + " as=t\n@t asks confirm \"?\""
		tui    = "0s spawn mode=tui\n"
	)
	at := time.Minute
	tests := []struct {
		name, src string
		sent      []sent
		want      string
		after     time.Duration // from the last thing sent
		reason    string
	}{
		{"SIGTERM idle", idle, []sent{{at: at, signal: "SIGTERM"}}, "closed:out closed:err exit:143", 18 * ms, ""},
		{"SIGTERM in a reply", reply, []sent{{at: at, signal: "SIGTERM"}}, "session:assistant closed:out closed:err exit:143", 18 * ms, "nothing printed, the partial text saved"},
		{"SIGTERM in a tool", tool, []sent{{at: at, signal: "SIGTERM"}}, "session:result session:assistant closed:out closed:err exit:143", 18 * ms, ""},
		{"SIGTERM under a dialog", dialog, []sent{{at: at, signal: "SIGTERM"}}, "", 0, "it waits for the run to settle (12k)"},
		{"second SIGTERM under a dialog", dialog, []sent{{at: at, signal: "SIGTERM"}, {at: 2 * at, signal: "SIGTERM"}}, "closed:out closed:err exit:143", 18 * ms, "(12l)"},
		{"EOF under a dialog behind SIGTERM", dialog, []sent{{at: at, signal: "SIGTERM"}, {at: 2 * at, eof: true}}, "closed:out closed:err exit:0", 13 * ms, "(12m)"},
		{"SIGHUP", idle, []sent{{at: at, signal: "SIGHUP"}}, "closed:out closed:err exit:129", 18 * ms, ""},
		{"SIGINT", reply, []sent{{at: at, signal: "SIGINT"}}, "closed:out closed:err SIGINT", 0, "no handler, nothing saved"},
		{"SIGKILL", tool, []sent{{at: at, signal: "SIGKILL"}}, "closed:out closed:err SIGKILL", 0, ""},
		{"SIGKILL behind SIGTERM", reply, []sent{{at: at, signal: "SIGTERM"}, {at: at + ms, signal: "SIGKILL"}}, "session:assistant closed:out closed:err SIGKILL", 0, ""},
		{"EOF idle", idle, []sent{{at: at, eof: true}}, "closed:out closed:err exit:0", 13 * ms, "(20a)"},
		{"EOF in a reply", reply, []sent{{at: at, eof: true}}, "session:assistant closed:out closed:err exit:0", 25 * ms, "reply lost on stdout, saved in the file (20b)"},
		{"EOF in a tool", tool, []sent{{at: at, eof: true}}, "session:result session:assistant closed:out closed:err exit:0", 25 * ms, ""},
		{"EOF under a dialog", dialog, []sent{{at: at, eof: true}}, "closed:out closed:err exit:0", 13 * ms, "the call stays without a result (12n)"},
		{"SIGTERM deaf", "0s prompt \"x\"\n+1s wedges", []sent{{at: at, signal: "SIGTERM"}}, "", 0, ""},
		{"SIGTERM frozen", "0s prompt \"x\"\n+1s wedges frozen", []sent{{at: at, signal: "SIGTERM"}, {at: 2 * at, signal: "SIGTERM"}}, "", 0, "a stopped process handles nothing"},
		{"SIGKILL frozen", "0s prompt \"x\"\n+1s wedges frozen", []sent{{at: at, signal: "SIGKILL"}}, "closed:out closed:err SIGKILL", 0, ""},
		{"SIGTERM spinning", "0s prompt \"x\"\n+1s wedges spinning", []sent{{at: at, signal: "SIGTERM"}, {at: 2 * at, signal: "SIGTERM"}}, "", 0, "its handler never runs"},
		{"SIGINT spinning", "0s prompt \"x\"\n+1s wedges spinning", []sent{{at: at, signal: "SIGINT"}}, "closed:out closed:err SIGINT", 0, "the default action needs no handler"},
		{"SIGTERM of a TUI", tui, []sent{{at: at, signal: "SIGTERM"}}, "pty*11 closed:pty exit:0", 110 * ms, "the modes are restored"},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src)
		play(w, at-ms, nil)
		outs := drive(w, tt.sent)
		if got := tokens(outs); got != tt.want {
			t.Errorf("%s (%s):\n%s", tt.name, tt.reason, cmp.Diff(tt.want, got))
		}
		if len(outs) > 0 {
			if after := outs[len(outs)-1].At - tt.sent[len(tt.sent)-1].at; after != tt.after {
				t.Errorf("%s: got the exit after %s, want %s", tt.name, after, tt.after)
			}
		}
	}
}

// A one-shot whose stdin was left open prints nothing, not even its header, until stdin ends (docs/pi-formats.md,
// section 1).
func TestStdinLeftOpen(t *testing.T) {
	w := newWorker(t, "0s spawn mode=json stdin_open\n+0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n+0s exits 0")
	if outs := play(w, time.Hour, nil); len(outs) > 0 {
		t.Errorf("got %s before the end of stdin, want nothing", tokens(outs))
	}
	if p := w.Truth(time.Hour).Phase; p != fakepi.Starting {
		t.Errorf("got phase %s, want starting", p)
	}
	outs := without(drive(w, []sent{{at: time.Hour, eof: true}}), fakepi.Session)
	if got := tokens(outs); !strings.HasPrefix(got, "session agent_start") || !strings.HasSuffix(got, "exit:0") {
		t.Errorf("got %s behind the end of stdin, want a whole run", got)
	}
}
