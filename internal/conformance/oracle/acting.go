package oracle

import (
	"slices"
	"time"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// acting is what the oracle keeps of what a subject does about a worker, through all generations of it and all
// incarnations of the subject.
type acting struct {
	w      *worker
	orders []*order // destructive commands, snapshots, leases, in the order in which they were given
	byKey  map[string]*order

	proposals map[string]*order
	decisions []watchdog.Owner         // delivered, in their order
	approved  map[string]time.Duration // items with the owner's yes, and when it was shown
	turned    time.Duration            // when something was shown that makes another matter of it: an end, a row, a change of the worktree, the operator's word
	row       watchdog.Task            // as last shown
	intent    watchdog.Intent          // of the operator, while it holds: stop or pause
	said      time.Time                // when the operator said their last word, on the civil clock
	link      *bool                    // of the spawner, as last shown; shared by all workers

	began     time.Duration // when the start of the current generation was shown
	spawned   time.Duration // when it started
	probed    time.Duration // when the last definite answer of a probe was shown; -never = it was not
	looked    time.Duration // the same of any fresh look
	processes []watchdog.Target
	token     string // of the newest lease that the subject was told of

	aborted    time.Duration // when the turn was aborted that has not been taken up since; 0 = none
	progressed time.Duration // the last progress before that
	steered    int           // prompts since
	rearmed    time.Duration // when budgets last began afresh by the owner's word
	rearms     rearms
	escalation string        // key of the standing escalation
	handedOver bool          // by it, and the worker was not called healthy since
	frontiers  []frontier    // where each generation came to its stop
	retries    int           // of the workers themselves, since budgets last began afresh
	died       time.Duration // when the current generation's early death was shown; 0 = it was not
	recovering bool
	flags      []watchdog.Flag   // of the standing verdict
	ambiguous  bool              // a call that may have had an effect was open when the process ended
	head       string            // of the worktree, as last shown
	committed  time.Duration     // when it was last shown to have changed
	statuses   []string          // of the row since that head
	parents    map[string]bool   // of the messages in the session file, as shown
	forked     bool              // two of them had one
	tree       watchdog.Worktree // as last shown
	treeAt     time.Duration     // when that was; -never = it was not
}

// order is a command and what became of it.
type order struct {
	watchdog.Command
	at     time.Duration // given first
	boot   time.Duration // the same on the clock that counts sleep: budgets are measured on it (WDC-CLOCK-001)
	times  int           // given
	boots  int           // of the subject before it was given last
	n      int           // place among the orders
	acted  bool
	effect bool            // it changed something
	done   time.Duration   // took effect
	told   bool            // its outcome was shown to the subject
	result watchdog.Result // as shown
	reason string          // of the result
	digest string          // of a snapshot
	start  bool            // an attempt at a worker that never started
}

// rearms is where the owner's last word that arms again stands.
type rearms struct {
	decisions int // that were shown before it
	boots     int // of the subject before it was shown
}

// frontier is a place at which a worker came to its stop.
type frontier struct {
	generation int
	phase      watchdog.VerdictName
	head, call string
}

func newActing(w *worker) acting {
	return acting{w: w, byKey: map[string]*order{}, proposals: map[string]*order{}, approved: map[string]time.Duration{}, probed: -1, looked: -1, treeAt: -never, link: &w.o.world.linkUp}
}

// observe takes what the subject was shown.
func (a *acting) observe(o *watchdog.Observation, r *trace.Record) {
	now := a.w.o.now.Mono
	switch b := o.Body.(type) {
	case watchdog.Outcome:
		a.outcome(&b)
	case watchdog.Bytes:
		switch r.Kind {
		case trace.RecordEntry:
			a.entry(r.Parent)
		case trace.RecordRetry:
			a.retries++
		}
	case watchdog.Owner:
		if a.decided(&b) {
			a.decisions = append(a.decisions, b)
			if delete(a.approved, b.Item); b.Approve && b.NotAfter.IsZero() {
				a.approved[b.Item] = now
			}
		}
	case watchdog.Operator:
		if a.intended(&b) {
			a.turned = now
			a.operator(b.Intent)
		}
	case watchdog.Exited:
		a.turned = now
	case watchdog.Task:
		a.turned = now
		if b.Status != a.row.Status {
			a.statuses = append(a.statuses, b.Status)
		}
		a.row = b
	case watchdog.Inspect:
		a.looked = now
	case watchdog.Worktree:
		if b.Digest != a.tree.Digest {
			a.turned = now
		}
		a.looked, a.tree, a.treeAt = now, b, now
		if b.Head != a.head {
			if a.head != "" {
				a.committed = now
			}
			a.head, a.statuses = b.Head, nil
		}
	case watchdog.Probe:
		if b.Result == watchdog.ProbeOK {
			a.probed, a.looked = now, now
			for _, p := range b.Processes {
				a.processes = append(a.processes, watchdog.Target{PID: p.PID, Start: p.Start})
			}
		}
	case watchdog.Spawned:
		a.processes = append(a.processes, watchdog.Target{PID: b.PID, Start: b.Start})
		a.spawned, a.handedOver = o.At.Mono, false
		a.began, a.aborted, a.steered, a.died, a.recovering = now, 0, 0, 0, false
	}
}

// entry looks for a fork in a session file: two messages behind one entry were written by two processes.
func (a *acting) entry(parent string) {
	if parent == "" {
		return
	}
	if a.parents == nil {
		a.parents = map[string]bool{}
	}
	a.forked = a.forked || a.parents[parent]
	a.parents[parent] = true
}

func (a *acting) outcome(b *watchdog.Outcome) {
	c := a.byKey[b.Key]
	if c == nil {
		return
	}
	c.told, c.result, c.reason = true, b.Result, b.Reason
	if c.Kind == watchdog.CmdSnapshot && b.Result == watchdog.ResultDone {
		c.digest = b.Digest
	}
	if c.Kind == watchdog.CmdAcquireLease && b.Result == watchdog.ResultDone {
		a.token = b.Token
	}
}

func (a *acting) operator(i watchdog.Intent) {
	switch i {
	case watchdog.IntentStop, watchdog.IntentPause:
		a.intent = i
	case watchdog.IntentResume:
		a.intent = ""
		a.w.looks.gapAt = a.w.o.now.Mono
	case watchdog.IntentRearm:
		a.rearm()
	}
}

// learn takes the next truth that the subject can know.
func (a *acting) learn(t *trace.Truth) {
	w := a.w
	was := &w.truth
	if t.Exited && !was.Exited {
		w.before = was.Phase
		if w.touched && w.newsAtExit {
			w.before = "" // it came to another place in the very step that shows its end
		}
		a.ambiguous = w.loops.sideEffects()
		if t.Phase == watchdog.VerdictDead {
			a.died = w.o.now.Mono
			w.o.deaths = append(w.o.deaths, passing{w.index, a.died})
		}
	}
	rests := func(p watchdog.VerdictName) bool { return over(p) || p == watchdog.VerdictIdle }
	if t.Generation == was.Generation && rests(was.Phase) && !rests(t.Phase) && !t.Exited {
		a.aborted, a.steered = 0, 0 // it has taken up work again
	}
	if w.verdict.Status == watchdog.StatusOK && !t.Exited {
		a.recovering = false
		a.handedOver = a.handedOver && a.escalation != "" // it goes on, and the subject has seen it
	}
}

// rearm lets budgets begin afresh.
func (a *acting) rearm() {
	a.rearmed, a.escalation, a.handedOver, a.retries, a.frontiers = a.w.o.now.Mono, "", false, 0, nil
	a.rearms = rearms{len(a.decisions), a.w.o.world.boots}
}

// give notes a command and returns its order; a key that was given before is the same order.
func (a *acting) give(c *watchdog.Command) *order {
	if o, ok := a.byKey[c.Key]; ok {
		o.times++
		o.boots = a.w.o.world.boots
		o.Item, o.IfDigest, o.NotAfter, o.Token = c.Item, c.IfDigest, c.NotAfter, c.Token
		return o
	}
	o := &order{Command: *c, at: a.w.o.now.Mono, boot: a.w.o.now.Boot, times: 1, boots: a.w.o.world.boots, n: len(a.orders)}
	if c.Target != nil {
		target := *c.Target
		o.Target = &target
	}
	o.Evidence, o.Input = nil, nil
	a.byKey[c.Key] = o
	a.orders = append(a.orders, o)
	return o
}

// act takes what became of a command.
func (a *acting) act(t *trace.Act) {
	o := a.byKey[t.Command.Key]
	if o == nil {
		return
	}
	o.acted, o.effect, o.done = true, o.effect || t.Effect, t.Now.Mono
	if t.Effect {
		a.inTime(o, t.Now.Wall)
		a.effect(o)
	}
}

// class is the effect class of an order.
func (o *order) class() watchdog.EffectClass { return o.Kind.Effect() }

// last returns the last order before one that fits, or nil.
func (a *acting) last(before *order, fits func(*order) bool) *order {
	for i := len(a.orders) - 1; i >= 0; i-- {
		if o := a.orders[i]; o != before && (before == nil || o.n < before.n) && fits(o) {
			return o
		}
	}
	return nil
}

func ofKind(kinds ...watchdog.CommandKind) func(*order) bool {
	return func(o *order) bool { return slices.Contains(kinds, o.Kind) }
}

// missed reports whether an order certainly had no effect, as far as the subject was told.
func (o *order) missed() bool {
	return o.told && (o.result == watchdog.ResultRefused || o.result == watchdog.ResultFailed)
}

// unknown reports whether the subject cannot know what became of an order.
func (o *order) unknown() bool { return !o.told || o.result == watchdog.ResultUnknown }

// live counts the worker's own processes that run.
func (a *acting) live() int {
	n := 0
	for _, p := range a.w.o.cfg.Facts.Processes(a.w.index) {
		if p.Role == watchdog.RoleAgent && p.State != "Z" {
			n++
		}
	}
	return n
}

// sharers counts the live workers of another id on the task of this one, in its session or in its worktree.
func (a *acting) sharers() int {
	n := 0
	own := &a.w.spawn
	for i := range a.w.o.workers {
		w := &a.w.o.workers[i]
		s := &w.spawn
		if w != a.w && (same(s.Session, own.Session) || same(s.Worktree, own.Worktree) || same(s.Task, own.Task)) {
			n += w.acts.live()
		}
	}
	return n
}

// same reports whether two names that may be empty are one.
func same(a, b string) bool { return a != "" && a == b }

// descendants counts the processes that tools have left.
func (a *acting) descendants() int {
	n := 0
	for _, p := range a.w.o.cfg.Facts.Processes(a.w.index) {
		if p.Role != watchdog.RoleAgent && p.State != "Z" {
			n++
		}
	}
	return n
}
