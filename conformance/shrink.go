package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/scenarios"
)

// ErrShrink says that there is nothing to be made smaller: nothing is wrong in the history of the token.
var ErrShrink = errors.New("nothing to shrink")

// Shrunk is a smaller history that breaks the same requirement by the same mistake.
type Shrunk struct {
	Token   Token
	Steps   [2]int // of the timeline: before, and now
	Choices [2]int // that are not the first way: before, and now
	Played  int    // histories that it took
}

// Events is how many things happen in the history that is left: steps of its timeline, and choices that are not those of
// the base history.
func (s *Shrunk) Events() int { return s.Steps[1] + s.Choices[1] }

// Shrink makes the history of a token smaller as long as it goes on breaking the requirement by the same mistake, the first
// that is found in it, numbers aside: choices are reset to those of the base history or moved to the lowest way that still
// fails, and steps of the timeline are left out. Where the mistake is that the scenario's own expectations are not met, the
// steps stay, since those tell their story. When the context ends, the smallest so far is returned. The error wraps
// ErrShrink, or is one of Replay.
func Shrink(ctx context.Context, subject Subject, all []scenarios.Scenario, t Token) (*Shrunk, error) {
	r, c, err := resume(subject, all, t)
	if err != nil {
		return nil, err
	}
	h, err := r.again(c, t)
	if err != nil {
		return nil, err
	}
	if len(h.violations) == 0 {
		return nil, fmt.Errorf("%w: nothing was found in the history of %s", ErrShrink, t)
	}
	v := &h.violations[0]
	return r.shrink(ctx, c, t.Vector, h, causeOf(v.Requirement, string(v.Mistake), v.Worker, v.Actual)), nil
}

// shrinkAll looks for smaller histories for as long as the options say: for the first failure of each kind of mistake, and no
// more than a quarter of the time for one.
func (r *runner) shrinkAll(ctx context.Context, results []CaseResult, cases []matchCase) {
	ctx, cancel := context.WithTimeout(ctx, r.opts.Shrink)
	defer cancel()
	seen := map[[2]string]bool{}
	for i := range results {
		for j := range results[i].Failures {
			f := &results[i].Failures[j]
			kind := [2]string{f.Requirement, f.Mistake}
			if f.Known || f.Token == "" || seen[kind] || ctx.Err() != nil {
				continue
			}
			seen[kind] = true
			k := slices.IndexFunc(cases, func(c matchCase) bool { return c.id == results[i].ID })
			r.shrinkOne(ctx, &cases[k], f)
		}
	}
}

// shrinkOne looks for a smaller history of a failure.
func (r *runner) shrinkOne(ctx context.Context, c *matchCase, f *Failure) {
	ctx, cancel := context.WithTimeout(ctx, r.opts.Shrink/4)
	defer cancel()
	t, err := ParseToken(f.Token)
	if err != nil {
		return
	}
	h, err := r.playOne(c, t.Vector)
	if err != nil {
		return
	}
	s := r.shrink(ctx, c, t.Vector, h, causeOf(f.Requirement, f.Mistake, f.Worker, f.Actual))
	if !s.Token.Equal(t) {
		f.Shrunk = s
	}
}

// cause is what stays the same of a failure while its history is made smaller.
type cause struct{ requirement, mistake, worker, actual string }

func causeOf(requirement, mistake, worker, actual string) cause {
	return cause{requirement, mistake, worker, quantity.ReplaceAllString(actual, "#")}
}

// quantity is a number, or a duration such as 1m30.5s: when, how long and which observation changes with the history.
var quantity = regexp.MustCompile(`([0-9]+(\.[0-9]+)?(ns|µs|ms|h|m|s)?)+`)

func (k cause) of(v *oracle.Violation) bool {
	return k == causeOf(v.Requirement, string(v.Mistake), v.Worker, v.Actual)
}

// shrinker makes one history smaller.
type shrinker struct {
	ctx    context.Context
	r      *runner
	c      *matchCase // as it was found
	same   cause
	played int
	best   candidate
	vector []int // of the best
	taken  []world.Choice
}

// candidate is a history by what is chosen in it. Its choices are named by their labels: where they stand in a vector
// depends on everything before them.
type candidate struct {
	without []int
	picks   []pick
}

// pick is a choice that is not the first way.
type pick struct {
	point world.Point
	label string
	nth   int // among the choices of this label behind the pick before
	way   int
}

