package world

import (
	"maps"
	"slices"

	"fakepi.example/watchdog"
)

// shelter copies what the subject is given into memory of its own, so that a subject that clears, sorts or overwrites it harms
// neither the history nor the workers, whose bytes the next incarnation may be shown again. The memory is used again in the
// next step: what a subject is shown is valid until Step returns.
type shelter struct {
	seen  []watchdog.Observation
	bytes []byte
}

// show returns a copy of some observations.
func (s *shelter) show(seen []watchdog.Observation) []watchdog.Observation {
	s.seen = append(s.seen[:0], seen...)
	size := 0
	for i := range seen {
		if b, ok := seen[i].Body.(watchdog.Bytes); ok {
			size += len(b.Data)
		}
	}
	if cap(s.bytes) < size {
		s.bytes = make([]byte, 0, max(size, 2*cap(s.bytes)))
	}
	s.bytes = s.bytes[:0]
	for i := range s.seen {
		s.seen[i].Body = s.body(s.seen[i].Body)
	}
	return s.seen
}

// body returns a copy of what was observed; most of it has nothing that could be changed.
func (s *shelter) body(b watchdog.Body) watchdog.Body {
	switch b := b.(type) {
	case watchdog.Bytes:
		from := len(s.bytes)
		s.bytes = append(s.bytes, b.Data...)
		b.Data = s.bytes[from:len(s.bytes):len(s.bytes)]
		return b
	case watchdog.Probe:
		b.Processes = slices.Clone(b.Processes)
		if b.State != nil {
			state := *b.State
			b.State = &state
		}
		return b
	case watchdog.Worktree:
		b.Gates = slices.Clone(b.Gates)
		return b
	case watchdog.Task:
		b.Gates, b.Vetoes = slices.Clone(b.Gates), slices.Clone(b.Vetoes)
		return b
	}
	return b
}

// policyOf returns a copy of a policy.
func policyOf(p watchdog.Policy) watchdog.Policy {
	p.Effects = maps.Clone(p.Effects)
	p.Overrides = slices.Clone(p.Overrides)
	for i := range p.Overrides {
		p.Overrides[i].Set = maps.Clone(p.Overrides[i].Set)
	}
	return p
}
