package scenarios

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// Parse reads one scenario. An error is a script.Errors.
func Parse(file string, src []byte) (Scenario, error) {
	f := read(file, src)
	if len(f.errs) == 0 {
		f.finish()
	}
	if len(f.errs) > 0 {
		return f.Scenario, f.sorted()
	}
	return f.Scenario, nil
}

// sorted returns the errors in the order of their lines.
func (f *file) sorted() script.Errors {
	slices.SortStableFunc(f.errs, func(a, b *script.Error) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
	return f.errs
}

// file is a scenario while it is read.
type file struct {
	Scenario
	payload *script.Payload
	lines   []line
	errs    script.Errors

	seen      map[string]bool // keys of the header
	section   section
	limitedAt script.Pos    // the dialects line
	claims    []claim       // expects of the scenario
	tail      []script.Step // of the twin
	tailing   []claim       // expects of the twin
}

// line is a line of the file as it was read, kept for Format.
type line struct {
	section section
	row     script.Row
}

// section is a part of the file. They come in this order.
type section int

const (
	header   section = iota
	timeline         // steps
	claims           // expect, race, crash
	twin             // twin and the indented lines below it
)

// read parses every line by itself.
func read(name string, src []byte) *file {
	archive := txtar.Parse(src)
	f := &file{payload: script.NewPayload(name, archive), seen: map[string]bool{}}
	f.Source, f.Files, f.Profile = src, f.payload.Files, ProfileCore
	f.Policy, f.Spawner = watchdog.DefaultPolicy(), watchdog.SpawnerFenced
	f.Pos = script.Pos{File: name, Line: 1, Col: 1}
	for i, text := range script.Lines(archive.Comment) {
		f.line(script.Pos{File: name, Line: i + 1, Col: 1}, text)
	}
	f.errs = append(f.errs, f.payload.Problems()...)
	return f
}

func (f *file) fail(pos script.Pos, msg, hint string) {
	f.errs = append(f.errs, &script.Error{Pos: pos, Msg: msg, Hint: hint})
}

// add notes an error, if there is one.
func (f *file) add(err *script.Error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

func (f *file) line(pos script.Pos, text string) {
	if f.section == header && f.free(pos, text) {
		return
	}
	l, err := script.LexLine(pos, text)
	if err != nil {
		f.add(err)
		return
	}
	row := script.Row{Comment: l.Comment}
	if l.Indent && f.section == twin {
		row.Indent = indent
	}
	if len(l.Tokens) > 0 {
		row = f.tokens(l)
		row.Comment = l.Comment
	}
	f.lines = append(f.lines, line{f.section, row})
}

// indent is how far the lines of a twin are indented.
const indent = 9

// tokens reads a line that is more than a comment.
func (f *file) tokens(l script.Line) script.Row {
	first, rest := l.Tokens[0], l.Tokens[1:]
	if l.Indent != (f.section == twin) {
		f.indentation(l)
		return script.Row{}
	}
	switch word := first.Text; {
	case first.Key == "" && slices.Contains(headerKeys(), word):
		return f.header(first, rest)
	case first.Key == "" && word == "expect":
		f.enter(claims, first)
		return f.expect(first, rest)
	case first.Key == "" && word == "race":
		f.enter(claims, first)
		return f.race(first, rest)
	case first.Key == "" && word == "crash":
		f.enter(claims, first)
		return f.crash(first, rest)
	case first.Key == "" && word == "twin":
		f.enter(twin, first)
		return f.twin(first, rest)
	}
	return f.step(l.Tokens)
}

func (f *file) indentation(l script.Line) {
	if l.Indent {
		f.fail(l.Tokens[0].Pos, "only the lines of a twin are indented", "begin the line at its start")
	} else {
		f.fail(l.Tokens[0].Pos, "this line is not indented, yet it stands below twin", "indent what belongs to the twin; steps, expect, race and crash of the scenario stand above it")
	}
}

// enter begins a section; the order is part of the form.
func (f *file) enter(s section, tok script.Token) {
	if f.section == twin && s != twin {
		return // an expect of the twin
	}
	if s < f.section || s == twin && f.section == twin {
		f.fail(tok.Pos, tok.Text+" stands too low", "the order is: header, steps, then expect, race and crash, then twin")
	}
	f.section = max(f.section, s)
}

// step reads a line of the timeline or of the twin.
func (f *file) step(tokens []script.Token) script.Row {
	if f.section == header {
		f.section = timeline
	}
	step, err := script.ParseStep(tokens, script.Everyone, f.payload)
	if err != nil {
		if strings.IndexAny(tokens[0].Text, "@+-0123456789") != 0 {
			err = f.unknown(tokens[0])
		}
		f.add(err)
		return script.Row{}
	}
	row := step.Row()
	switch f.section {
	case twin:
		f.tail = append(f.tail, step)
		row.Indent = indent
	case claims:
		f.fail(tokens[0].Pos, "a step stands below the first expect, race or crash", "put all steps above them")
	default:
		f.Timeline = append(f.Timeline, step)
	}
	return row
}

// unknown explains the first word of a line that is neither a key nor a time.
func (f *file) unknown(tok script.Token) *script.Error {
	known := append(headerKeys(), "expect", "race", "crash", "twin")
	return tok.Refuse("begins no line", script.Suggest(tok.Text, known)+", or a time")
}
