package fakepi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fakepi.example/fakepi"
)

// The processes of a tool, one row a kind of child.
func TestProcesses(t *testing.T) {
	const tool = "0s prompt \"x\"\n+1s tool bash \"x\" runs never "
	agent := fakepi.Process{PID: 4200, Parent: 1, State: "S", Role: fakepi.RoleAgent}
	shell := fakepi.Process{PID: 4201, Parent: 4200, State: "S", Role: fakepi.RoleShell, ToolCall: "c", HoldsPipe: true}
	child := fakepi.Process{PID: 4202, Parent: 4201, State: "S", Role: fakepi.RoleTool, ToolCall: "c", HoldsPipe: true}
	with := func(p fakepi.Process, change func(*fakepi.Process)) fakepi.Process {
		change(&p)
		return p
	}
	orphan := with(shell, func(p *fakepi.Process) { p.Parent = 1 })
	tests := []struct {
		name, src string
		want      []fakepi.Process
		reason    string
	}{
		{"no tool", "0s prompt \"x\"\n+0s stalls", []fakepi.Process{agent}, ""},
		{"idle", tool + "call=c", []fakepi.Process{agent, shell, child}, ""},
		{"busy", tool + "call=c busy", []fakepi.Process{agent, shell, with(child, func(p *fakepi.Process) { p.State = "R" })}, ""},
		{"no longer busy", tool + "call=c busy for 9s", []fakepi.Process{agent, shell, child}, ""},
		{"tty", tool + "call=c tty", []fakepi.Process{agent, shell, with(child, func(p *fakepi.Process) { p.ReadsTTY = true })}, ""},
		{"holds", tool + "call=c holds", []fakepi.Process{agent, with(child, func(p *fakepi.Process) { p.Parent = 1 })}, "the shell is gone"},
		{"dead", tool + "call=c dead", []fakepi.Process{agent}, "the call is open all the same"},
		{"before the gate opens", tool + "call=c as=t\n@t asks confirm \"?\"", []fakepi.Process{agent}, "nothing was started yet"},
		{"a tool inside Pi", "0s prompt \"x\"\n+1s tool read \"x\" runs never call=c", []fakepi.Process{agent}, ""},
		{"frozen", "0s wedges frozen", []fakepi.Process{with(agent, func(p *fakepi.Process) { p.State = "T" })}, ""},
		{"spinning", "0s wedges spinning", []fakepi.Process{with(agent, func(p *fakepi.Process) { p.State = "R" })}, ""},
		{"orphans of a killed worker", tool + "call=c\n+1s killed SIGKILL", []fakepi.Process{orphan, child}, "they run on (docs/pi-formats.md, section 8)"},
		{"exited", "0s exits 0", nil, ""},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src)
		play(w, time.Minute, nil)
		got := w.Processes(time.Minute)
		if d := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(fakepi.Process{}, "Start", "CPU", "IO")); d != "" {
			t.Errorf("%s (%s): -want +got\n%s", tt.name, tt.reason, d)
		}
	}
}

// A busy child uses one CPU for as long as the script says; an idle one uses none.
func TestCPU(t *testing.T) {
	used := func(src string, at time.Duration) time.Duration {
		w := newWorker(t, "0s prompt \"x\"\n+1s tool bash \"x\" runs never "+src)
		play(w, at, nil)
		p := w.Processes(at)
		return p[len(p)-1].CPU
	}
	tests := []struct {
		src  string
		want time.Duration // between 10s and 20s
	}{
		{"", 0},
		{"busy", 10 * time.Second},
		{"busy for 14s", 5 * time.Second},
		{"busy as=t\n@t+12s asks confirm \"?\"", 3 * time.Second},
		{"busy as=t\n@t+12s stalls", 3 * time.Second},
	}
	for _, tt := range tests {
		if got := used(tt.src, 20*time.Second) - used(tt.src, 10*time.Second); got != tt.want {
			t.Errorf("%q: got %s of CPU in ten seconds, want %s", tt.src, got, tt.want)
		}
	}
}

// Tools that SIGTERM reaches are taken down, those of a killed worker finish and change the world.
func TestOrphansFinish(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s tool bash \"x\" runs 1h writes"
	for _, tt := range []struct {
		signal string
		alive  int
		change bool
	}{{"SIGKILL", 2, true}, {"SIGTERM", 0, false}} {
		w := newWorker(t, src)
		play(w, time.Minute, nil)
		before := w.WorldDigest()
		w.Signal(time.Minute, tt.signal, nil)
		play(w, 2*time.Minute, nil)
		if got := len(w.Processes(2 * time.Minute)); got != tt.alive {
			t.Errorf("%s: got %d children alive, want %d", tt.signal, got, tt.alive)
		}
		play(w, 2*time.Hour, nil)
		if got := w.WorldDigest() != before; got != tt.change {
			t.Errorf("%s: the worktree changed: %v, want %v", tt.signal, got, tt.change)
		}
		if got := w.Processes(2 * time.Hour); len(got) != 0 {
			t.Errorf("%s: got %v at the end, want none", tt.signal, got)
		}
	}
}

// The world changes when a tool that writes or commits ends, and not before; a push without a commit changes nothing.
func TestWorldDigest(t *testing.T) {
	tests := []struct {
		does    string
		changes bool
	}{{"", false}, {"writes", true}, {"commits", true}, {"commits pushes", true}, {"pushes", false}}
	for _, tt := range tests {
		w := newWorker(t, "0s prompt \"x\"\n+1s tool bash \"x\" runs 9s "+tt.does+"\n+0s stalls")
		play(w, 9*time.Second, nil)
		before := w.WorldDigest()
		play(w, 10*time.Second, nil)
		if got := w.WorldDigest() != before; got != tt.changes {
			t.Errorf("%q: changed: %v, want %v", tt.does, got, tt.changes)
		}
	}
}
