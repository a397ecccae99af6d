package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/internal/fakepi/tui"
)

const (
	left, right, up, down = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
	escape                = "\x1b"
	// settle is longer than what has begun is waited for.
	settle = 60 * time.Millisecond
)

func TestEditor(t *testing.T) {
	tests := []struct{ keys, want, reason string }{
		{"abc", "abc", ""},
		{"  a b  ", "a b", "spaces around are not submitted"},
		{"abc" + left + left + "x", "axbc", ""},
		{"abc" + left + "\x7f", "ac", "backspace"},
		{"abc" + left + left + "\x1b[3~", "ac", "delete"},
		{"abc" + left + "\x04", "ab", "ctrl+d deletes where there is a text"},
		{"one two\x17x", "one x", "ctrl+w takes a word"},
		{"one two\x01\x1bdx", "x two", "alt+d takes the next one"},
		{"one two\x1b[1;5D\x15x", "xtwo", "ctrl+u takes what is before"},
		{"one two\x1bb\x0bx", "one x", "ctrl+k takes what is behind"},
		{"one\x15two \x19", "two one", "ctrl+y puts it back"},
		{"b\x01a\x05c", "abc", "ctrl+a and ctrl+e"},
		{"a\nb", "a\nb", "ctrl+j begins a line"},
		{"a\x1b[13;2ub", "a\nb", "and so does shift+enter"},
		{"one\ntwo" + up + "x", "onex\ntwo", "up keeps the column"},
		{"one\ntwo" + up + "\x01" + down + "x", "one\nxtwo", "down, too"},
		{"one\ntwo" + up + up + "x", "xone\ntwo", "in the first line up goes to its start"},
		{"\x1b[200~a\r\nb\tc\x1b[201~", "a\nb    c", "a paste keeps its lines"},
		{"see\x1b[200~/etc\x1b[201~", "see /etc", "a pasted path is a word"},
		{"one\\\rtwo", "one\ntwo", "a backslash before enter"},
		{"a b c\x17\x17\x19", "a b c", "what is taken one after the other is put back together"},
		{"a b\x01\x1bd\x1bd\x19", "a b", ""},
		{"a b\x17" + left + right + "\x17\x19", "a", "not together"},
		{"👩‍👩‍👧x" + left + "\x7f", "x", "a character of several"},
		{"e\u0301" + left + "a\x1b[3~b", "ab", ""},
		{"\x1b[200~\x1b[31mred\x1b[201~", "red", "and not its styles"},
		{"漢字" + left + "é", "漢é字", ""},
		{left + right + up + down + "\x7f\x1b[3~\x17\x0b\x15a", "a", "an empty text bears every key"},
		{"wrong\x03right", "right", "ctrl+c clears"},
	}
	for _, tt := range tests {
		p := look(t, tui.Options{})
		want := []tui.Action{{Kind: tui.Submit, Text: tt.want}}
		if diff := cmp.Diff(want, p.types(tt.keys+"\r")); diff != "" {
			t.Errorf("%q (%s): -want +got\n%s", tt.keys, tt.reason, diff)
		}
	}
}

func TestActions(t *testing.T) {
	tests := []struct {
		keys   string
		want   []tui.Action
		reason string
	}{
		{"\r", nil, "no text, nothing to submit"},
		{"a\x1b\r", []tui.Action{{Kind: tui.FollowUp, Text: "a"}}, "alt+enter"},
		{"a\rb\r", []tui.Action{{Kind: tui.Submit, Text: "a"}, {Kind: tui.Submit, Text: "b"}}, "two in one read"},
		{"a\r" + up + "\r", []tui.Action{{Kind: tui.Submit, Text: "a"}, {Kind: tui.Submit, Text: "a"}}, "up brings the last one back"},
		{"a\rb\r" + up + up + down + "\r", []tui.Action{{Kind: tui.Submit, Text: "a"}, {Kind: tui.Submit, Text: "b"}, {Kind: tui.Submit, Text: "b"}}, ""},
		{escape, []tui.Action{{Kind: tui.Interrupt}}, ""},
		{escape + escape, []tui.Action{{Kind: tui.Interrupt}, {Kind: tui.Interrupt}}, ""},
		{"\x04", []tui.Action{{Kind: tui.Exit}}, "ctrl+d without a text"},
		{"\x03\x03", []tui.Action{{Kind: tui.Exit}}, "ctrl+c twice"},
		{"\x1b[99;5u\x1b[99;5u", []tui.Action{{Kind: tui.Exit}}, "in the enhanced protocol"},
		{"\x1b[1;3A", []tui.Action{{Kind: tui.Dequeue}}, "alt+up"},
		{"\x10\x0c\x1b[Z", []tui.Action{{Kind: tui.NextModel}, {Kind: tui.Models}, {Kind: tui.NextLevel}}, "ctrl+p, ctrl+l, shift+tab"},
	}
	for _, tt := range tests {
		p := look(t, tui.Options{})
		if diff := cmp.Diff(tt.want, append(p.types(tt.keys), p.pass(settle)...)); diff != "" {
			t.Errorf("%q (%s): -want +got\n%s", tt.keys, tt.reason, diff)
		}
	}
}

