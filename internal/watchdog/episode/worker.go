package episode

import (
	"strconv"
	"time"

	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
)

// worker is what the acting half keeps of a worker beside what is watched of it, and does not have to remember: what it
// asked and was answered lately. After a restart it asks again.
type worker struct {
	*run.Worker
	generation int // that the rest belongs to
	news       int // the first observation since the last checkpoint; 0 = none

	due     bool          // to be moved in this step
	next    time.Duration // on Mono: when to be moved again
	handled int           // generation whose death an episode has dealt with
	counted bool          // the generation's death is among those that may make an incident
	massed  bool          // it was part of one
	waits   bool          // until fewer recoveries are under way
	asked   int           // looks so far, for their keys

	dropped map[dropKey]bool

	tree  treeLook
	world worldLook

	facts    watchdog.Worktree // as last seen
	factsN   int
	headN    int           // observation with which the head last changed
	row      watchdog.Task // of the tracker
	rowN     int           // observation that showed its status first
	rowAt    time.Duration // on Mono
	rowSeen  int           // observation that showed it last
	kept     int           // last observation when its worktree was last found to be needed
	renewedN int           // observation with which another holder's lease was last prolonged
	bounces  []string      // statuses of the row since the last commit
}

// lastOf returns the last n elements of a list, or all.
func lastOf[E any](list []E, n int) []E { return list[max(0, len(list)-n):] }

// question is one kind of look.
type question struct {
	key   string // of the open one; empty: none is
	asked bool
	sent  time.Duration // on Mono
	visit int           // of the episode's state that it was asked in
}

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
func (w *worker) take(o *watchdog.Observation, e *Episodes) {
	switch b := o.Body.(type) {
	case watchdog.Probe:
		if w.tree.answers(b.Key) {
			w.tree.take(&b, o.N, e.step)
		}
	case watchdog.Inspect:
		if w.world.answers(b.Key) {
			w.world.step, w.world.n, w.world.digest = e.step, o.N, b.World
		}
	case watchdog.Worktree:
		if b.Head != w.facts.Head {
			if w.factsN > 0 {
				w.headN, w.bounces = o.N, w.bounces[:0]
			}
		}
		w.facts, w.factsN = b, o.N
	case watchdog.Task:
		w.takeRow(b, o)
	}
}

// takeRow takes a row of the tracker: the lease of another holder that is prolonged, a status that goes to and fro.
func (w *worker) takeRow(b watchdog.Task, o *watchdog.Observation) {
	if b.Lease != "" && b.Lease != watchdog.LeaseHolder && b.LeaseUntil.After(w.row.LeaseUntil) && b.LeaseUntil.After(o.At.Wall) {
		w.renewedN = o.N
	}
	if b.Status != w.row.Status {
		w.bounces = lastOf(append(w.bounces, b.Status), maxBounces)
	}
	if b.Status != w.row.Status || w.rowN == 0 {
		w.rowN, w.rowAt = o.N, o.At.Mono
	}
	w.row, w.rowSeen = b, o.N
}

// maxBounces is how many statuses make three times to and fro.
const maxBounces = 6

// bounced reports whether the row went to and fro between two statuses three times without a new commit (WDC-LOOP-004).
func (w *worker) bounced() bool {
	if len(w.bounces) < maxBounces {
		return false
	}
	for i := 2; i < len(w.bounces); i++ {
		if w.bounces[i] != w.bounces[i-2] {
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

// renew forgets what belongs to a generation that is over.
func (w *worker) renew() {
	*w = worker{
		Worker: w.Worker, generation: w.Generation, news: w.news, due: true, handled: w.handled, asked: w.asked,
		facts: w.facts, factsN: w.factsN, headN: w.headN, row: w.row, rowN: w.rowN, rowAt: w.rowAt, bounces: w.bounces,
	}
}

// freshTree reports whether a definite look at the process tree was answered in this very step, and asks for one if not.
func (t *turn) freshTree() bool {
	l := &t.w.tree
	if l.step == t.e.step {
		return true
	}
	t.ask(&l.question, watchdog.CmdProbe, watchdog.WhatProcesses)
	return false
}

// freshWorld is freshTree for the worktree: its digest is known, and the facts are those of the digest.
func (t *turn) freshWorld() bool {
	h := t.w
	if h.world.step == t.e.step && h.world.digest != "" && h.factsN > 0 && (h.facts.Digest == "" || h.facts.Digest == h.world.digest) {
		return true
	}
	t.ask(&h.world.question, watchdog.CmdInspect, watchdog.WhatWorld)
	return false
}

// knownWorld reports whether a look at the worktree was answered lately, in this visit of the state, and asks for one if
// not.
func (t *turn) knownWorld() bool {
	l := &t.w.world
	return l.n > t.ep.EnteredN && t.e.Now.Mono < l.sent+t.w.Limits.ConfirmEvery || t.freshWorld()
}

// ask asks unless an answer is awaited; one that does not come, or says nothing, is asked for again.
func (t *turn) ask(q *question, kind watchdog.CommandKind, what watchdog.What) {
	now := t.e.Now.Mono
	every := t.w.Limits.ConfirmEvery
	if q.asked && now < q.sent+every && (q.key != "" || q.visit == t.ep.Visit) {
		t.wakeAt(q.sent + every)
		return
	}
	t.w.asked++
	r := t.e
	q.key = t.w.ID + "/" + strconv.Itoa(t.w.Generation) + "/look/" + strconv.Itoa(r.memory.Incarnation) + "." + strconv.Itoa(t.w.asked)
	q.asked, q.sent, q.visit = true, now, t.ep.Visit
	c := t.command(q.key, kind)
	c.What, c.IfGen, c.Generation = what, 0, t.w.Generation
	c.NotAfter = t.e.Now.Wall.Add(every)
	t.e.Decision.Commands = append(t.e.Decision.Commands, c)
	t.wakeAt(now + every)
}

// self returns the worker's own process as last seen, or nil.
func (t *turn) self() *watchdog.Process {
	for i := range t.w.tree.processes {
		p := &t.w.tree.processes[i]
		if p.PID == t.w.Spawn.PID && (p.Start == t.w.Spawn.Start || t.w.Spawn.Start == 0) && p.State != "Z" {
			return p
		}
	}
	return nil
}

// remaining lists what runs of the worker apart from itself.
func (t *turn) remaining() []watchdog.Process {
	var left []watchdog.Process
	for _, p := range t.w.tree.processes {
		if p.State != "Z" && p.Role != watchdog.RoleAgent {
			left = append(left, p)
		}
	}
	return left
}
