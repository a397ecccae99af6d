package oracle

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// This file judges what starts a successor, publishes, and hands over to a person.

// succeeds judges a respawn as it is given.
func (a *acting) succeeds(o *order) {
	w, now := a.w, a.w.o.now
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	switch {
	case o.Token == "" || o.Token != a.token:
		f.expected = "a dispatch lease first, and its fencing token"
		w.blame(mistakes.LeaseMissing, f)
	case a.row.Lease != "" && now.Wall.Before(a.row.LeaseUntil) && a.row.Lease != watchdog.LeaseHolder:
		f.expected = fmt.Sprintf("no successor: %s holds the lease until %s", a.row.Lease, a.row.LeaseUntil.UTC().Format(time.RFC3339))
		w.blame(mistakes.LeaseMissing, f)
	}
	a.together(o)
	a.flagged(o)
	a.bounces(o)
	a.briefed(o)
	a.pressed(o)
	a.blindly(o)
	a.futile(o)
	a.spend(o)
}

// crowd is how many successors may not be started at one moment: it is no chance (WDC-FLEET-004, WDC-BUDG-004).
const crowd = 3

func (a *acting) together(o *order) {
	n := 0
	for i := range a.w.o.workers {
		other := &a.w.o.workers[i].acts
		if p := other.last(nil, ofKind(watchdog.CmdRespawn)); p != nil && p.at == o.at {
			n++
		}
	}
	if _, incident := a.w.o.mass(a.w.index); incident && n >= crowd && a.w.o.cfg.Poll == 0 {
		a.w.blame(mistakes.ReleasedTogether, finding{said: o.Cause.Name, expected: "successors that start one after the other", actual: fmt.Sprintf("%d at %s", n, o.at)})
	}
}

// pressed: while the spawner cannot be reached, what needs it waits (WDC-QUEUE-001).
func (a *acting) pressed(o *order) {
	if *a.link {
		return
	}
	since := a.w.o.world.linkAt
	if again := a.last(o, func(p *order) bool { return p.Kind == o.Kind && p.at >= since }); again != nil || o.times > 1 && o.at >= since {
		a.w.blame(mistakes.OutageIgnored, finding{said: o.Cause.Name, expected: "it waits until the spawner can be reached again", actual: describe(&o.Command)})
	}
}

// blindly: what may have happened is looked for before it is done again (WDC-SIDE-002), and an attempt keeps its key
// (WDC-SIDE-004).
func (a *acting) blindly(o *order) {
	before := a.last(o, func(p *order) bool { return p.Kind == o.Kind && p.Generation == o.Generation })
	if o.times > 1 {
		before = o
	}
	if before == nil || !before.unknown() && before != o {
		return
	}
	since := before.at
	if before == o {
		since = a.w.o.world.back
	}
	if a.looked > since && a.probed > since { // what was seen when it was given tells nothing of what came of it
		return
	}
	a.w.blame(mistakes.RepeatedBlindly, finding{
		said:     o.Cause.Name,
		expected: fmt.Sprintf("a look first: what became of %s is not known", quote(before.Key)),
		actual:   describe(&o.Command) + " under the key " + quote(o.Key),
	})
}

// futile: two attempts that came to their stop at the same place are enough (WDC-LOOP-003).
func (a *acting) futile(o *order) {
	if a.w.truth.Exited {
		a.noteFrontier()
	}
	n := len(a.frontiers)
	if o.times > 1 || n < 2 || a.w.dim() { // of a session file or a terminal this judge reads no calls
		return
	}
	x, y := a.frontiers[n-1], a.frontiers[n-2]
	if x.phase != "" && x.phase == y.phase && x.head == y.head && x.call == y.call {
		a.w.blame(mistakes.FutileAttempt, finding{
			said:     o.Cause.Name,
			expected: fmt.Sprintf("a person: generations %d and %d came to their stop in %s at the same place", y.generation, x.generation, x.phase),
			actual:   describe(&o.Command),
		})
	}
}

