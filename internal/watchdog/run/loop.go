package run

import "fakepi.example/internal/watchdog/agents"

// repetition is one finished tool call: what was called, and what came of it without durations and temporary paths.
type repetition struct{ call, result uint64 }

// step is a repetition with the record that ended it.
type step struct {
	repetition
	Mark
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

// loops watches three cycles, each on its own: of tool calls, of compactions that do not shrink the context, and of
// compactions with neither a finished message nor a finished call between them, whatever their sizes.
type loops struct {
	calls, compactions, bare cycle
	least                    int // loop_repeats
}

// all lists the cycles. The first that is found is the one that is reported.
func (l *loops) all() [3]*cycle { return [...]*cycle{&l.calls, &l.compactions, &l.bare} }

// standing returns the cycle that is found, or the last.
func (l *loops) standing() *cycle {
	for _, c := range l.all() {
		if c.found(l.least) {
			return c
		}
	}
	return &l.bare
}

// repeated feeds a finished call.
func (w *Worker) repeated(r repetition, m Mark) {
	w.loop.calls.add(step{r, m}, w.loop.least)
	w.loop.worked()
}

// worked notes that something was finished: compactions before it and after it are not in a row.
func (l *loops) worked() {
	if l.bare.total > 0 {
		l.bare = cycle{}
	}
}

// compacted feeds the end of a compaction. One that shrinks the context breaks the cycle; whether one has shows only
// where the source reports the size after it, since the size before it is that of the threshold every time.
func (w *Worker) compacted(ev *agents.Event, m Mark) {
	if ev.Aborted {
		return
	}
	l := &w.loop
	l.bare.add(step{repetition{1, 1}, m}, l.least)
	switch {
	case ev.Before == 0, ev.After == 0:
		return
	case ev.After < ev.Before*9/10:
		l.compactions = cycle{}
		return
	}
	l.compactions.add(step{repetition{1, 1}, m}, l.least)
}

// reset forgets all: a person spoke.
func (l *loops) reset() { l.calls, l.compactions, l.bare = cycle{}, cycle{}, cycle{} }

func (l *loops) found() bool {
	return l.calls.found(l.least) || l.compactions.found(l.least) || l.bare.found(l.least)
}

func (l *loops) proven() bool { return l.calls.proven || l.compactions.proven || l.bare.proven }

func (l *loops) wants() bool { return l.calls.wanted || l.compactions.wanted || l.bare.wanted }

// asked notes that a look at the world is under way.
func (l *loops) asked() {
	for _, c := range l.all() {
		if c.wanted {
			c.looked = c.total
		}
	}
}

// world takes a look at the world: a repetition under which it changes is polling, not a loop (WDC-LOOP-002).
func (l *loops) world(digest string) {
	for _, c := range l.all() {
		if c.wanted {
			c.world(digest)
		}
	}
}

// marks are the records of the repetition.
func (l *loops) marks() []Mark {
	c := l.standing()
	var out []Mark
	for _, s := range c.steps[max(0, len(c.steps)-c.period*l.least):] {
		out = append(out, s.Mark)
	}
	return out
}

// first is the first record of the standing cycle, as far as it is remembered: it does not move as the cycle goes on.
func (l *loops) first() Mark {
	c := l.standing()
	if c.period == 0 {
		return Mark{}
	}
	return c.steps[max(0, len(c.steps)-c.period*c.repeats)].Mark
}

// since is the first record of the repetition that was found.
func (l *loops) since() Mark { return l.marks()[0] }

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
