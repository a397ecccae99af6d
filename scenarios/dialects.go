package scenarios

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Dialects lists the dialects of Pi in which scenarios are played. The first is the default.
func Dialects() []string { return []string{string(native.Pi16), string(native.Pi073)} }

// dialect reads a dialect, or behind all of them why the others cannot show the scenario.
func (f *file) dialect(tok script.Token) *script.Error {
	switch {
	case f.Why != "":
		return tok.Refuse("stands behind the reason", "the reason comes last")
	case tok.Quoted && tok.Key == "":
		f.Why = tok.Text
		return nil
	case slices.Contains(f.Dialects, tok.Text):
		return tok.Refuse("is given twice", "give it once")
	}
	f.Dialects = append(f.Dialects, tok.Text)
	return tok.OneOf("dialect", Dialects())
}

// limited checks that a scenario which not every dialect shows says why.
func (f *file) limited() {
	if !f.seen["dialects"] {
		return
	}
	form := `name the dialects that show it, then say why the others cannot: dialects pi-1.6 "it has no terminal event"`
	switch {
	case len(f.Dialects) == 0 || f.Why == "":
		f.fail(f.limitedAt, "the dialects line names no dialect, or gives no reason", form)
	case len(f.Dialects) == len(Dialects()):
		f.fail(f.limitedAt, "every dialect shows it", "leave the dialects line out")
	}
}

// rename reads OLD=NEW: in this scenario the records of a known type have a name that no dialect knows.
func (f *file) rename(tok script.Token) *script.Error {
	kind := native.KindOf(tok.Key)
	switch {
	case tok.Key == "" || tok.Quoted || !renameForm.MatchString(tok.Text):
		return tok.Refuse("renames nothing", "write OLD=NEW, as in message_update=message_chunk")
	case kind == native.KindUnknown || kind.IsCommand() || kind.IsEntry():
		return tok.Refuse("renames what is no type of a record on stdout", "take one of docs/pi-formats.md, section 3")
	case native.KindOf(tok.Text) != native.KindUnknown:
		return tok.Refuse("gives a name that Pi has already", "take a name that no dialect knows")
	}
	for _, r := range f.Renames {
		if r.From == tok.Key || r.To == tok.Text {
			return tok.Refuse("renames twice", "rename each type once, and to a name of its own")
		}
	}
	f.Renames = append(f.Renames, Rename{tok.Key, tok.Text})
	return nil
}