// flagged: before anything is decided about a dead worker, its verdict says what it has left: uncommitted work, a call of
// which nobody knows whether it had its effect (WDC-DEAD-002).
func (a *acting) flagged(o *order) {
	w := a.w
	if o.times > 1 {
		return // it was decided before
	}
	if w.truth.Phase != watchdog.VerdictDead || !w.truth.Exited || w.verdict.Name != watchdog.VerdictDead || w.lost() {
		return
	}
	var want []watchdog.Flag
	unsure := w.dim() || w.loops.torn // who sees only files, or not all, cannot know which calls have ended
	if a.ambiguous && !unsure {
		want = append(want, watchdog.FlagAmbiguous)
	}
	if a.dirty() {
		want = append(want, watchdog.FlagDirty)
	}
	got := slices.DeleteFunc(slices.Sorted(slices.Values(a.flags)), func(f watchdog.Flag) bool {
		return f == watchdog.FlagExited || f == watchdog.FlagAmbiguous && unsure
	})
	if !slices.Equal(want, got) {
		w.blame(mistakes.FlagsWrong, finding{said: o.Cause.Name, expected: fmt.Sprintf("dead with the flags %q", want), actual: fmt.Sprintf("%q", got)})
	}
}

// bounces: a task that goes to and fro between two states three times without a new commit is a person's (WDC-LOOP-004).
func (a *acting) bounces(o *order) {
	const times = 6
	n := len(a.statuses)
	if n < times {
		return
	}
	last := a.statuses[n-times:]
	for i := 2; i < times; i++ {
		if last[i] != last[i-2] {
			return
		}
	}
	a.w.blame(mistakes.TaskBouncing, finding{
		said: o.Cause.Name, expected: fmt.Sprintf("a person: the task goes to and fro between %s and %s", last[0], last[1]), actual: describe(&o.Command),
	})
}

// escalated: one key, until the owner arms again or the worker goes on (WDC-BUDG-002).
func (a *acting) escalated(o *order) {
	a.recovering = false
	a.w.notices.add(string(o.Cause.Name), a.w.o.now.Mono)
	if a.escalation != "" && a.escalation != o.Key {
		a.w.blame(mistakes.EscalatedAgain, finding{
			said:     o.Cause.Name,
			expected: "one escalation, under one key",
			actual:   fmt.Sprintf("%s, then %s", quote(a.escalation), quote(o.Key)),
		})
	}
	a.escalation, a.handedOver = o.Key, true
}

// effect judges what a command did, when it did it.
func (a *acting) effect(o *order) {
	w := a.w
	f := finding{said: o.Cause.Name, actual: describe(&o.Command)}
	tree := w.o.cfg.Facts.Tree(w.index)
	switch o.Kind {
	case watchdog.CmdRespawn:
		if n := a.live() + a.sharers(); n > 1 {
			f.expected, f.actual = "at most one live worker of a task, session and worktree", fmt.Sprintf("%d, by %s under the key %s", n, o.Kind, quote(o.Key))
			w.blame(mistakes.TwoWorkers, f)
		} else if n := a.descendants(); n > 0 {
			f.expected = "no successor while what the predecessor started still runs"
			f.actual = fmt.Sprintf("%d processes run", n)
			w.blame(mistakes.LeftoversRunning, f)
		}
	case watchdog.CmdPublish:
		if why := debris.GateAgainst(tree.Head, tree.Gates); why != "" {
			f.expected = "published when done is proven: " + why
			w.blame(mistakes.DoneUnproven, f)
		}
	}
	if o.class() != watchdog.EffectNone && a.w.limits.Effects[o.class()] == watchdog.PermitAsk && o.IfDigest == "" {
		a.boundTo(o, &f)
	}
}

// boundTo: an approval is of the evidence that the owner saw, at the moment of the act too (WDC-GATE-002).
func (a *acting) boundTo(o *order, f *finding) {
	item := a.proposals[o.Item]
	if item == nil || o.class() == watchdog.EffectRespawn || o.class() == watchdog.EffectTaskState || o.class() == watchdog.EffectPublish || o.class() == watchdog.EffectRemove {
		return // what they change themselves is another tree by now
	}
	if world := a.w.o.cfg.Facts.World(a.w.index); world != item.IfDigest {
		f.expected = "the evidence that the owner saw: " + item.IfDigest
		f.actual += " on " + world
		a.w.blame(mistakes.Unapproved, *f)
	}
}
