package fakepi

import (
	"fmt"
	"time"

	"fakepi.example/fakepi/script"
)

// Process is one process of a worker's tree, as /proc would show it.
type Process struct {
	PID       int
	Parent    int
	Start     int64         // ticks of 10 ms since boot
	CPU       time.Duration // user and system
	IO        int64         // bytes read and written, what goes to the tool's output apart: that is on the stream
	State     string        // R, S, T
	Role      string        // agent, shell, tool
	ToolCall  string        // the call that it works for
	HoldsPipe bool          // has the tool's output pipe open
	ReadsTTY  bool          // is blocked reading a terminal
}

// The roles.
const (
	RoleAgent = "agent"
	RoleShell = "shell"
	RoleTool  = "tool"
)

// bootTicks is how long the machine had been up at 0.
const bootTicks = 360_000

func ticks(at time.Duration) int64 { return bootTicks + int64(at/(10*time.Millisecond)) }

// worktree is what the tools have done to the worker's files.
type worktree struct {
	writes, commits int
	pushed          int // of the commits
}

// WorldDigest identifies the contents of the worktree and of its remote: it changes when a tool writes, commits, or
// pushes what was not pushed. It holds until the next step.
func (w *Worker) WorldDigest() string {
	s := newIDs(uint64(w.world.writes)<<40 | uint64(w.world.commits)<<20 | uint64(w.world.pushed))
	return fmt.Sprintf("%016x", s.next())
}

// changeWorld is what a tool has done when it ends.
func (w *Worker) changeWorld(c *call) {
	if c.run.Writes {
		w.world.writes++
	}
	if c.run.Commits {
		w.world.commits++
	}
	if c.run.Pushes {
		w.world.pushed = w.world.commits
	}
}

// newPID numbers the next shell; its child has the number after it.
func (w *Worker) newPID() int {
	w.pids += 2
	return w.pid + w.pids - 1
}

// hasProcesses reports whether a tool runs as a child: bash does, and what the script gives processes.
func (w *Worker) hasProcesses(c *call) bool {
	return c.name == "bash" || c.run.Child != script.ChildIdle
}

// survives reports whether a call's processes outlive the worker: Pi takes them down where it can still act
// (docs/pi-formats.md, sections 8 and 10).
func (w *Worker) survives(c *call) bool {
	return c.pid > 0 && !c.ended && c.run.Child != script.ChildDead
}

// Processes is the worker and its descendants at an instant, in the order of their ids.
func (w *Worker) Processes(now time.Duration) []Process {
	if !w.started {
		return nil
	}
	var all []Process
	if w.exited == nil {
		all = append(all, w.agent(now))
	}
	for i := range w.calls {
		if c := &w.calls[i]; w.survives(c) {
			all = w.appendTree(all, c, now)
		}
	}
	return all
}

func (w *Worker) agent(now time.Duration) Process {
	p := Process{PID: w.pid, Parent: 1, Start: ticks(w.start), State: "S", Role: RoleAgent, CPU: 200 * time.Millisecond}
	switch w.wedge {
	case script.WedgeFrozen:
		p.State = "T"
	case script.WedgeSpinning:
		p.State = "R"
		p.CPU += now - w.wedgedAt
	}
	return p
}

// appendTree adds the shell of a call and its child.
func (w *Worker) appendTree(all []Process, c *call, now time.Duration) []Process {
	parent := w.pid
	if w.exited != nil {
		parent = 1
	}
	shell := Process{
		PID: c.pid, Parent: parent, Start: ticks(c.beginAt), CPU: time.Millisecond, State: "S",
		Role: RoleShell, ToolCall: c.id, HoldsPipe: true,
	}
	tool := shell
	tool.PID, tool.Parent, tool.Role = c.pid+1, c.pid, RoleTool
	switch c.run.Child {
	case script.ChildHolds:
		tool.Parent = 1
		return append(all, tool)
	case script.ChildTTY:
		tool.ReadsTTY = true
	case script.ChildBusy:
		used := w.busyFor(c, now)
		tool.CPU += used
		tool.IO = int64(used / time.Microsecond)
		if used > 0 && w.lastBusy(c, now) == now {
			tool.State = "R"
		}
	}
	return append(all, shell, tool)
}

// busyFor is how much CPU a busy child has used: all its working time, for as long as the script says.
func (w *Worker) busyFor(c *call, now time.Duration) time.Duration {
	if c.run.Child != script.ChildBusy || !c.begun {
		return 0
	}
	end := now
	if w.dialog.open && w.held(c) {
		end = w.dialog.since
	}
	if c.frozen {
		end = min(end, w.stalledAt)
	}
	return max(0, min(c.working(end), c.active()))
}
