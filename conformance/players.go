package conformance

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Interrupted says that a run was cut off by its context, whose error it wraps. Nothing was judged.
type Interrupted struct {
	Playing []string // cases that were being played: one that hangs is among them
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

// players knows what the goroutines that play cases are at.
type players struct {
	mu      sync.Mutex
	playing []string // sorted
}

func (p *players) enter(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, _ := slices.BinarySearch(p.playing, id)
	p.playing = slices.Insert(p.playing, i, id)
}

func (p *players) leave(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i, ok := slices.BinarySearch(p.playing, id); ok {
		p.playing = slices.Delete(p.playing, i, i+1)
	}
}

func (p *players) interrupted(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &Interrupted{slices.Clone(p.playing), ctx.Err()}
}

// playAll plays cases side by side until so many histories of each were played. A subject in this process cannot be
// stopped: when the context ends, what is being played is left to itself, and the error is an *Interrupted.
func (r *runner) playAll(ctx context.Context, cases []*exploration, most int) error {
	next, all := make(chan *exploration), &players{}
	defer close(next)
	played := r.counter(len(cases))
	finished := make(chan struct{}, len(cases))
	for range min(r.opts.Jobs, len(cases)) {
		go func() {
			for e := range next {
				all.enter(e.c.id)
				r.explore(e, most)
				all.leave(e.c.id)
				played()
				finished <- struct{}{}
			}
		}()
	}
	for _, e := range cases {
		if ctx.Err() != nil {
			return all.interrupted(ctx)
		}
		select {
		case next <- e:
		case <-ctx.Done():
			return all.interrupted(ctx)
		}
	}
	for range cases {
		select {
		case <-finished:
		case <-ctx.Done():
			return all.interrupted(ctx)
		}
	}
	return nil
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
