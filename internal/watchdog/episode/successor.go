package episode

import (
	"strconv"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// This file holds the states of an episode that start a successor, or hand the task to a person.

// lease waits for the backoff and for the spawner, and takes the dispatch lease (WDC-FENCE-003).
func (t *turn) lease() event {
	i := t.ep.here(watchdog.CmdAcquireLease)
	switch {
	case !t.mayNow(Lease):
		return onExpired
	case t.renewed():
		return onRenewed
	case i == nil || t.lost(i):
		if !t.rested() {
			return ""
		}
	case i.Result == watchdog.ResultDone:
		return onLeased
	case i.Result == watchdog.ResultRefused && t.elapsed(t.ep.Ended, t.w.Limits.UserWait):
		t.why = "somebody else has held the lease for " + t.w.Limits.UserWait.String()
		return onRefused
	case i.Result == watchdog.ResultRefused:
		return onChanged
	case i.Result == watchdog.ResultFailed && t.e.linkDown:
	case i.Result == "" || i.Result == watchdog.ResultUnknown:
		if !t.elapsed(i.At, t.w.Limits.ConfirmEvery) {
			return ""
		}
	case !t.elapsed(i.At, t.pause(t.tries()+1)):
		return ""
	}
	if t.e.held(t) {
		return ""
	}
	key := t.key("lease")
	if t.queued(key, watchdog.CmdAcquireLease) || len(t.w.vetoes(t.e)) > 0 {
		return ""
	}
	c := t.command(key, watchdog.CmdAcquireLease)
	c.Text = "the right to start a successor"
	c.NotAfter = t.e.Now.Wall.Add(t.w.Limits.ConfirmEvery)
	t.give(c)
	t.wakeAt(t.e.Now.Mono + t.w.Limits.ConfirmEvery)
	return ""
}

// rested reports whether the next attempt may be made: after the backoff, which counts from the end of the worker or the
// last attempt, so that the owner's leave can be used at once; and a while after a refusal.
func (t *turn) rested() bool {
	since := t.ep.Ended
	if i := t.ep.last(watchdog.CmdRespawn); i != nil {
		since = i.At
	}
	if !t.elapsed(since, t.backoff()) {
		return false
	}
	n := t.refusals()
	return n == 0 || t.elapsed(t.refused().At, t.pause(n))
}

// queued reports whether an outage of the spawner holds a command back, and notes it in the queue (WDC-QUEUE-001). However
// often the link goes down and up, it stands there once.
func (t *turn) queued(key string, kind watchdog.CommandKind) bool {
	r := t.e
	if !r.linkDown {
		return false
	}
	if !r.memory.queues(key) {
		t.e.add(journal.Queue{
			Key: key, Step: journal.Queued, Command: kind, Worker: t.w.ID, Generation: t.ep.Generation, Reason: "the spawner cannot be reached",
		})
	}
	return true
}

// renewed reports whether somebody else has prolonged the lease on the task since the state was entered, or with what had
// it entered: then somebody works on it (WDC-WORK-008).
func (t *turn) renewed() bool { return t.w.renewedN >= t.ep.EnteredN }

// successor starts the successor, if a look that was answered in this step finds nothing of the predecessor
// (WDC-ACT-005, WDC-FENCE-004). What is spent is recorded before (WDC-BUDG-001).
func (t *turn) successor() event {
	if t.w.Generation > t.ep.Generation {
		return onSpawned
	}
	key := t.key("respawn")
	switch i := t.ep.here(watchdog.CmdRespawn); {
	case i == nil, t.lost(i):
	case i.Result == watchdog.ResultRefused:
		t.refund(i.Key)
		if t.refusals() > maxRefusals {
			t.why = i.Reason
			return onRefused
		}
		return onChanged
	case i.Result == watchdog.ResultFailed:
		if i.unheard() {
			t.refund(i.Key)
		}
		t.why = i.Reason
		return onFailed
	case !t.elapsed(i.At, t.w.Limits.Startup):
		return ""
	case i.Repeats > 0:
		t.why = "no successor came"
		return onNever
	default:
		key = i.Key // no successor came: whether one was started is not known
	}
	return t.respawn(key)
}

// unreachable is the reason of a command that certainly had no effect, since nobody got it.
const unreachable = "unreachable"

// unheard reports whether nobody got a command: it is given again when somebody can.
func (i *intent) unheard() bool { return i.Result == watchdog.ResultFailed && i.Reason == unreachable }

// respawn looks whether the successor may start, and starts it.
func (t *turn) respawn(key string) event {
	switch {
	case !t.mayNow(Lease):
		return onExpired
	case t.renewed():
		return onRenewed
	case len(t.w.vetoes(t.e)) > 0, t.queued(key, watchdog.CmdRespawn), !t.knownWorld(), !t.freshTree():
		return ""
	case t.w.world.digest != t.digest():
		return onChanged
	case t.w.tree.generation > t.ep.Generation:
		t.wakeAt(t.e.Now.Mono + t.w.Limits.ConfirmEvery)
		return "" // it was started: the news is on its way
	case len(t.remaining()) > 0 || t.self() != nil && !t.w.Spawn.Parent:
		return onRenewed
	}
	if t.why = t.sharer(); t.why != "" {
		return onRefused
	}
	if why := t.overdrawn(key); why != "" {
		t.why = why
		return onExhausted
	}
	c := t.underLeave(t.command(key, watchdog.CmdRespawn))
	c.IfDigest = t.digest()
	c.Text, c.Session, c.Snapshot, c.Token = t.brief(), t.w.Spawn.Session, t.digest(), t.ep.last(watchdog.CmdAcquireLease).Token
	t.spendRestart(c.Key)
	t.give(c)
	t.wakeAt(t.e.Now.Mono + t.w.Limits.Startup)
	return ""
}

// sharer says which worker that is not proven ended works on the task of this one, in its session or in its worktree, or ""
// (WDC-ACT-005, WDC-FENCE-004).
func (t *turn) sharer() string {
	own := &t.w.Spawn
	for _, w := range t.e.workers {
		switch s := &w.Spawn; {
		case w == t.w || w.Exit.Proven && !t.e.starting(w):
		case same(s.Session, own.Session) || same(s.Worktree, own.Worktree):
			return w.ID + " works in the same session or worktree"
		case same(s.Task, own.Task):
			return w.ID + " works on the same task"
		}
	}
	return ""
}

// starting reports whether a successor of a worker was asked for that may come any moment.
func (e *Episodes) starting(w *worker) bool {
	t := e.memory.byWorker[w.ID]
	if t == nil || t.Episode == nil || t.Episode.Generation != w.Generation {
		return false
	}
	i := t.Episode.last(watchdog.CmdRespawn)
	return i != nil && i.Result != watchdog.ResultRefused && i.Result != watchdog.ResultFailed
}

// same reports whether two names that may be empty are one.
func same(a, b string) bool { return a != "" && a == b }

// overdrawn is exhausted for a respawn that may have been paid for already.
func (t *turn) overdrawn(key string) string {
	for _, s := range t.t.Spent {
		if s.Key == key {
			return ""
		}
	}
	return t.exhausted()
}

// human tells the owner once, and then leaves the task until the owner arms it again (WDC-BUDG-002) or there is new
// evidence (WDC-BUDG-005).
func (t *turn) human() event {
	h := t.w
	switch {
	case t.t.Rearmed > t.ep.EnteredN:
		return onRearmed
	case h.headN > t.ep.EnteredN:
		t.why = "new commits"
		return onRearmed
	case t.aboutRow():
		if !t.rowWrong() {
			return onHealed
		}
	case !t.w.Exit.Proven && t.recovered() && !t.cutShort(watchdog.CmdAbort, watchdog.CmdStopTool):
		return onHealed // and not only on its way to the end that our abort has made
	}
	key := t.w.ID + "/escalate/" + strconv.Itoa(t.t.Rearmed)
	r := t.e
	if (t.t.Escalated || r.raised[key]) && !r.withheld[key] {
		return ""
	}
	r.raised[key] = true
	c := t.command(key, watchdog.CmdEscalate)
	c.IfGen, c.NotAfter = 0, t.e.Now.Wall.AddDate(1, 0, 0)
	c.Text = t.w.ID + " needs a person: " + t.t.Parked
	t.give(c)
	return ""
}
