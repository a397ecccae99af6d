package fakepi

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/benbjohnson/clock"
)

// Player runs a Worker on a clock and writes what it prints.
type Player struct {
	Worker *Worker
	Clock  clock.Clock // default: the real one
	Out    io.Writer   // stdout, or the terminal of a tui
	Err    io.Writer   // default: dropped
	// Speed is how many times faster than written the script runs; 0 does not wait at all.
	Speed float64
}

// Play plays until the worker has nothing more to do by itself, or until the context ends; it returns how the worker
// exited, nil if it did not. The error is the context's or that of a writer.
func (p *Player) Play(ctx context.Context) (*Exit, error) {
	if p.Clock == nil {
		p.Clock = clock.New()
	}
	start := p.Clock.Now()
	var out []Output
	var exit *Exit
	for {
		at, ok := p.Worker.Next()
		if !ok {
			return exit, nil
		}
		if err := p.wait(ctx, start, at); err != nil {
			return exit, err
		}
		out = p.Worker.Step(at, out[:0])
		for i := range out {
			if out[i].Exit != nil {
				exit = out[i].Exit
			}
			if err := p.write(&out[i]); err != nil {
				return exit, fmt.Errorf("playing at %s: %w", at, err)
			}
		}
	}
}

// wait lets the clock come to a time of the script.
func (p *Player) wait(ctx context.Context, start time.Time, at time.Duration) error {
	if err := ctx.Err(); err != nil || p.Speed <= 0 {
		return err
	}
	d := time.Duration(float64(at)/p.Speed) - p.Clock.Since(start)
	if d <= 0 {
		return nil
	}
	timer := p.Clock.Timer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Player) write(o *Output) error {
	to := p.Out
	switch o.Stream {
	case Out, PTY:
	case Err:
		to = p.Err
	default:
		to = nil
	}
	if to == nil || len(o.Data) == 0 {
		return nil
	}
	_, err := to.Write(o.Data)
	return err
}
