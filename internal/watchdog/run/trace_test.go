package run

import (
	"testing"
	"time"

	"fakepi.example/watchdog"
)

// A call's processes: whether one of them has worked since the last probe (WDC-TOOL-003, 004).
func TestSample(t *testing.T) {
	const s = time.Second
	tool := func(pid int, start int64, cpu time.Duration, io int64) watchdog.Process {
		return watchdog.Process{PID: pid, Start: start, CPU: cpu, IO: io, Role: watchdog.RoleTool, ToolCall: "c"}
	}
	other := tool(8, 0, 9*s, 0)
	other.ToolCall = "d"
	agent := tool(1, 0, 9*s, 0)
	agent.Role, agent.ToolCall = watchdog.RoleAgent, ""
	for _, row := range []struct {
		reason        string
		before, after watchdog.Process
		want          bool
	}{
		{"the same", tool(7, 0, s, 5), tool(7, 0, s, 5), false},
		{"more CPU time", tool(7, 0, s, 5), tool(7, 0, 2*s, 5), true},
		{"more input or output", tool(7, 0, s, 5), tool(7, 0, s, 6), true},
		{"a new one that has worked", tool(7, 0, s, 0), tool(9, 0, s, 0), true},
		{"a new one that has read", tool(7, 0, s, 0), tool(9, 0, 0, 1), true},
		{"a new one that has not", tool(7, 0, s, 0), tool(9, 0, 0, 0), false},
		{"its number again, of a later start", tool(7, 0, 9*s, 0), tool(7, 5, s, 0), true},
		{"another call's", tool(7, 0, s, 0), other, false},
		{"the agent's", tool(7, 0, s, 0), agent, false},
	} {
		c := Call{ID: "c"}
		if c.sample([]watchdog.Process{row.before}) {
			t.Errorf("%s: worked before the first probe", row.reason)
		}
		if got := c.sample([]watchdog.Process{row.after}); got != row.want {
			t.Errorf("%s: worked %t, want %t", row.reason, got, row.want)
		}
	}
}

// Each of a tree may be the one that works.
func TestSampleAnyOf(t *testing.T) {
	tree := func(a, b time.Duration) []watchdog.Process {
		return []watchdog.Process{{PID: 7, CPU: a, Role: watchdog.RoleTool}, {PID: 8, CPU: b, Role: watchdog.RoleTool}}
	}
	for _, after := range [][]watchdog.Process{tree(2, 1), tree(1, 2)} {
		c := Call{ID: "c"}
		c.sample(tree(1, 1))
		if !c.sample(after) {
			t.Errorf("%v: has not worked", after)
		}
	}
	many := make([]watchdog.Process, 2*maxProcesses)
	c := Call{ID: "c"}
	if c.sample(many); len(c.processes) != maxProcesses {
		t.Errorf("%d processes are kept, want %d", len(c.processes), maxProcesses)
	}
}

// Who holds a call's pipe, who waits at a terminal, and whether the chain has ended (WDC-TOOL-007).
func TestTrace(t *testing.T) {
	shell := watchdog.Process{PID: 7, Role: watchdog.RoleShell, ToolCall: "c"}
	child := watchdog.Process{PID: 8, Role: watchdog.RoleTool, ToolCall: "c", HoldsPipe: true}
	with := func(p watchdog.Process, change func(*watchdog.Process)) watchdog.Process {
		change(&p)
		return p
	}
	zombie := func(p *watchdog.Process) { p.State = "Z" }
	unmarked := func(p *watchdog.Process) { p.ToolCall = "" }
	for _, row := range []struct {
		reason string
		first  Call
		tree   []watchdog.Process
		others bool // other calls are open
		want   Call
	}{
		{"the shell holds its own pipe", Call{}, []watchdog.Process{shell, child}, false, Call{running: true}},
		{"a child holds the pipe of a shell that has gone", Call{}, []watchdog.Process{child}, false, Call{running: true, holder: 8}},
		{"or is not waited for", Call{}, []watchdog.Process{with(shell, zombie), child}, false, Call{running: true, holder: 8}},
		{"a shell that holds a pipe is no child", Call{}, []watchdog.Process{with(shell, func(p *watchdog.Process) { p.HoldsPipe = true; p.State = "Z" })},
			false, Call{running: true, dead: true}},
		{"a child without the pipe", Call{}, []watchdog.Process{with(child, func(p *watchdog.Process) { p.HoldsPipe = false })}, false, Call{running: true}},
		{"one waits at a terminal", Call{}, []watchdog.Process{with(child, func(p *watchdog.Process) { p.ReadsTTY = true })}, false,
			Call{running: true, holder: 8, Terminal: 8}},
		{"nobody is there any more", Call{running: true, holder: 8, Terminal: 8}, nil, false, Call{running: true, dead: true}},
		{"only what is not waited for", Call{running: true}, []watchdog.Process{with(child, zombie)}, false, Call{running: true, holder: 8, dead: true}},
		{"one that runs, before one that is not waited for", Call{running: true}, []watchdog.Process{child, with(shell, zombie)}, false,
			Call{running: true, holder: 8}},
		{"nobody was there yet", Call{}, nil, false, Call{}},
		{"a chain that has come back", Call{running: true, dead: true}, []watchdog.Process{shell}, false, Call{running: true}},
		{"of no call, where there is one call", Call{shell: true}, []watchdog.Process{with(shell, unmarked)}, false, Call{shell: true, running: true}},
		{"of no call, where there are several", Call{shell: true}, []watchdog.Process{with(child, unmarked)}, true, Call{shell: true}},
		{"which keeps a chain alive all the same", Call{running: true, dead: true}, []watchdog.Process{with(child, unmarked)}, true, Call{running: true}},
		{"of no call, where one of the call's has been seen", Call{Tool: "fetch", running: true}, []watchdog.Process{with(child, unmarked)}, false,
			Call{Tool: "fetch", running: true, holder: 8}},
		{"of no call, and no shell's", Call{Tool: "fetch"}, []watchdog.Process{with(child, unmarked)}, false, Call{Tool: "fetch", holder: 8}},
	} {
		c := row.first
		c.ID, row.want.ID = "c", "c"
		c.trace(row.tree, !row.others, Mark{})
		if c.running != row.want.running || c.dead != row.want.dead || c.holder != row.want.holder || c.Terminal != row.want.Terminal {
			t.Errorf("%s: got running %t, dead %t, holder %d, terminal %d; want %t, %t, %d, %d", row.reason,
				c.running, c.dead, c.holder, c.Terminal, row.want.running, row.want.dead, row.want.holder, row.want.Terminal)
		}
	}
}
