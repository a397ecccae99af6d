package fakepi

import (
	"cmp"
	"fmt"
	"slices"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/shown"
)

// takeSteps keeps the steps of one generation and looks up their texts.
func (p *plan) takeSteps(steps []script.Step) error {
	spawned := false
	for i, s := range steps {
		if i > 0 && s.At < steps[i-1].At {
			return scriptError(s, "this step comes before the one above it", "give the steps in order of time")
		}
		if spawn, ok := s.Action.(script.Spawn); ok {
			if spawned || len(p.steps) > 0 {
				break
			}
			spawned, p.spawn, p.start = true, spawn, s.At
			continue
		}
		if !ofWorker(s.Action) {
			return scriptError(s, fmt.Sprintf("%q is no verb of a worker", s.Action.Verb()), "give the worker its own steps only")
		}
		if does, ok := s.Action.(script.Does); ok && does.Kind == script.EffectRun && !p.exec {
			return scriptError(s, "commands are not run", "leave the step out or, where fakepi is in the place of pi, add --allow-exec")
		}
		text := textOf(s.Action)
		if _, ok := p.files[text.File]; !ok && text.File != "" {
			return scriptError(s, fmt.Sprintf("there is no payload file %q", text.File), "add it below the script")
		}
		value := text.In(p.files)
		if err := p.fitsAtOnce(s, value); err != nil {
			return err
		}
		p.steps = append(p.steps, s)
		p.texts = append(p.texts, value)
	}
	return nil
}

// maxAtOnce bounds, in bytes, what one step prints at one instant: it is all held in memory.
const maxAtOnce = 256 << 20

// fitsAtOnce refuses a step that prints more at one instant.
func (p *plan) fitsAtOnce(s script.Step, text string) error {
	if raw, ok := s.Action.(script.Raw); ok && len(text) > maxAtOnce/max(raw.Times, 1) {
		return scriptError(s, fmt.Sprintf("this step prints %s %d times at once", shown.Size(len(text)), raw.Times), "print it fewer times, or several times by every")
	}
	n := piecesAtOnce(s.Action)
	if most := max(len(text), n); p.rules.snapshots && n > maxAtOnce/max(most, 1) {
		return scriptError(s, fmt.Sprintf("this step prints %s at once in %s, where each piece has the whole message", shown.Size(n*most), p.rules.dialect),
			"give it time by over, or fewer chunks")
	}
	return nil
}

// piecesAtOnce is in how many pieces a step streams a text at one instant. With each goes twice the message, which has half
// of the text on the average.
func piecesAtOnce(a script.Action) int {
	chunks, over := 0, script.Span{}
	switch a := a.(type) {
	case script.Says:
		chunks, over = a.Chunks, a.Over
	case script.Thinks:
		chunks, over = a.Chunks, a.Over
	case script.Calls:
		chunks, over = a.Chunks, a.Over
	default:
		return 0
	}
	if over.D > 0 {
		return 1
	}
	return max(chunks, 1)
}

func scriptError(s script.Step, msg, hint string) error {
	return fmt.Errorf("%w: %w", ErrScript, &script.Error{Pos: s.Pos, Msg: msg, Hint: hint})
}

func ofWorker(a script.Action) bool {
	switch a.(type) {
	case script.Prompt, script.Steer, script.FollowUp, script.Opens, script.Says, script.Thinks, script.Reports, script.Calls,
		script.Tool, script.Does, script.Asks, script.Notifies, script.Chatter, script.Closes, script.Ends, script.Refused,
		script.Retries, script.Compacts, script.Settles, script.Stalls, script.Wedges, script.Lingers, script.Exits,
		script.Killed, script.EOF, script.Raw:
		return true
	}
	return false
}

// textOf returns the payload of an action. A tool has a second one, what it gives; see plan.gives.
func textOf(a script.Action) script.Text {
	switch a := a.(type) {
	case script.Prompt:
		return a.Text
	case script.Steer:
		return a.Text
	case script.FollowUp:
		return a.Text
	case script.Says:
		return a.Text
	case script.Thinks:
		return a.Text
	case script.Calls:
		return cmp.Or(a.Args, a.Command)
	case script.Tool:
		return cmp.Or(a.Args, a.Command)
	case script.Does:
		return a.Text
	case script.Refused:
		return a.Message
	case script.Exits:
		return a.Stderr
	case script.Raw:
		return a.Data
	}
	return script.Text{}
}

// gives is the output of the tool that step i starts.
func (p *plan) gives(i int) string { return p.steps[i].Action.(script.Tool).Gives.In(p.files) }

// findProgress fills progress from the last step backwards.
func (p *plan) findProgress() {
	p.progress = make([]bool, len(p.steps)+1)
	for i := range slices.Backward(p.steps) {
		a := p.steps[i].Action
		p.progress[i] = movesOn(a) || p.progress[i+1] && !endsProgress(a)
		if p.otherClients && i == p.spare {
			p.progress[i] = false // it is not played unless somebody prompts
		}
	}
}

// movesOn reports whether an action brings an event of progress (docs/verdicts.md, Terms).
func movesOn(a script.Action) bool {
	switch a := a.(type) {
	case script.Prompt:
		return !a.Takes.Never && !a.ResponseOnly && !a.Handled
	case script.Thinks:
		return a.Text != script.Text{}
	case script.Retries:
		return !a.Hidden
	case script.Raw:
		return a.Progress
	case script.Opens, script.Says, script.Calls, script.Tool, script.Closes, script.Ends, script.Refused,
		script.Compacts, script.Settles:
		return true
	}
	return false
}

// endsProgress reports whether nothing after an action can be progress.
func endsProgress(a script.Action) bool {
	switch a.(type) {
	case script.Stalls, script.Wedges, script.Exits, script.Killed:
		return true
	}
	return false
}
