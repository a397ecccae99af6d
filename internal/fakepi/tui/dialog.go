package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Method is the form of a dialog.
type Method uint8

// The methods.
const (
	Select  Method = iota // one of several options
	Confirm               // yes or no
	Enter                 // a line of text
	Edit                  // a text of several lines
)

// Dialog is a question to the user, answered by keys.
type Dialog struct {
	Method  Method
	Title   string
	Message string                      // what a confirm is about; the text that an edit begins with
	Options []string                    // of a select
	Search  string                      // of a select that is narrowed by what is typed: what it shows where nothing has that
	Typed   string                      // what a search begins with
	First   int                         // the option of a select that is chosen before a key
	Keys    []string                    // of a search: keys that are the program's own
	Find    func(typed string) []string // of a search: what it finds, instead of the options that have the words of it
	Sure    bool                        // of a search: only enter, and what cancels, are heard
	Stays   bool                        // of a search: what has been chosen stays so when the text changes, as far as it can
	Until   time.Duration               // when it closes by itself, 0 never: the title counts down
}

// The options of a confirm.
const (
	Yes = "Yes"
	No  = "No"
)

// dialog is the open one.
type dialog struct {
	open bool
	Dialog
	at      int    // of the option
	touched bool   // it has been moved there
	text    editor // of a method that asks for one, or of a search

	all     []string // options, of a search
	numbers []int    // of the options that it has found
}

func newDialog(d Dialog) dialog {
	c := dialog{open: true, Dialog: d}
	switch d.Method {
	case Confirm:
		c.Options = []string{Yes, No}
	case Edit:
		c.text.set(d.Message)
	case Select:
		c.all = d.Options
		c.text.set(d.Typed)
		c.find()
		c.at = max(0, min(d.First, len(c.Options)-1))
	}
	return c
}

// find narrows the options to what the text finds: those that have each word of it.
func (d *dialog) find() {
	if d.Dialog.Find != nil {
		d.Options = d.Dialog.Find(d.text.string())
		d.at = max(0, min(d.at, len(d.Options)-1))
		return
	}
	words := strings.Fields(strings.ToLower(d.text.string()))
	d.at, d.Options, d.numbers = 0, nil, nil
	for i, option := range d.all {
		lower := strings.ToLower(option)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(lower, word) }) {
			d.Options, d.numbers = append(d.Options, option), append(d.numbers, i)
		}
	}
}

// choice is the number of the chosen option among all.
func (d *dialog) choice() int {
	if d.at < len(d.numbers) {
		return d.numbers[d.at]
	}
	return d.at
}

func (d *dialog) lists() bool { return d.Method == Select || d.Method == Confirm }

// press is a key in the dialog. done says that it has been answered, or cancelled.
func (d *dialog) press(in Input) (answer string, cancelled, done bool) {
	switch in.Key {
	case "escape", "ctrl+c":
		return "", true, true
	case "enter":
		if d.Method == Edit && d.text.breaksLine() {
			return "", false, false
		}
		return d.answer(), false, !d.lists() || len(d.Options) > 0
	}
	switch {
	case d.Sure:
	case d.lists():
		return d.choose(in)
	case in.Key == "ctrl+j" && d.Method == Enter:
		return d.answer(), false, true
	case in.Key == "ctrl+j" || in.Key == "shift+enter":
		d.text.insert("\n")
	case in.Kind == Paste && d.Method == Enter:
		d.text.insert(strings.ReplaceAll(clean(in.Text), "\n", " "))
	default:
		d.text.press(in)
	}
	return "", false, false
}

// choose is a key in a list.
func (d *dialog) choose(in Input) (answer string, cancelled, done bool) {
	switch searches := d.Search != ""; {
	case in.Key == "up", in.Key == "k" && !searches:
		d.step(-1)
	case in.Key == "down", in.Key == "j" && !searches:
		d.step(1)
	case in.Key == "pageUp" && searches:
		d.step(-visibleOptions)
	case in.Key == "pageDown" && searches:
		d.step(visibleOptions)
	case in.Key == "ctrl+j":
		return d.answer(), false, len(d.Options) > 0
	case searches:
		d.search(in)
	}
	return "", false, false
}

