package script

import (
	"fmt"
	"time"
)

// Resolve computes the absolute time of every step, in place. Limits gives values to the names of limits. An error is
// an Errors.
func (s *Script) Resolve(limits map[string]time.Duration) error { return Resolve(s.Steps, limits) }

// Resolve computes At, Dur and HasDur of steps in the order of their lines, sets the durations inside their actions
// and numbers the batches of tools. An error is an Errors.
func Resolve(steps []Step, limits map[string]time.Duration) error {
	r := resolver{steps: steps, limits: limits, labels: map[string]int{}, within: map[int]int{}, dialog: -1}
	for i := range steps {
		if err := r.step(i); err != nil {
			r.errs = append(r.errs, err)
		}
	}
	if err := r.errs.err(); err != nil {
		return err
	}
	numberBatches(steps)
	return nil
}

// resolver walks the lines of a script.
type resolver struct {
	steps  []Step
	limits map[string]time.Duration
	labels map[string]int
	dialog int         // the last step that asked; -1 if none
	within map[int]int // of a dialog inside a tool: the dialog's step to the tool's
	errs   Errors
}

func (r *resolver) step(i int) *Error {
	s := &r.steps[i]
	s.Dur, s.HasDur = 0, false
	if err := r.action(s); err != nil {
		return err
	}
	base, err := r.base(i)
	if err != nil {
		return err
	}
	if s.At, err = r.instant(s.Pos, s.Time, base); err != nil {
		return err
	}
	if s.Label != "" {
		if first, ok := r.labels[s.Label]; ok {
			return &Error{Pos: s.Pos, Msg: fmt.Sprintf("the label %s is given twice", s.Label), Hint: fmt.Sprintf("line %d has it too: rename one", r.steps[first].Pos.Line)}
		}
		r.labels[s.Label] = i
	}
	return r.effects(i)
}

const maxAt = 100_000 * time.Hour

// action sets the spans of an action, and takes a call's name and command from the step that streamed it.
func (r *resolver) action(s *Step) *Error {
	v, _ := verbOf(s.Action.Verb())
	params, action := v.bind(s.Action)
	for _, p := range params {
		if p.span == nil || !p.span.Finite() {
			continue
		}
		d, unknown := sum(p.span.Terms, r.limits)
		if unknown != "" {
			return unknownLimit(s.Pos, unknown, r.limits)
		}
		if d < 0 && !p.signed {
			return &Error{Pos: s.Pos, Msg: fmt.Sprintf("%s is less than nothing", p.write()), Hint: "a duration is 0s or more"}
		}
		p.span.D = d
	}
	s.Action = action()
	return r.call(s)
}

// call completes a tool that runs an earlier call.
func (r *resolver) call(s *Step) *Error {
	tool, ok := s.Action.(Tool)
	if !ok || tool.Call == "" {
		return nil
	}
	i, err := r.label(s.Pos, tool.Call)
	if err != nil {
		return err
	}
	calls, ok := r.steps[i].Action.(Calls)
	if !ok || r.steps[i].Actor != s.Actor {
		return &Error{Pos: s.Pos, Msg: fmt.Sprintf("@%s is no call of %s", tool.Call, s.Actor), Hint: "put the label on its calls line, or give the tool's name and command here"}
	}
	tool.Name, tool.Command = calls.Name, calls.Command
	s.Action = tool
	return nil
}

func unknownLimit(pos Pos, name string, limits map[string]time.Duration) *Error {
	hint := "a script that stands alone has no policy: write a duration"
	if len(limits) > 0 {
		hint = "known: " + join(limits)
	}
	return &Error{Pos: pos, Msg: fmt.Sprintf("unknown limit %q", name), Hint: hint}
}

func (r *resolver) label(pos Pos, name string) (int, *Error) {
	i, ok := r.labels[name]
	if ok {
		return i, nil
	}
	hint := "a label is given above the line that uses it, by as=" + name
	if near := nearest(name, keys(r.labels)); near != "" {
		hint = "did you mean @" + near + "?"
	}
	return 0, &Error{Pos: pos, Msg: fmt.Sprintf("unknown label @%s", name), Hint: hint}
}

// base is what a step's time counts from where it has no anchor.
func (r *resolver) base(i int) (time.Duration, *Error) {
	s := &r.steps[i]
	switch {
	case s.Time.Absolute || s.Time.Label != "":
		return 0, nil
	case isReply(s.Action):
		dialog, err := r.replyTo(s)
		if err != nil {
			return 0, err
		}
		return r.steps[dialog].At, nil
	case i > 0:
		return r.steps[i-1].End(), nil
	}
	return 0, nil
}