// How texts come back, in each version.
func TestHistory(t *testing.T) {
	tests := []struct{ keys, v16, v073, reason string }{
		{"one\rtwo\n3\r" + up + up, "one", "two\n3", "the cursor is at the start, or at the end"},
		{"one\rtwo\r" + up + up + down, "two", "two", ""},
		{"one\rnew\x01" + up + down, "new", "new", "from the start of a new text, or not at all"},
		{"one\rnew\x01" + up, "one", "new", ""},
		{"one\rtwo\r" + up + "x\x01" + up, "two", "twox", "an edited text is a new one"},
	}
	for _, tt := range tests {
		for version, want := range map[tui.Version]string{tui.V16: tt.v16, tui.V073: tt.v073} {
			p := look(t, tui.Options{Version: version})
			got := p.types(tt.keys + "\r")
			if last := got[len(got)-1].Text; last != want {
				t.Errorf("%s, %q (%s): got %q, want %q", version, tt.keys, tt.reason, last, want)
			}
		}
	}
}

// Two presses of ctrl+c that are not close clear twice.
func TestSlowClears(t *testing.T) {
	p := look(t, tui.Options{})
	p.pass(time.Second)
	if got := p.types("\x03"); len(got) > 0 {
		t.Errorf("the first: got %v, want nothing", got)
	}
	p.pass(500 * time.Millisecond)
	if got := p.types("\x03"); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
	p.pass(400 * time.Millisecond)
	if diff := cmp.Diff([]tui.Action{{Kind: tui.Exit}}, p.types("\x03")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// An escape that interrupts nothing takes a command away, and is counted in an empty prompt.
func TestEscape(t *testing.T) {
	p := look(t, tui.Options{})
	p.types("!make")
	if p.ui.Escape(p.now) {
		t.Error("with a command: it is no second one")
	}
	if got := p.types("\r"); len(got) > 0 {
		t.Errorf("behind it: got %v, want no text left", got)
	}
	again := []bool{p.ui.Escape(p.now), p.ui.Escape(p.now + 499*time.Millisecond), p.ui.Escape(p.now + 500*time.Millisecond), p.ui.Escape(p.now + time.Second)}
	if diff := cmp.Diff([]bool{false, true, false, false}, again); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	p.types("kept")
	p.ui.Escape(p.now + time.Second)
	if diff := cmp.Diff([]tui.Action{{Kind: tui.Submit, Text: "kept"}}, p.types("\r")); diff != "" {
		t.Errorf("a text: -want +got\n%s", diff)
	}
}

// Where time runs faster, people do not.
func TestFastTime(t *testing.T) {
	p := look(t, tui.Options{Speed: 60})
	p.types("\x03")
	p.pass(20 * time.Second)
	if diff := cmp.Diff([]tui.Action{{Kind: tui.Exit}}, p.types("\x03")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	p.types(escape)
	p.pass(500 * time.Millisecond)
	p.types("[A")
	if got := p.pass(10 * time.Second); len(got) > 0 {
		t.Errorf("an arrow in two pieces: got %v, want nothing", got)
	}
}

func TestDialogs(t *testing.T) {
	choice := tui.Dialog{Title: "Allow?", Options: []string{"Allow", "Block", "Always"}}
	confirm := tui.Dialog{Method: tui.Confirm, Title: "Run it?", Message: "make"}
	enter := tui.Dialog{Method: tui.Enter, Title: "Branch?"}
	edit := tui.Dialog{Method: tui.Edit, Title: "Edit it", Message: "make"}
	answer := func(text string) []tui.Action { return []tui.Action{{Kind: tui.Answer, Text: text}} }
	chosen := func(text string, i int) []tui.Action { return []tui.Action{{Kind: tui.Answer, Text: text, Choice: i}} }
	cancel := []tui.Action{{Kind: tui.Cancel}}
	tests := []struct {
		dialog tui.Dialog
		keys   string
		want   []tui.Action
		shows  []string
		reason string
	}{
		{choice, "", nil, []string{" Allow?", " → Allow", "   Block", "↑↓ navigate  enter select  escape/ctrl+c cancel"}, ""},
		{choice, "\r", answer("Allow"), nil, "the first one is chosen"},
		{choice, down, nil, []string{"   Allow", " → Block"}, ""},
		{choice, down + down + "\r", chosen("Always", 2), nil, ""},
		{choice, "jjk\r", chosen("Block", 1), nil, "by letters"},
		{choice, up + down + down + down + down + "\r", chosen("Always", 2), nil, "the list has ends"},
		{choice, "x5" + left + "\n", answer("Allow"), nil, "other keys do nothing"},
		{choice, escape, cancel, nil, ""},
		{choice, "\x03", cancel, nil, "ctrl+c cancels"},
		{confirm, "", nil, []string{" Run it?\n make", " → Yes", "   No"}, ""},
		{confirm, "\r", answer(tui.Yes), nil, ""},
		{confirm, down + "\r", chosen(tui.No, 1), nil, ""},
		{enter, "mai", nil, []string{" Branch?", "> mai"}, ""},
		{enter, "main\r", answer("main"), nil, ""},
		{enter, "\r", answer(""), nil, "nothing is an answer"},
		{enter, "\x1b[200~a\nb\x1b[201~\r", answer("a b"), nil, "of one line"},
		{edit, "", nil, []string{" Edit it", "make", "shift+enter newline"}, ""},
		{edit, " -j\nall\r", answer("make -j\nall"), nil, "of several lines"},
		{edit, escape, cancel, nil, ""},
	}
	for _, v := range versions {
		for _, tt := range tests {
			p := look(t, tui.Options{Version: v})
			p.ui.Ask(p.now, tt.dialog)
			got := append(p.types(tt.keys), p.pass(settle)...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: %q to %q (%s): -want +got\n%s", v, tt.keys, tt.dialog.Title, tt.reason, diff)
			}
			p.expect(t, tt.shows...)
			p.ui.Unask(p.now)
			p.pass(0)
			p.expectNot(t, tt.dialog.Title)
		}
	}
}

// Of many options those around the chosen one are shown.
func TestLongList(t *testing.T) {
	p := look(t, tui.Options{})
	p.ui.Ask(p.now, tui.Dialog{Title: "Which?", Options: strings.Split("a b c d e f g h i j k l m n o p", " ")})
	p.types(strings.Repeat(down, 8))
	p.expect(t, "   d\n   e\n   f\n   g\n   h\n → i\n   j\n   k\n   l\n   m\n  (9/16)")
}

// A dialog with an end counts down, also where nothing else moves.
func TestCountdown(t *testing.T) {
	p := look(t, tui.Options{})
	p.ui.Ask(p.now, tui.Dialog{Method: tui.Confirm, Title: "Run it?", Until: 4 * time.Second})
	for _, want := range []string{"(4s)", "(3s)", "(2s)", "(1s)"} {
		p.pass(0)
		p.expect(t, "Run it? "+want)
		p.pass(time.Second)
	}
	if at, ok := p.ui.Next(); ok {
		t.Errorf("something is due at %s behind the end", at)
	}
}

// The keys that an interface asks for give the answer, wherever the person has been before.
func TestKeysAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := look(t, tui.Options{Version: rapid.SampledFrom(versions).Draw(t, "version")})
		d := tui.Dialog{
			Method: rapid.SampledFrom([]tui.Method{tui.Select, tui.Confirm, tui.Enter, tui.Edit}).Draw(t, "method"),
			Title:  "?", Message: "make", Options: []string{"a", "b", "c"},
		}
		var value string
		switch d.Method {
		case tui.Select:
			value = rapid.SampledFrom(d.Options).Draw(t, "option")
		case tui.Confirm:
			value = rapid.SampledFrom([]string{tui.Yes, tui.No}).Draw(t, "option")
		default:
			value = rapid.StringMatching(`[a-z ]{0,5}`).Draw(t, "text")
		}
		p.ui.Ask(p.now, d)
		p.types(strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{up, down, left, "x"})).Draw(t, "before"), ""))
		if got := p.types(p.ui.Keys(value, false)); len(got) != 1 || got[0].Kind != tui.Answer || got[0].Text != value {
			t.Errorf("%+v: got %v, want the answer %q", d, got, value)
		}
		if diff := cmp.Diff([]tui.Action{{Kind: tui.Cancel}}, p.types(p.ui.Keys("", true))); diff != "" {
			t.Errorf("cancelled: -want +got\n%s", diff)
		}
	})
}

