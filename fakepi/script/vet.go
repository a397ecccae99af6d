package script

import (
	"fmt"
	"slices"
	"time"
)

// Vet finds what a worker cannot do or what cannot be meant, such as an end without a beginning or a silence that the
// script does not explain; of each life of a worker the first such problem, since others follow from it. The script
// must be resolved.
func (s *Script) Vet() Errors { return Vet(s.Steps, OneWorker) }

// Vet is Script.Vet for the steps of any cast.
func Vet(steps []Step, cast Cast) Errors {
	v := follow(steps, cast)
	for _, l := range v.order {
		if msg, hint := l.unexplained(); msg != "" {
			v.problem(l.last, msg, hint)
		}
	}
	return v.errs
}

// follow reads all steps.
func follow(steps []Step, cast Cast) *vetter {
	v := &vetter{steps: steps, lives: map[string]*life{}}
	for i := range steps {
		s := &steps[i]
		if i > 0 && s.At < steps[i-1].At {
			v.problem(s, fmt.Sprintf("time goes backwards: %s after %s", FormatDuration(s.At), FormatDuration(steps[i-1].At)),
				"put the lines in order of time")
		}
		v.step(s, cast)
	}
	return v
}

// vetter follows every worker of a script.
type vetter struct {
	steps []Step
	lives map[string]*life
	order []*life // as they appear
	asked *Step   // the last dialog
	errs  Errors
}

func (v *vetter) problem(s *Step, msg, hint string) {
	v.errs = append(v.errs, &Error{Pos: s.Pos, Msg: msg, Hint: hint})
}

func (v *vetter) step(s *Step, cast Cast) {
	var msg, hint string
	switch a := s.Action.(type) {
	case Answers:
		msg, hint = v.answer(a)
	case Cancels:
	case Dirty:
		msg, hint = v.names(a.Worker)
	case Gap:
		msg, hint = v.names(a.Worker)
	case Probes:
		msg, hint = v.probes(a)
	case Task:
		msg, hint = v.names(a.Worker)
	case Worktree:
		msg, hint = v.names(a.Worker)
	case Gate:
		msg, hint = v.names(a.Worker)
	case Outcome:
		msg, hint = v.names(a.Worker)
	case Intends:
		msg, hint = v.names(a.Worker)
	case Truncates:
		msg, hint = v.followed(a.Worker)
	case Replaces:
		msg, hint = v.followed(a.Worker)
	case Link, Suspend, Healed, Disk, Clock, Decides:
	case Reboots:
		for _, l := range v.order {
			l.gone = s
		}
	default:
		msg, hint = v.life(s, cast).follow(s)
		if _, ok := a.(Asks); ok {
			v.asked = s
		}
	}
	if msg != "" {
		v.problem(s, msg, hint)
	}
}

// life returns what is known of a step's worker.
func (v *vetter) life(s *Step, cast Cast) *life {
	l, ok := v.lives[s.Actor]
	if !ok {
		l = &life{name: s.Actor}
		if cast == OneWorker {
			l.spawned, l.mode = s, ModeRPC
		}
		v.lives[s.Actor] = l
		v.order = append(v.order, l)
	}
	return l
}

// names checks that a worker exists.
func (v *vetter) names(worker string) (msg, hint string) {
	if _, ok := v.lives[worker]; ok {
		return "", ""
	}
	return fmt.Sprintf("no worker %s was spawned above", worker), "known: " + join(v.lives)
}

func (v *vetter) probes(a Probes) (msg, hint string) {
	if msg, hint = v.names(a.Worker); msg == "" && a.Says == ProbesReused && v.lives[a.Worker].gone == nil {
		return "the pid of " + a.Worker + " is its own while it lives", "end it first, by exits or killed"
	}
	return msg, hint
}

func (v *vetter) followed(worker string) (msg, hint string) {
	if msg, hint = v.names(worker); msg != "" {
		return msg, hint
	}
	if v.lives[worker].source != "followed" {
		return "the streams of " + worker + " are no files", "spawn it with source=followed"
	}
	return "", ""
}

// answer checks that the answer fits the dialog.
func (v *vetter) answer(a Answers) (msg, hint string) {
	dialog := v.asked
	for i := range v.steps {
		if a.Of != "" && v.steps[i].Label == a.Of {
			dialog = &v.steps[i]
		}
	}
	asks, ok := dialog.Action.(Asks)
	if !ok {
		return "", ""
	}
	options := asks.Options
	switch asks.Method {
	case AskConfirm:
		options = []string{"yes", "no"}
	case AskInput:
		options = nil
	}
	if len(options) == 0 || slices.Contains(options, a.Value) {
		return "", ""
	}
	return fmt.Sprintf("%q is no answer to this %s", a.Value, asks.Method), fmt.Sprintf("it offers %q", options)
}

// until says when something ends, for people.
func until(s *Step) string {
	if !s.HasDur {
		return "for ever"
	}
	return "until " + FormatDuration(s.End())
}

// lasts reports whether a step's action is still under way at a time.
func (s *Step) lasts(at time.Duration) bool { return s != nil && (!s.HasDur || s.End() > at) }
