package main

import (
	"slices"
	"time"

	"fakepi.example/fakepi/script"
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

// oneShot gives the script's prompts the texts of the messages. Prompts beyond them are not played; messages beyond the
// script get a short reply, unless the worker is gone or silent by then. Without a message it exits before the first
// prompt.
func oneShot(steps []script.Step, messages []string) []script.Step {
	if len(messages) == 0 {
		return append(beforePrompt(steps), script.Step{Action: script.Exits{}})
	}
	var played []script.Step
	var at time.Duration
	open := true // the worker goes on behind its last step
	for _, s := range steps {
		if prompt, ok := s.Action.(script.Prompt); ok {
			if len(messages) == 0 {
				return played
			}
			prompt.Text = script.Text{Value: messages[0]}
			s.Action, messages = prompt, messages[1:]
		}
		switch s.Action.(type) {
		case script.Stalls, script.Wedges, script.Exits, script.Killed:
			open = false
		}
		played, at = append(played, s), s.End()
	}
	if !open {
		return played
	}
	for _, text := range messages {
		played = append(played,
			script.Step{At: at, Action: script.Prompt{Text: script.Text{Value: text}}},
			script.Step{At: at, Action: script.Says{Text: script.Text{Value: "Noted."}}},
			script.Step{At: at, Action: script.Settles{}})
	}
	return played
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
