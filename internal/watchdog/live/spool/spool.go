// Package spool is the log of what was observed of a worker: one watchdog.Observation in its JSON form a line, numbered
// from 1 without a hole.
//
// The holder of a worker writes what the worker's streams carry, the watchdog writes the answers to its own questions.
// Both append under a lock, so the log is one order of all that happened, and whoever reads it again sees the same
// (WDC-REST-001). It outlives both: a line is in the file when Append returns. A writer that was killed may leave a torn
// last line, which the next one cuts off.
package spool

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"fakepi.example/watchdog"
)

// ErrDamaged is wrapped by the error about a log with a line that is no observation, or not the next one.
var ErrDamaged = errors.New("the spool is damaged")

// Spool is an open log. It is not safe for concurrent use; every user opens it for itself.
type Spool struct {
	file *os.File
	tail position // of the last observation known, for Append
	seen position // of the last one that Next has shown
}

// position is a place between two observations.
type position struct {
	last int   // number of the observation before it
	end  int64 // offset
}

// Open opens the log in a file for appending, or creates it for its owner only (WDC-SAFE-004).
func Open(path string) (*Spool, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &Spool{file: file}, nil
}

// Close releases the file.
func (s *Spool) Close() error { return s.file.Close() }

// Append gives the observation the next number and writes it down. Its instant is the caller's.
func (s *Spool) Append(o watchdog.Observation) (int, error) {
	if err := unix.Flock(int(s.file.Fd()), unix.LOCK_EX); err != nil {
		return 0, fmt.Errorf("%s: lock: %w", s.file.Name(), err)
	}
	defer func() { _ = unix.Flock(int(s.file.Fd()), unix.LOCK_UN) }() // the close of the file would do it, too
	if err := s.catchUp(); err != nil {
		return 0, err
	}
	o.N = s.tail.last + 1
	line, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	line = append(line, '\n')
	if n, err := s.file.WriteAt(line, s.tail.end); err != nil {
		return 0, errors.Join(err, s.cut(n))
	}
	s.tail.pass(o.N, len(line))
	return o.N, nil
}

// cut takes back a line of which only n bytes could be written.
func (s *Spool) cut(n int) error {
	if n == 0 {
		return nil
	}
	return s.file.Truncate(s.tail.end)
}

func (p *position) pass(n, size int) { p.last, p.end = n, p.end+int64(size) }

// catchUp reads what others have appended, and cuts off what a killed writer has left torn.
func (s *Spool) catchUp() error {
	if err := s.read(&s.tail, func(watchdog.Observation) error { return nil }); err != nil {
		return err
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > s.tail.end {
		return s.file.Truncate(s.tail.end)
	}
	return nil
}

// Next calls see for each observation that was appended since the last call, in order. An unfinished last line is left
// for later. An error of see ends the reading; that observation then counts as seen.
func (s *Spool) Next(see func(watchdog.Observation) error) error { return s.read(&s.seen, see) }

// read shows what stands behind a position, and moves it.
func (s *Spool) read(from *position, see func(watchdog.Observation) error) error {
	info, err := s.file.Stat()
	if err != nil || info.Size() == from.end {
		return err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(s.file, from.end, info.Size()-from.end), 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		o, err := s.decode(line, from.last+1)
		if err != nil {
			return err
		}
		from.pass(o.N, len(line))
		if err := see(o); err != nil {
			return err
		}
	}
}

func (s *Spool) decode(line []byte, due int) (watchdog.Observation, error) {
	var o watchdog.Observation
	if err := json.Unmarshal(bytes.TrimSuffix(line, []byte("\n")), &o); err != nil {
		return o, fmt.Errorf("%w: %s:%d: %w", ErrDamaged, s.file.Name(), due, err)
	}
	if o.N != due {
		return o, fmt.Errorf("%w: %s:%d: observation %d where %d is due", ErrDamaged, s.file.Name(), due, o.N, due)
	}
	return o, nil
}
