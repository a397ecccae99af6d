package world

import (
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// carryOut takes a command of the subject. What concerns people and looks is done at once, the rest is sent on its way.
func (w *World) carryOut(c *watchdog.Command) {
	w.noteGiven(c.Kind)
	k := w.born(c.Worker)
	if k == nil {
		w.acted(c, -1, watchdog.ResultRefused, "no such worker")
		return
	}
	if !immediate(c.Kind) {
		w.dispatch(c, k)
		return
	}
	if why := w.refuses(c, k); why != "" {
		w.acted(c, k.index, watchdog.ResultRefused, why)
		w.report(c, k, watchdog.ResultRefused, why)
		return
	}
	w.acted(c, k.index, watchdog.ResultDone, "")
	switch c.Kind {
	case watchdog.CmdProbe, watchdog.CmdInspect:
		w.ask(c, k)
	case watchdog.CmdPropose:
		w.report(c, k, watchdog.ResultDone, "")
		w.proposed(c)
	case watchdog.CmdHeartbeat: // is heard, and that is all
	default:
		w.report(c, k, watchdog.ResultDone, "")
	}
}

// immediate reports whether nothing can come between a command and its effect.
func immediate(kind watchdog.CommandKind) bool {
	switch kind {
	case watchdog.CmdProbe, watchdog.CmdInspect, watchdog.CmdNotify, watchdog.CmdEscalate, watchdog.CmdPropose, watchdog.CmdHeartbeat:
		return true
	}
	return false
}

func (w *World) noteGiven(kind watchdog.CommandKind) {
	for _, g := range w.given {
		if g.Kind == kind {
			return
		}
	}
	w.given = append(w.given, Given{kind, w.clocks.mono})
}

// refuses says which precondition of a command is false, or "".
func (w *World) refuses(c *watchdog.Command, k *worker) string {
	switch {
	case c.IfGen != 0 && c.IfGen != k.generation:
		return "another generation runs"
	case !c.NotAfter.IsZero() && w.clocks.now().Wall.After(c.NotAfter):
		return "too late"
	case c.IfDigest != "" && c.IfDigest != k.tree.digest() && binds(c.Kind):
		return "the worktree has changed"
	case c.Target != nil && k.owner(*c.Target, w.clocks.mono) == nil:
		return "another process"
	}
	return ""
}

// binds reports whether a digest is a precondition of a command: of a proposal it is what the owner is shown.
func binds(kind watchdog.CommandKind) bool {
	return kind != watchdog.CmdPropose && kind != watchdog.CmdSnapshot
}

// signalOf is the signal that a rung of the stop ladder sends.
func signalOf(kind watchdog.CommandKind) string {
	switch kind {
	case watchdog.CmdInterrupt:
		return "SIGINT"
	case watchdog.CmdTerminate:
		return "SIGTERM"
	}
	return "SIGKILL"
}

// signal sends a signal to the process that a command names, by default the worker's own.
func (w *World) signal(c *watchdog.Command, k *worker) outcome {
	l, pid := k.life, k.pid
	if c.Target != nil {
		l, pid = k.owner(*c.Target, w.clocks.mono), c.Target.PID
	}
	if pid == l.pid && l.exit != nil {
		return ended(watchdog.ResultFailed, "the process has ended")
	}
	l.signal(w, pid, signalOf(c.Kind))
	return done()
}

// stopTool ends the processes of a call politely.
func (w *World) stopTool(c *watchdog.Command, k *worker) outcome {
	for _, p := range k.life.processes(nil, w.clocks.mono) {
		if p.Role != watchdog.RoleAgent && (c.ToolCall == "" || p.ToolCall == c.ToolCall) {
			k.life.signal(w, p.PID, "SIGTERM")
			return done()
		}
	}
	return ended(watchdog.ResultFailed, "no process works for this call")
}

// write puts a line into the worker's stdin.
func (w *World) write(c *watchdog.Command, k *worker) outcome {
	switch {
	case k.exit != nil:
		return ended(watchdog.ResultFailed, "the process has ended")
	case k.spawn.Mode != script.ModeRPC:
		return ended(watchdog.ResultFailed, "the worker takes no commands")
	case !k.send(w, k.process.Line(c)):
		return ended(watchdog.ResultFailed, "the process has ended")
	}
	return done()
}

// acted records a command that was done or refused at once.
func (w *World) acted(c *watchdog.Command, worker int, r watchdog.Result, reason string) {
	a := trace.Act{
		Event: w.record(), Now: w.clocks.now(), Worker: worker, Command: c, Result: r, Reason: reason, Effect: r == watchdog.ResultDone,
	}
	for _, s := range w.sinks {
		s.Act(&a)
	}
}

// reportDelay is how long the executor takes to say how a command ended.
const reportDelay = 10 * time.Millisecond

// report tells the subject how its command ended.
func (w *World) report(c *watchdog.Command, k *worker, r watchdog.Result, reason string) {
	w.later(reportDelay, answer{worker: k.index, generation: k.generation, body: watchdog.Outcome{Key: c.Key, Result: r, Reason: reason}})
}
