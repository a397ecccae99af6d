package conformance_test

import (
	"bytes"
	"slices"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// vandal is right, and spoils whatever it was given, and whatever it has answered.
type vandal struct{ reference }

func (vandal) Start(b watchdog.Boot) (watchdog.Watchdog, error) {
	given := b
	b.Policy.Effects = map[watchdog.EffectClass]watchdog.Permission{}
	for class, permission := range given.Policy.Effects {
		b.Policy.Effects[class] = permission
	}
	b.Policy.Overrides = nil
	for _, o := range given.Policy.Overrides {
		set := map[string]string{}
		for limit, value := range o.Set {
			set[limit] = value
		}
		o.Set = set
		b.Policy.Overrides = append(b.Policy.Overrides, o)
	}
	b.Roster, b.OwnerKey = slices.Clone(b.Roster), bytes.Clone(b.OwnerKey)
	if b.State != nil {
		b.State = careless{b.State}
	}
	w, err := reference{}.Start(b)
	for class := range given.Policy.Effects {
		given.Policy.Effects[class] = watchdog.PermitNever
	}
	for i := range given.Policy.Overrides {
		clear(given.Policy.Overrides[i].Set)
	}
	clear(given.Policy.Overrides)
	clear(given.Roster)
	clear(given.OwnerKey)
	return &spoiler{Watchdog: w}, err
}

// careless spoils what it has read of its state.
type careless struct{ watchdog.State }

func (c careless) Read() ([]byte, error) {
	data, err := c.State.Read()
	mine := bytes.Clone(data)
	clear(data)
	return mine, err
}

// spoiler steps with a copy, and spoils the original.
type spoiler struct {
	watchdog.Watchdog
	last watchdog.Decision
}

func (s *spoiler) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	d, err := s.Watchdog.Step(now, copyOf(seen))
	for i := range seen {
		switch b := seen[i].Body.(type) {
		case watchdog.Bytes:
			clear(b.Data)
		case watchdog.Probe:
			clear(b.Processes)
			if b.State != nil {
				*b.State = watchdog.RPCState{Pending: 99}
			}
		case watchdog.Worktree:
			clear(b.Gates)
		case watchdog.Task:
			clear(b.Vetoes)
			clear(b.Gates)
		}
	}
	slices.Reverse(seen)
	clear(seen)
	for i := range s.last.Commands {
		c := &s.last.Commands[i]
		if c.Target != nil {
			*c.Target = watchdog.Target{PID: 1}
		}
		clear(c.Evidence)
		clear(c.Input)
		*c = watchdog.Command{}
	}
	for i := range s.last.Verdicts {
		clear(s.last.Verdicts[i].Flags)
		s.last.Verdicts[i] = watchdog.Verdict{}
	}
	s.last = ownDecision(d)
	return s.last, err
}

func copyOf(seen []watchdog.Observation) []watchdog.Observation {
	mine := slices.Clone(seen)
	for i := range mine {
		switch b := mine[i].Body.(type) {
		case watchdog.Bytes:
			b.Data = bytes.Clone(b.Data)
			mine[i].Body = b
		case watchdog.Probe:
			b.Processes = slices.Clone(b.Processes)
			if b.State != nil {
				state := *b.State
				b.State = &state
			}
			mine[i].Body = b
		case watchdog.Worktree:
			b.Gates = slices.Clone(b.Gates)
			mine[i].Body = b
		case watchdog.Task:
			b.Vetoes, b.Gates = slices.Clone(b.Vetoes), slices.Clone(b.Gates)
			mine[i].Body = b
		}
	}
	return mine
}

// ownDecision is a decision that shares no memory with the engine.
func ownDecision(d watchdog.Decision) watchdog.Decision {
	d.Commands, d.Verdicts = slices.Clone(d.Commands), slices.Clone(d.Verdicts)
	for i := range d.Commands {
		c := &d.Commands[i]
		c.Evidence, c.Input = slices.Clone(c.Evidence), slices.Clone(c.Input)
		if c.Target != nil {
			target := *c.Target
			c.Target = &target
		}
	}
	for i := range d.Verdicts {
		d.Verdicts[i].Flags = slices.Clone(d.Verdicts[i].Flags)
	}
	return d
}

// A subject that spoils what it was given harms neither the suite nor the judge nor what is played after it: its histories are
// those of the subject that does not, and so are the reference's behind it.
func TestIsolation(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	o := conformance.Options{CaseGlob: played, Histories: 12, Explore: conformance.ExploreFull, Shard: conformance.Shard{Index: 1, Of: 12}, Shrink: -1}
	if testing.Short() {
		o.Shard.Of = 60
	}
	want := run(t, reference{}, all, o)
	for _, s := range []conformance.Subject{vandal{}, reference{}} {
		got := run(t, s, all, o)
		if len(got.Cases) != len(want.Cases) || len(got.Cases) == 0 {
			t.Fatalf("%T: %d cases, want %d", s, len(got.Cases), len(want.Cases))
		}
		for i, c := range got.Cases {
			if c.Digest != want.Cases[i].Digest || c.Status != want.Cases[i].Status {
				t.Errorf("%T %s: %s, digest %.8s; want %s, %.8s", s, c.ID, c.Status, c.Digest, want.Cases[i].Status, want.Cases[i].Digest)
			}
		}
	}
}