// Instant computes a time that stands beside the steps, such as an end of a window. Without an anchor it counts from
// base. The steps must be resolved.
func Instant(pos Pos, t Time, steps []Step, base time.Duration, limits map[string]time.Duration) (time.Duration, *Error) {
	r := resolver{steps: steps, limits: limits, labels: map[string]int{}}
	for i := range steps {
		if label := steps[i].Label; label != "" {
			r.labels[label] = i
		}
	}
	return r.instant(pos, t, base)
}

// instant adds a time's terms to its anchor, or to base.
func (r *resolver) instant(pos Pos, t Time, base time.Duration) (time.Duration, *Error) {
	if t.Absolute {
		base = 0
	} else if t.Label != "" {
		var err *Error
		if base, err = r.anchor(pos, t); err != nil {
			return 0, err
		}
	}
	d, unknown := sum(t.Terms, r.limits)
	at := base + d
	switch {
	case unknown != "":
		return 0, unknownLimit(pos, unknown, r.limits)
	case at < 0:
		return 0, &Error{Pos: pos, Msg: "this is before the start of the script", Hint: "times begin at 0s"}
	case at > maxAt:
		return 0, &Error{Pos: pos, Msg: "this is too late", Hint: "a script lasts 100000h at most"}
	}
	return at, nil
}

// anchor is the start or end of the step that a time names.
func (r *resolver) anchor(pos Pos, t Time) (time.Duration, *Error) {
	i, err := r.label(pos, t.Label)
	if err != nil {
		return 0, err
	}
	from := &r.steps[i]
	if t.End && !from.HasDur {
		return 0, &Error{Pos: pos, Msg: fmt.Sprintf("@%s.end does not exist: that step has no duration", t.Label), Hint: "count from its start, @" + t.Label + ", or give that step an end"}
	}
	if t.End {
		return from.End(), nil
	}
	return from.At, nil
}

func isReply(a Action) bool {
	switch a.(type) {
	case Answers, Cancels:
		return true
	}
	return false
}

// replyTo finds the dialog that a user's step is for.
func (r *resolver) replyTo(s *Step) (int, *Error) {
	of := ""
	switch a := s.Action.(type) {
	case Answers:
		of = a.Of
	case Cancels:
		of = a.Of
	}
	if of == "" {
		if r.dialog < 0 {
			return 0, &Error{Pos: s.Pos, Msg: "there is no dialog to answer", Hint: `write asks above it: asks confirm "Proceed?"`}
		}
		return r.dialog, nil
	}
	i, err := r.label(s.Pos, of)
	if err != nil {
		return 0, err
	}
	if _, ok := r.steps[i].Action.(Asks); !ok {
		return 0, &Error{Pos: s.Pos, Msg: fmt.Sprintf("@%s is no dialog", of), Hint: "put the label on the line that asks"}
	}
	return i, nil
}

// effects sets how long the step lasts, and what it changes in earlier ones.
func (r *resolver) effects(i int) *Error {
	s := &r.steps[i]
	s.Dur, s.HasDur = duration(s.Action)
	switch a := s.Action.(type) {
	case Asks:
		r.dialog = i
		if tool := r.runningTool(i); tool >= 0 {
			r.within[i] = tool
		}
	case Answers:
		return r.reply(s)
	case Cancels:
		return r.reply(s)
	case Ends:
		if a.Of != "" {
			return r.end(s, a.Of)
		}
		return nil
	default:
		return nil
	}
	r.stopClock(i)
	return nil
}

// duration is how long an action takes by itself.
func duration(a Action) (time.Duration, bool) {
	switch a := a.(type) {
	case Prompt:
		return a.Takes.D, a.Takes.Finite()
	case Says:
		return a.Over.D, a.Over.Finite()
	case Thinks:
		return a.For.D + a.Over.D, a.For.Finite() || a.Over.Finite()
	case Calls:
		return a.Over.D, a.Over.Finite()
	case Tool:
		if a.Timeout.Given() && !a.Deaf && (a.Runs.Never || a.Timeout.D < a.Runs.D) {
			return a.Timeout.D, true
		}
		return a.Runs.D, a.Runs.Finite()
	case Asks:
		return a.Timeout.D, a.Timeout.Given()
	case Notifies:
		return a.Over.D, a.Over.Given()
	case Chatter:
		return a.Over.D, a.Over.Given()
	case Raw:
		return a.Over.D, a.Over.Given()
	case Retries:
		if a.Cancelled.Given() {
			return a.Cancelled.D, true
		}
		return a.Delay.D, true
	case Compacts:
		return a.Runs.D, a.Runs.Finite()
	case Answers:
		return a.After.D, a.After.Given()
	case Cancels:
		return a.After.D, a.After.Given()
	case Probes:
		return a.For.D, a.For.Given()
	}
	return 0, false
}