// A list that is searched shows the options that have all that is typed; the choice is told by its number among all.
func TestSearch(t *testing.T) {
	options := []string{"hello", "a second prompt", "third"}
	const none = "Nothing like it."
	tests := []struct {
		keys   string
		want   []tui.Action
		shows  string
		reason string
	}{
		{"\r", []tui.Action{{Kind: tui.Answer, Text: "hello", Choice: 0}}, "hello", "nothing is typed"},
		{"\x1b[B\x1b[B\x1b[B\r", []tui.Action{{Kind: tui.Answer, Text: "third", Choice: 2}}, "→ third", "the last one stays"},
		{"PROMPT sec\r", []tui.Action{{Kind: tui.Answer, Text: "a second prompt", Choice: 1}}, "→ a second prompt", "words in any order and case"},
		{"jk\x7f\x7fh\x1b[B\r", []tui.Action{{Kind: tui.Answer, Text: "third", Choice: 2}}, "> h", "letters are no arrows here"},
		{"zzz\r", nil, none, "there is nothing to choose"},
		{"zzz\x03", []tui.Action{{Kind: tui.Cancel}}, none, "but to leave"},
	}
	for _, tt := range tests {
		p := look(t, tui.Options{})
		p.ui.Ask(p.now, tui.Dialog{Title: "Which?", Options: options, Search: none})
		if diff := cmp.Diff(tt.want, p.types(tt.keys)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.reason, diff)
		}
		p.expect(t, tt.shows)
	}
}
