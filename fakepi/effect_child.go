package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// Child is the process of a tool call that works, as whoever runs the worker really has it run.
type Child struct {
	Call    string // id of the call
	Command string // what a bash tool runs
	Kind    script.Child
	Busy    time.Duration // how long one of kind busy uses CPU, since it began
}

// work lets a tool begin. A shell cannot where the working directory has gone.
func (w *Worker) work(c *call) {
	w.beginCall(c)
	if c.name != "bash" {
		return
	}
	if reason := w.noBash(); reason != "" {
		w.endCall(c, outcome{text: reason, failed: true})
		w.endBatch()
	}
}

// Children are the processes that tools have now, in the order of their calls, and those of the client's commands. One
// that is missing from the list of later has ended, which [Worker.Detached] tells, or was killed by the worker, with all that
// it had started; those that are on it when the worker exits live on.
func (w *Worker) Children() []Child {
	var all []Child
	for i := range w.calls {
		if c := &w.calls[i]; c.open() && w.survives(c) {
			command := ""
			if c.step >= 0 {
				command = w.texts[c.step]
			}
			child := Child{Call: c.id, Command: command, Kind: c.run.Child}
			if child.Kind == script.ChildBusy {
				child.Busy = c.active()
			}
			all = append(all, child)
		}
	}
	if w.exited != nil && (w.rules.tuiByHand || !w.tui.quits) {
		return all
	}
	for _, b := range w.bashes {
		all = append(all, Child{Call: b.call, Command: javascript.String(b.body.Get("command"))})
	}
	return all
}

// Detached reports whether the commands of a call have ended by themselves: what they have started in the background lives on.
func (w *Worker) Detached(call string) bool { return slices.Contains(w.detached, call) }

func (w *Worker) detach(call string) { w.detached = append(slices.Clip(w.detached), call) }

// status is the exit status of a process as Pi sees it, of one that was ended by a signal, as the shell says it.
func (r *rules) status(code int) int {
	switch {
	case code >= 0:
		return code
	case r.forgives:
		return 0
	}
	return 128 - code
}

// ChildEnded tells the worker that the process of a call has ended, by itself or by somebody's signal, which the status tells
// as that of [Worker.Ran]: the call ends with it. One that the worker has ended itself is not told of.
func (w *Worker) ChildEnded(now time.Duration, call string, code int, out []Output) []Output {
	w.enter(now, out)
	if c := w.callNamed(call); c != nil && w.alive() && !w.leaving() {
		c.runs = 0
		c.code = w.rules.status(code)
		w.endNow(c)
	} else if w.alive() && !w.leaving() {
		w.endBash(call, code, false)
	}
	return w.result()
}

// OrphanPlan is what the process of a call does by itself if the worker is killed now: its effects, each with its time,
// and when it ends; false: never.
func (w *Worker) OrphanPlan(call string) (effects []Output, end time.Duration, ends bool) {
	dead := w.Clone()
	out := dead.Signal(dead.now, "SIGKILL", nil)
	for dead.callNamed(call) != nil {
		at, ok := dead.Next()
		if !ok {
			return effects, 0, false
		}
		out = dead.Step(at, out[:0])
		for _, o := range out {
			if o.Effect != nil && o.Effect.Call == call {
				effects = append(effects, o)
			}
		}
		end = at
	}
	return effects, end, true
}
