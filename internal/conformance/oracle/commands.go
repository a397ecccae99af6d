package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// This file judges commands of a subject that acts at the moment at which it gives them, on what it was shown by then.

// ordered takes a command.
func (a *acting) ordered(c *watchdog.Command) {
	switch c.Kind {
	case watchdog.CmdProbe, watchdog.CmdInspect, watchdog.CmdHeartbeat, watchdog.CmdNotify:
		return
	}
	a.named(c)
	o := a.give(c)
	switch {
	case c.Kind == watchdog.CmdPropose:
		a.proposals[c.Key] = o
		a.planned(c)
		a.flagged(o)
		a.tidies(o)
		a.remembers(o)
	case c.Kind == watchdog.CmdEscalate:
		a.escalated(o)
	case c.Kind.Destructive():
		a.destructive(o)
	case c.Kind == watchdog.CmdAcquireLease:
		a.pressed(o)
	}
	if c.Kind == watchdog.CmdSnapshot || c.Kind.Destructive() {
		a.recovering = true
		a.w.o.crowded()
	}
}

// named: every command has a key, and a key is one command's (WDC-SIDE-004).
func (a *acting) named(c *watchdog.Command) {
	f := finding{expected: "a key of its own for every command", actual: describe(c) + " under the key " + quote(c.Key)}
	o := a.byKey[c.Key]
	switch {
	case c.Key == "":
	case o == nil:
		p := a.pending(c)
		if p == nil {
			return
		}
		f.expected = "the key of before its own restart, " + quote(p.Key) + ", of which nobody can say what has become"
	case o.Kind != c.Kind || o.Command.Worker != c.Worker || o.Generation != c.Generation:
		f.actual += ", which is that of " + describe(&o.Command)
	case c.Kind == watchdog.CmdPropose && o.IfDigest != c.IfDigest:
		f.actual += ", under which other evidence was shown"
	case c.Kind == watchdog.CmdPropose && a.answered(o):
		f.actual += ", to which the owner said no before they armed again"
	default:
		return
	}
	a.w.blame(mistakes.WrongKey, f)
}

// pending returns the same act, given before the subject's last restart, if it may still be carried out.
func (a *acting) pending(c *watchdog.Command) *order {
	if !c.Kind.Destructive() {
		return nil
	}
	world := &a.w.o.world
	p := a.last(nil, func(o *order) bool { return o.Kind == c.Kind && o.Generation == c.Generation })
	if p == nil || p.told || p.boots == world.boots || !p.NotAfter.IsZero() && a.w.o.now.Wall.After(p.NotAfter) {
		return nil
	}
	return p
}

// answered reports whether the owner refused a proposal, and armed again in the present life of the subject.
func (a *acting) answered(p *order) bool {
	n := a.lastWord(p.Key)
	return n >= 0 && n < a.rearms.decisions && !a.decisions[n].Approve && a.rearms.boots == a.w.o.world.boots
}

// planned: a proposal names the act, shows evidence and says why (WDC-GATE-001).
func (a *acting) planned(c *watchdog.Command) {
	if c.Act != "" && c.IfDigest != "" && c.Text != "" {
		return
	}
	a.w.blame(mistakes.ProposalIncomplete, finding{
		expected: "a proposal with its act, the digest of its evidence and a reason",
		actual:   fmt.Sprintf("act %s, digest %s, text %s", quote(string(c.Act)), quote(c.IfDigest), quote(c.Text)),
	})
}

// destructive judges a command that can cost work.
func (a *acting) destructive(o *order) {
	a.wanted(o)
	a.permitted(o)
	a.identified(o)
	a.stops(o)
	a.proven(o)
	a.recorded(o)
	a.watched(o)
	switch o.class() {
	case watchdog.EffectStopWorker, watchdog.EffectStopTurn:
		a.climbed(o)
	case watchdog.EffectRespawn:
		a.succeeds(o)
	case watchdog.EffectRemove:
		a.restorable(o)
	}
	a.noteStop(o)
}

// wanted: the act must be called for by how the worker is (WDC-ACT-004 and what the harm breaks), and nobody must have
// said that it is not wanted (WDC-LIFE-005, WDC-GATE-005).
func (a *acting) wanted(o *order) {
	w := a.w
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	if a.intent != "" {
		f.expected = fmt.Sprintf("nothing: an operator wants a %s", a.intent)
		w.blame(mistakes.OperatorIgnored, f)
		return
	}
	if why := a.vetoed(); why != "" {
		f.expected = "an alert only: " + why
		w.blame(mistakes.VetoIgnored, f)
		return
	}
	switch o.Kind {
	case watchdog.CmdSteer, watchdog.CmdInput, watchdog.CmdAnswer:
		a.typed(o)
		return
	}
	if a.justified(o) {
		return
	}
	f.expected = "nothing destructive: " + w.expected()
	w.blame(mistakes.Unjustified, f)
}

