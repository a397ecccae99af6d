package fakepi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
)

// end is what a stop brings: what the worker still writes, how long after the stop it is gone, and how many processes it
// leaves behind.
type end struct {
	want     string
	after    time.Duration
	children int
}

// How a worker ends when it is stopped from outside (docs/pi-formats.md, section 10), by dialect.
func TestStops(t *testing.T) {
	const (
		idle    = "0s chatter queue\n"
		headers = "0s prompt \"x\"\n+0s stalls"
		reply   = "0s prompt \"x\"\n+1s says \"a\"\n+0s stalls"
		tool    = "0s prompt \"x\"\n+1s tool bash \"x\" runs never"
		later   = "0s prompt \"x\"\n+1s tool bash \"x\" runs 1s\n+2s says \"a\"\n+0s stalls"
		dialog  = tool + " as=t\n@t asks confirm \"?\""
		timed   = dialog + " timeout=119s" // it ends a minute after what is sent
		delay   = "0s prompt \"x\"\n+1s refused transient\n+0s retries 10m"
		manual  = "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n+1s compacts manual runs 10m"
		auto    = "0s prompt \"x\"\n+1s says \"a\"\n+0s ends\n+0s compacts runs 10m"
		unrun   = "session:result session:assistant" // saved of a call that an abort ended
		tui     = "0s spawn mode=tui\n"
	)
	at := time.Minute
	term, hup, eof := sent{at: at, signal: "SIGTERM"}, sent{at: at, signal: "SIGHUP"}, sent{at: at, eof: true}
	yes, no := sent{at: 2 * at, answer: "yes"}, sent{at: 2 * at, answer: "no"}
	again := sent{at: 2 * at, signal: "SIGTERM"}
	killed := end{"closed:out closed:err SIGKILL", 0, 0}
	tests := []struct {
		name, src   string
		sent        []sent
		pi16, pi073 end
		reason      string
	}{
		{"SIGTERM idle", idle, []sent{term}, gone("", 143), gone("", 143), ""},
		{"SIGTERM before headers", headers, []sent{term}, gone("session:assistant", 143), gone("", 143), "1.6 saves an aborted reply, 0.73 has no file yet"},
		{"SIGTERM in a reply", reply, []sent{term}, gone("session:assistant", 143), gone("", 143), "nothing printed; 1.6 saves the partial text"},
		{"SIGTERM in a later reply", later, []sent{term}, gone("session:assistant", 143), gone("", 143), ""},
		{"SIGTERM in a tool", tool, []sent{term}, gone("session:result session:assistant", 143), gone("", 143), "its child is killed"},
		{"SIGTERM under a dialog", dialog, []sent{term}, end{}, gone("", 143), "1.6 waits for the run to settle (12k)"},
		{"second SIGTERM under a dialog", dialog, []sent{term, again}, gone("", 143), end{}, "(12l)"},
		{"EOF under a dialog behind SIGTERM", dialog, []sent{term, {at: 2 * at, eof: true}}, end{"closed:out closed:err exit:0", 13 * ms, 0}, end{}, "(12m)"},
		{"SIGTERM in a delay", delay, []sent{term}, gone("", 143), gone("", 143), ""},
		{"SIGTERM in a compaction by command", manual, []sent{term}, gone("refused", 143), gone("", 143), "1.6 answers the command even so"},
		{"SIGTERM in a compaction", auto, []sent{term}, gone("", 143), gone("", 143), ""},
		{"SIGHUP", idle, []sent{hup}, gone("", 129), gone("", 129), ""},
		{"SIGHUP in a tool", tool, []sent{hup}, gone("session:result session:assistant", 129), gone("", 129), ""},
		{"SIGHUP under a dialog", dialog, []sent{hup}, end{}, gone("", 129), ""},
		{"answer behind SIGTERM", dialog, []sent{term, yes}, heard(unrun, 143), end{}, "the tool does not run, nothing is printed"},
		{"refusal behind SIGTERM", dialog, []sent{term, no}, heard(unrun, 143), end{}, "saved as aborted all the same"},
		{"answer behind SIGHUP", dialog, []sent{hup, yes}, heard(unrun, 129), end{}, ""},
		{"time-out behind SIGTERM", dialog + " timeout=2m", []sent{term}, end{gone(unrun, 143).want, 61*time.Second + 18*ms, 0}, gone("", 143), "the dialog's own end lets it go too"},
		{"abort, then answer behind SIGTERM", dialog, []sent{term, {at: at + ms, line: `{"id":"a","type":"abort"}`}, yes}, heard(unrun+" response", 143), end{}, "the abort that waited is answered"},
		{"answer with a command behind SIGTERM", dialog, []sent{term, yes, {at: 2 * at, line: `{"id":"s","type":"get_state"}`}}, end{"response " + heard(unrun, 143).want, 19 * ms, 0}, end{}, "what comes in one read is answered (12w)"},
		{"answer with compact behind SIGTERM", dialog, []sent{term, yes, {at: 2 * at, line: `{"type":"compact"}`}}, heard(unrun+" refused", 143), end{}, "there is nothing to compact (12y)"},
		{"answer with clone behind SIGTERM", dialog, []sent{term, yes, {at: 2 * at, line: `{"type":"clone"}`}},
			end{"session:session session:model_change session:thinking_level_change session:system session:user session:assistant " + heard(unrun, 143).want, 19 * ms, 0}, end{}, "the copy's file is written, and nothing answered (12z)"},
		{"answer twice behind SIGTERM", dialog, []sent{term, yes, no}, heard(unrun, 143), end{}, "the first counts"},
		{"EOF with the answer behind SIGTERM", dialog, []sent{term, yes, {at: 2 * at, eof: true}}, heard(unrun, 143), end{}, ""},
		{"command behind SIGTERM under a dialog", dialog, []sent{term, {at: 2 * at, line: `{"id":"s","type":"steer","message":"x"}`}}, end{"response", 0, 1}, end{}, "answered, without its event"},
		{"SIGINT", reply, []sent{{at: at, signal: "SIGINT"}}, end{"closed:out closed:err SIGINT", 0, 0}, end{"closed:out closed:err SIGINT", 0, 0}, "no handler, nothing saved"},
		{"SIGINT in a tool", tool, []sent{{at: at, signal: "SIGINT"}}, end{"closed:out closed:err SIGINT", 0, 2}, end{"closed:out closed:err SIGINT", 0, 2}, "a child has a session of its own"},
		{"SIGKILL", tool, []sent{{at: at, signal: "SIGKILL"}}, end{killed.want, 0, 2}, end{killed.want, 0, 2}, ""},
		{"SIGKILL behind SIGTERM", reply, []sent{term, {at: at + ms, signal: "SIGKILL"}}, end{"session:assistant " + killed.want, 0, 0}, killed, ""},
		{"EOF idle", idle, []sent{eof}, end{"closed:out closed:err exit:0", 13 * ms, 0}, end{"closed:out closed:err exit:0", 13 * ms, 0}, "(20a)"},
		{"EOF before headers", headers, []sent{eof}, end{"session:assistant closed:out closed:err exit:0", 25 * ms, 0}, end{"closed:out closed:err exit:0", 16 * ms, 0}, ""},
		{"EOF in a reply", reply, []sent{eof}, end{"session:assistant closed:out closed:err exit:0", 25 * ms, 0}, end{"closed:out closed:err exit:0", 16 * ms, 0}, "lost on stdout, 1.6 saves it in the file (20b)"},
		{"EOF in a tool", tool, []sent{eof}, end{"session:result session:assistant closed:out closed:err exit:0", 25 * ms, 0}, end{"closed:out closed:err exit:0", 16 * ms, 2}, "0.73 lets the child live"},
		{"EOF under a dialog", dialog, []sent{eof}, end{"closed:out closed:err exit:0", 13 * ms, 0}, end{"closed:out closed:err exit:0", 13 * ms, 0}, "the call stays without a result (12n)"},
		{"EOF under a dialog that times out", timed, []sent{eof}, late(0), end{"closed:out closed:err exit:0", 13 * ms, 0}, "its timer keeps 1.6 running (12t)"},
		{"an answer behind EOF, the same", timed, []sent{eof, {at: at + ms, answer: "yes"}}, late(0, ms), end{"closed:out closed:err exit:0", 12 * ms, 0}, "nobody can send it"},
		{"EOF behind SIGTERM, the same", timed, []sent{term, {at: at + ms, eof: true}}, late(143, ms), end{}, "the first decides of the exit (12u)"},
		{"SIGTERM behind EOF, the same", timed, []sent{eof, {at: at + ms, signal: "SIGTERM"}}, late(0, ms), end{}, "so it does (12v)"},
		{"two signals behind EOF, the same", timed, []sent{eof, {at: at + ms, signal: "SIGTERM"}, {at: at + 2*ms, signal: "SIGHUP"}}, gone("", 129), end{}, "the second signal is obeyed at once"},
		{"SIGTERM behind SIGTERM and EOF, the same", timed, []sent{term, {at: at + ms, eof: true}, {at: at + 2*ms, signal: "SIGTERM"}}, gone("", 143), end{}, "EOF is no signal"},
		{"abort and EOF, the same", timed, []sent{{at: at, line: `{"id":"a","type":"abort"}`}, {at: at + ms, eof: true}}, end{unrun + " response closed:out closed:err exit:0", time.Minute + 17*ms, 0}, end{}, "the abort that waited is answered"},
		{"EOF in a delay", delay, []sent{eof}, end{"closed:out closed:err exit:0", 25 * ms, 0}, end{"closed:out closed:err exit:0", 16 * ms, 0}, ""},
		{"EOF in a compaction by command", manual, []sent{eof}, end{"refused closed:out closed:err exit:0", 25 * ms, 0}, end{"closed:out closed:err exit:0", 16 * ms, 0}, ""},
		{"SIGTERM deaf", "0s prompt \"x\"\n+1s wedges", []sent{term}, end{}, gone("", 143), "0.73 does not wait for the run"},
		{"SIGTERM frozen", "0s prompt \"x\"\n+1s wedges frozen", []sent{term, again}, end{}, end{}, "a stopped process handles nothing"},
		{"SIGKILL frozen", "0s prompt \"x\"\n+1s wedges frozen", []sent{{at: at, signal: "SIGKILL"}}, killed, killed, ""},
		{"SIGTERM spinning", "0s prompt \"x\"\n+1s wedges spinning", []sent{term, again}, end{}, end{}, "its handler never runs"},
		{"SIGINT spinning", "0s prompt \"x\"\n+1s wedges spinning", []sent{{at: at, signal: "SIGINT"}}, end{"closed:out closed:err SIGINT", 0, 0}, end{"closed:out closed:err SIGINT", 0, 0}, "the default action needs no handler"},
		{"SIGTERM of a TUI", tui, []sent{term}, end{"pty*11 closed:pty exit:0", 110 * ms, 0}, end{"pty closed:pty SIGTERM", 0, 0}, "1.6 restores the modes"},
	}
	for _, tt := range tests {
		for i, want := range []end{tt.pi16, tt.pi073} {
			if want == (end{}) && len(tt.sent) > 1 && i == 1 && tt.pi16 != want {
				continue // gone by the first
			}
			name := tt.name + " in " + string(tongues[i].dialect)
			w := newWorker(t, tt.src, in(tongues[i].dialect))
			play(w, at-ms, nil)
			got := end{}
			outs := drive(w, tt.sent)
			if got.want = tokens(outs); len(outs) > 0 {
				got.after = outs[len(outs)-1].At - tt.sent[len(tt.sent)-1].at
				got.children = len(w.Processes(3 * at))
			}
			if got != want {
				t.Errorf("%s (%s): got %+v, want %+v", name, tt.reason, got, want)
			}
		}
	}
}

// late is the end with a dialog's timer, of a worker that was told to go so long before that was sent last.
func late(code int, before ...time.Duration) end {
	e := end{fmt.Sprintf("session:result session:assistant closed:out closed:err exit:%d", code), time.Minute + 18*ms, 0}
	for _, d := range before {
		e.after -= d
	}
	return e
}

// heard is the end by a signal that has waited for the answer to a dialog.
func heard(saved string, code int) end {
	e := gone(saved, code)
	e.after += ms
	return e
}

// gone is the end by a signal that Pi handles.
func gone(saved string, code int) end {
	return end{strings.TrimSpace(saved + fmt.Sprintf(" closed:out closed:err exit:%d", code)), 18 * ms, 0}
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
