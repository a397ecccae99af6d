package scenarios

import (
	"fmt"
	"slices"

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