// vetoed says what forbids every act, or "".
func (a *acting) vetoed() string {
	switch {
	case len(a.row.Vetoes) > 0:
		return "vetoed by " + strings.Join(a.row.Vetoes, ", ")
	case a.w.truth.Generation > 0 && a.w.spawn.PID != 0 && !a.w.spawn.Autonomous:
		return "a person works in this session"
	case a.forked:
		return "two processes have written the session"
	}
	return ""
}

// justified reports whether a worker is in a state for an act.
func (a *acting) justified(o *order) bool {
	w, now := a.w, a.w.o.now.Mono
	t := &w.truth
	gone := t.Exited || w.death.known || w.death.gone > w.limits.Confirmations
	switch o.class() {
	case watchdog.EffectStopTurn, watchdog.EffectStopWorker:
		alarm := w.verdict.Status == watchdog.StatusConfirmed && (w.situation.past(now) || w.verdict.Name == watchdog.VerdictLivelock)
		return alarm || gone || a.lingers() || a.ordersIt(o)
	case watchdog.EffectRespawn:
		rests := t.Phase == watchdog.VerdictSettled || t.Phase == watchdog.VerdictAwaitingAuth || t.Phase == watchdog.VerdictAwaitingQuota && !w.quotaOver()
		return gone && (!rests || w.lost()) // what was lost may be another run
	}
	if o.class() == watchdog.EffectRemove && a.occupied() != "" {
		return false
	}
	return gone || over(t.Phase) || o.class() == watchdog.EffectTaskState && a.rowWrong()
}

// rowWrong reports whether the tracker says that nobody works on a task whose worker is at work (WDC-WORK-005).
func (a *acting) rowWrong() bool {
	return debris.StatusOf(a.row.Status) == debris.Waiting && !a.w.truth.Exited && slices.Contains(mistakes.Open(), a.w.truth.Phase)
}

// lingers reports whether a one-shot worker has settled and not exited in time (WDC-LIFE-003).
func (a *acting) lingers() bool {
	w := a.w
	return w.spawn.Mode.OneShot() && over(w.truth.Phase) && w.o.now.Mono >= w.truth.Since+w.limits.Settle
}

// ordersIt reports whether the owner has approved this very command for a worker that waits (WDC-WAIT-001).
func (a *acting) ordersIt(o *order) bool {
	_, ok := a.approval(o)
	return ok
}

// typed: words are put into a worker only to take up a turn that was aborted, once (WDC-WAIT-004, WDC-ACT-006).
func (a *acting) typed(o *order) {
	w := a.w
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	switch {
	case w.truth.Phase == watchdog.VerdictAwaitingUser || a.atTerminal():
		f.expected = "no input: the worker waits for a person"
		w.blame(mistakes.InputWhileWaiting, f)
	case a.aborted == 0 || !over(w.truth.Phase) && w.truth.Phase != watchdog.VerdictIdle:
		f.expected = "input only to take up a turn that the watchdog has aborted"
		w.blame(mistakes.NeedlessInput, f)
	case a.steered > 0 && (o.times == 1 || o.effect):
		f.expected = "one nudge in an episode"
		w.blame(mistakes.NeedlessInput, f)
	}
	if o.times == 1 {
		a.steered++
	}
	a.spend(o)
}

// atTerminal reports whether a tool of the worker waits at a terminal.
func (a *acting) atTerminal() bool {
	return slices.ContainsFunc(a.w.o.cfg.Facts.Processes(a.w.index), func(p watchdog.Process) bool { return p.ReadsTTY })
}

// permitted: the policy or the owner allows it (WDC-GATE-002).
func (a *acting) permitted(o *order) {
	w := a.w
	p := w.limits.Effects[o.class()]
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	kind := mistakes.Unapproved
	switch {
	case o.class() == watchdog.EffectRemove:
		kind = mistakes.RemovedUnasked
	case p != watchdog.PermitAuto:
	case o.Kind == watchdog.CmdRespawn && !a.mayGoOn():
		p, kind = watchdog.PermitAsk, mistakes.ClosedTaskResumed
	case a.halfDone(o):
		p = watchdog.PermitAsk
	}
	switch why, ok := a.approval(o); {
	case p == watchdog.PermitNever:
		f.expected = fmt.Sprintf("no %s: the policy says never", o.class())
		w.blame(kind, f)
	case p == watchdog.PermitAuto && kind == mistakes.Unapproved:
	case !ok:
		f.expected = fmt.Sprintf("no %s without the owner's approval: %s", o.class(), why)
		w.blame(kind, f)
	}
}

