package tui

import (
	"slices"
	"strings"
	"unicode"
)

// editor is a text being written, of one line or several. Its copies are independent: text is replaced, never changed
// in place.
type editor struct {
	text    []rune
	at      int // of the cursor
	killed  []rune
	history []string
	recall  int // how far back in the history the text is from; 0: it is a new one
}

func (e *editor) string() string { return string(e.text) }

func (e *editor) empty() bool { return len(e.text) == 0 }

// set replaces the text; the cursor stands at its end.
func (e *editor) set(text string) {
	e.text = []rune(text)
	e.at = len(e.text)
}

// take empties the editor and returns its text.
func (e *editor) take() string {
	text := strings.TrimSpace(e.string())
	e.set("")
	e.recall = 0
	return text
}

// remember takes a text into the history.
func (e *editor) remember(text string) {
	if n := len(e.history); text != "" && (n == 0 || e.history[n-1] != text) {
		e.history = append(e.history[:n:n], text)
	}
}

// press edits the text. It reports whether the key is one of editing.
func (e *editor) press(in Input) bool {
	switch {
	case in.Kind == Paste:
		e.insert(clean(strings.ReplaceAll(strings.ReplaceAll(in.Text, "\r\n", "\n"), "\r", "\n")))
	case in.Text != "":
		e.insert(in.Text)
	default:
		return e.move(in.Key) || e.delete(in.Key)
	}
	return true
}

func (e *editor) insert(text string) {
	added := []rune(text)
	e.text = slices.Concat(e.text[:e.at], added, e.text[e.at:])
	e.at += len(added)
}

// move moves the cursor.
func (e *editor) move(key string) bool {
	switch key {
	case "left", "ctrl+b":
		e.at = max(0, e.at-1)
	case "right", "ctrl+f":
		e.at = min(len(e.text), e.at+1)
	case "ctrl+left", "alt+left", "alt+b":
		e.at = e.wordStart()
	case "ctrl+right", "alt+right", "alt+f":
		e.at = e.wordEnd()
	case "home", "ctrl+a":
		e.at = e.lineStart(e.at)
	case "end", "ctrl+e":
		e.at = e.lineEnd(e.at)
	case "up":
		e.up()
	case "down":
		e.down()
	default:
		return false
	}
	return true
}

// delete takes text away, or puts back what was taken last.
func (e *editor) delete(key string) bool {
	switch key {
	case "backspace", "ctrl+h", "shift+backspace":
		e.cut(max(0, e.at-1), e.at)
	case "delete", "ctrl+d":
		e.cut(e.at, min(len(e.text), e.at+1))
	case "ctrl+w", "alt+backspace":
		e.kill(e.wordStart(), e.at)
	case "alt+d", "alt+delete":
		e.kill(e.at, e.wordEnd())
	case "ctrl+u":
		e.kill(e.lineStart(e.at), e.at)
	case "ctrl+k":
		e.kill(e.at, e.lineEnd(e.at))
	case "ctrl+y":
		e.insert(string(e.killed))
	default:
		return false
	}
	return true
}

func (e *editor) cut(from, to int) {
	e.text = slices.Concat(e.text[:from], e.text[to:])
	e.at = from
}

func (e *editor) kill(from, to int) {
	if from < to {
		e.killed = slices.Clone(e.text[from:to])
		e.cut(from, to)
	}
}

func (e *editor) wordStart() int {
	i := e.at
	for i > 0 && unicode.IsSpace(e.text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(e.text[i-1]) {
		i--
	}
	return i
}

func (e *editor) wordEnd() int {
	i := e.at
	for i < len(e.text) && unicode.IsSpace(e.text[i]) {
		i++
	}
	for i < len(e.text) && !unicode.IsSpace(e.text[i]) {
		i++
	}
	return i
}

func (e *editor) lineStart(at int) int {
	for at > 0 && e.text[at-1] != '\n' {
		at--
	}
	return at
}

func (e *editor) lineEnd(at int) int {
	for at < len(e.text) && e.text[at] != '\n' {
		at++
	}
	return at
}

// up goes a line up, in the first one to an older text.
func (e *editor) up() {
	start := e.lineStart(e.at)
	switch {
	case start > 0:
		above := e.lineStart(start - 1)
		e.at = min(above+e.at-start, start-1)
	case e.recall < len(e.history) && (e.recall > 0 || e.empty()):
		e.recall++
		e.set(e.history[len(e.history)-e.recall])
	default:
		e.at = 0
	}
}

// down goes a line down, in the last one to a newer text.
func (e *editor) down() {
	end := e.lineEnd(e.at)
	switch {
	case end < len(e.text):
		e.at = min(end+1+e.at-e.lineStart(e.at), e.lineEnd(end+1))
	case e.recall > 1:
		e.recall--
		e.set(e.history[len(e.history)-e.recall])
	case e.recall == 1:
		e.recall = 0
		e.set("")
	default:
		e.at = len(e.text)
	}
}

const (
	inverse   = "\x1b[7m"
	uninverse = "\x1b[27m"
)

// lines draws the text at a width, with the cursor as an inverse cell, and tells in which line that stands.
func (e *editor) lines(width int) (lines []string, row int) {
	const mark = '\ue000' // stands for the cursor while the text is broken into lines
	text := string(e.text[:e.at]) + string(mark) + string(e.text[e.at:])
	lines = wrap(strings.ReplaceAll(text, "\t", " "), max(width-1, 1))
	for i, line := range lines {
		before, after, found := strings.Cut(line, string(mark))
		if !found {
			continue
		}
		under := " "
		if r := []rune(after); len(r) > 0 {
			under, after = string(r[0]), string(r[1:])
		}
		lines[i], row = before+inverse+under+uninverse+after, i
	}
	return lines, row
}
