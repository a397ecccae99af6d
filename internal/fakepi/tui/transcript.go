package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is what a block of the transcript shows.
type kind uint8

const (
	blockNote    kind = iota // something beside the conversation
	blockUser                // a message of the user
	blockText                // a reply
	blockThought             // what the model thinks
	blockTool                // a call and what comes of it
	blockFailure             // an error
)

// block is a part of the transcript.
type block struct {
	kind kind
	text []byte // clean; of a tool its output
	open bool   // it may still change

	// Of a tool:
	id, title string
	began     time.Duration
	took      time.Duration // once it has ended
	timed     bool          // it shows how long it takes
}

// transcript is all that has been said, drawn at a width. What cannot change any more is drawn once.
type transcript struct {
	style  *style
	width  int
	blocks []block
	first  int      // of the blocks: the first that may still change
	drawn  int      // bytes of its text that are in lines already
	lines  []string // what does not change any more
}

func (t *transcript) clone() transcript {
	c := *t
	c.blocks, c.lines = slices.Clone(t.blocks), slices.Clip(t.lines)
	for i := c.first; i < len(c.blocks); i++ {
		c.blocks[i].text = slices.Clip(c.blocks[i].text)
	}
	return c
}

// resize draws everything anew.
func (t *transcript) resize(width int) {
	t.width, t.first, t.drawn, t.lines = width, 0, 0, nil
	t.settle()
}

func (t *transcript) add(b block) {
	t.blocks = append(t.blocks, b)
	t.settle()
}

// say appends to the text of a kind that is open, or opens it. Whatever text was open before is closed.
func (t *transcript) say(k kind, text string) {
	text = clean(text)
	if n := len(t.blocks); n > 0 && t.blocks[n-1].open && t.blocks[n-1].kind == k {
		t.blocks[n-1].text = append(t.blocks[n-1].text, text...)
		t.settle()
		return
	}
	t.close()
	t.add(block{kind: k, text: []byte(text), open: true})
}

// close ends the open texts, and finish the calls too.
func (t *transcript) close() { t.end(func(k kind) bool { return k != blockTool }) }

func (t *transcript) finish() { t.end(func(kind) bool { return true }) }

func (t *transcript) end(ends func(kind) bool) {
	for i := t.first; i < len(t.blocks); i++ {
		if b := &t.blocks[i]; ends(b.kind) {
			b.open, b.timed = false, false // how long a call takes of which no end came is not known
		}
	}
	t.settle()
}

// tool finds an open call.
func (t *transcript) tool(id string) *block {
	for i := t.first; i < len(t.blocks); i++ {
		if b := &t.blocks[i]; b.kind == blockTool && b.open && b.id == id {
			return b
		}
	}
	return nil
}

// settle draws what cannot change any more.
func (t *transcript) settle() {
	for t.first < len(t.blocks) && !t.blocks[t.first].open {
		t.lines = append(t.lines, t.draw(t.first, 0)...)
		t.first++
		t.drawn = 0
	}
	if t.first == len(t.blocks) || t.blocks[t.first].kind == blockTool {
		return
	}
	b := &t.blocks[t.first]
	text := strings.TrimRight(string(b.text[t.drawn:]), "\n")
	rows := wrap(text, t.inner())
	if last := len(rows) - 1; last > 0 {
		t.lines = append(t.lines, t.paragraph(b.kind, rows[:last], t.drawn == 0)...)
		t.drawn += len(text) - len(rows[last])
	}
}

// moving draws what may still change.
func (t *transcript) moving(now time.Duration) []string {
	var lines []string
	for i := t.first; i < len(t.blocks); i++ {
		lines = append(lines, t.draw(i, now)...)
	}
	return lines
}

// ticked reports whether the seconds of a call have changed between two times.
func (t *transcript) ticked(from, to time.Duration) bool {
	return slices.ContainsFunc(t.blocks[t.first:], func(b block) bool {
		return b.open && b.timed && (from-b.began)/time.Second != (to-b.began)/time.Second
	})
}