// runningTool returns the call inside which a dialog of step i stands: the one that its actor started last, if it
// still runs; -1 if none.
func (r *resolver) runningTool(i int) int {
	for j := i - 1; j >= 0; j-- {
		s := &r.steps[j]
		if _, ok := s.Action.(Tool); ok && s.Actor == r.steps[i].Actor {
			if !s.HasDur || r.steps[i].At < s.End() {
				return j
			}
			return -1
		}
	}
	return -1
}

// reply ends the dialog that a user's step is for.
func (r *resolver) reply(s *Step) *Error {
	i, err := r.replyTo(s)
	if err != nil {
		return err
	}
	dialog := &r.steps[i]
	if timeout := dialog.Action.(Asks).Timeout; dialog.HasDur && !timeout.Given() {
		return &Error{Pos: s.Pos, Msg: "this dialog has its answer already", Hint: "name another by @label, or leave this line out"}
	} else if timeout.Given() && s.End() > dialog.At+timeout.D {
		return &Error{Pos: s.Pos, Msg: "the dialog's own timeout passes before this", Hint: "answer earlier, or ask with a longer timeout"}
	}
	dialog.Dur, dialog.HasDur = s.End()-dialog.At, true
	if dialog.Dur < 0 {
		return &Error{Pos: s.Pos, Msg: "this comes before the dialog is opened", Hint: "count from the dialog, which a line without an anchor does"}
	}
	r.stopClock(i)
	return nil
}

// stopClock lengthens the tool around a dialog by the time that its dialogs are open.
func (r *resolver) stopClock(dialog int) {
	i, ok := r.within[dialog]
	if !ok {
		return
	}
	tool := &r.steps[i]
	tool.Dur, tool.HasDur = duration(tool.Action)
	for d, t := range r.within {
		if t == i {
			tool.Dur += r.steps[d].Dur
			tool.HasDur = tool.HasDur && r.steps[d].HasDur
		}
	}
	if !tool.HasDur {
		tool.Dur = 0
	}
}

// end ends the tool or compaction of a label.
func (r *resolver) end(s *Step, label string) *Error {
	i, err := r.label(s.Pos, label)
	if err != nil {
		return err
	}
	open := &r.steps[i]
	switch open.Action.(type) {
	case Tool, Compacts:
	default:
		return &Error{Pos: s.Pos, Msg: fmt.Sprintf("@%s is no tool and no compaction", label), Hint: "only what runs never is ended by ends @label"}
	}
	switch {
	case open.Actor != s.Actor:
		return &Error{Pos: s.Pos, Msg: fmt.Sprintf("@%s belongs to %s", label, open.Actor), Hint: "let that worker end it"}
	case open.HasDur:
		return &Error{Pos: s.Pos, Msg: fmt.Sprintf("@%s has ended already, after %s", label, FormatDuration(open.Dur)), Hint: "let it run never, or leave this line out"}
	}
	open.Dur, open.HasDur = s.At-open.At, true
	return nil
}

// numberBatches gives the tools of one assistant message one number: those that start while another of them runs.
func numberBatches(steps []Step) {
	type batch struct {
		n    int
		open bool          // a call of it never ends
		end  time.Duration // of its latest call
	}
	last := map[string]batch{}
	for i := range steps {
		s := &steps[i]
		b := last[s.Actor]
		if _, ok := s.Action.(Spawn); ok {
			last[s.Actor] = batch{n: b.n}
		}
		tool, ok := s.Action.(Tool)
		if !ok {
			continue
		}
		if !b.open && s.At >= b.end {
			b = batch{n: b.n + 1} // no call of the batch before runs any more
		}
		b.open = b.open || !s.HasDur
		b.end = max(b.end, s.End())
		last[s.Actor] = b
		tool.Batch = b.n
		s.Action = tool
	}
}
