package fakepi

import "time"

// SignalProcess sends a signal to one process of the worker's tree, by its id: the worker's own, or that of a call, whose
// other processes end with it. A tool that is deaf ends by SIGKILL only. Descendants can be signalled after the worker's
// exit; a process that is not there gets nothing.
func (w *Worker) SignalProcess(now time.Duration, pid int, signal string, out []Output) []Output {
	w.enter(now, out)
	if c := w.callOfProcess(pid); c != nil {
		w.signalCall(c, signal)
	} else if pid == w.pid && w.alive() {
		w.signalled(signal)
	}
	return w.result()
}

// callOfProcess is the call that a process works for, or nil.
func (w *Worker) callOfProcess(pid int) *call {
	for i := range w.calls {
		if c := &w.calls[i]; w.survives(c) && (pid == c.pid || pid == c.pid+1) {
			return c
		}
	}
	return nil
}

// fatal numbers the signals that end a tool.
var fatal = map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGKILL": 9, "SIGTERM": 15}

// signalCall ends a call's processes. What it was about to do to the worktree is not done.
func (w *Worker) signalCall(c *call, signal string) {
	number, ok := fatal[signal]
	if !ok || c.run.Deaf && signal != "SIGKILL" {
		return
	}
	c.run.Writes, c.run.Commits, c.run.Pushes, c.runs = false, false, false, 0
	if w.dialog.open && w.dialog.call == c.id && w.alive() {
		w.answer(reactionNo) // nobody is left who asks
	}
	if !w.alive() || w.leaving() || !c.open() {
		c.ended = true
		return
	}
	c.code = w.rules.status(-number)
	w.endNow(c)
}

// Changes is what the worker and its tools have done to the worktree so far, in numbers of times: it was written to,
// committed to, and how many of the commits the remote has.
func (w *Worker) Changes() (writes, commits, pushed int) {
	return w.world.writes, w.world.commits, w.world.pushed
}
