package run

import (
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// Call is one tool call that has started and not ended; parallel calls are judged one by one (WDC-TOOL-004).
type Call struct {
	ID       string
	Tool     string
	key      uint64 // of the tool and its arguments, for loops
	start    Mark
	progress Mark          // start, new output, or work of its processes
	limit    time.Duration // its own declared timeout raises the policy's
	partial  uint64        // hash of the last accumulated output
	shell    bool          // it runs a command in a process
	running  bool          // a process of it has started: one was seen, or a shell command gave its first output

	processes []process // as last probed
	holder    int       // pid that holds the pipe although the shell is gone
	Terminal  int       // pid that reads a terminal
	deadSince Mark      // since when its whole tree is gone
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
func (r *Model) call(id string) *Call {
	for i := range r.Calls {
		if r.Calls[i].ID == id {
			return &r.Calls[i]
		}
	}
	return nil
}

func (w *Worker) toolStart(ev *agents.Event, m Mark) {
	w.boundary(m)
	w.Run.within(m)
	w.Run.called, w.Run.due = false, false
	c := w.openCall(agents.Call{ID: ev.ID, Tool: ev.Tool, Key: ev.Key, Shell: ev.Shell}, m)
	if c != nil && ev.Timeout > 0 {
		c.limit = max(c.limit, Mark{}.Until(ev.Timeout).Until(w.Limits.DeclaredGrace).At)
	}
}

// openCall notes a call that has started, and returns it unless there are too many. Two of one id are two calls: some
// providers give every call of a message the same one.
func (w *Worker) openCall(began agents.Call, m Mark) *Call {
	r := &w.Run
	if len(r.Calls) == maxCalls {
		return nil
	}
	limits := w.policy.For(w.ID, r.model(w.Spawn.Model), began.Tool)
	r.Calls = append(r.Calls, Call{
		ID: began.ID, Tool: began.Tool, key: began.Key, shell: began.Shell, start: m, progress: m, limit: limits.Tool,
	})
	r.lastCall, r.lastKey = began.ID, began.Key
	r.revision++
	return &r.Calls[len(r.Calls)-1]
}

// endCall forgets an open call and returns it as it was; ok is false if there is none of that id.
func (r *Model) endCall(id string) (c Call, ok bool) {
	for i := range r.Calls {
		if r.Calls[i].ID == id {
			c = r.Calls[i]
			r.Calls = append(r.Calls[:i], r.Calls[i+1:]...)
			r.revision++
			return c, true
		}
	}
	return Call{}, false
}

// toolUpdate is progress only if it brings new output: Pi repeats the accumulated text (WDC-TOOL-003).
func (w *Worker) toolUpdate(ev *agents.Event, m Mark) {
	w.answeredByCall(ev.ID, m)
	for i := range w.Run.Calls {
		c := &w.Run.Calls[i]
		if c.ID != ev.ID {
			continue
		}
		if ev.Output != c.partial {
			c.progress, c.partial, c.dead = m, ev.Output, false
			w.progressed(m)
		}
		c.running = c.running || c.shell
	}
}

func (w *Worker) toolEnd(ev *agents.Event, m Mark) {
	w.answeredByCall(ev.ID, m)
	w.boundary(m)
	r := &w.Run
	if c, ok := r.endCall(ev.ID); ok {
		r.owesResult(c.ID, c.Tool)
		w.repeated(repetition{call: c.key, result: ev.Result}, m)
	} else {
		w.stand.known = false // its start was missed: the phase that was thought to hold had ended by then
	}
	if len(r.Calls) == 0 {
		r.owe(m)
	}
}

// answeredByCall closes the dialogs of a call that goes on: Pi never confirms an answer, the next record of the call
// is the sign of it.
func (w *Worker) answeredByCall(id string, m Mark) {
	if w.Run.answer(func(d *dialog) bool { return d.call != "" && d.call == id }) {
		w.Resumed = later(w.Resumed, m)
	}
}

// deadline returns when the call passes its limit and where that count stands.
func (c *Call) deadline(w *Worker) (at time.Duration, count Mark) {
	count = later(c.progress, w.Resumed)
	at = count.Until(c.limit).At
	if c.dead {
		since := later(c.deadSince, w.Resumed)
		if t := since.Until(w.Limits.Settle).At; t < at {
			return t, since
		}
	}
	return at, count
}

// FirstPast returns the open call whose limit passes first. There is one.
func (w *Worker) FirstPast() (c *Call, at time.Duration, count Mark) {
	for i := range w.Run.Calls {
		if t, from := w.Run.Calls[i].deadline(w); c == nil || t < at {
			c, at, count = &w.Run.Calls[i], t, from
		}
	}
	return c, at, count
}

// observeProcesses reads a probe of the process tree: a tool's descendants that use CPU or I/O are at work, the agent's
// own CPU is not progress; a tree that has ended under an open call is a dead chain (WDC-TOOL-007).
func (w *Worker) observeProcesses(tree []watchdog.Process, m Mark) {
	for i := range w.Run.Calls {
		c := &w.Run.Calls[i]
		if c.sample(tree) {
			c.progress = m
			w.progressed(m)
		}
		c.trace(tree, len(w.Run.Calls) == 1, m)
	}
}

// of reports whether a process may work for the call: it is marked with it, or with none.
func (c *Call) of(p *watchdog.Process) bool {
	return p.Role != watchdog.RoleAgent && (p.ToolCall == "" || debris.Bound(p.ToolCall) == c.ID)
}

// sample compares the call's processes with the last probe and reports whether one of them has worked since.
func (c *Call) sample(tree []watchdog.Process) bool {
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
func (c *Call) trace(tree []watchdog.Process, only bool, m Mark) {
	shell, left := false, false
	c.holder, c.Terminal = 0, 0
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
			c.Terminal = p.PID
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
