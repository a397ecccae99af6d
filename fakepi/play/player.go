// Package play runs a scripted worker on a clock, the real one or another. It holds the only clock of fakepi.
package play

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/benbjohnson/clock"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
)

// Player runs a [fakepi.Worker] on a clock, together with the user who answers it, and writes what it prints.
type Player struct {
	Worker  *fakepi.Worker
	Replies []script.Step // of the user, in order of time, each given at its end
	Clock   clock.Clock   // default: the real one
	Out     io.Writer     // stdout, or the terminal of a tui
	Err     io.Writer     // default: dropped
	// Speed is how many times faster than written the script runs; 0 does not wait at all.
	Speed float64
	Until time.Duration // of the script, at which to stop; 0: when nothing more happens by itself
}

// Play plays until neither the worker nor the user has more to do, until Until, or until the context ends; it returns
// how the worker exited, nil if it did not. The error is the context's or that of a writer.
func (p *Player) Play(ctx context.Context) (*fakepi.Exit, error) {
	if p.Clock == nil {
		p.Clock = clock.New()
	}
	start := p.Clock.Now()
	var out []fakepi.Output
	var exit *fakepi.Exit
	for {
		at, reply, ok := p.next()
		if !ok || p.Until > 0 && at > p.Until {
			return exit, nil
		}
		if err := p.wait(ctx, start, at); err != nil {
			return exit, err
		}
		if reply {
			out = p.reply(at, out[:0])
		} else {
			out = p.Worker.Step(at, out[:0])
		}
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

// next is the earlier of the worker's and the user's next moments. The worker is first at one instant, since a dialog
// must be open to be answered.
func (p *Player) next() (at time.Duration, reply, ok bool) {
	at, ok = p.Worker.Next()
	if len(p.Replies) == 0 {
		return at, false, ok
	}
	if end := p.Replies[0].End(); !ok || end < at {
		return end, true, true
	}
	return at, false, true
}

// reply lets the user give the next answer. Where no dialog is open it is lost.
func (p *Player) reply(at time.Duration, out []fakepi.Output) []fakepi.Output {
	action := p.Replies[0].Action
	p.Replies = p.Replies[1:]
	answers, _ := action.(script.Answers)
	_, cancels := action.(script.Cancels)
	line := p.Worker.Answer(answers.Value, cancels)
	if line == nil {
		return out
	}
	return p.Worker.Send(at, line, out)
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

func (p *Player) write(o *fakepi.Output) error {
	to := p.Out
	switch o.Stream {
	case fakepi.Out, fakepi.PTY:
	case fakepi.Err:
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
