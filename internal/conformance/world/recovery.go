package world

import (
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// Recovery makes a world one for watchdogs that act: they have durable state, what they find out about a worktree comes
// as facts, the owner answers, and all faults end at last. Without it a watchdog only watches.
type Recovery struct {
	Spawner watchdog.Spawner
	Races   []Race
	Points  Points   // the kinds of choices that are open besides orders and races
	Crashes int      // how often the watchdog may crash in one history
	CrashAt []Anchor // crashes in steps at one of these are Named; nil: all are
}

// Race is a step that may come around a moment. Step is resolved for that moment, and played 1 ms before it, at it and
// first, at it and last, or 1 ms after it (PointRace).
type Race struct {
	Label string
	Step  script.Step
}

// Anchor is a place in a history: a kind of command, or a moment.
type Anchor struct {
	Command watchdog.CommandKind // empty: the first step at the moment or behind it
	At      time.Duration
}

// Given is a command that the subject gave first at a moment.
type Given struct {
	Kind watchdog.CommandKind
	At   time.Duration
}

// open reports whether choices of a kind are made.
func (w *World) open(p Point) bool { return w.cfg.Recovery != nil && w.cfg.Recovery.Points.Has(p) }

// The ways of a race.
const (
	raceNever = iota
	raceBefore
	raceFirst
	raceLast
	raceAfter
	raceWays
)

const aMoment = time.Millisecond

// races chooses when the steps of the races come.
func (w *World) races() error {
	if w.cfg.Recovery == nil {
		return nil
	}
	for i := range w.cfg.Recovery.Races {
		r := &w.cfg.Recovery.Races[i]
		s := r.Step
		last := false
		switch w.chooser.Choose(Choice{Point: PointRace, N: raceWays, Of: r.Label}) {
		case raceNever:
			continue
		case raceBefore:
			s.At = max(0, s.At-aMoment)
		case raceLast:
			last = true
		case raceAfter:
			s.At += aMoment
		}
		if err := w.inject(s, last); err != nil {
			return err
		}
	}
	return nil
}

// inject adds a step to the timeline; last: it comes last of all that falls on its instant.
func (w *World) inject(s script.Step, last bool) error {
	if k, ok := w.byID[s.Actor]; ok {
		return w.workers[k].inject(w, s, last)
	}
	w.cfg.Steps = append(w.cfg.Steps[:len(w.cfg.Steps):len(w.cfg.Steps)], s)
	i := len(w.cfg.Steps) - 1
	if err := w.cast(i); err != nil || !last {
		return err
	}
	for j := range w.queue.heap {
		if e := &w.queue.heap[j]; e.kind == evStep && e.ref == i {
			e.priority = prioLate
		}
	}
	w.queue.order()
	return nil
}

// inject adds a step to the life that is lived at its time. A worker that was to be silent for ever is not if the step
// says more.
func (k *worker) inject(w *World, s script.Step, last bool) error {
	for i := len(k.scripted) - 1; i >= 0; i-- {
		sec := &k.scripted[i]
		if sec.at > s.At {
			continue
		}
		var steps []script.Step
		added := false
		for _, old := range sec.steps {
			if !added && old.At > s.At {
				steps, added = append(steps, s), true
			}
			if !silence(old.Action) || old.At > s.At || ends(s.Action) {
				steps = append(steps, old)
			}
		}
		if !added {
			steps = append(steps, s)
		}
		sec.steps = steps
		process, err := k.play(w, sec, i+1)
		if err != nil {
			return err
		}
		sec.process = process
		if last {
			sec.late = s.At
		}
		return nil
	}
	return nil
}

func silence(a script.Action) bool {
	_, ok := a.(script.Stalls)
	return ok
}

func ends(a script.Action) bool {
	switch a.(type) {
	case script.Exits, script.Killed, script.Chatter, script.Notifies:
		return true
	}
	return false
}

// healing is when all faults of the timeline end by themselves: behind the last one, when the longest limit has passed.
func (w *World) healing() {
	faulty := false
	for i := range w.cfg.Steps {
		switch a := w.cfg.Steps[i].Action.(type) {
		case script.Link:
			faulty = faulty || !a.Up
		case script.Disk:
			faulty = faulty || a.Full
		case script.Probes:
			faulty = faulty || a.Says != script.ProbesTruth
		}
	}
	if faulty {
		l := &w.cfg.Policy.Limits
		longest := max(l.Stall, l.Startup, l.Settle, l.FirstTokenLimit(), l.StreamGapLimit(), l.Tool, l.Compaction)
		w.queue.push(event{at: w.last() + longest, priority: prioFault, source: sourceWorld, kind: evHeal})
	}
}
