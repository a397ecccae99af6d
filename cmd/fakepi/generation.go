package main

import (
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// generation is the part of a script for the n-th start, from 1: what stands behind its n-th spawn, at its times since that
// line. What stands before the first is for the first start, and so is a script without any. Of the spawn itself only the
// model is taken: the rest the command line says.
func generation(steps []script.Step, n int) (own []script.Step, model string) {
	spawns := 0
	var start time.Duration
	for _, s := range steps {
		spawn, ok := s.Action.(script.Spawn)
		switch {
		case ok:
			if spawns++; spawns == n {
				model, start = spawn.Model, s.At
			}
		case max(spawns, 1) == n:
			own = append(own, s)
		}
	}
	own = slices.Clone(own)
	for i := range own {
		own[i].At = max(0, own[i].At-start)
	}
	return own, model
}

// oneShot gives the messages the script's prompts (docs/script.md, "Which reply"), whose texts they are then. Prompts beyond
// them are not played; messages beyond the script get a short reply, unless the worker is gone or silent by then. Without a
// message it exits before the first prompt.
func (s *story) oneShot(messages []string) []script.Step {
	if len(messages) == 0 {
		return append(beforePrompt(s.steps), script.Step{Action: script.Exits{}})
	}
	prompts := s.prompts()
	next, ok := prompts.Next(0)
	if !ok {
		next = len(s.steps)
	}
	played := slices.Clone(s.steps[:next])
	var early time.Duration // by what is passed over
	for _, text := range messages {
		if isOver(played) {
			return played
		}
		if next == len(s.steps) {
			played = append(played, shortReply(played, text)...)
			continue
		}
		at := next
		if named, ok := prompts.Named(text, next); ok {
			at = named
		}
		early += s.steps[at].At - s.steps[next].At
		if next, ok = prompts.Next(at + 1); !ok {
			next = len(s.steps)
		}
		for i, step := range s.steps[at:next] {
			if prompt, ok := step.Action.(script.Prompt); ok && i == 0 {
				prompt.Text = script.Text{Value: text}
				step.Action = prompt
			}
			step.At -= early
			played = append(played, step)
		}
	}
	return played
}

// prompts are those of the script.
func (s *story) prompts() (all provider.Prompts) {
	for i, step := range s.steps {
		if prompt, ok := step.Action.(script.Prompt); ok {
			text := prompt.Text.Value
			if prompt.Text.File != "" {
				text = string(s.files[prompt.Text.File])
			}
			all.Add(i, text)
		}
	}
	return all
}

// isOver reports whether a worker does not go on behind steps.
func isOver(steps []script.Step) bool {
	return slices.ContainsFunc(steps, func(s script.Step) bool {
		switch s.Action.(type) {
		case script.Stalls, script.Wedges, script.Exits, script.Killed:
			return true
		}
		return false
	})
}

// shortReply is what a message gets of which the script does not tell.
func shortReply(behind []script.Step, text string) []script.Step {
	var at time.Duration
	if n := len(behind); n > 0 {
		at = behind[n-1].End()
	}
	return []script.Step{
		{At: at, Action: script.Prompt{Text: script.Text{Value: text}}},
		{At: at, Action: script.Says{Text: script.Text{Value: provider.Unscripted}}},
		{At: at, Action: script.Settles{}},
	}
}

// beforePrompt is what a script plays at the start, all of it at once.
func beforePrompt(steps []script.Step) []script.Step {
	var played []script.Step
	for _, s := range steps {
		if _, ok := s.Action.(script.Prompt); ok {
			break
		}
		s.At = 0
		played = append(played, s)
	}
	return played
}
