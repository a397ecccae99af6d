package run

import (
	"time"

	"fakepi.example/watchdog"
)

// looks are the engine's questions to the world: it asks where its stream proves nothing. An answer counts only if it
// answers the question that is open; a failed or unknown probe says nothing about the worker (WDC-OBS-005).
type looks struct {
	tree   question // the process tree
	state  question // get_state over rpc
	stream question // the offset of a followed or broken stream
	world  question // the digest of the worktree

	size int64         // of the primary stream, as last inspected
	rest time.Duration // of the first of the last answers by which nothing runs; 0 = there was none

	gone    int  // consecutive looks at the process table that did not find the worker
	foreign bool // a source that does not fit a process called it gone
	goneAt  Mark
}

// question is one kind of look.
type question struct {
	key   string
	asked bool
	sent  time.Duration
	times int
}

// unread reports whether the primary stream is known to hold bytes that were not shown.
func (w *Worker) unread() bool { return w.looks.size > *w.ends.at(w.primary()) }

// awaits reports whether key answers the open question.
func (q *question) awaits(key string) bool { return q.key != "" && q.key == key }

// answers is awaits, and closes the question.
func (q *question) answers(key string) bool {
	if !q.awaits(key) {
		return false
	}
	q.key = ""
	return true
}

// after returns when the question is due again: every after the later of from and the last time it was asked.
func (q *question) after(from, every time.Duration) time.Duration {
	if q.asked {
		from = max(from, q.sent)
	}
	return Mark{At: from}.Until(every).At
}

// conflict reports whether a source calls the worker gone that is no proof by itself (WDC-DEAD-003).
func (l *looks) conflict() bool { return l.gone > 0 || l.foreign }

// look asks what is due.
func (w *Worker) look(watch *Watch, f *Finding) {
	now := watch.Now.Mono
	if w.treeDue() <= now {
		w.ask(watch, f, &w.looks.tree, watchdog.CmdProbe, watchdog.WhatProcesses)
	}
	if w.stateDue() <= now {
		w.ask(watch, f, &w.looks.state, watchdog.CmdProbe, watchdog.WhatState)
	}
	if w.streamDue(f) <= now {
		w.ask(watch, f, &w.looks.stream, watchdog.CmdInspect, watchdog.WhatStream)
	}
	if w.worldDue() <= now {
		w.ask(watch, f, &w.looks.world, watchdog.CmdInspect, watchdog.WhatWorld)
	}
}

// lookDue is when the next look is due.
func (w *Worker) lookDue(f *Finding) time.Duration {
	return min(w.treeDue(), w.stateDue(), w.streamDue(f), w.worldDue())
}

// treeDue: the process tree is looked at while a tool is silent, and all along for a worker that is not ours, whose
// exit nobody reports (WDC-DEAD-001).
func (w *Worker) treeDue() time.Duration {
	if w.Exit.Proven || w.Spawned.N == 0 {
		return never
	}
	at, every := never, w.Limits.ConfirmEvery
	if !w.Spawn.Parent || w.looks.gone > 0 {
		at = w.looks.tree.after(w.Spawned.At, every)
	}
	if w.stand.name() == watchdog.VerdictRunningTool && len(w.Run.Calls) > 0 {
		quiet := w.Run.Calls[0].progress.At
		for i := range w.Run.Calls {
			quiet = min(quiet, w.Run.Calls[i].progress.At)
		}
		at = min(at, w.looks.tree.after(max(quiet, w.Resumed.At), every))
	}
	return at
}

// stateDue: an rpc worker is asked for its state after a gap, after a prompt that no run follows, and with backoff in a
// quota wait without a known end.
func (w *Worker) stateDue() time.Duration {
	if w.Exit.Proven || w.Spawn.Mode != watchdog.ModeRPC {
		return never
	}
	q := &w.looks.state
	switch {
	case w.Doubt:
		every := w.Limits.ConfirmEvery
		switch {
		case w.acts && !q.asked:
			return 0
		case w.acts && w.alarm.confirmed: // and the owner knows
			every = max(every, w.Limits.BackoffCap)
		}
		return q.after(w.Resumed.At, every)
	case w.Run.presumed:
		return q.after(w.Run.dueCount.At, w.Limits.ConfirmEvery)
	case w.stand.name() == watchdog.VerdictAwaitingQuota && !w.Run.quota.Known:
		since := w.stand.since.At
		if q.sent < since {
			return Mark{At: since}.Until(w.Limits.BackoffBase).At
		}
		every := w.Limits.BackoffBase
		for range q.times {
			every = min(2*every, w.Limits.BackoffCap)
		}
		return q.after(since, every)
	}
	return never
}

// streamDue: silence on a stream that nobody attests is confirmed by inspecting it.
func (w *Worker) streamDue(f *Finding) time.Duration {
	if !w.alarm.open || w.alarm.confirmed || !f.bySilence() {
		return never
	}
	return w.looks.stream.after(w.alarm.lastCheck, w.Limits.ConfirmEvery)
}

// worldDue: a repetition is no loop while the worktree changes.
func (w *Worker) worldDue() time.Duration {
	if !w.loop.wants() || w.Exit.Proven {
		return never
	}
	if q := &w.looks.world; q.key != "" {
		return q.after(0, w.Limits.ConfirmEvery)
	}
	return 0
}