// tick is the next time at which the seconds of a call change.
func (t *transcript) tick(now time.Duration) time.Duration {
	next := never
	for _, b := range t.blocks[t.first:] {
		if b.open && b.timed {
			next = min(next, now+time.Second-(now-b.began)%time.Second)
		}
	}
	return next
}

// inner is the width of text, which keeps a margin of one.
func (t *transcript) inner() int { return max(t.width-2, 1) }

// draw draws a block, of the first open one what is not in the lines yet.
func (t *transcript) draw(i int, now time.Duration) []string {
	b := &t.blocks[i]
	if b.kind == blockTool {
		return t.drawTool(b, now)
	}
	drawn := 0
	if i == t.first {
		drawn = t.drawn
	}
	text := string(b.text[drawn:])
	if !b.open {
		text = strings.TrimRight(text, "\n ")
	}
	if text == "" {
		return nil
	}
	rows := wrap(text, t.inner())
	if b.kind == blockUser {
		return t.drawUser(rows)
	}
	return t.paragraph(b.kind, rows, drawn == 0)
}

// paragraph draws rows of text, behind an empty one if they begin a block.
func (t *transcript) paragraph(k kind, rows []string, begins bool) []string {
	form := sgr{}
	switch k {
	case blockThought:
		form = t.style.thought
	case blockFailure:
		form = t.style.failed
	case blockNote:
		form = t.style.dim
	}
	var lines []string
	if begins {
		lines = append(lines, "")
	}
	for _, row := range rows {
		if row != "" {
			row = " " + form.of(row)
		}
		lines = append(lines, row)
	}
	return lines
}

func (t *transcript) drawUser(rows []string) []string {
	lines := []string{"", t.style.user.of(pad("", t.width))}
	for _, row := range rows {
		lines = append(lines, t.style.user.of(pad(" "+row, t.width)))
	}
	lines = append(lines, t.style.user.of(pad("", t.width)))
	if t.style.zones {
		lines[1] = "\x1b]133;A\a" + lines[1]
		last := len(lines) - 1
		lines[last] = "\x1b]133;B\a\x1b]133;C\a" + lines[last]
	}
	return lines
}

// preview is how many lines of a tool's output are shown.
const preview = 5

func (t *transcript) drawTool(b *block, now time.Duration) []string {
	lines := []string{"", ""}
	for _, row := range wrap(b.title, t.inner()) {
		lines = append(lines, " "+t.style.title.of(row))
	}
	if output := strings.Trim(string(b.text), "\n"); output != "" {
		lines = append(lines, "")
		rows, hidden := t.tail(output)
		if hidden > 0 {
			lines = append(lines, fit(t.style.dim.of(" ... ("+strconv.Itoa(hidden)+" earlier lines)"), t.width))
		}
		for _, row := range rows {
			lines = append(lines, " "+t.style.dim.of(row))
		}
	}
	switch {
	case !b.timed:
	case b.open:
		lines = append(lines, "", fit(t.style.dim.of(" Elapsed "+tenths((now-b.began).Truncate(time.Second))), t.width))
	default:
		lines = append(lines, "", fit(t.style.dim.of(" Took "+tenths(b.took)), t.width))
	}
	return append(lines, "")
}

// tail is the end of an output, and how many lines stand before it.
func (t *transcript) tail(output string) (rows []string, hidden int) {
	start := len(output)
	for n := 0; start > 0; start-- {
		if output[start-1] == '\n' {
			if n++; n == preview {
				break
			}
		}
	}
	hidden = strings.Count(output[:start], "\n")
	rows = wrap(output[start:], t.inner())
	if more := len(rows) - preview; more > 0 {
		rows, hidden = rows[more:], hidden+more
	}
	return rows, hidden
}

func tenths(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
}
