package recovery

import (
	"context"
	"errors"
	"os"
	"time"

	"fakepi.example/internal/watchdog/evidence"
)

// Sighting is what was seen of a process and its descendants at two moments.
type Sighting struct {
	PID         int     `json:"pid"`
	Gone        bool    `json:"gone,omitempty"`
	Process     Moved   `json:"process,omitzero"`
	Descendants []Moved `json:"descendants,omitempty"`
}

// Moved is a process, with what it did between the looks.
type Moved struct {
	evidence.Process
	CPUBetween float64 `json:"cpu_between_s"`
	IOBetween  uint64  `json:"io_between"` // bytes
}

// busyCPU is the least CPU time between two looks, as a part of the time between them, that is work.
const busyCPU = 0.05

// Sampling is how far apart the two looks are, unless said otherwise.
const Sampling = time.Second

// See looks at a process twice.
func See(ctx context.Context, pid int, apart time.Duration) (*Sighting, error) {
	first, err := evidence.Processes(pid)
	if errors.Is(err, evidence.ErrNoProcess) {
		return &Sighting{PID: pid, Gone: true}, nil
	}
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(apart):
	}
	second, err := evidence.Processes(pid)
	if errors.Is(err, evidence.ErrNoProcess) {
		return &Sighting{PID: pid, Gone: true}, nil
	}
	if err != nil {
		return nil, err
	}
	s := &Sighting{PID: pid}
	for _, p := range second.Processes {
		switch m := since(p, first.Processes); p.PID {
		case pid:
			s.Process = m
		case os.Getpid(): // a look from within, which is no work
		default:
			s.Descendants = append(s.Descendants, m)
		}
	}
	return s, nil
}

// since compares a process with its earlier self.
func since(p evidence.Process, before []evidence.Process) Moved {
	m := Moved{Process: p}
	for i := range before {
		if b := &before[i]; b.PID == p.PID && b.Start == p.Start {
			m.CPUBetween, m.IOBetween = p.CPU-b.CPU, p.IO-b.IO
		}
	}
	return m
}

// works reports whether a descendant used the CPU, or read or wrote.
func (s *Sighting) works() *Moved {
	for i := range s.Descendants {
		if d := &s.Descendants[i]; d.IOBetween > 0 || d.CPUBetween >= busyCPU*Sampling.Seconds() {
			return d
		}
	}
	return nil
}

// asks returns a descendant that is blocked reading a terminal.
func (s *Sighting) asks() *Moved {
	for i := range s.Descendants {
		if d := &s.Descendants[i]; d.Terminal != "" {
			return d
		}
	}
	return nil
}
