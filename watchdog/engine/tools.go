package engine

import (
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// call is one tool call that has started and not ended; parallel calls are judged one by one (WDC-TOOL-004).
type call struct {
	id       string
	tool     string
	key      uint64 // of the tool and its arguments, for loops
	start    mark
	progress mark          // start, new output, or work of its processes
	limit    time.Duration // its own declared timeout raises the policy's
	partial  uint64        // hash of the last accumulated output
	shell    bool          // it runs a command in a process
	running  bool          // a process of it has started: one was seen, or a shell command gave its first output

	processes []process // as last probed
	holder    int       // pid that holds the pipe although the shell is gone
	terminal  int       // pid that reads a terminal
	deadSince mark      // since when its whole tree is gone
	dead      bool
}

// process is what is kept of a call's process between two probes.
type process struct {
	pid   int
	start int64
	cpu   time.Duration
	io    int64
}

const maxProcesses = 32 // kept per call

// call returns the open call of an id, or nil.
func (r *run) call(id string) *call {
	for i := range r.calls {
		if r.calls[i].id == id {
			return &r.calls[i]
		}
	}
	return nil
}

func (w *worker) toolStart(ev *agents.Event, m mark) {
	w.boundary(m)
	w.run.within(m)
	w.run.called, w.run.due = false, false
	c := w.openCall(agents.Call{ID: ev.ID, Tool: ev.Tool, Key: ev.Key, Shell: ev.Shell}, m)
	if c != nil && ev.Timeout > 0 {
		c.limit = max(c.limit, mark{}.until(ev.Timeout).until(w.limits.DeclaredGrace).at)
	}
}

// openCall notes a call that has started, and returns it unless there are too many. Two of one id are two calls: some
// providers give every call of a message the same one.
func (w *worker) openCall(began agents.Call, m mark) *call {
	r := &w.run
	if len(r.calls) == maxCalls {
		return nil
	}
	limits := w.policy.For(w.id, r.model(w.spawn.Model), began.Tool)
	r.calls = append(r.calls, call{
		id: began.ID, tool: began.Tool, key: began.Key, shell: began.Shell, start: m, progress: m, limit: limits.Tool,
	})
	r.lastCall, r.lastKey = began.ID, began.Key
	r.revision++
	return &r.calls[len(r.calls)-1]
}

// endCall forgets an open call and returns it as it was; ok is false if there is none of that id.
func (r *run) endCall(id string) (c call, ok bool) {
	for i := range r.calls {
		if r.calls[i].id == id {
			c = r.calls[i]
			r.calls = append(r.calls[:i], r.calls[i+1:]...)
			r.revision++
			return c, true
		}
	}
	return call{}, false
}

// toolUpdate is progress only if it brings new output: Pi repeats the accumulated text (WDC-TOOL-003).
func (w *worker) toolUpdate(ev *agents.Event, m mark) {
	w.answeredByCall(ev.ID, m)
	for i := range w.run.calls {
		c := &w.run.calls[i]
		if c.id != ev.ID {
			continue
		}
		if ev.Output != c.partial {
			c.progress, c.partial, c.dead = m, ev.Output, false
			w.progressed(m)
		}
		c.running = c.running || c.shell
	}
}

func (w *worker) toolEnd(ev *agents.Event, m mark) {
	w.answeredByCall(ev.ID, m)
	w.boundary(m)
	r := &w.run
	if c, ok := r.endCall(ev.ID); ok {
		r.owesResult(c.id, c.tool)
		w.repeated(repetition{call: c.key, result: ev.Result}, m)
	}
	if len(r.calls) == 0 {
		r.owe(m)
	}
}

// answeredByCall closes the dialogs of a call that goes on: Pi never confirms an answer, the next record of the call
// is the sign of it.
func (w *worker) answeredByCall(id string, m mark) {
	if w.run.answer(func(d *dialog) bool { return d.call != "" && d.call == id }) {
		w.resumed = later(w.resumed, m)
	}
}

// deadline returns when the call passes its limit and where that count stands.
func (c *call) deadline(w *worker) (at time.Duration, count mark) {
	count = later(c.progress, w.resumed)
	at = count.until(c.limit).at
	if c.dead {
		since := later(c.deadSince, w.resumed)
		if t := since.until(w.limits.Settle).at; t < at {
			return t, since
		}
	}
	return at, count
}

// firstPast returns the open call whose limit passes first. There is one.
func (w *worker) firstPast() (c *call, at time.Duration, count mark) {
	for i := range w.run.calls {
		if t, from := w.run.calls[i].deadline(w); c == nil || t < at {
			c, at, count = &w.run.calls[i], t, from
		}
	}
	return c, at, count
}

// observeProcesses reads a probe of the process tree: a tool's descendants that use CPU or I/O are at work, the agent's
// own CPU is not progress; a tree that has ended under an open call is a dead chain (WDC-TOOL-007).
func (w *worker) observeProcesses(tree []watchdog.Process, m mark) {
	for i := range w.run.calls {
		c := &w.run.calls[i]
		if c.sample(tree) {
			c.progress = m
			w.progressed(m)
		}
		c.trace(tree, len(w.run.calls) == 1, m)
	}
}

// of reports whether a process may work for the call: it is marked with it, or with none.
func (c *call) of(p *watchdog.Process) bool {
	return p.Role != watchdog.RoleAgent && (p.ToolCall == "" || debris.Bound(p.ToolCall) == c.id)
}

// sample compares the call's processes with the last probe and reports whether one of them has worked since.
func (c *call) sample(tree []watchdog.Process) bool {
	first, worked := c.processes == nil, false
	now := make([]process, 0, 4)
	for i := range tree {
		p := &tree[i]
		if !c.of(p) || len(now) == maxProcesses {
			continue
		}
		q := process{p.PID, p.Start, p.CPU, p.IO}
		now = append(now, q)
		worked = worked || q.workedSince(c.processes)
	}
	c.processes = now
	return worked && !first
}

func (p process) workedSince(last []process) bool {
	for _, q := range last {
		if q.pid == p.pid && q.start == p.start {
			return p.cpu > q.cpu || p.io > q.io
		}
	}
	return p.cpu > 0 || p.io > 0
}

// trace finds who holds the call's pipe, who waits at a terminal, and whether anything of it is left.
func (c *call) trace(tree []watchdog.Process, only bool, m mark) {
	shell, left := false, false
	c.holder, c.terminal = 0, 0
	for i := range tree {
		p := &tree[i]
		if !c.of(p) {
			continue
		}
		left = left || p.State != "Z"
		if p.ToolCall == "" && !only {
			continue // alive, and nobody knows for which call
		}
		c.running = c.running || p.ToolCall != "" || c.shell
		shell = shell || p.Role == watchdog.RoleShell && p.State != "Z"
		if p.HoldsPipe && p.Role == watchdog.RoleTool {
			c.holder = p.PID
		}
		if p.ReadsTTY {
			c.terminal = p.PID
		}
	}
	if shell {
		c.holder = 0
	}
	if left || !c.running {
		c.dead = false
		return
	}
	if !c.dead {
		c.dead, c.deadSince = true, m
	}
}
