package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"
	"time"
)

// patience is how long one answer of a player may take.
const patience = 20 * time.Minute

// errSilent is what became of a player that ended, or did not answer in time.
var errSilent = errors.New("no answer")

// pool asks players, each a process, and hands what they answer to take, one call at a time. The question is made by next
// when a player is free; nil is the end. silent is called for a question whose player ended or did not answer in time. An
// error of these two ends it.
func pool[Q, A any](ctx context.Context, jobs int, player func() *exec.Cmd, next func() *Q, take func(*Q, A) error, silent func(*Q) error) error {
	var mu sync.Mutex
	var group sync.WaitGroup
	errs := make([]error, jobs)
	for i := range jobs {
		group.Go(func() {
			var p *process
			defer func() { p.end() }()
			for errs[i] == nil && ctx.Err() == nil {
				mu.Lock()
				q := next()
				mu.Unlock()
				if q == nil {
					return
				}
				if p == nil {
					if p, errs[i] = startPlayer(player()); errs[i] != nil {
						return
					}
				}
				var a A
				err := p.ask(ctx, q, &a)
				mu.Lock()
				switch {
				case err == nil:
					errs[i] = take(q, a)
				case ctx.Err() == nil:
					errs[i] = silent(q)
					p.end()
					p = nil
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// process is a player.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

func startPlayer(cmd *exec.Cmd) (*process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, in, json.NewDecoder(out)}, cmd.Start()
}

// ask waits for an answer.
func (p *process) ask(ctx context.Context, q, a any) error {
	answered := make(chan error, 1)
	go func() {
		err := json.NewEncoder(p.in).Encode(q)
		if err == nil {
			err = p.out.Decode(a)
		}
		answered <- err
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return errSilent
	}
}

// end ends the process, whatever it is at.
func (p *process) end() {
	if p == nil {
		return
	}
	p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
