package world

import (
	"encoding/json"
	"time"

	"fakepi.example/conformance/trace"
	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// carryOut does what the subject commands. Its preconditions are checked here, at the moment of the act.
func (w *World) carryOut(c *watchdog.Command) {
	k := w.born(c.Worker)
	if k == nil {
		w.acted(c, -1, watchdog.ResultRefused, "no such worker")
		return
	}
	if why := w.refuses(c, k); why != "" {
		w.acted(c, k.index, watchdog.ResultRefused, why)
		w.report(c, k, watchdog.ResultRefused, why)
		return
	}
	switch c.Kind {
	case watchdog.ProbeCmd, watchdog.InspectCmd:
		w.acted(c, k.index, watchdog.ResultDone, "")
		w.ask(c, k)
		return
	case watchdog.Notify, watchdog.Escalate, watchdog.Propose, watchdog.Heartbeat:
		w.acted(c, k.index, watchdog.ResultDone, "")
		w.report(c, k, watchdog.ResultDone, "")
		return
	}
	result, reason := w.act(c, k)
	w.acted(c, k.index, result, reason)
	w.report(c, k, result, reason)
}

// refuses says which precondition of a command is false, or "".
func (w *World) refuses(c *watchdog.Command, k *worker) string {
	switch {
	case c.IfGen != 0 && c.IfGen != k.generation:
		return "another generation runs"
	case !c.NotAfter.IsZero() && w.clocks.now().Wall.After(c.NotAfter):
		return "too late"
	case c.Target == nil:
		return ""
	}
	agent := k.agent(w.clocks.mono)
	if agent == nil || agent.PID != c.Target.PID || agent.Start != c.Target.Start {
		return "another process"
	}
	return ""
}

// signalOf is the signal that a rung of the stop ladder sends, or "".
func signalOf(kind watchdog.CommandKind) string {
	switch kind {
	case watchdog.Interrupt:
		return "SIGINT"
	case watchdog.Terminate:
		return "SIGTERM"
	case watchdog.Kill:
		return "SIGKILL"
	}
	return ""
}

// act lets a command reach the worker, so that the harm of a wrong one is real.
func (w *World) act(c *watchdog.Command, k *worker) (watchdog.Result, string) {
	if k.exit != nil {
		return watchdog.ResultFailed, "the process has ended"
	}
	if s := signalOf(c.Kind); s != "" {
		k.signal(w, s)
		k.schedule(w)
		return watchdog.ResultDone, ""
	}
	line := lineOf(c)
	switch {
	case line == nil:
		return watchdog.ResultFailed, "this world cannot do that"
	case k.spawn.Mode != script.ModeRPC:
		return watchdog.ResultFailed, "the worker takes no commands"
	}
	k.send(w, line)
	k.schedule(w)
	return watchdog.ResultDone, ""
}

// lineOf is what a command writes to a worker's stdin, or nil.
func lineOf(c *watchdog.Command) []byte {
	type rpc struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Message string `json:"message,omitempty"`
	}
	var line []byte
	switch c.Kind {
	case watchdog.Abort:
		line, _ = json.Marshal(rpc{ID: c.Key, Type: "abort"})
	case watchdog.Steer:
		line, _ = json.Marshal(rpc{ID: c.Key, Type: "steer", Message: string(c.Input)})
	case watchdog.Input, watchdog.Answer:
		line = c.Input
	default:
		return nil
	}
	return append(line, '\n')
}

// acted records a command and what became of it.
func (w *World) acted(c *watchdog.Command, worker int, r watchdog.Result, reason string) {
	a := trace.Act{Event: w.record(), Now: w.clocks.now(), Worker: worker, Command: c, Result: r, Reason: reason}
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