// mayGoOn reports whether the task is known to be open, or nobody has a word for it (WDC-WORK-006).
func (a *acting) mayGoOn() bool { return a.row.Status == "" || debris.StatusOf(a.row.Status).Open() }

// halfDone reports whether a command decides over uncommitted work, which is the owner's to say unless the policy has it
// committed: to take it up as it is always is.
func (a *acting) halfDone(o *order) bool {
	switch o.Kind {
	case watchdog.CmdCommitWIP:
		return a.w.limits.Dirty == watchdog.DirtyAsk
	case watchdog.CmdRespawn:
		return a.dirty()
	}
	return false
}

// dirty reports whether the worktree has uncommitted work, as a fresh look has shown it or would.
func (a *acting) dirty() bool {
	if a.w.o.now.Mono <= a.treeAt+a.w.limits.ConfirmEvery {
		return a.tree.Dirty
	}
	return a.w.o.cfg.Facts.Tree(a.w.index).Dirty
}

// approval finds the owner's leave for an act: of that item, unexpired, for the evidence that they were shown and that
// still stands. The owner's last word on the item counts.
func (a *acting) approval(o *order) (why string, ok bool) {
	item := a.proposals[o.Item]
	switch {
	case o.Item == "":
		return "it names no item", false
	case item == nil:
		return "it was never proposed", false
	case item.Act.Effect() != o.class():
		return "the proposal was of another class", false
	case o.class() == watchdog.EffectRemove && o.IfDigest != item.IfDigest:
		return "it is not bound to the evidence that the owner saw", false
	}
	now := a.w.o.now.Wall
	for i := len(a.decisions) - 1; i >= 0; i-- {
		d := &a.decisions[i]
		switch {
		case d.Item != o.Item:
			continue
		case !d.Approve:
			return "the owner said no", false
		case !d.NotAfter.IsZero() && now.After(d.NotAfter):
			return "the approval has expired", false
		case d.Digest != item.IfDigest:
			return "the approval is of other evidence", false
		case o.IfDigest != d.Digest && a.w.o.cfg.Facts.World(a.w.index) != d.Digest:
			return "the evidence has changed since", false
		}
		return "", true
	}
	return "the owner has not answered", false
}

// inTime: what an approval permits until some moment has no effect behind it, however long the command was under way
// (WDC-GATE-002).
func (a *acting) inTime(o *order, now time.Time) {
	for i := len(a.decisions) - 1; i >= 0; i-- {
		d := &a.decisions[i]
		if d.Item != o.Item {
			continue
		}
		if d.Approve && !d.NotAfter.IsZero() && now.After(d.NotAfter) {
			a.w.blame(mistakes.ApprovalExpired, finding{
				said:     o.Cause.Name,
				expected: fmt.Sprintf("no effect after the approval's end, %s ago", now.Sub(d.NotAfter)),
				actual:   describe(&o.Command) + " takes effect",
			})
		}
		return
	}
}

// identified: signals go to a process that the subject knows to be the worker's, by pid and start time; and the act is
// for the generation that runs (WDC-FENCE-001, WDC-ACT-003, WDC-FENCE-002).
func (a *acting) identified(o *order) {
	w := a.w
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	if o.class() == watchdog.EffectStopWorker {
		switch {
		case o.Target == nil:
			f.expected = "a process named by its id and start time"
			w.blame(mistakes.WrongTarget, f)
		case !slices.Contains(a.processes, *o.Target):
			f.expected = "a process of this worker"
			f.actual += fmt.Sprintf(" on process %d, started at %d", o.Target.PID, o.Target.Start)
			w.blame(mistakes.WrongTarget, f)
		}
	}
	if w.truth.Generation > 0 && o.Generation != w.truth.Generation {
		f.expected = fmt.Sprintf("acts on generation %d, which runs", w.truth.Generation)
		f.actual += fmt.Sprintf(" on generation %d", o.Generation)
		w.blame(mistakes.WrongGeneration, f)
	}
}

