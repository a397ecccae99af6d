package fidelity

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Case is one run of a script: in a dialect and a mode, stopped in one way.
type Case struct {
	Script  *Script
	Dialect native.Dialect
	Mode    script.Mode
	Stop    string // what "stop" of the client does; empty: the script has none
}

// Name is unique among the cases of a dialect.
func (c Case) Name() string {
	name := c.Script.Name + "/" + string(c.Mode)
	if c.Stop != "" {
		name += "/" + c.Stop
	}
	return name
}

// Cases are the script's runs in a dialect.
func (s *Script) Cases(d native.Dialect) []Case {
	if !s.shows(d) {
		return nil
	}
	var cases []Case
	for _, mode := range s.Modes {
		if len(s.Stops) == 0 {
			cases = append(cases, Case{Script: s, Dialect: d, Mode: mode})
		}
		for _, stop := range s.Stops {
			if mode == script.ModeRPC || signalOf(stop) != 0 { // a one-shot has no stdin to be told by
				cases = append(cases, Case{Script: s, Dialect: d, Mode: mode, Stop: stop})
			}
		}
	}
	return cases
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
			texts = append(texts, p.Text.In(c.Script.Worker.Files))
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
