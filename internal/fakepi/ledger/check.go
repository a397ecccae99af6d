package ledger

import (
	"fmt"
	"time"
)

// Check finds what no honest worker can have written, a sentence each, in the order of the records: a process that
// writes without a start, or behind its exit; generations out of order; clocks that go back; bytes out of order.
func Check(records []Record) []string {
	c := checker{processes: map[int]*process{}}
	for i := range records {
		c.record(i+1, &records[i])
	}
	return c.problems
}

// checker follows the processes of a ledger.
type checker struct {
	processes  map[int]*process // by pid
	generation int              // the newest
	problems   []string
}

// process is what is known of one that has written.
type process struct {
	generation int
	child      bool // of a tool
	exited     bool
	eof        bool
	mono       time.Duration
	stdin      int64            // bytes
	streams    map[string]int64 // bytes
}

func (c *checker) problem(n int, r *Record, format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf("record %d (%s of pid %d): %s", n, r.Event.kind(), r.PID, fmt.Sprintf(format, args...)))
}

func (c *checker) record(n int, r *Record) {
	if _, ok := r.Event.(*Start); ok {
		c.start(n, r)
		return
	}
	p := c.processes[r.PID]
	switch {
	case p == nil:
		c.problem(n, r, "there is no start before it")
		return
	case p.generation != r.Generation:
		c.problem(n, r, "generation %d, its start said %d", r.Generation, p.generation)
	case p.exited:
		c.problem(n, r, "it has exited before")
	case r.Mono < p.mono:
		c.problem(n, r, "its clock went back by %s", p.mono-r.Mono)
	}
	p.mono = r.Mono
	c.follow(n, r, p)
}

func (c *checker) start(n int, r *Record) {
	if r.Generation <= c.generation { // one may be missing: killed before its first record
		c.problem(n, r, "generation %d begins behind generation %d", r.Generation, c.generation)
	}
	c.generation = r.Generation
	c.processes[r.PID] = &process{generation: r.Generation, mono: r.Mono, streams: map[string]int64{}}
}

// follow checks a record against what its process has written before.
func (c *checker) follow(n int, r *Record, p *process) {
	if _, ok := r.Event.(*Effect); p.child && !ok {
		c.problem(n, r, "a tool's process tells effects only")
	}
	switch e := r.Event.(type) {
	case *Stdin:
		if p.eof || e.Offset != p.stdin {
			c.problem(n, r, "a line at offset %d, where %d bytes had come (end of stdin: %t)", e.Offset, p.stdin, p.eof)
		}
		p.stdin = e.Offset + int64(len(e.Line)+len(e.Bytes)) + 1
	case *StdinEOF:
		if p.eof {
			c.problem(n, r, "stdin has ended before")
		}
		p.eof = true
	case *Delta:
		if e.Offset != p.streams[e.Stream] {
			c.problem(n, r, "written at offset %d of %s, which had %d bytes", e.Offset, e.Stream, p.streams[e.Stream])
		}
		p.streams[e.Stream] = e.Offset + int64(e.Length)
	case *ToolChild:
		if !e.Ended {
			c.processes[e.PID] = &process{generation: r.Generation, child: true, mono: r.Mono}
		}
	case *Exit:
		p.exited = true
	}
}
