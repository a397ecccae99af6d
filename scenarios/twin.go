package scenarios

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/fakepi/script"
)

// twin reads: twin from LABEL, or twin none "REASON".
func (f *file) twin(first script.Token, rest []script.Token) script.Row {
	form := script.Row{Head: "twin"}
	switch {
	case len(rest) == 2 && rest[0].Text == "from" && !rest[1].Quoted && rest[1].Key == "":
		f.Twin = &Twin{Pos: first.Pos, From: rest[1].Text}
		form.Body = "from " + f.Twin.From
	case len(rest) == 2 && rest[0].Text == "none" && rest[1].Quoted && rest[1].Text != "":
		f.NoTwin = rest[1].Text
		form.Body = "none " + script.Quote(f.NoTwin)
	default:
		f.fail(first.Pos, "twin names no label and gives no reason", `write twin from LABEL and the lines of its healthy end below, or twin none "REASON"`)
	}
	return form
}

// makeTwin joins what stands above the label with the twin's own steps, and checks that the result ends well.
func (f *file) makeTwin() {
	switch {
	case f.NoTwin != "" && (len(f.tail) > 0 || len(f.tailing) > 0):
		f.fail(f.Pos, "the scenario has lines of a twin and says that there is none", "leave one of them out")
		return
	case f.NoTwin != "":
		return
	case f.Twin == nil:
		f.fail(f.Pos, "the scenario has no twin", `tell the same story with a healthy end: twin from LABEL; or say why there is none: twin none "REASON"`)
		return
	}
	cut := slices.IndexFunc(f.Timeline, func(s script.Step) bool { return s.Label == f.Twin.From })
	if cut < 0 {
		f.fail(f.Twin.Pos, "unknown label "+f.Twin.From, "give the line at which the twin leaves the scenario that label, by as="+f.Twin.From)
		return
	}
	if f.replacesNothing(f.Timeline[cut+1:]) {
		f.fail(f.Twin.Pos, "the twin replaces nothing", "write below it what comes behind "+f.Twin.From+" where all goes well")
		return
	}
	f.Twin.Timeline = slices.Concat(f.Timeline[:cut+1], f.tail)
	if !f.play(f.Twin.Timeline) {
		return
	}
	f.boundaries(f.Twin.Timeline[cut+1:])
	for _, e := range script.Endings(f.Twin.Timeline, script.Everyone) {
		if !e.Fate.Healthy() {
			f.fail(f.Twin.Pos, fmt.Sprintf("the twin leaves %s %s", e.Actor, e.Fate), "let it end well: settles, exits 0, or waiting for an answer")
		}
	}
	f.Twin.Horizon = f.horizon(f.Twin.Timeline)
	f.Twin.Expects = f.resolveAll(f.tailing, f.Twin.Timeline, f.Twin.Horizon)
}

// replacesNothing reports whether the twin tells the same story.
func (f *file) replacesNothing(replaced []script.Step) bool {
	if len(f.tail) != len(replaced) {
		return len(f.tail) == 0
	}
	for i := range f.tail {
		if f.tail[i].String() != replaced[i].String() {
			return false
		}
	}
	return true
}

// closest is how near to a limit a twin ends that is healthy because it comes in time: farther from it a subject passes
// whose limit is a little shorter.
const closest = time.Second

// boundaries checks that a twin which comes before a limit comes right before it.
func (f *file) boundaries(tail []script.Step) {
	for i := range tail {
		early := before(&tail[i])
		limit := tail[i].At + early
		near := func(s script.Step) bool { return s.At >= limit-closest && s.At <= limit }
		if early > closest && !slices.ContainsFunc(tail, near) {
			f.fail(tail[i].Pos, fmt.Sprintf("the twin comes %s before its limit", script.FormatDuration(early)),
				"let it come at most "+script.FormatDuration(closest)+" before it")
		}
	}
}

// before is how long before a limit a step comes whose time says so: @label+limit-1s; else 0.
func before(s *script.Step) time.Duration {
	limited, short := false, time.Duration(0)
	for _, t := range s.Time.Terms {
		switch {
		case t.Limit != "" && !t.Minus:
			limited = true
		case t.Limit == "" && t.Minus:
			short += t.D
		case t.Limit == "":
			short -= t.D
		}
	}
	if !limited {
		return 0
	}
	return short
}
