package fidelity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Drive plays a case with a subject in a place, and returns what it came to. before is called before the n-th Pi starts;
// nil: nothing is. An error tells the line of the client's half.
func Drive(ctx context.Context, subject Subject, c Case, at Place, before func(n int) error) (Run, error) {
	d := &driver{ctx: ctx, c: c, subject: subject, at: at, before: before, first: 1, vars: map[string]string{"$CWD": at.Work, "$DIR": at.sessions()}}
	return d.run(c.acts(), Act{Verb: "start", Args: c.Script.Args})
}

// Resume plays a case from its second Pi on, in a place where another subject was the first, as in a run of that.
func Resume(ctx context.Context, subject Subject, c Case, at Place, first Run) (Run, error) {
	acts := c.acts()
	second := slices.IndexFunc(acts, func(a Act) bool { return a.Verb == "start" })
	if second < 0 {
		return Run{}, errors.New("the client starts no second Pi")
	}
	d := &driver{ctx: ctx, c: c, subject: subject, at: at, first: 2, vars: maps.Clone(first.Vars), sent: first.sent}
	return d.run(acts[second+1:], acts[second])
}

func (d *driver) run(acts []Act, starts Act) (Run, error) {
	defer d.close()
	err := d.start(starts.Args)
	for i := 0; err == nil && i < len(acts); i++ {
		if err = d.do(acts[i]); err != nil {
			err = fmt.Errorf("%s: %s %s: %w", acts[i].Pos, acts[i].Verb, acts[i].Text, err)
		}
		for _, p := range d.pis {
			p.acted(i + 1)
		}
	}
	run := Run{Place: d.at, First: d.first, Vars: d.vars, sent: d.sentBefore, Files: map[string]string{}}
	for _, p := range d.pis {
		run.Pis = append(run.Pis, p.ended)
	}
	if err != nil {
		return run, d.explain(err)
	}
	return run, eachFile(d.at.Work, func(name string, data []byte) error {
		run.Files[name] = string(data)
		return nil
	})
}

// driver plays the client's half of a case.
type driver struct {
	ctx     context.Context
	c       Case
	subject Subject
	at      Place
	before  func(n int) error // nil: none
	first   int               // number of the first Pi

	pis        []*process
	is         int               // the Pi that is turned to
	sent       int               // ids given to commands
	sentBefore int               // of them before the second Pi
	vars       map[string]string // what stands for the placeholders
}

// close ends what was started, and what that has started.
func (d *driver) close() {
	for _, p := range d.pis {
		p.end()
	}
	endMarked(d.at)
}

// explain adds to an error what the Pi that is turned to has said last.
func (d *driver) explain(err error) error {
	if len(d.pis) == 0 {
		return err
	}
	p := d.pis[d.is]
	p.mu.Lock()
	defer p.mu.Unlock()
	last := "nothing"
	if n := len(p.lines); n > 0 {
		last = short(string(p.lines[n-1].Raw), 0)
	}
	return fmt.Errorf("%w; it printed %d lines, the last: %s; stderr: %q", err, len(p.lines), last, p.stderr.String())
}

// start starts the next Pi and turns to it. A one-shot gets the prompts of its section as arguments.
func (d *driver) start(args []string) error {
	n := d.first + len(d.pis)
	if d.sentBefore == 0 && n == 2 {
		d.sentBefore = d.sent
	}
	if d.before != nil {
		if err := d.before(n); err != nil {
			return err
		}
	}
	all := append([]string{"--mode", string(d.c.Mode)}, d.fill(args)...)
	prompts := d.c.prompts(n)
	if d.c.Mode.OneShot() {
		all = append(all, prompts...)
	}
	cmd, err := d.subject.Command(d.c, n, d.at, all)
	if err != nil {
		return err
	}
	cmd.Dir = d.at.Work
	cmd.Env = append(cmd.Env, d.at.mark())
	p, err := start(cmd, !d.c.Mode.OneShot() || d.c.Script.StdinOpen)
	if err != nil {
		return err
	}
	p.prompts = prompts
	d.pis, d.is = append(d.pis, p), len(d.pis)
	return nil
}

func (d *driver) fill(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = d.filled(arg)
	}
	return out
}

// filled puts values in the place of the placeholders.
func (d *driver) filled(text string) string {
	for name, value := range d.vars {
		text = strings.ReplaceAll(text, name, value)
	}
	return text
}
