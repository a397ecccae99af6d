package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/benbjohnson/clock"
	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
)

// performance plays a worker together with the user who answers it.
type performance struct {
	worker  *fakepi.Worker
	replies []script.Step // of the user, in order of time
	speed   float64       // 0: without waiting
	until   time.Duration // of the script; 0: without end
	clock   clock.Clock
	out     io.Writer
	errOut  io.Writer
	painted bool // the worker has a screen
}

// run plays until neither the worker nor the user has more to do, or the time is over.
func (p *performance) run(ctx context.Context) error {
	start := p.clock.Now()
	var out []fakepi.Output
	for {
		at, isReply, ok := p.next()
		if !ok || p.until > 0 && at > p.until {
			return nil
		}
		if err := p.wait(ctx, start, at); err != nil {
			return err
		}
		if isReply {
			out = p.reply(at, out[:0])
		} else {
			out = p.worker.Step(at, out[:0])
		}
		if err := p.write(out); err != nil {
			return err
		}
	}
}

// next is the earlier of the worker's and the user's next moments. The worker is first at one instant, since a dialog
// must be open to be answered.
func (p *performance) next() (at time.Duration, isReply, ok bool) {
	at, ok = p.worker.Next()
	if len(p.replies) == 0 {
		return at, false, ok
	}
	if end := p.replies[0].End(); !ok || end < at {
		return end, true, true
	}
	return at, false, true
}

// reply lets the user give the next answer. Where no dialog is open it is lost.
func (p *performance) reply(at time.Duration, out []fakepi.Output) []fakepi.Output {
	a := p.replies[0].Action
	p.replies = p.replies[1:]
	answers, _ := a.(script.Answers)
	_, cancels := a.(script.Cancels)
	line := p.worker.Answer(answers.Value, cancels)
	if line == nil {
		return out
	}
	return p.worker.Send(at, line, out)
}

func (p *performance) wait(ctx context.Context, start time.Time, at time.Duration) error {
	if p.speed == 0 {
		return ctx.Err()
	}
	timer := p.clock.Timer(time.Duration(float64(at)/p.speed) - p.clock.Since(start))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *performance) write(out []fakepi.Output) error {
	for i := range out {
		to := p.out
		switch out[i].Stream {
		case fakepi.Out:
		case fakepi.PTY:
			p.painted = true
		case fakepi.Err:
			to = p.errOut
		default:
			continue
		}
		if _, err := to.Write(out[i].Data); err != nil {
			return err
		}
	}
	return nil
}

// restoreTerminal takes a painted screen from the user's terminal. What a pipe gets is the worker's alone.
func (p *performance) restoreTerminal() error {
	file, ok := p.out.(*os.File)
	if !p.painted || !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	_, err := file.WriteString("\x1b[0m\x1b[?25h\x1b[?2004l\x1b[?1049l")
	return err
}
