package fidelity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Drive plays a case with a subject in a place, and returns what it came to. before is called before the n-th Pi starts;
// nil: nothing is. An error tells the line of the client's half.
func Drive(ctx context.Context, subject Subject, c Case, at Place, before func(n int) error) (Run, error) {
	d := &driver{ctx: ctx, c: c, subject: subject, at: at, before: before, first: 1, vars: map[string]string{"$CWD": at.Work, "$SESSIONS": at.sessions()}}
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

// acts is the client's half, ended as [Act] says.
func (c Case) acts() []Act {
	acts := slices.Clone(c.Script.Client)
	if len(acts) == 0 && c.Mode == script.ModeRPC {
		for range c.prompts(1) {
			acts = append(acts, Act{Verb: "prompt", Next: true, N: 1}, Act{Verb: "on", Text: "settled", N: 1})
		}
	}
	for i := range acts {
		if acts[i].Verb == "stop" {
			acts[i] = c.stop(acts[i].Pos)
		}
	}
	return append(acts, Act{Verb: "leave", N: 1})
}

// stop is what stops the case; a race is also run without it.
func (c Case) stop(pos script.Pos) Act {
	switch c.Stop {
	case "":
		return Act{Pos: pos, Verb: "on", Text: "settled", N: 1}
	case "eof":
		return Act{Pos: pos, Verb: "eof", N: 1}
	case "abort":
		return Act{Pos: pos, Verb: "command", Text: `{"type":"abort"}`, N: 1}
	}
	return Act{Pos: pos, Verb: "signal", Text: c.Stop, N: 1}
}

// prompts are those of the n-th Pi in the worker's half, which stand behind its n-th spawn line.
func (c Case) prompts(n int) []string {
	var texts []string
	for _, step := range c.section(n) {
		if p, ok := step.Action.(script.Prompt); ok {
			texts = append(texts, textOf(p.Text, c.Script.Worker.Files))
		}
	}
	return texts
}

// section is the part of the worker's half that the n-th Pi plays; nil: none is left.
func (c Case) section(n int) []script.Step {
	var sections [][]script.Step
	for _, step := range c.Script.Worker.For(script.DefaultActor) {
		if _, ok := step.Action.(script.Spawn); ok || len(sections) == 0 {
			sections = append(sections, nil)
		}
		last := len(sections) - 1
		sections[last] = append(sections[last], step)
	}
	if n > len(sections) {
		return nil
	}
	return sections[n-1]
}

func textOf(t script.Text, files map[string][]byte) string {
	if t.File != "" {
		return string(files[t.File])
	}
	return t.Value
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
	cmd, release, err := d.subject.Command(d.c, n, d.at, all)
	if err != nil {
		return err
	}
	cmd.Dir = d.at.Work
	cmd.Env = append(cmd.Env, d.at.mark())
	p, err := start(cmd, !d.c.Mode.OneShot() || d.c.Script.StdinOpen)
	if err != nil {
		release()
		return err
	}
	p.prompts, p.release = prompts, release
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

// do does one act.
func (d *driver) do(a Act) error {
	p := d.pis[d.is]
	switch a.Verb {
	case "prompt":
		return d.prompt(p, a)
	case "command":
		return d.command(p, a.Text)
	case "send":
		text := d.filled(a.Text)
		if !a.Raw {
			text += "\n"
		}
		return p.write([]byte(text))
	case "answer", "cancel":
		return d.answer(p, a)
	case "lines":
		return p.await(d.ctx, fmt.Sprintf("line %d", a.N), func(lines []Record) bool { return len(lines) >= a.N })
	case "on":
		return p.on(d.ctx, a.Text, a.N)
	case "wait":
		return d.wait(a.Wait)
	case "until":
		return d.until(a)
	case "eof":
		return p.closeStdin()
	case "signal":
		p.signalled = p.signalled || a.Text != "SIGSTOP" && a.Text != "SIGCONT"
		return p.cmd.Process.Signal(signalOf(a.Text))
	case "exited":
		return d.exited(p)
	case "leave":
		return d.leave(p)
	case "start":
		if err := d.leave(p); err != nil {
			return err
		}
		return d.start(a.Args)
	case "beside":
		return d.start(a.Args)
	case "process":
		if a.N > len(d.pis) {
			return fmt.Errorf("only %d were started", len(d.pis))
		}
		d.is = a.N - 1
	}
	return nil
}

// prompt sends a prompt and awaits the response.
func (d *driver) prompt(p *process, a Act) error {
	if d.c.Mode.OneShot() {
		return nil // it got them as arguments
	}
	text := a.Text
	if a.Next {
		if len(p.prompts) == 0 {
			return fmt.Errorf("the worker's half has no prompt left for this Pi")
		}
		text, p.prompts = p.prompts[0], p.prompts[1:]
	}
	line := native.AppendValue(nil, native.Object{
		{Key: "type", Value: native.String("prompt")}, {Key: "message", Value: native.String(text)},
	})
	return d.command(p, string(line))
}

// command sends a command with an id before its other keys, and awaits its response.
func (d *driver) command(p *process, text string) error {
	d.sent++
	line := `{"id":"c` + strconv.Itoa(d.sent) + `",` + strings.TrimSpace(strings.TrimPrefix(d.filled(text), "{")) + "\n"
	if err := p.write([]byte(line)); err != nil {
		return err
	}
	v, _ := native.ParseValue([]byte(text))
	o, _ := v.(native.Object)
	if err := p.on(d.ctx, "response("+str(o, "type")+")", 1); err != nil {
		return err
	}
	d.learn(p)
	return nil
}

// learn takes what later acts refer to out of the response that was awaited last.
func (d *driver) learn(p *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, _ := p.lines[p.seen-1].Value.(native.Object)
	data := object(o, "data")
	if file := str(data, "sessionFile"); file != "" {
		d.vars["$SESSION"] = file
	}
	if list, _ := data.Get("messages").(native.Array); len(list) > 0 {
		if first, _ := list[0].(native.Object); str(first, "entryId") != "" {
			d.vars["$ENTRY"] = str(first, "entryId")
		}
	}
}

// answer replies to the last dialog.
func (d *driver) answer(p *process, a Act) error {
	p.mu.Lock()
	var asked native.Object
	for _, r := range p.lines {
		if r.is("extension_ui_request") {
			asked, _ = r.Value.(native.Object)
		}
	}
	p.mu.Unlock()
	if asked == nil {
		return fmt.Errorf("there is no dialog to answer")
	}
	reply := native.Object{{Key: "type", Value: native.String("extension_ui_response")}, {Key: "id", Value: asked.Get("id")}}
	switch {
	case a.Verb == "cancel":
		reply = append(reply, native.Member{Key: "cancelled", Value: native.Bool(true)})
	case str(asked, "method") == "confirm":
		reply = append(reply, native.Member{Key: "confirmed", Value: native.Bool(a.Text == "yes")})
	default:
		reply = append(reply, native.Member{Key: "value", Value: native.String(a.Text)})
	}
	return p.write(append(native.AppendValue(nil, reply), '\n'))
}

func (d *driver) wait(t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-d.ctx.Done():
		return d.ctx.Err()
	}
}

// until looks at a file of the worktree again and again.
func (d *driver) until(a Act) error {
	for began := time.Now(); ; {
		data, _ := os.ReadFile(filepath.Join(d.at.Work, filepath.FromSlash(a.File))) // it may not be there yet
		if bytes.Contains(data, []byte(a.Text)) {
			return nil
		}
		if time.Since(began) > patience {
			return fmt.Errorf("%q in %s %w in %v", a.Text, a.File, errAwaited, patience)
		}
		if err := d.wait(20 * time.Millisecond); err != nil {
			return err
		}
	}
}

// leave closes stdin unless a signal was sent, and awaits the exit.
func (d *driver) leave(p *process) error {
	if !p.signalled {
		if err := p.closeStdin(); err != nil {
			return err
		}
	}
	return d.exited(p)
}

// exited awaits the exit and keeps what the Pi has left.
func (d *driver) exited(p *process) error {
	if err := p.wait(d.ctx); err != nil {
		return err
	}
	if p.left {
		return nil
	}
	p.left = true
	p.release()
	sessions, err := readSessions(d.at)
	p.ended = Ended{Stdout: p.lines, Seen: p.seen, Stderr: p.stderr.String(), Exit: p.exit(), Title: p.title, Sessions: sessions}
	return err
}