// step chooses another option.
func (d *dialog) step(n int) {
	d.at = max(0, min(len(d.Options)-1, d.at+n))
	d.touched = true
}

// search edits the text of a search. A text that has changed and is not empty chooses the first of what it finds.
func (d *dialog) search(in Input) {
	before := d.text.string()
	d.text.press(in)
	text := d.text.string()
	if text == before {
		return
	}
	if strings.TrimSpace(text) != "" && !d.Stays {
		d.at, d.touched = 0, false
	}
	d.find()
}

func (d *dialog) answer() string {
	switch {
	case !d.lists():
		return d.text.string()
	case d.at < len(d.Options):
		return d.Options[d.at]
	}
	return ""
}

// keys is what a user types to answer with a value, or to cancel.
func (d *dialog) keys(value string, cancel bool) string {
	switch {
	case cancel:
		return "\x03" // an escape would be waited for: more may follow it
	case d.lists():
		i := slices.IndexFunc(d.Options, func(o string) bool { return strings.EqualFold(o, value) })
		if i < 0 {
			i = d.at
		}
		return strings.Repeat("\x1b[A", max(0, d.at-i)) + strings.Repeat("\x1b[B", max(0, i-d.at)) + "\r"
	}
	n := len(d.text.text)
	return strings.Repeat("\x1b[C", n) + strings.Repeat("\x7f", n) + pasteOpens + value + pasteCloses + "\r"
}

// visibleOptions is how many options are shown at once.
const visibleOptions = 10

// lines draws the dialog at a width.
func (d *dialog) lines(width int, now time.Duration, s *style) []string {
	rule := s.border.of(strings.Repeat("─", width))
	out := []string{rule, ""}
	for _, line := range wrap(clean(d.heading(now)), max(width-2, 1)) {
		out = append(out, " "+s.heading.of(line))
	}
	out = append(out, "")
	switch {
	case d.Search != "":
		text, row := d.text.lines(max(width-2, 1))
		out = append(out, "> "+text[row], "")
		if len(d.Options) == 0 {
			out = append(out, "  "+s.dim.of(d.Search))
		}
		out = d.list(out, s)
	case d.lists():
		out = append(d.list(out, s), "", s.hint.of(" ↑↓ navigate  enter select  escape/ctrl+c cancel"))
	case d.Method == Enter:
		text, row := d.text.lines(max(width-2, 1))
		out = append(out, "> "+text[row], "", s.hint.of(" enter submit  escape/ctrl+c cancel"))
	default:
		text, _ := d.text.lines(width)
		out = append(append(append(out, rule), text...), rule, "", s.hint.of(" enter submit  shift+enter newline  escape/ctrl+c cancel"))
	}
	return append(out, "", rule)
}

// heading is the title with what a confirm is about, and the seconds that are left.
func (d *dialog) heading(now time.Duration) string {
	text := d.Title
	if d.Method == Confirm && d.Message != "" {
		text += "\n" + d.Message
	}
	if d.Until > 0 {
		text += " (" + seconds(d.Until-now) + "s)"
	}
	return text
}

// list appends the options around the chosen one.
func (d *dialog) list(out []string, s *style) []string {
	first := max(0, min(d.at-visibleOptions/2, len(d.Options)-visibleOptions))
	last := min(first+visibleOptions, len(d.Options))
	for i := first; i < last; i++ {
		option, _, _ := strings.Cut(clean(d.Options[i]), "\n")
		if i == d.at {
			out = append(out, s.chosen.of(" → "+option))
		} else {
			out = append(out, "   "+option)
		}
	}
	if last-first < len(d.Options) {
		out = append(out, s.hint.of("  ("+strconv.Itoa(d.at+1)+"/"+strconv.Itoa(len(d.Options))+")"))
	}
	return out
}

// seconds counts the begun ones that are left.
func seconds(left time.Duration) string {
	return strconv.Itoa(int(max(0, left+time.Second-1) / time.Second))
}
