package conformance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// Interrupted says that a run was cut off by its context, whose error it wraps. What was not played was not judged.
type Interrupted struct {
	Playing []string  // cases that were being played: one that hangs is among them
	Found   []Failure // until then
	cause   error
}

// Error implements error.
func (e *Interrupted) Error() string {
	if len(e.Playing) == 0 {
		return "interrupted"
	}
	return "interrupted in " + strings.Join(e.Playing, ", ")
}

// Unwrap returns the context's error.
func (e *Interrupted) Unwrap() error { return e.cause }

// players are goroutines that play the histories of cases side by side, those of the first cases first.
type players struct {
	r      *runner
	most   int // histories of one case
	played func()

	mu      sync.Mutex
	moved   sync.Cond // a history was played, or the run is cut off
	cases   []*exploration
	settled []bool // cases of which as many are played as may be
	first   int    // the first that is not settled
	busy    []bool // cases whose histories are being merged
	left    int    // cases that are not settled
	stopped bool
}

// playAll plays cases until so many histories of each were played. A subject in this process cannot be stopped: when the
// context ends, what is being played is left to itself, and the error is an *Interrupted.
func (r *runner) playAll(ctx context.Context, cases []*exploration, most int) error {
	p := &players{
		r: r, most: most, played: r.counter(len(cases)), cases: cases,
		settled: make([]bool, len(cases)), busy: make([]bool, len(cases)), left: len(cases),
	}
	p.moved.L = &p.mu
	var all sync.WaitGroup
	finished := make(chan struct{})
	for range min(r.opts.Jobs, len(cases)*maxWave) { // more would find nothing to play
		all.Go(p.work)
	}
	go func() {
		all.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return p.interrupt(ctx.Err())
	}
	return nil
}

// work plays histories until there is none to be begun, now or later.
func (p *players) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.left > 0 && !p.stopped {
		i, w := p.take()
		if w == nil {
			if p.left > 0 {
				p.moved.Wait()
			}
			continue
		}
		e := p.cases[i]
		p.mu.Unlock()
		p.r.play(e, w)
		p.mu.Lock()
		if e.played++; e.played == e.begun {
			p.busy[i] = true
			p.mu.Unlock()
			p.r.merge(e)
			p.mu.Lock()
			p.busy[i] = false
		}
		p.moved.Broadcast()
	}
	p.moved.Broadcast()
}

// take finds a history to be played, and settles the cases that have none and wait for none.
func (p *players) take() (int, *wish) {
	for i := p.first; i < len(p.cases); i++ {
		e := p.cases[i]
		if p.settled[i] || p.busy[i] {
			continue
		}
		if w := p.r.next(e, p.most); w != nil {
			return i, w
		}
		if e.played == e.begun {
			e.finish(p.r.opts.Explore)
			p.settled[i] = true
			p.left--
			p.played()
		}
	}
	for p.first < len(p.cases) && p.settled[p.first] {
		p.first++
	}
	return 0, nil
}

// interrupt has the players stop, and tells the cases at which they are and what was found.
func (p *players) interrupt(cause error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.moved.Broadcast()
	e := &Interrupted{cause: cause}
	for i, c := range p.cases {
		if c.played < c.begun || p.busy[i] {
			e.Playing = append(e.Playing, c.c.id)
		}
		if !p.busy[i] {
			e.Found = append(e.Found, c.result.Failures...)
		}
	}
	slices.Sort(e.Playing)
	return e
}

// playRounds plays cases, in rounds if the options ask for more histories after the first, and returns their results in
// order.
func (r *runner) playRounds(ctx context.Context, cases []matchCase) ([]CaseResult, error) {
	var all []*exploration
	for i := range cases {
		all = append(all, r.begin(&cases[i]))
	}
	open := all
	for most := r.opts.Histories; most > 0; most = r.opts.more(most, len(open)) {
		if err := r.playAll(ctx, open, most); err != nil {
			if cut, ok := errors.AsType[*Interrupted](err); ok {
				cut.Found = append(failuresOf(all, func(e *exploration) bool { return !slices.Contains(open, e) }), cut.Found...)
			}
			return nil, err
		}
		r.opts.Histories = most
		open = slices.DeleteFunc(slices.Clone(open), func(e *exploration) bool { return e.over })
		if len(open) == 0 {
			break
		}
	}
	var results []CaseResult
	for _, e := range all {
		results = append(results, e.result)
	}
	return results, nil
}

// failuresOf lists the failures of some of the cases.
func failuresOf(cases []*exploration, chosen func(*exploration) bool) []Failure {
	var list []Failure
	for _, e := range cases {
		if chosen(e) {
			list = append(list, e.result.Failures...)
		}
	}
	return list
}

// more asks how many histories of a case may be played in all, and returns 0 if it may be no more.
func (o *Options) more(played, open int) int {
	if o.More == nil {
		return 0
	}
	if most := o.More(played, open); most > played {
		return most
	}
	return 0
}
