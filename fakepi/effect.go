package fakepi

import (
	"cmp"
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/shown"
)

// Effect is what a tool does to the world at a moment that its script gives. Whoever runs the worker carries it out: a
// process really, a simulation by [Worker.WorldDigest] alone. What fails is told by [Worker.Failed], how a command ends by
// [Worker.Ran].
type Effect struct {
	Kind    EffectKind
	Call    string // id of the call that does it; of the client's commands bash-1 and so on
	Path    string // write, append, edit: inside the working directory, with slashes
	Old     string // edit: what is replaced; it must be there exactly once
	Text    string // write, append, edit: what is written; commit: the message
	Command string // run
	Remote  string // push
}

// EffectKind is a way to change the world, as the verb does names it.
type EffectKind = script.EffectKind

// effectOf makes the effect of a step.
func (p *plan) effectOf(i int, a script.Does, call string) *Effect {
	e := &Effect{Kind: a.Kind, Call: call}
	switch a.Kind {
	case script.EffectWrite, script.EffectAppend:
		e.Path, e.Text = a.Target, p.texts[i]
	case script.EffectEdit:
		e.Path, e.Old, e.Text = a.Target, p.texts[i], a.New.In(p.files)
	case script.EffectCommit:
		e.Text = p.texts[i]
	case script.EffectPush:
		e.Remote = cmp.Or(a.Target, script.DefaultRemote)
	case script.EffectRun:
		e.Command = p.texts[i]
	}
	return e
}

// acting is the call that a step does acts for: the one that started last and works. Nil where none does: it was
// aborted, or the process is gone and it with it.
func (w *Worker) acting() *call {
	var last *call
	for i := range w.calls {
		c := &w.calls[i]
		works := c.open() && c.begun && (w.exited == nil || w.survives(c))
		if works && (last == nil || c.startAt >= last.startAt) {
			last = c
		}
	}
	return last
}

// begins reports whether a call has started and does not work yet.
func (w *Worker) begins() bool {
	return slices.ContainsFunc(w.calls, func(c call) bool { return c.open() && !c.begun && !c.frozen })
}

// does is the verb of that name.
func (w *Worker) does(i int, a script.Does) {
	c := w.acting()
	if c == nil {
		return
	}
	e := w.effectOf(i, a, c.id)
	switch a.Kind {
	case script.EffectCommit:
		w.world.commits++
	case script.EffectPush:
		w.world.pushed = w.world.commits
	case script.EffectRun:
		c.runs++
		c.commands = true
	default:
		w.world.writes++
	}
	w.out = append(w.out, Output{At: w.now, Effect: e})
}

// Printed gives the worker what a command of a call has put out, an effect of kind run. It becomes the call's output.
func (w *Worker) Printed(now time.Duration, call string, output []byte, out []Output) []Output {
	w.enter(now, out)
	if c := w.callNamed(call); c != nil {
		w.took(c, output, 0)
	} else if w.alive() && !w.leaving() {
		w.bashPrints(call, output)
	}
	return w.result()
}

// Ran gives back how a command of a call ended, an effect of kind run, with what of its output was not given before. Its
// exit status becomes the call's, if it is not 0; below 0 it is the number of the signal that ended the command. A call does
// not end before the commands that it runs.
func (w *Worker) Ran(now time.Duration, call string, output []byte, code int, out []Output) []Output {
	w.enter(now, out)
	if c := w.callNamed(call); c != nil {
		c.runs = max(0, c.runs-1)
		w.took(c, output, w.rules.status(code))
	} else if w.alive() && !w.leaving() {
		w.bashPrints(call, output)
		w.endBash(call, code, false)
	}
	return w.result()
}

// Failed tells the worker that an effect of a call, other than a command, came to nothing: the call fails, with the reason
// as its output.
func (w *Worker) Failed(now time.Duration, call, reason string, out []Output) []Output {
	w.enter(now, out)
	if c := w.callNamed(call); c != nil {
		w.took(c, []byte(reason), 1)
	}
	return w.result()
}

// Edited tells the worker what an effect of kind edit has made of a file: the result of the tool shows it.
func (w *Worker) Edited(now time.Duration, call, path, before, after string, out []Output) []Output {
	w.enter(now, out)
	if c := w.callNamed(call); c != nil {
		c.details = shown.Edit(path, before, after, w.rules.patches)
	}
	return w.result()
}

func (w *Worker) callNamed(id string) *call {
	for i := range w.calls {
		if c := &w.calls[i]; c.id == id && c.open() {
			return c
		}
	}
	return nil
}

func (w *Worker) took(c *call, output []byte, code int) {
	if code != 0 {
		c.code = code
	}
	if len(output) == 0 {
		return
	}
	c.output = append(c.output, output...)
	c.progress = w.now
	if c.name == "bash" && w.exited == nil {
		w.printPartial(c, true)
	}
}

// fails reports whether a call that ends by itself ends badly.
func (c *call) fails() bool { return c.run.Fails || c.code != 0 }
