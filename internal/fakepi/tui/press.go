package tui

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// ActionKind is what keys ask of the program.
type ActionKind uint8

// The kinds.
const (
	Submit    ActionKind = iota // a text, with enter
	FollowUp                    // a text for later, with alt+enter
	Interrupt                   // escape
	Dequeue                     // the messages that wait are to be edited
	Answer                      // the dialog is answered with the text
	Cancel                      // the dialog is closed without an answer
	Key                         // one of the dialog's own, by its name
	Exit                        // ctrl+d without a text, or ctrl+c twice
	Suspend                     // ctrl+z
	NextModel                   // ctrl+p
	NextLevel                   // shift+tab
	Models                      // ctrl+l: one of the models is to be picked
)

// Action is something that keys ask of the program.
type Action struct {
	Kind   ActionKind
	Text   string
	Choice int  // of an answer to a list and of a key: which option; -1 where nothing is chosen
	Moved  bool // of a key: the user has chosen that option
}

// twice is how close two presses of ctrl+c have to be for the program to exit, and two of escape for the tree.
const twice = 500 * time.Millisecond

// Type takes bytes that the terminal sends. Each key is pressed when the action of the one before has been taken: what it
// means may depend on that.
func (u *UI) Type(now time.Duration, data []byte) iter.Seq[Action] {
	inputs := u.decoder.Decode(data, nil)
	u.keysAt = never
	if wait := u.decoder.Wait(); wait > 0 {
		u.keysAt = now + u.users(wait)
	}
	return u.press(now, inputs)
}

// users is a span of the user's time.
func (u *UI) users(d time.Duration) time.Duration { return time.Duration(float64(d) * u.speed) }

func (u *UI) press(now time.Duration, inputs []Input) iter.Seq[Action] {
	return func(yield func(Action) bool) {
		for _, in := range inputs {
			if in.Kind == Reply {
				u.reply(in.Text)
				continue
			}
			u.touch(now)
			if a, ok := u.key(in); ok && !yield(a) {
				return
			}
		}
	}
}

// key is one key, or a paste.
func (u *UI) key(in Input) (Action, bool) {
	if u.dialog.open {
		d := &u.dialog
		if slices.Contains(d.Keys, in.Key) {
			return Action{Kind: Key, Text: in.Key, Choice: min(d.choice(), len(d.Options)-1), Moved: d.touched}, true
		}
		answer, cancelled, done := d.press(in)
		switch {
		case cancelled:
			return Action{Kind: Cancel}, true
		case done:
			return Action{Kind: Answer, Text: answer, Choice: u.dialog.choice()}, true
		}
		return Action{}, false
	}
	switch in.Key {
	case "enter":
		if u.editor.breaksLine() {
			return Action{}, false
		}
		return u.submit(Submit)
	case "alt+enter":
		return u.submit(FollowUp)
	case "shift+enter", "ctrl+j":
		u.editor.insert("\n")
	case "escape":
		return Action{Kind: Interrupt}, true
	case "alt+up":
		return Action{Kind: Dequeue}, true
	case "ctrl+c":
		return u.clear()
	case "ctrl+z":
		return Action{Kind: Suspend}, true
	case "ctrl+p":
		return Action{Kind: NextModel}, true
	case "shift+tab":
		return Action{Kind: NextLevel}, true
	case "ctrl+l":
		return Action{Kind: Models}, true
	case "ctrl+d":
		if u.editor.empty() {
			return Action{Kind: Exit}, true
		}
		u.editor.press(in)
	default:
		u.editor.press(in)
	}
	return Action{}, false
}

func (u *UI) submit(k ActionKind) (Action, bool) {
	text := u.editor.take()
	return Action{Kind: k, Text: text}, text != ""
}

// clear takes the text away; soon after another time it is the end.
func (u *UI) clear() (Action, bool) {
	if u.now < u.clearUntil {
		return Action{Kind: Exit}, true
	}
	u.editor.set("")
	u.clearUntil = u.now + u.users(twice)
	return Action{}, false
}

// Remember keeps a text that the prompt can bring back.
func (u *UI) Remember(text string) { u.editor.remember(text) }

// Escape is an escape that interrupts nothing: it takes a command away that is being written. It reports whether it is the
// second one in an empty prompt.
func (u *UI) Escape(now time.Duration) (again bool) {
	text := strings.TrimSpace(u.editor.string())
	switch {
	case strings.HasPrefix(text, "!"):
		u.editor.set("")
		u.touch(now)
	case text == "" && now < u.escapeUntil:
		u.escapeUntil = 0
		return true
	case text == "":
		u.escapeUntil = now + u.users(twice)
	}
	return false
}

// Ask opens a dialog in the place of the prompt.
func (u *UI) Ask(now time.Duration, d Dialog) {
	u.dialog = newDialog(d)
	u.touch(now)
}

// Reask changes the open search: the text stays, and First is chosen of what that finds.
func (u *UI) Reask(now time.Duration, d Dialog) {
	text, touched := u.dialog.text, u.dialog.touched
	u.dialog = dialog{open: true, Dialog: d, text: text, touched: touched, at: d.First}
	u.dialog.find()
	u.touch(now)
}

// Unask closes the dialog.
func (u *UI) Unask(now time.Duration) {
	u.dialog = dialog{}
	u.touch(now)
}

// Keys is what a user types to answer the open dialog with a value, or to cancel it.
func (u *UI) Keys(value string, cancel bool) string { return u.dialog.keys(value, cancel) }

// Edit puts a text before what is in the prompt.
func (u *UI) Edit(now time.Duration, text string) {
	u.editor.set(strings.TrimSpace(text + "\n\n" + u.editor.string()))
	u.touch(now)
}
