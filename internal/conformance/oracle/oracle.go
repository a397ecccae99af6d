// Package oracle judges one history: invariants over what the script knows to be true, what the subject was shown, what
// it said and what it did. They are written once and hold for every scenario, order and subject.
//
// A subject is judged on delivered truth: what it can know from what it was given, plus the facts that it can ask for
// at any time, with confirm_every to do so. Bounds in time are lengthened by the subject's declared poll. Each broken
// invariant is a Violation that is charged to one requirement (package mistakes).
package oracle

import (
	"math"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// never is a moment that does not come.
const never = time.Duration(math.MaxInt64)

// slack is added to every bound on how late the right verdict or notice may be: for answers that take their time and
// the fresh look after a suspend.
const slack = 2 * time.Second

// Config is what a history is judged by.
type Config struct {
	Policy   watchdog.Policy
	Workers  []string
	Poll     time.Duration // that the subject declared
	Requires []string      // requirements that the scenario tests; a violation is charged to one of them if it can be
	Explain  bool          // judge profile E too
	OwnerKey []byte        // public, as the subject has it
	Recovery bool          // the subject acts, and is judged by what it does (profiles R, D, G and F)
	Durable  bool          // profile D is judged in this scenario
	Facts    trace.Facts
}

// Oracle judges one history as a trace.Sink.
type Oracle struct {
	cfg     Config
	byID    map[string]int
	workers []worker
	now     watchdog.Instant
	event   int
	seen    []sight        // by observation number - 1
	unread  []trace.Record // of the step that is taken
	due     time.Duration
	sent    map[string]int           // notices by their key: boots before they were sent last
	told    map[string]time.Duration // credentials whose refusal was told, with the moment
	world   worldFacts
	records records
	found   []Violation
	crashed bool
	deaths  []passing
	beat    time.Duration // when the watchdog last showed that it turns
}

// worldFacts is what happened to the world and changes which requirement a finding is charged to.
type worldFacts struct {
	slept  bool
	woke   time.Duration // when the host last returned
	jumped bool

	away   bool          // the subject has crashed and is not back
	span   time.Duration // how long it was away in all
	boots  int           // how often it came back
	back   time.Duration // when it did last
	full   bool          // nothing can be written durably
	linkUp bool          // as it was shown last
	linkAt time.Duration
}

// New returns an oracle for one history.
func New(cfg Config) *Oracle {
	o := &Oracle{cfg: cfg, byID: map[string]int{}, told: map[string]time.Duration{}, sent: map[string]int{}, due: never}
	o.workers = make([]worker, len(cfg.Workers))
	for i, id := range cfg.Workers {
		o.byID[id] = i
		o.workers[i] = newWorker(o, i, id)
		o.workers[i].acts = newActing(&o.workers[i])
	}
	o.world.linkUp = true
	return o
}

// Violations lists what was found, in the order of the history.
func (o *Oracle) Violations() []Violation { return o.found }

// Advance implements trace.Sink: before time moves on, whatever was due until now must have happened.
func (o *Oracle) Advance(now watchdog.Instant) {
	if now.Mono <= o.due || o.crashed || o.world.away {
		return
	}
	o.now = now
	for i := range o.workers {
		if w := &o.workers[i]; now.Mono > w.due {
			w.overdue()
		}
	}
	o.overdueBeat()
	o.schedule()
}

// Step implements trace.Sink.
func (o *Oracle) Step(s *trace.Step) {
	o.now, o.event = s.Now, s.Event
	if s.Err != nil {
		o.crash(s.Err)
		return
	}
	if s.Why == trace.WhyBoot {
		o.world.away, o.world.back = false, s.Now.Mono
		o.world.boots++
	}
	o.unread = s.Records
	for i := range s.Seen[s.Again:] { // what was shown before is known
		o.observe(&s.Seen[s.Again+i])
	}
	o.records.store(s)
	for i := range o.workers {
		o.workers[i].learn(&s.Truths[i])
	}
	for i := range o.workers {
		o.workers[i].stepSaid = false
	}
	for i := range s.Decision.Verdicts {
		o.verdict(&s.Decision.Verdicts[i])
	}
	for i := range s.Decision.Commands {
		o.command(&s.Decision.Commands[i])
	}
	for i := range o.workers {
		if s.Cut {
			o.workers[i].touched = false // what it stands by now, nobody has heard
			continue
		}
		o.workers[i].standing()
	}
	o.contract(s)
	o.schedule()
}

// Act implements trace.Sink. A command is judged when it is given; what must not be at all, when it takes effect.
func (o *Oracle) Act(a *trace.Act) {
	o.now, o.event = a.Now, a.Event
	if o.cfg.Recovery && a.Worker >= 0 {
		o.workers[a.Worker].acts.act(a)
	}
}

// Fault implements trace.Sink.
func (o *Oracle) Fault(f *trace.Fault) {
	o.now, o.event = f.Now, f.Event
	switch f.Kind {
	case trace.FaultSuspend:
		o.world.slept, o.world.woke = true, f.Now.Mono
	case trace.FaultJump:
		o.world.jumped = true
	case trace.FaultProbe:
		o.workers[f.Worker].facts.probesFail = true
	case trace.FaultFull:
		o.world.full = true
	case trace.FaultFree:
		o.world.full = false
	case trace.FaultCrash:
		o.world.away, o.world.span = true, o.world.span+f.Span
	case trace.FaultSpin:
		o.spin()
	}
}

// End implements trace.Sink.
func (o *Oracle) End(now watchdog.Instant) {
	o.Advance(now)
	if !o.cfg.Recovery || o.crashed {
		return
	}
	o.now = now
	for i := range o.workers {
		o.workers[i].acts.converge()
	}
}

// schedule notes the next moment at which something is due.
func (o *Oracle) schedule() {
	o.due = never
	for i := range o.workers {
		o.due = min(o.due, o.workers[i].due)
	}
	o.due = min(o.due, o.beatDue())
}

// verdict takes one verdict of the subject.
func (o *Oracle) verdict(v *watchdog.Verdict) {
	if !slices.Contains(watchdog.VerdictNames(), v.Name) || !slices.Contains(statuses, v.Status) {
		o.blame(mistakes.UnknownVerdict, finding{expected: "a name and a status of docs/verdicts.md", actual: quote(string(v.Name)) + " " + quote(string(v.Status))})
		return
	}
	i, ok := o.byID[v.Worker]
	if !ok {
		o.blame(mistakes.UnknownWorker, finding{
			expected: "verdicts on workers that exist",
			actual:   "a verdict on " + quote(v.Worker),
		})
		return
	}
	w := &o.workers[i]
	if w.stepSaid { // and says another thing now
		w.standing()
	}
	w.take(v)
	w.stepSaid = true
}

// command takes one command of the subject. What it does to the worker is the world's to carry out.
func (o *Oracle) command(c *watchdog.Command) {
	if !slices.Contains(watchdog.CommandKinds(), c.Kind) {
		o.blame(mistakes.UnknownCommand, finding{said: c.Cause.Name, expected: "a command of the contract", actual: describe(c)})
		return
	}
	o.readable(c)
	if c.Kind == watchdog.CmdHeartbeat {
		o.beat = o.now.Mono
	}
	i, ok := o.byID[c.Worker]
	if !ok {
		if c.Worker != "" {
			o.blame(mistakes.UnknownWorker, finding{expected: "commands for workers that exist", actual: describe(c)})
		}
		return
	}
	w := &o.workers[i]
	w.explained(c)
	w.probes(c)
	if o.cfg.Recovery {
		w.acts.ordered(c)
	}
	switch {
	case o.cfg.Recovery && c.Kind != watchdog.CmdNotify:
	case c.Kind == watchdog.CmdNotify || c.Kind == watchdog.CmdEscalate:
		w.notice(c)
	case c.Kind.Destructive():
		w.harmed(c)
	}
}

// statuses are those that a verdict may have.
var statuses = []watchdog.Status{watchdog.StatusOK, watchdog.StatusSuspected, watchdog.StatusConfirmed}

// sight is what is remembered of one observation: enough to judge a verdict that names it as evidence.
type sight struct {
	worker     int32 // -1 for none
	generation int32
	at         time.Duration
}

// observe takes one observation that the subject was shown.
func (o *Oracle) observe(ob *watchdog.Observation) {
	index, ok := o.byID[ob.Worker]
	if !ok {
		index = -1
	}
	if link, ok := ob.Body.(watchdog.Link); ok && link.Up != o.world.linkUp {
		o.world.linkUp, o.world.linkAt = link.Up, o.now.Mono
	}
	for len(o.seen) < ob.N {
		o.seen = append(o.seen, sight{worker: -1})
	}
	o.seen[ob.N-1] = sight{worker: int32(index), generation: int32(ob.Generation), at: ob.At.Mono}
	if ok {
		o.workers[index].observe(ob, o.recordOf(ob))
	}
}

// recordOf is the record that an observation holds; the zero one if it holds none.
func (o *Oracle) recordOf(ob *watchdog.Observation) *trace.Record {
	if len(o.unread) > 0 && o.unread[0].N == ob.N {
		r := &o.unread[0]
		o.unread = o.unread[1:]
		return r
	}
	return &trace.Record{}
}