// shrink makes a history smaller in which the same is found.
func (r *runner) shrink(ctx context.Context, c *matchCase, vector []int, h *history, same cause) *Shrunk {
	s := &shrinker{
		ctx: ctx, r: r, c: c, same: same, vector: vector, taken: h.summary.Choices,
		best: candidate{c.without, picksOf(vector, h.summary.Choices)},
	}
	out := &Shrunk{}
	out.Steps[0], out.Choices[0] = len(c.steps()), len(s.best.picks)
	for s.resets() || s.lowers() || s.drops() { // from the cheapest on, until nothing helps
	}
	left := s.less(s.best.without)
	out.Token = r.token(left, s.vector, s.taken)
	out.Steps[1], out.Choices[1], out.Played = len(left.steps()), len(s.best.picks), s.played
	return out
}

// picksOf names the choices of a vector.
func picksOf(vector []int, taken []world.Choice) []pick {
	var picks []pick
	from := 0
	for i, way := range vector {
		if way == 0 {
			continue
		}
		p := pick{point: taken[i].Point, label: taken[i].Label(), way: way}
		for j := from; j < i; j++ {
			if p.fits(&taken[j]) {
				p.nth++
			}
		}
		picks, from = append(picks, p), i+1
	}
	return picks
}

func (p *pick) fits(c *world.Choice) bool { return p.point == c.Point && p.label == c.Label() }

// less is the case without some of its steps.
func (s *shrinker) less(without []int) *matchCase {
	c := *s.c
	c.without = without
	return &c
}

// try makes a candidate the best if the same is found in its history.
func (s *shrinker) try(k candidate) bool {
	if s.ctx.Err() != nil {
		return false
	}
	c := s.less(k.without)
	var vector []int
	h, ok := s.play(c, nil)
	for i := 0; i < len(k.picks) && ok; i++ {
		if vector, ok = k.picks[i].behind(vector, h.summary.Choices); ok {
			h, ok = s.play(c, vector)
		}
	}
	if !ok || !slices.ContainsFunc(h.violations, func(v oracle.Violation) bool { return s.same.of(&v) }) {
		return false
	}
	s.best, s.vector, s.taken = k, vector, h.summary.Choices
	return true
}

func (s *shrinker) play(c *matchCase, vector []int) (*history, bool) {
	s.played++
	h, err := s.r.playOne(c, vector)
	return h, err == nil
}

// behind finds the pick among the choices of a history that follows a vector, and lengthens the vector by it.
func (p *pick) behind(vector []int, taken []world.Choice) ([]int, bool) {
	nth := p.nth
	for i := len(vector); i < len(taken); i++ {
		if !p.fits(&taken[i]) {
			continue
		}
		if nth == 0 {
			longer := make([]int, i+1)
			copy(longer, vector)
			longer[i] = p.way
			return longer, p.way < taken[i].N
		}
		nth--
	}
	return nil, false
}

// resets takes back choices, a crash with its downtime, and reports whether one could be.
func (s *shrinker) resets() bool {
	for i := len(s.best.picks) - 1; i >= 0; i-- {
		n := 1
		if i+1 < len(s.best.picks) && s.best.picks[i+1].point == world.PointDowntime {
			n = 2
		}
		if s.try(candidate{s.best.without, slices.Delete(slices.Clone(s.best.picks), i, i+n)}) {
			return true
		}
	}
	return false
}

// lowers moves choices to a lower way, the first of all if it will do: the nearer boundary, the shorter downtime, the
// earlier moment of a race.
func (s *shrinker) lowers() bool {
	for i, p := range s.best.picks {
		for way := 1; way < p.way; way++ {
			picks := slices.Clone(s.best.picks)
			picks[i].way = way
			if s.try(candidate{s.best.without, picks}) {
				return true
			}
		}
	}
	return false
}

// drops leaves out steps, many at a time and then fewer, and reports whether some could be.
func (s *shrinker) drops() bool {
	all := len(s.less(nil).steps())
	var kept []int
	for i := range all {
		if _, out := slices.BinarySearch(s.best.without, i); !out {
			kept = append(kept, i)
		}
	}
	for n := len(kept) / 2; n > 0; n /= 2 {
		for end := len(kept); end > 0; end -= n {
			without := append(slices.Clone(s.best.without), kept[max(0, end-n):end]...)
			slices.Sort(without)
			if s.try(candidate{without, s.best.picks}) {
				return true
			}
		}
	}
	return false
}
