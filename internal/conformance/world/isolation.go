package world

import (
	"maps"
	"slices"

	"fakepi.example/watchdog"
)

// shelter copies what the subject is given, so that a subject that clears, sorts or overwrites it harms neither the history nor
// the workers, whose bytes the next incarnation may be shown again.
type shelter struct {
	seen  []watchdog.Observation // used again in the next step
	block []byte                 // its free end is used up; what was handed out is never overwritten
}

// blockSize is how much of what workers wrote shares one allocation.
const blockSize = 16 << 10

// show returns a copy of some observations.
func (s *shelter) show(seen []watchdog.Observation) []watchdog.Observation {
	s.seen = append(s.seen[:0], seen...)
	for i := range s.seen {
		s.seen[i].Body = s.body(s.seen[i].Body)
	}
	return s.seen
}

// copied returns a copy of some bytes.
func (s *shelter) copied(data []byte) []byte {
	if cap(s.block)-len(s.block) < len(data) {
		s.block = make([]byte, 0, max(blockSize, len(data)))
	}
	from := len(s.block)
	s.block = append(s.block, data...)
	return s.block[from:len(s.block):len(s.block)]
}

// body returns a copy of what was observed; most of it has nothing that could be changed.
func (s *shelter) body(b watchdog.Body) watchdog.Body {
	switch b := b.(type) {
	case watchdog.Bytes:
		b.Data = s.copied(b.Data)
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
