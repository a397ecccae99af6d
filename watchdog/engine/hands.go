package engine

import (
	"slices"
	"strconv"
	"time"

	"fakepi.example/watchdog"
)

// hands is what the acting half of the engine keeps of a worker and does not have to remember: what it asked and was told
// lately. After a restart it asks again.
type hands struct {
	due     bool          // to be moved in this step
	next    time.Duration // on Mono: when to be moved again
	handled int           // generation whose death an episode has dealt with
	counted bool          // the generation's death is among those that may make an incident
	massed  bool          // it was part of one
	waits   bool          // until fewer recoveries are under way
	asked   int           // looks so far, for their keys

	verdict *watchdog.Verdict // the last that was given
	dropped map[dropKey]bool

	tree  treeLook
	world worldLook

	facts    watchdog.Worktree // as last told
	factsN   int
	headN    int           // observation with which the head last changed
	row      watchdog.Task // of the tracker
	rowN     int           // observation that told its status first
	rowAt    time.Duration // on Mono
	rowTold  int           // observation that told it last
	kept     int           // last observation when its worktree was last found to be needed
	renewedN int           // observation with which another holder's lease was last prolonged
	parents  []uint64      // of the session's last messages
	forked   bool          // two of them were the same
	bounces  []string      // statuses of the row since the last commit
}

// keptParents is how many parents of entries are remembered to find a fork.
const keptParents = 32

// fork notes the parent of an entry. Two messages with one parent were written by two processes, or by one that went back
// in its tree: nobody resumes such a session unasked (WDC-FENCE-004).
func (h *hands) fork(parent uint64) {
	h.forked = h.forked || slices.Contains(h.parents, parent)
	h.parents = lastOf(append(h.parents, parent), keptParents)
}

// lastOf returns the last n elements of a list, or all.
func lastOf[E any](list []E, n int) []E { return list[max(0, len(list)-n):] }

type dropKey struct {
	generation int
	kind       watchdog.ObservationKind
}

// treeLook is a look at the process tree and at what the spawner knows.
type treeLook struct {
	question
	n          int // observation that answered last
	step       int // in which the answer came
	processes  []watchdog.Process
	generation int           // newest that the spawner knows; 0 = it did not say
	work       time.Duration // CPU of all but the worker itself, and their I/O, as a sum that only work changes
	worked     bool          // since the look before
}

// worldLook is a look at the worktree.
type worldLook struct {
	question
	n      int // observation that answered last
	step   int // in which the answer came
	digest string
}

// take takes one observation of the worker's present generation.
func (h *hands) take(o *watchdog.Observation, e *Engine) {
	switch b := o.Body.(type) {
	case watchdog.Probe:
		if h.tree.answers(b.Key) {
			h.tree.take(&b, o.N, e.recovery.step)
		}
	case watchdog.Inspect:
		if h.world.answers(b.Key) {
			h.world.step, h.world.n, h.world.digest = e.recovery.step, o.N, b.World
		}
	case watchdog.Worktree:
		if b.Head != h.facts.Head {
			if h.factsN > 0 {
				h.headN, h.bounces = o.N, h.bounces[:0]
			}
		}
		h.facts, h.factsN = b, o.N
	case watchdog.Task:
		h.takeRow(b, o)
	}
}

// takeRow takes a row of the tracker: the lease of another holder that is prolonged, a status that goes to and fro.
func (h *hands) takeRow(b watchdog.Task, o *watchdog.Observation) {
	if b.Lease != "" && b.Lease != watchdog.LeaseHolder && b.LeaseUntil.After(h.row.LeaseUntil) && b.LeaseUntil.After(o.At.Wall) {
		h.renewedN = o.N
	}
	if b.Status != h.row.Status {
		h.bounces = lastOf(append(h.bounces, b.Status), maxBounces)
	}
	if b.Status != h.row.Status || h.rowN == 0 {
		h.rowN, h.rowAt = o.N, o.At.Mono
	}
	h.row, h.rowTold = b, o.N
}

// maxBounces is how many statuses make three times to and fro.
const maxBounces = 6

