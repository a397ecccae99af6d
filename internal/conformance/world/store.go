package world

import (
	"slices"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// store is the durable state of the subject. It notes where each write of a step ended, since that is where a crash can
// cut.
type store struct {
	memory journal.Memory
	writer journal.Writer
	start  int    // size when the step began
	synced int    // of that, what no crash can take
	ends   []int  // sizes behind each write of the step
	wrote  []byte // since the step before
}

// open gives the store to the next incarnation of the subject.
func (s *store) open(now watchdog.Instant) error {
	if s.writer != nil {
		if err := s.memory.Evict(s.writer.Fence()); err != nil {
			return err
		}
	}
	writer, err := s.memory.Acquire("watchdog", now, time.Hour)
	s.writer = writer
	s.begin()
	return err
}

// begin notes the beginning of a step.
func (s *store) begin() {
	s.start, s.synced, s.ends = s.memory.Size(), s.memory.Synced(), s.ends[:0]
}

// fill makes the disk full, or gives it room again.
func (s *store) fill(full bool) {
	if full {
		s.memory.Fill(s.memory.Size())
		return
	}
	s.memory.Fill(-1)
}

// Read implements watchdog.State.
func (s *store) Read() ([]byte, error) {
	data, err := s.writer.Read()
	return slices.Clone(data), err // the subject may write into it
}

// Append implements watchdog.State.
func (s *store) Append(p []byte) error {
	s.wrote = append(s.wrote, p...)
	err := s.writer.Append(p)
	s.ends = append(s.ends, s.memory.Size())
	return err
}

// Sync implements watchdog.State.
func (s *store) Sync() error { return s.writer.Sync() }

// Truncate implements watchdog.State.
func (s *store) Truncate(size int64) error {
	err := s.writer.Truncate(size)
	s.begin()
	return err
}

// Drop implements journal.Dropper.
func (s *store) Drop(size int64) error {
	err := s.writer.Drop(size)
	s.begin()
	return err
}