// ask adds a probe or inspect to the decision.
func (w *Worker) ask(watch *Watch, f *Finding, q *question, kind watchdog.CommandKind, what watchdog.What) {
	if q.asked && q.sent >= w.stand.since.At {
		q.times++
	} else {
		q.times = 0
	}
	q.key, q.asked, q.sent = watch.lookKey(w.key(string(what))), true, watch.Now.Mono
	c := watchdog.Command{
		Key: q.key, Kind: kind, Worker: w.ID, Generation: w.Generation, What: what,
		Cause:    w.Cause(f),
		IfGen:    w.Generation,
		NotAfter: watch.Now.Wall.Add(w.Limits.ConfirmEvery),
	}
	for _, ev := range w.Evidence(watch.Now.Mono, f) {
		c.Evidence = append(c.Evidence, ev.N)
	}
	if what == watchdog.WhatStream {
		c.Stream = w.primary()
	}
	if what == watchdog.WhatWorld {
		w.loop.asked()
	}
	watch.Decision.Commands = append(watch.Decision.Commands, c)
}

// probed takes the answer to a probe: to an open question, or again what was answered before a restart.
func (w *Worker) probed(p watchdog.Probe, m Mark, again, wanted bool) {
	switch p.What {
	case watchdog.WhatProcesses:
		if (again || w.looks.tree.answers(p.Key) || wanted && !w.Exit.Proven) && p.Result == watchdog.ProbeOK {
			w.tree(p, m)
			w.checked(m)
		}
	case watchdog.WhatState:
		if (again || w.looks.state.answers(p.Key)) && p.Result == watchdog.ProbeOK && p.State != nil {
			w.state(*p.State, m)
			w.checked(m)
		}
	}
}

// state takes get_state where it is not certain whether a run is open: after a gap, and after a prompt whose answer does
// not say. A worker that neither streams nor compacts has none; elsewhere the answer is no news: alive is not progress.
func (w *Worker) state(s watchdog.RPCState, m Mark) {
	w.broken = false
	l := &w.looks
	switch rests := !s.Streaming && !s.Compacting; {
	case !w.Doubt && !w.Run.presumed:
	case s.Compacting && w.Doubt:
		l.rest = 0
		w.Run.compactsUnseen(m)
	case !rests:
		l.rest = 0
		if w.acts && !w.Run.working() {
			w.Run.swallowed()
		}
	case w.Doubt && !w.Run.terminal && !w.endsKnown() && !w.restsLong(m):
	default:
		w.Run.rest()
		w.Run.answer(func(*dialog) bool { return true }) // a dialog is open in a run alone
		w.Doubt, l.rest = false, 0
	}
}

// endsKnown reports whether the worker is of a dialect that answers truly in the delay before a retry, too.
func (w *Worker) endsKnown() bool {
	return w.acts && w.reader.Traits().TruthInDelay
}

// restsLong reports whether a worker has answered for settle that nothing runs. Without a terminal event it answers so
// in the delay before a retry, which may be what a gap has swallowed (docs/pi-formats.md, section 6).
func (w *Worker) restsLong(m Mark) bool {
	first := &w.looks.rest
	if *first == 0 || w.Progress.At > *first {
		*first = m.At
	}
	return m.At-*first >= w.Limits.Settle
}

// tree takes a look at the process tree.
func (w *Worker) tree(p watchdog.Probe, m Mark) {
	self := w.self(p.Processes)
	switch {
	case self != nil && self.Start != w.Spawn.Start && self.Start != 0 && w.Spawn.Start != 0:
		w.exited(Exit{Proven: true, Mark: m, code: -1, signal: "unknown"}) // the pid is another process now
	case self != nil && self.State != "Z", w.Spawn.PID == 0:
		w.looks.gone, w.looks.foreign = 0, false
		w.observeProcesses(p.Processes, m)
	case p.Source != "proc":
		w.looks.foreign, w.looks.goneAt = true, m
	case w.looks.gone == 0 || m.At >= w.looks.goneAt.At+w.Limits.ConfirmEvery:
		w.looks.gone++
		w.looks.goneAt = m
		if w.looks.gone > max(1, w.Limits.Confirmations) {
			w.exited(Exit{Proven: true, Mark: m, code: -1, signal: "unknown"})
		}
	}
}

// self is the worker's own process in a tree, or nil.
func (w *Worker) self(tree []watchdog.Process) *watchdog.Process {
	for i := range tree {
		if tree[i].PID == w.Spawn.PID {
			return &tree[i]
		}
	}
	return nil
}

// inspected takes the answer to an inspect, as probed does. An unread rest of the stream is the engine's ignorance, not silence.
func (w *Worker) inspected(b watchdog.Inspect, m Mark, again bool) {
	switch b.What {
	case watchdog.WhatStream:
		if !again && !w.looks.stream.answers(b.Key) || b.Offset < 0 {
			return
		}
		switch end := *w.ends.at(b.Stream); {
		case b.Offset == end:
			w.checked(m)
			w.broken = false
		case b.Offset == w.looks.size: // nothing was added to what nobody has read
			w.checked(m)
		case b.Offset > end && w.Spawn.Source != watchdog.SourceHeld: // else they are those of a gap
			w.Resumed = later(w.Resumed, m)
		}
		w.looks.size = b.Offset
	case watchdog.WhatWorld:
		if again {
			w.loop.asked()
		}
		if again || w.looks.world.answers(b.Key) {
			w.loop.world(b.World)
		}
	}
}
