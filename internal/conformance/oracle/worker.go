package oracle

import (
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// worker is what the oracle keeps of one worker's current generation.
type worker struct {
	o      *Oracle
	index  int
	id     string
	limits watchdog.Limits
	spawn  watchdog.Spawned
	bootID string

	truth     trace.Truth // delivered: what the subject can know
	reset     time.Time   // civil, of the truth's Until as it became known: a quota resets at a time of day
	quotaEnds time.Time   // the last of them in a wait for a quota, until another generation
	situation situation
	old       leeway
	silent    silence
	death     death
	looks     looks
	loops     loops
	foreign   foreign
	unseen    bool // the refusal that the worker waits for was lost
	presumed  bool // a prompt was answered, and not whether a run follows
	turn      turn
	facts     facts

	verdict    watchdog.Verdict // the subject's standing one
	said       utterance
	notices    notices
	due        time.Duration // the next moment at which something must have happened
	late       bool          // the standing silence was already found to be late
	blamed     []blamed
	touched    bool            // in this step
	lastStop   string          // of the run's last message
	quotaAsked []time.Duration // when its state was asked for in the standing wait for a quota
	stepSaid   bool            // a verdict was given in this step
	newsAtExit bool            // its records in this step tell what it did before its end

	acts       acting
	before     watchdog.VerdictName // the phase that its end met
	generation int                  // of the last observation
}

// facts is what happened in a worker's history and makes a requirement more than a possibility.
type facts struct {
	probesFail bool // a probe failed, lied or conflicted
	gap        bool
	file       bool
	chatter    bool // output that is no progress
	asked      bool // a dialog was open
	delayed    bool
	compacted  bool
	refused    bool
	parallel   bool
	pulled     bool // a pull request is open
	tracked    bool // a row of the tracker was shown
	chain      bool // a call was open without any process left
	episodes   int  // alarms that were right and have ended
	exitedZero bool
	told       bool // the owner was told something in the standing episode
}

// turn is where the worker's current turn and phase began, by observation number.
type turn struct {
	start int // of the request that the turn answers
	phase int
	n     int // of the first observation of this step
}

func newWorker(o *Oracle, index int, id string) worker {
	w := worker{o: o, index: index, id: id, due: never}
	w.restart()
	return w
}

// restart forgets the generation before.
func (w *worker) restart() {
	w.limits = w.o.cfg.Policy.For(w.id, w.spawn.Model, "")
	w.situation = situation{deadline: never, lenient: never}
	w.silent, w.death, w.looks, w.turn = silence{}, death{at: never}, looks{}, turn{}
	w.loops, w.foreign, w.presumed, w.unseen = newLoops(w.limits.LoopRepeats), foreign{}, false, false
	w.verdict, w.said, w.notices = watchdog.Verdict{}, utterance{}, notices{}
	w.facts.told, w.facts.exitedZero = false, false
	w.quotaEnds = time.Time{}
	w.truth, w.old, w.late = trace.Truth{}, leeway{}, false
	w.lastStop, w.quotaAsked = "", nil
	w.blamed = nil
}

// observe takes one observation of this worker that the subject was shown.
func (w *worker) observe(o *watchdog.Observation, r *trace.Record) {
	if w.o.cfg.Recovery {
		w.acts.observe(o, r)
		if o.Generation < w.generation && ofWorker(o.Body) {
			return // of a life that is over
		}
	}
	w.generation = max(w.generation, o.Generation)
	if ofWorker(o.Body) && !w.touched {
		w.touched, w.newsAtExit, w.turn.n = true, false, o.N
	}
	switch b := o.Body.(type) {
	case watchdog.Bytes:
		w.bytes(&b, r, o.At.Mono)
	case watchdog.Spawned:
		w.spawn, w.bootID = b, o.At.BootID
		w.restart()
		w.turn = turn{start: o.N, phase: o.N, n: o.N}
	case watchdog.Gap:
		if w.facts.gap = true; b.Stream == watchdog.StreamErr {
			return // nothing that was lost there says what the worker does
		}
		w.loops.torn = true
		w.looks.broken, w.looks.doubt, w.looks.unread, w.looks.gapAt = true, true, true, o.At.Mono
		if w.o.world.boots > 0 && w.o.now.Mono == w.o.world.back {
			w.looks.blind = true
			w.notices.doubt()
		}
	case watchdog.File:
		w.facts.file = true
		w.looks.size = 0
	case watchdog.Exited:
		w.death.prove(o.At.Mono)
		w.death.status = true
		w.facts.exitedZero = b.Code == 0
	case watchdog.Probe:
		w.probed(&b, o)
	case watchdog.Inspect:
		w.inspected(&b, o.At.Mono)
	case watchdog.Task:
		w.facts.tracked, w.facts.pulled = true, b.PullRequest
	}
}

// inspected takes a look at a stream or the worktree. A stream that has grown unseen is no silence.
func (w *worker) inspected(b *watchdog.Inspect, now time.Duration) {
	switch {
	case b.World != "":
		w.looks.fresh(now, w.limits.ConfirmEvery)
		w.loops.worldShown()
	case b.Offset > w.looks.size:
		w.looks.size, w.looks.gapAt = b.Offset, now
		w.looks.restart()
	case b.Offset >= 0:
		w.looks.fresh(now, w.limits.ConfirmEvery)
	}
}

// ofWorker reports whether an observation is news from the worker itself.
func ofWorker(b watchdog.Body) bool {
	switch b.(type) {
	case watchdog.Bytes, watchdog.Closed, watchdog.Spawned, watchdog.Exited:
		return true
	}
	return false
}

// bytes takes a piece of a stream: it ends a gap, and tool calls are noted for loops.
func (w *worker) bytes(b *watchdog.Bytes, r *trace.Record, at time.Duration) {
	if b.Stream != watchdog.StreamIn && b.Stream != watchdog.StreamErr {
		w.looks.broken = false
	}
	if b.Stream != watchdog.StreamIn && b.Stream != watchdog.StreamErr {
		w.looks.size = max(w.looks.size, b.Offset+int64(len(b.Data)))
	}
	w.newsAtExit = w.newsAtExit || r.Tells
	if r.Tells || b.Stream == watchdog.StreamPTY || b.Stream == watchdog.StreamSession {
		w.looks.blind, w.looks.unread = false, false
		w.looks.doubt = w.looks.doubt && !r.Tells
	}
	if b.Stream == watchdog.StreamPTY {
		w.looks.telling = w.looks.telling || r.Tells
	}
	if b.Stream == watchdog.StreamOut {
		w.record(r, at)
	}
}

// record takes a record of the worker.
func (w *worker) record(r *trace.Record, at time.Duration) {
	w.foreign.record(r, at)
	if r.Stop != "" {
		w.lastStop = r.Stop
	}
	switch r.Kind {
	case trace.RecordAnswer, trace.RecordTaken:
		w.facts.chatter = true
		w.presumed = w.presumed || r.Kind == trace.RecordTaken
	case trace.RecordRun:
		w.presumed, w.lastStop = false, ""
	default:
		w.loops.record(r, w)
	}
}

// learn takes what the subject can know now.
func (w *worker) learn(t *trace.Truth) {
	if t.Generation == 0 {
		return
	}
	if now := &w.o.now; now.BootID != w.bootID && w.bootID != "" {
		w.death.prove(now.Mono) // no process outlives a reboot
	}
	known := t
	if t.Exited && !w.death.known {
		w.death.happened(w.o.now.Mono)
		known = w.unreported(t) // it cannot know yet; until it must, the last truth stands
	}
	if w.truth.Phase != known.Phase || w.truth.Generation != known.Generation {
		w.changePhase(known)
	}
	if w.o.cfg.Recovery {
		w.acts.learn(known)
	}
	if moved(&w.truth, known) {
		w.progressed(known)
	}
	if w.truth.Until != known.Until {
		w.reset = w.o.now.Wall.Add(known.Until - w.o.now.Mono)
		if known.Phase == watchdog.VerdictAwaitingQuota && known.Until != 0 {
			w.quotaEnds = w.reset
		}
	}
	w.truth = *known
	w.situation.read(w)
	w.schedule()
}

// unreported is the last truth before an end that nobody has reported. Of a life of which all is shown at once there is none:
// any phase may hold.
func (w *worker) unreported(t *trace.Truth) *trace.Truth {
	if w.truth.Generation == t.Generation {
		return &w.truth
	}
	w.looks.blind = true
	return &trace.Truth{Worker: t.Worker, Generation: t.Generation, Phase: watchdog.VerdictIdle, Since: t.Since, LastProgress: t.LastProgress}
}

func moved(a, b *trace.Truth) bool { return a.LastProgress != b.LastProgress || a.Since != b.Since }

// changePhase notes where the new phase began. One that came without news from the worker may be learnt a little later,
// and a subject that polls may look at all news a little later.
func (w *worker) changePhase(t *trace.Truth) {
	now, poll := w.o.now.Mono, w.o.cfg.Poll
	before := w.truth.Phase
	w.old = leeway{name: before, until: now + poll}
	switch {
	case !w.touched:
		w.old.until += w.limits.DeclaredGrace + w.look() + slack
	case poll == 0:
		w.old = leeway{}
	}
	if w.touched {
		w.turn.enter(before, t.Phase)
	}
	if before == watchdog.VerdictAwaitingAuth && t.Generation == w.truth.Generation && !t.Exited {
		delete(w.o.told, w.credential()) // it is good again: that it is refused once more is news
	}
	w.silent.phase(w.situation.rule, now)
	w.facts.note(t)
	if ruleOf(t.Phase).wait {
		w.looks.doubt = false
	}
	w.unseen = w.looks.blind && (t.Phase == watchdog.VerdictAwaitingQuota || t.Phase == watchdog.VerdictAwaitingAuth)
	if !w.foreign.opaque {
		w.notices.phase(t.Phase, w.verdict.Name, w.began(t, now), w.looks.blind)
	}
	w.late = false
}

// began is when a phase began that the subject learns of now: of one that began while it was away, what is shown at the
// boot tells when.
func (w *worker) began(t *trace.Truth, now time.Duration) time.Duration {
	if w.o.world.boots > 0 && now == w.o.world.back && t.Since > 0 {
		return min(t.Since, now)
	}
	return now
}

// enter notes the phase that the news of this step began. One that time alone began rests on older news.
func (n *turn) enter(before, phase watchdog.VerdictName) {
	n.phase = n.n
	if asks(phase) && !asks(before) {
		n.start = n.n
	}
}

// asks reports whether a request is under way in a phase.
func asks(phase watchdog.VerdictName) bool {
	return phase == watchdog.VerdictAwaitingFirstToken || phase == watchdog.VerdictStarting
}

// note keeps what a truth shows for choosing requirements.
func (f *facts) note(t *trace.Truth) {
	switch t.Phase {
	case watchdog.VerdictAwaitingUser:
		f.asked = true
	case watchdog.VerdictBackingOff:
		f.delayed = true
	case watchdog.VerdictCompacting:
		f.compacted = true
	case watchdog.VerdictAwaitingAuth, watchdog.VerdictAwaitingQuota:
		f.refused = true
	}
}

// progressed ends the standing silence, and the episode unless its limit still counts from where it did: of a call, say,
// that hangs beside one that goes on.
func (w *worker) progressed(t *trace.Truth) {
	w.facts.parallel = w.facts.parallel || len(t.Calls) > 1
	if t.LastProgress <= w.truth.LastProgress {
		return
	}
	w.silent.from = t.LastProgress
	if w.foreign.opaque {
		return // it was not understood
	}
	if w.said.right && t.Phase == w.truth.Phase && t.Since == w.truth.Since {
		return
	}
	w.facts.told = false
	if !w.looks.blind {
		w.notices.rearm(w.verdict.Name)
	}
	w.acts.escalation = ""
	w.late = false
	w.looks.restart()
}

// circumstances are the facts that say which requirement a mistake breaks.
func (w *worker) circumstances() mistakes.Facts {
	f, world := &w.facts, &w.o.world
	var set mistakes.Facts
	for _, fact := range []struct {
		holds bool
		fact  mistakes.Facts
	}{
		{f.chatter, mistakes.OutputWithoutProgress},
		{f.probesFail, mistakes.ProbesFailed},
		{f.file, mistakes.FileReplaced},
		{f.gap, mistakes.BytesMissing},
		{w.dim(), mistakes.FinishedMessagesOnly},
		{world.slept || world.jumped, mistakes.ClockLeapt},
		{world.slept, mistakes.HostSlept},
		{f.tracked, mistakes.TrackerShown},
		{f.told, mistakes.OwnerTold},
		{f.episodes > 0, mistakes.Recovered},
		{f.asked, mistakes.DialogOpened},
		{f.delayed, mistakes.Delayed},
		{f.compacted, mistakes.Compacted},
		{f.refused, mistakes.Refused},
		{w.beforeLimit(), mistakes.BeforeLimit},
		{f.chain, mistakes.ProcessesGone},
		{f.parallel, mistakes.ParallelCalls},
		{len(w.o.cfg.Policy.Overrides) > 0, mistakes.LimitsOverridden},
		{w.truth.Exited && f.exitedZero, mistakes.ExitedWithZero},
	} {
		if fact.holds {
			set |= fact.fact
		}
	}
	return set
}

// beforeLimit reports whether the silence has outlasted attention and not yet the phase's limit.
func (w *worker) beforeLimit() bool {
	now := w.o.now.Mono
	return now >= w.silent.from+w.limits.Attention && now < w.situation.deadline
}

// dim reports whether the source shows finished messages only, so that work cannot be told from a wait: a session file,
// or a terminal.
func (w *worker) dim() bool {
	return w.spawn.Mode == watchdog.ModePrint || w.spawn.Mode == watchdog.ModeTUI
}
