// Package script is the language that says what a worker does and when: a text of one-line steps,
//
//	0s      prompt "tidy the imports"
//	+2s     says "Reading the file."
//	+100ms  tool bash "ls" runs 400ms   as=tool
//	+0s     stalls
//
// Parse reads it into typed actions, Resolve turns its relative times into absolute ones, Vet finds what cannot be
// meant, Format prints it in its one canonical form. The page docs/script.md describes every verb. The package has no
// clock and plays nothing: that is the worker's part.
package script

import "time"

// Script is a parsed script.
type Script struct {
	Steps []Step
	Files map[string][]byte // payload files by name
}

// Step is one line: at a time, an actor does something.
type Step struct {
	Pos    Pos
	Time   Time   // as written
	Actor  string // "worker" where the script is for one worker and names none, else "w1", "world", "user" ...
	Action Action
	Label  string // of as=label; empty if none

	// Set by Resolve.
	At     time.Duration // since the script's start, on the clock that stops while the host sleeps
	Dur    time.Duration // how long the action takes; meaningful if HasDur
	HasDur bool          // false for what happens at once, and for what never ends
}

// End is when the action is over: At for one that happens at once or never ends.
func (s *Step) End() time.Duration { return s.At + s.Dur }

// DefaultActor is the actor of a step that names none.
const DefaultActor = "worker"

// For returns the steps of one actor, in order of time; those of one instant keep the order of the lines.
func (s *Script) For(actor string) []Step { return For(s.Steps, actor) }