// bounced reports whether the row went to and fro between two statuses three times without a new commit (WDC-LOOP-004).
func (h *hands) bounced() bool {
	if len(h.bounces) < maxBounces {
		return false
	}
	for i := 2; i < len(h.bounces); i++ {
		if h.bounces[i] != h.bounces[i-2] {
			return false
		}
	}
	return true
}

// take takes the answer of a probe. One that failed, or that nobody understands, is no answer (WDC-OBS-005).
func (l *treeLook) take(p *watchdog.Probe, n, step int) {
	if p.Result != watchdog.ProbeOK {
		return
	}
	l.n, l.step, l.processes, l.generation = n, step, p.Processes, p.Generation
	var work time.Duration
	for i := range p.Processes {
		if q := &p.Processes[i]; q.Role != watchdog.RoleAgent {
			work += q.CPU + time.Duration(q.IO)
		}
	}
	l.worked, l.work = work != l.work, work
}

// asks reports whether a key is that of the open look at the process tree.
func (h *hands) asks(key string) bool { return h != nil && h.tree.awaits(key) }

// restart forgets what belongs to a generation that is over.
func (h *hands) restart() *hands {
	if h == nil {
		return nil
	}
	return &hands{
		due: true, handled: h.handled, asked: h.asked,
		facts: h.facts, factsN: h.factsN, headN: h.headN, row: h.row, rowN: h.rowN, rowAt: h.rowAt, bounces: h.bounces,
	}
}

// freshTree reports whether a definite look at the process tree was answered in this very step, and asks for one if not.
func (t *turn) freshTree() bool {
	l := &t.w.hands.tree
	if l.step == t.e.recovery.step {
		return true
	}
	t.ask(&l.question, watchdog.CmdProbe, watchdog.WhatProcesses)
	return false
}

// freshWorld is freshTree for the worktree: its digest is known, and the facts are those of the digest.
func (t *turn) freshWorld() bool {
	h := t.w.hands
	if h.world.step == t.e.recovery.step && h.world.digest != "" && h.factsN > 0 && (h.facts.Digest == "" || h.facts.Digest == h.world.digest) {
		return true
	}
	t.ask(&h.world.question, watchdog.CmdInspect, watchdog.WhatWorld)
	return false
}

// knownWorld reports whether a look at the worktree was answered lately, in this visit of the state, and asks for one if
// not.
func (t *turn) knownWorld() bool {
	l := &t.w.hands.world
	return l.n > t.ep.EnteredN && t.e.now.Mono < l.sent+t.w.limits.ConfirmEvery || t.freshWorld()
}

// ask asks unless an answer is awaited; one that does not come, or says nothing, is asked for again.
func (t *turn) ask(q *question, kind watchdog.CommandKind, what watchdog.What) {
	now := t.e.now.Mono
	every := t.w.limits.ConfirmEvery
	if q.asked && now < q.sent+every && (q.key != "" || q.times == t.ep.Visit) {
		t.wakeAt(q.sent + every)
		return
	}
	t.w.hands.asked++
	r := t.e.recovery
	q.key = t.w.id + "/" + strconv.Itoa(t.w.generation) + "/look/" + strconv.Itoa(r.memory.Incarnation) + "." + strconv.Itoa(t.w.hands.asked)
	q.asked, q.sent, q.times = true, now, t.ep.Visit
	c := t.command(q.key, kind)
	c.What, c.IfGen, c.Generation = what, 0, t.w.generation
	c.NotAfter = t.e.now.Wall.Add(every)
	t.e.decision.Commands = append(t.e.decision.Commands, c)
	t.wakeAt(now + every)
}

// self returns the worker's own process as last seen, or nil.
func (t *turn) self() *watchdog.Process {
	for i := range t.w.hands.tree.processes {
		p := &t.w.hands.tree.processes[i]
		if p.PID == t.w.spawn.PID && (p.Start == t.w.spawn.Start || t.w.spawn.Start == 0) && p.State != "Z" {
			return p
		}
	}
	return nil
}

// remaining lists what runs of the worker apart from itself.
func (t *turn) remaining() []watchdog.Process {
	var left []watchdog.Process
	for _, p := range t.w.hands.tree.processes {
		if p.State != "Z" && p.Role != watchdog.RoleAgent {
			left = append(left, p)
		}
	}
	return left
}
