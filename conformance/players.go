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

// playAll plays cases side by side and returns their results in order. A subject in this process cannot be stopped: when
// the context ends, what is being played is left to itself, and the error is an *Interrupted.
func (r *runner) playAll(ctx context.Context, cases []matchCase) ([]CaseResult, error) {
	results := make([]CaseResult, len(cases))
	next, all := make(chan int), &players{}
	defer close(next)
	played := r.counter(len(cases))
	finished := make(chan struct{}, len(cases))
	for range min(r.opts.Jobs, len(cases)) {
		go func() {
			for i := range next {
				all.enter(cases[i].id)
				results[i] = r.play(&cases[i])
				all.leave(cases[i].id)
				played()
				finished <- struct{}{}
			}
		}()
	}
	for i := range cases {
		if ctx.Err() != nil {
			return nil, all.interrupted(ctx)
		}
		select {
		case next <- i:
		case <-ctx.Done():
			return nil, all.interrupted(ctx)
		}
	}
	for range cases {
		select {
		case <-finished:
		case <-ctx.Done():
			return nil, all.interrupted(ctx)
		}
	}
	return results, nil
}