// stops: a tool is stopped by the name of its call, which is open (WDC-TOOL-002, WDC-TOOL-004).
func (a *acting) stops(o *order) {
	w := a.w
	if o.Kind != watchdog.CmdStopTool || w.truth.Exited || w.loops.torn || w.dim() {
		return
	}
	if o.ToolCall == "" && len(w.truth.Calls) == 1 {
		return
	}
	f := finding{said: o.Cause.Name, expected: fmt.Sprintf("one of the open calls %q", w.truth.Calls), actual: describe(&o.Command) + " of the call " + quote(o.ToolCall)}
	if !slices.Contains(w.meant([]string{o.ToolCall}), o.ToolCall) || !slices.Contains(w.truth.Calls, w.meant([]string{o.ToolCall})[0]) {
		w.blame(mistakes.WrongCall, f)
	}
}

// proven: evidence comes first (WDC-EVID-001, WDC-EVID-007).
func (a *acting) proven(o *order) {
	w := a.w
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	if w.o.world.full {
		f.expected = "nothing destructive while nothing can be written durably"
		w.blame(mistakes.NotDurable, f)
	}
	if o.class() == watchdog.EffectStopTurn {
		return
	}
	if o.class() == watchdog.EffectStopWorker {
		since := a.lastProgress()
		if !a.holds(a.tree.Digest) {
			since = max(since, a.committed)
		}
		if !a.saved(since) {
			f.expected = fmt.Sprintf("a snapshot first, started after the last progress at %s", since)
			w.blame(mistakes.SnapshotMissing, f)
		}
		return
	}
	if wrote := w.o.cfg.Facts.Tree(w.index).Wrote; !a.saved(wrote) {
		f.expected = fmt.Sprintf("a snapshot first, started after the last write at %s", wrote)
		w.blame(mistakes.SnapshotOutdated, f)
	}
}

// lastProgress is the last progress of the worker that was shown, without the tail of an abort.
func (a *acting) lastProgress() time.Duration {
	last := a.w.truth.LastProgress
	if a.aborted > 0 && last >= a.aborted {
		return a.progressed
	}
	return last
}

// saved reports whether the subject was told of a snapshot that started at a moment or later.
func (a *acting) saved(since time.Duration) bool {
	return a.last(nil, func(o *order) bool {
		return o.Kind == watchdog.CmdSnapshot && o.told && o.result == watchdog.ResultDone && o.at >= since
	}) != nil
}

// holds reports whether the last snapshot that the subject was told of is of a worktree with a digest.
func (a *acting) holds(digest string) bool {
	s := a.last(nil, func(o *order) bool {
		return o.Kind == watchdog.CmdSnapshot && o.told && o.result == watchdog.ResultDone
	})
	return s != nil && digest != "" && s.digest == digest
}

// watched: after a boot each live worker is looked at before anything is done (WDC-REST-003), after a mass death each one
// that died (WDC-FLEET-002).
func (a *acting) watched(o *order) {
	w := a.w
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	if back := w.o.world.back; w.o.world.boots > 0 {
		for i := range w.o.workers {
			other := &w.o.workers[i]
			if other.truth.Generation > 0 && !other.truth.Exited && other.acts.spawned < back && other.acts.probed < back {
				f.expected = fmt.Sprintf("first a definite probe of %s since the boot", other.id)
				w.blame(mistakes.NoLookAfterRestart, f)
				return
			}
		}
	}
	if at, mass := w.o.mass(w.index); mass && a.probed < at {
		f.expected = fmt.Sprintf("first a definite probe: this death at %s is one of many", a.died)
		w.blame(mistakes.MassDeathUnprobed, f)
	}
}

// noteStop keeps where a stop met the worker.
func (a *acting) noteStop(o *order) {
	w := a.w
	switch o.Kind {
	case watchdog.CmdAbort, watchdog.CmdStopTool:
		if a.aborted == 0 {
			a.aborted, a.progressed = w.o.now.Mono, w.truth.LastProgress
			a.steered = 0
		}
	}
	if o.class() == watchdog.EffectStopTurn || o.class() == watchdog.EffectStopWorker {
		a.noteFrontier()
	}
}

// noteFrontier keeps where this generation came to its stop.
func (a *acting) noteFrontier() {
	w := a.w
	n := len(a.frontiers)
	if n > 0 && a.frontiers[n-1].generation == w.truth.Generation {
		return
	}
	f := frontier{generation: w.truth.Generation, phase: w.truth.Phase, head: w.o.cfg.Facts.Tree(w.index).Head}
	f.call = w.loops.last
	if w.truth.Exited {
		f.phase = w.before
	}
	a.frontiers = append(a.frontiers, f)
}
