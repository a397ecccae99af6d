package scenarios

import (
	"errors"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/script"
)

// race reads: race @ANCHOR ACTOR VERB ... The anchor is a label, a label's end, or a kind of command.
func (f *file) race(first script.Token, rest []script.Token) script.Row {
	if f.section == twin {
		f.fail(first.Pos, "a twin has no races", "put race above twin")
		return script.Row{}
	}
	if len(rest) == 0 || !strings.HasPrefix(rest[0].Text, "@") {
		f.fail(first.Pos, "race needs an anchor", `write for example: race @abort w1 says "late token"`)
		return script.Row{}
	}
	step, err := script.ParseStep(rest, script.Everyone, f.payload)
	switch {
	case err != nil:
		f.add(err)
		return script.Row{}
	case len(step.Time.Terms) > 0:
		f.fail(step.Pos, "the anchor of a race is one moment", "leave out what is added: a race is played 1 ms before, at and 1 ms after its anchor")
	case step.Label != "":
		f.fail(step.Pos, "a race has no label", "leave as= out")
	}
	f.Races = append(f.Races, Race{
		Step: step, Anchor: step.Time.Label, End: step.Time.End,
		OnAct: !step.Time.End && slices.Contains(commandWords(), step.Time.Label),
	})
	row := step.Row()
	return script.Row{Head: "race", Body: row.Head + " " + row.Body}
}

// crash reads: crash every, or crash @ANCHOR ...
func (f *file) crash(first script.Token, rest []script.Token) script.Row {
	if f.section == twin || f.Crash != nil {
		f.fail(first.Pos, "there is one crash line, above twin", "leave this one out")
		return script.Row{}
	}
	f.Crash = &Crash{Pos: first.Pos}
	var words []string
	for _, tok := range rest {
		anchor, ok := strings.CutPrefix(tok.Text, "@")
		switch {
		case tok.Text == "every" && len(rest) == 1:
			f.Crash.Every = true
		case ok && !tok.Quoted && tok.Key == "":
			f.Crash.At = append(f.Crash.At, anchor)
		default:
			f.add(tok.Refuse("is no place of a crash", "write crash every, or crash @LABEL or @COMMAND ..."))
		}
		words = append(words, tok.String())
	}
	if len(rest) == 0 {
		f.fail(first.Pos, "crash needs a place", "write crash every, or crash @LABEL or @COMMAND ...")
	}
	return script.Row{Head: "crash", Body: strings.Join(words, " ")}
}

// anchors checks that every race and crash is at a label or a command.
func (f *file) anchors() {
	labels := map[string]*script.Step{}
	for i := range f.Timeline {
		if s := &f.Timeline[i]; s.Label != "" {
			labels[s.Label] = s
			if slices.Contains(commandWords(), s.Label) {
				f.fail(s.Pos, "the label "+s.Label+" is also a kind of command", "take another name, so that a race can name either")
			}
		}
	}
	for _, r := range f.Races {
		s, ok := labels[r.Anchor]
		switch {
		case !ok && !r.OnAct:
			f.fail(r.Step.Pos, "@"+r.Anchor+" is neither a label nor a kind of command", "labels are given by as=; commands are "+strings.Join(commandWords(), ", "))
		case r.End && !s.HasDur:
			f.fail(r.Step.Pos, "@"+r.Anchor+".end does not exist: that step has no duration", "race against its start")
		default:
			f.tryRace(r)
		}
	}
	if f.Crash == nil {
		return
	}
	for _, anchor := range f.Crash.At {
		if labels[anchor] == nil && !slices.Contains(commandWords(), anchor) {
			f.fail(f.Crash.Pos, "@"+anchor+" is neither a label nor a kind of command", "labels are given by as=; commands are "+strings.Join(commandWords(), ", "))
		}
	}
}

// RaceStep is the step of a race, resolved for the moment of its anchor. An error is a script.Errors.
func (s *Scenario) RaceStep(r Race, at time.Duration) (script.Step, error) {
	r.Step.Time = script.Time{Absolute: true, Terms: []script.Term{{D: at}}}
	steps := append(slices.Clone(s.Timeline), r.Step)
	if err := script.Resolve(steps, s.Limits); err != nil {
		return script.Step{}, err
	}
	return steps[len(steps)-1], nil
}

// tryRace checks that a race's step can be played behind the timeline, where its anchor is a command whose time only a
// history can tell.
func (f *file) tryRace(r Race) {
	if r.OnAct {
		r.Step.Time = script.Time{Absolute: true, Terms: []script.Term{{D: lastOf(f.Timeline)}}}
	}
	var errs script.Errors
	if err := script.Resolve(slices.Concat(f.Timeline, []script.Step{r.Step}), f.Limits); errors.As(err, &errs) {
		f.errs = append(f.errs, errs...)
	}
}
