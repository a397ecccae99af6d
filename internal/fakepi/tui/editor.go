package tui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// editor is a text being written, of one line or several. Its copies are independent: text is replaced, never changed
// in place.
type editor struct {
	text    []rune
	at      int // of the cursor
	killed  []rune
	kills   bool // the key before took text away that can be put back
	history []string
	recall  int    // how far back in the history the text is from; 0: it is a new one
	upward  bool   // what is brought back has the cursor at its start, and a new text is kept meanwhile (Pi 1.6)
	draft   []rune // that text
	drafted int    // and where its cursor was
}

func (e *editor) string() string { return string(e.text) }

func (e *editor) empty() bool { return len(e.text) == 0 }

// set replaces the text; the cursor stands at its end.
func (e *editor) set(text string) {
	e.text = []rune(text)
	e.at, e.recall = len(e.text), 0
}

// take empties the editor and returns its text.
func (e *editor) take() string {
	text := strings.TrimSpace(e.string())
	e.set("")
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
	kills := e.kills
	e.kills = false
	switch {
	case in.Kind == Paste:
		e.insert(e.pasted(in.Text))
	case in.Text != "":
		e.insert(in.Text)
	default:
		return e.move(in.Key) || e.delete(in.Key) || e.kill(in.Key, kills)
	}
	return true
}

// pasted is what is inserted for a text that was pasted. A path is kept apart from the word before it.
func (e *editor) pasted(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = clean(strings.ReplaceAll(text, "\t", "    "))
	if text != "" && strings.ContainsRune("/~.", rune(text[0])) && e.at > 0 && isWord(e.text[e.at-1]) {
		return " " + text
	}
	return text
}

func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// breaksLine makes a line of a backslash before the cursor, which stands for shift+enter where a terminal has none. It
// reports whether there was one.
func (e *editor) breaksLine() bool {
	if e.at == 0 || e.text[e.at-1] != '\\' {
		return false
	}
	e.cut(e.at-1, e.at)
	e.insert("\n")
	return true
}

func (e *editor) insert(text string) {
	added := []rune(text)
	e.text = slices.Concat(e.text[:e.at], added, e.text[e.at:])
	e.at += len(added)
	e.recall = 0
}

// move moves the cursor.
func (e *editor) move(key string) bool {
	switch key {
	case "left", "ctrl+b":
		e.at = e.before()
	case "right", "ctrl+f":
		e.at = e.behind()
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

// delete takes a character away.
func (e *editor) delete(key string) bool {
	switch key {
	case "backspace", "ctrl+h", "shift+backspace":
		e.cut(e.before(), e.at)
	case "delete", "ctrl+d":
		e.cut(e.at, e.behind())
	default:
		return false
	}
	return true
}

// kill takes text away that can be put back, together with what the key before took, or puts it back.
func (e *editor) kill(key string, more bool) bool {
	from, to := e.at, e.at
	switch key {
	case "ctrl+w", "alt+backspace":
		from = e.wordStart()
	case "alt+d", "alt+delete":
		to = e.wordEnd()
	case "ctrl+u":
		from = e.lineStart(e.at)
	case "ctrl+k":
		to = e.lineEnd(e.at)
	case "ctrl+y":
		e.insert(string(e.killed))
		return true
	default:
		return false
	}
	if from == to {
		return true
	}
	taken := slices.Clone(e.text[from:to])
	switch {
	case more && from < e.at:
		taken = slices.Concat(taken, e.killed)
	case more:
		taken = slices.Concat(e.killed, taken)
	}
	e.killed, e.kills = taken, true
	e.cut(from, to)
	return true
}

func (e *editor) cut(from, to int) {
	e.text = slices.Concat(e.text[:from], e.text[to:])
	e.at = from
	e.recall = 0
}

// before is where the character before the cursor begins, and behind where the one under it ends. A character is what a
// person takes for one, whatever it is made of.
func (e *editor) before() int {
	at := e.lineStart(e.at)
	if at == e.at {
		return max(0, at-1)
	}
	last := at
	for text := string(e.text[at:e.at]); text != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		last, at = at, at+utf8.RuneCountInString(cluster)
		text = text[len(cluster):]
	}
	return last
}

func (e *editor) behind() int {
	if e.at == len(e.text) {
		return e.at
	}
	cluster, _ := ansi.FirstGraphemeCluster(string(e.text[e.at:]), ansi.GraphemeWidth)
	return e.at + utf8.RuneCountInString(cluster)
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
	case e.recall < len(e.history) && (e.recall > 0 || e.empty() || e.upward && e.at == 0):
		if e.recall == 0 {
			e.draft, e.drafted = e.text, e.at
		}
		e.bring(e.recall + 1)
		if e.upward {
			e.at = 0
		}
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
		e.bring(e.recall - 1)
	case e.recall == 1:
		e.set("")
		if e.upward {
			e.text, e.at = e.draft, e.drafted
		}
	default:
		e.at = len(e.text)
	}
}

// bring brings a text of the history back.
func (e *editor) bring(recall int) {
	e.set(e.history[len(e.history)-recall])
	e.recall = recall
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
