package engine

import (
	"bytes"

	"fakepi.example/fakepi/native"
)

// repetition is one finished tool call: what was called, and what came of it without durations and temporary paths.
type repetition struct{ call, result uint64 }

// step is a repetition with the record that ended it.
type step struct {
	repetition
	mark
}

// maxSteps is how many finished calls are remembered; it bounds the longest cycle to maxSteps / loop_repeats.
const maxSteps = 24

// cycle finds a sequence that repeats at the tail of what it was fed: A-A-A, A-B-A-B-A-B, and so on.
type cycle struct {
	steps   []step // at most maxSteps
	total   int    // steps ever taken
	period  int    // length of the cycle at the tail; 0 = none
	repeats int    // how often it stands there in a row

	wanted bool   // the world is to be looked at
	base   string // the world at the first look in this repetition
	looked int    // total at the last look asked for
	proven bool   // a full cycle later the world was the same
}

// loops watches two cycles: of tool calls, and of compactions that do not shrink the context.
type loops struct {
	calls, compactions cycle
	least              int // loop_repeats
}

// repeated feeds a finished call.
func (w *worker) repeated(r repetition, m mark) {
	w.loop.calls.add(step{r, m}, w.loop.least)
}

// compacted feeds the end of a compaction. One that shrinks the context breaks the cycle; whether one has shows only
// where the size behind it is told, since the size before it is that of the threshold every time.
func (w *worker) compacted(s *native.Skimmed, m mark) {
	l := &w.loop
	switch {
	case s.Aborted, s.TokensBefore == 0, s.TokensAfter == 0:
		return
	case s.TokensAfter < s.TokensBefore*9/10:
		l.compactions = cycle{}
		return
	}
	l.compactions.add(step{repetition{1, 1}, m}, l.least)
}

// reset forgets all: a person spoke.
func (l *loops) reset() { l.calls, l.compactions = cycle{}, cycle{} }

func (l *loops) found() bool { return l.calls.found(l.least) || l.compactions.found(l.least) }

func (l *loops) proven() bool { return l.calls.proven || l.compactions.proven }

func (l *loops) wants() bool { return l.calls.wanted || l.compactions.wanted }

// asked notes that a look at the world is under way.
func (l *loops) asked() {
	for _, c := range []*cycle{&l.calls, &l.compactions} {
		if c.wanted {
			c.looked = c.total
		}
	}
}

// world takes a look at the world: a repetition under which it changes is polling, not a loop (WDC-LOOP-002).
func (l *loops) world(digest string) {
	for _, c := range []*cycle{&l.calls, &l.compactions} {
		if c.wanted {
			c.world(digest)
		}
	}
}

// marks are the records of the repetition.
func (l *loops) marks() []mark {
	c := &l.calls
	if !c.found(l.least) {
		c = &l.compactions
	}
	var out []mark
	for _, s := range c.steps[max(0, len(c.steps)-c.period*l.least):] {
		out = append(out, s.mark)
	}
	return out
}

// first is the first record of the standing cycle, as far as it is remembered: it does not move as the cycle goes on.
func (l *loops) first() mark {
	c := &l.calls
	if !c.found(l.least) {
		c = &l.compactions
	}
	if c.period == 0 {
		return mark{}
	}
	return c.steps[max(0, len(c.steps)-c.period*c.repeats)].mark
}

// since is the first record of the repetition that was found.
func (l *loops) since() mark { return l.marks()[0] }

func (c *cycle) found(least int) bool { return c.repeats >= least }

// add takes a step and finds the shortest cycle at the tail that stands there at least twice.
func (c *cycle) add(s step, least int) {
	c.steps = lastOf(append(c.steps, s), maxSteps)
	c.total++
	var period, repeats int
	for p := 1; p*least <= maxSteps; p++ {
		if n := c.standing(p); n >= 2 {
			period, repeats = p, n
			break
		}
	}
	if period != c.period {
		c.base, c.proven, c.wanted = "", false, false
		c.looked = 0
	}
	c.period, c.repeats = period, repeats
	if !c.proven && repeats >= least-1 && c.total-c.looked >= period {
		c.wanted = true
	}
}

// standing counts how often a cycle of p steps stands at the tail.
func (c *cycle) standing(p int) int {
	same := 0
	for i := len(c.steps) - 1; i >= p && c.steps[i].repetition == c.steps[i-p].repetition; i-- {
		same++
	}
	return (same + p) / p
}

// world compares a look at the world with the one a cycle before.
func (c *cycle) world(digest string) {
	c.wanted = false
	switch {
	case digest == "":
		c.looked = 0 // not known: look again at the next step
	case c.base == "":
		c.base = digest
	case digest != c.base:
		*c = cycle{total: c.total}
	default: // a cycle later
		c.proven = true
	}
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func hash(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// callKey identifies a call by its tool and arguments.
func callKey(tool, args []byte) uint64 {
	return hash(hash(hash(fnvOffset, tool), []byte{0}), args)
}

// outputKey identifies accumulated output; 0 is none yet.
func outputKey(partial []byte) uint64 {
	if len(partial) == 0 || bytes.Equal(partial, []byte(`{"content":[]}`)) {
		return 0
	}
	return hash(fnvOffset, partial)
}

// timings are keys of a result whose values are durations.
var timings = [][]byte{[]byte(`"wall_time_seconds":`), []byte(`"durationMs":`)}

// places are where temporary files live.
var places = [][]byte{[]byte("/tmp/"), []byte("/var/tmp/"), []byte("/var/folders/")}

// something stands for what differs.
var something = []byte{'~'}

// resultKey identifies a result without what differs between two runs of the same call: durations and temporary paths.
func resultKey(result []byte) uint64 {
	h := uint64(fnvOffset)
	for i := 0; i < len(result); {
		n, piece := volatile(result, i), something
		if n == 0 {
			n, piece = 1, result[i:i+1]
		}
		h = hash(h, piece)
		i += n
	}
	return h
}

// volatile returns how many bytes at i are a duration or a temporary path.
func volatile(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		for _, key := range timings {
			if bytes.HasPrefix(b[i:], key) {
				return len(key) + number(b[i+len(key):])
			}
		}
	case c == '/':
		for _, place := range places {
			if bytes.HasPrefix(b[i:], place) {
				return len(place) + pathLength(b[i+len(place):])
			}
		}
	case c >= '0' && c <= '9' && (i == 0 || !wordByte(b[i-1])):
		n := number(b[i:])
		rest := b[i+n:]
		space := len(rest) - len(bytes.TrimLeft(rest, " "))
		if u := unit(rest[space:]); u > 0 && space <= 1 {
			return n + space + u
		}
	}
	return 0
}

func number(b []byte) (n int) {
	for n < len(b) && (b[n] >= '0' && b[n] <= '9' || b[n] == '.') {
		n++
	}
	return n
}

func pathLength(b []byte) (n int) {
	for n < len(b) && b[n] > ' ' && b[n] != '"' && b[n] != '\\' && b[n] != ':' && b[n] != ',' && b[n] != ')' {
		n++
	}
	return n
}

// unit returns the length of a unit of time at the start of b that no word goes on from.
func unit(b []byte) int {
	n := 0
	for n < len(b) && wordByte(b[n]) {
		n++
	}
	switch string(b[:n]) {
	case "ns", "us", "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hour", "hours":
		return n
	}
	return 0
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
