// Package world is the simulated world: workers that play a scenario, a watchdog that is shown what they write, and
// the people, clocks and faults around them. It is a discrete-event loop on virtual time: one scenario, seed, subject
// and vector of choices make one history, byte for byte. It has no clock, no goroutine and no map order.
package world

import (
	"errors"
	"fmt"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// ErrScenario is wrapped by the error about a timeline that cannot be played.
var ErrScenario = errors.New("the timeline cannot be played")

// Config is what a history is made of, apart from the subject and the choices.
type Config struct {
	Steps   []script.Step // of all actors, resolved
	Files   map[string][]byte
	Policy  watchdog.Policy
	Seed    uint64           // of every id and text that the workers invent
	Agents  map[string]Agent // the kinds of workers, by the names that spawns give them
	Renames []Rename         // of records: what the workers write is then a dialect that nobody knows
	Poll    time.Duration    // the subject is stepped that often instead of when it wishes; 0 = it is woken exactly
	Horizon time.Duration    // when the history ends, unless choices add faults; every limit must have had its time to pass by then

	Recovery *Recovery // of a watchdog that acts; nil: it only watches
}

// Rename gives a type of records another name.
type Rename struct{ From, To string }

// Start starts the subject.
type Start func(watchdog.Boot) (watchdog.Watchdog, error)

// World plays one history.
type World struct {
	cfg     Config
	clocks  clocks
	queue   queue
	chooser *Chooser
	start   Start
	subject watchdog.Watchdog
	sinks   []trace.Sink

	workers []*worker
	byID    map[string]int
	rows    []watchdog.Task // of the tracker, by worker
	answers []answer

	effects   []effect // commands on their way
	scripted  []scriptedFate
	kept      map[string]outcome
	given     []Given
	snapshots []string // digests
	people    owner
	linkDown  bool
	diskFull  bool

	store       store
	shelter     shelter
	incarnation int
	crashes     int
	away        bool                   // the subject has crashed and is not back
	down        int                    // kind of that downtime
	passed      []bool                 // the moments of Recovery.CrashAt
	unacked     []watchdog.Observation // shown, and not yet durably taken into account
	acked       int
	again       int // observations of the next step that were shown before

	horizon  time.Duration // when the history ends
	settling time.Duration // from the last step of the timeline to the horizon as it was configured

	wake    time.Duration // when the subject is to be stepped; never if it need not be
	rounds  int           // steps at this instant without news
	idle    int           // steps without news in total
	number  int           // of the last observation
	entries int           // of the history, written so far
	events  int           // taken from the queue
	over    bool

	seen    []watchdog.Observation // scratch of one step
	records []trace.Record         // what of it was not shown before means
	truths  []trace.Truth
	step    trace.Step
	turn    []event // scratch of one instant
	firsts  []int
	ways    []boundary // scratch of one step
}

// epoch is the civil time at which every history begins.
func epoch() time.Time { return time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC) }

// New makes a world; the error, which wraps ErrScenario, says what in the timeline cannot be played.
func New(cfg Config) (*World, error) {
	w := &World{
		cfg: cfg, clocks: newClocks(epoch()), byID: map[string]int{}, wake: never, incarnation: 1, kept: map[string]outcome{},
	}
	for i := range cfg.Steps {
		if err := w.cast(i); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrScenario, err)
		}
	}
	w.truths = make([]trace.Truth, len(w.workers))
	w.lengthen(cfg.Horizon)
	w.settling = cfg.Horizon - w.last()
	return w, nil
}

// last is the last moment of the timeline.
func (w *World) last() time.Duration {
	last := time.Duration(0)
	for i := range w.cfg.Steps {
		last = max(last, w.cfg.Steps[i].End())
	}
	return last
}

// Workers lists the workers' names in the order of their first appearance.
func (w *World) Workers() []string {
	ids := make([]string, len(w.workers))
	for i, k := range w.workers {
		ids[i] = k.id
	}
	return ids
}

// cast gives one step of the timeline to whoever plays it.
func (w *World) cast(i int) error {
	s := &w.cfg.Steps[i]
	if script.IsWorker(s.Actor) {
		return w.castWorker(i)
	}
	priority, source := prioPeople, sourcePeople
	if s.Actor == "world" {
		priority, source = prioFault, sourceWorld
	}
	at := s.At
	switch s.Action.(type) {
	case script.Answers, script.Cancels:
		at = s.End() // so long "after" the dialog
	case script.Disk, script.Decides, script.Outcome:
		if w.cfg.Recovery == nil {
			return &script.Error{
				Pos: s.Pos, Msg: fmt.Sprintf("a watchdog that only watches sees nothing of %q", s.Action.Verb()),
				Hint: "leave the line out, or give the scenario a profile of recovery",
			}
		}
	}
	w.queue.push(event{at: at, priority: priority, source: source, kind: evStep, ref: i})
	return nil
}

// castWorker notes a step of a worker; at its spawn steps a generation begins.
func (w *World) castWorker(i int) error {
	s := &w.cfg.Steps[i]
	k, ok := w.byID[s.Actor]
	if !ok {
		k = len(w.workers)
		w.byID[s.Actor] = k
		w.workers = append(w.workers, newWorker(k, s.Actor))
		w.rows = append(w.rows, watchdog.Task{ID: s.Actor, Status: "in_progress"})
	}
	if _, ok := s.Action.(script.Spawn); !ok {
		if len(w.workers[k].scripted) == 0 {
			return &script.Error{Pos: s.Pos, Msg: fmt.Sprintf("%s does something before it is spawned", s.Actor), Hint: "begin with " + s.Actor + " spawn"}
		}
		return nil
	}
	return w.workers[k].enlist(w, i)
}

// Summary is what a history came to.
type Summary struct {
	Events  int // taken from the queue
	Choices []Choice
	Given   []Given       // the first command of each kind
	Fits    bool          // the vector of choices was made for this history
	Span    time.Duration // virtual time that passed
}

// Run plays the history to its end. The error is that of a subject that would not start.
func (w *World) Run(start Start, chooser *Chooser, sinks ...trace.Sink) (Summary, error) {
	w.chooser, w.sinks, w.start = chooser, sinks, start
	if err := w.races(); err != nil {
		return Summary{}, err
	}
	if w.cfg.Recovery != nil {
		w.healing()
		w.passed = make([]bool, len(w.cfg.Recovery.CrashAt))
	}
	if err := w.begin(); err != nil {
		return Summary{}, err
	}
	w.observe(watchdog.Link{Up: true}, nil)
	w.stepSubject(trace.WhyStart)
	for !w.over {
		w.handle(w.next())
	}
	return Summary{Events: w.events, Choices: chooser.Taken(), Given: w.given, Fits: chooser.Fits(), Span: w.clocks.mono}, nil
}

func (w *World) record() int {
	w.entries++
	return w.entries
}

var _ trace.Facts = (*World)(nil)

// Truth implements trace.Facts.
func (w *World) Truth(worker int) trace.Truth { return w.workers[worker].visible(w) }

// Processes implements trace.Facts.
func (w *World) Processes(worker int) []watchdog.Process {
	return w.workers[worker].processes(w.clocks.mono)
}

// World implements trace.Facts.
func (w *World) World(worker int) string { return w.workers[worker].world() }

// Tree implements trace.Facts.
func (w *World) Tree(worker int) trace.Tree { return w.workers[worker].tree.truth() }
