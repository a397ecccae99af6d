package tui

import (
	"strconv"
	"strings"
)

const (
	syncOn     = "\x1b[?2026h"
	syncOff    = "\x1b[?2026l"
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearLine  = "\x1b[2K"
	reset      = "\x1b[0m\x1b]8;;\a" // no styles, no link
)

// fullscreen draws on the alternate screen: of a frame the rows that are other than before.
type fullscreen struct {
	rows []string // as drawn; nil: nothing is known of the screen
}

// draw returns the bytes that bring the rows to the screen. The cursor, which is hidden, goes to a row; -1: it stays.
func (s *fullscreen) draw(rows []string, cursor int) string {
	var b strings.Builder
	b.WriteString(syncOn)
	if s.rows == nil {
		b.WriteString("\x1b[2J")
	}
	for i, row := range rows {
		if i < len(s.rows) && s.rows[i] == row {
			continue
		}
		b.WriteString("\x1b[" + strconv.Itoa(i+1) + ";1H" + clearLine + row + reset)
	}
	if cursor >= 0 {
		b.WriteString("\x1b[" + strconv.Itoa(cursor+1) + ";1H")
	}
	b.WriteString(hideCursor + syncOff)
	s.rows = rows
	return b.String()
}

// scrolling draws at the end of the text that scrolls through the terminal: from the first line that is other than
// before on. Lines that have scrolled away cannot be changed.
type scrolling struct {
	lines []string // as drawn, those left out that do not change any more; nil: nothing is drawn
	row   int      // of the lines: where the cursor is
	top   int      // of the lines: the first on the screen; a text that gets shorter does not scroll back
	stale bool     // what is drawn has to go, all that has scrolled away too
}

// draw returns the bytes of a frame, and those that then bring the hidden cursor to a row; -1: the last one.
func (s *scrolling) draw(lines []string, cursor, height int) (frame, place string, ok bool) {
	if cursor < 0 {
		cursor = len(lines) - 1
	}
	first := 0
	for first < len(lines) && first < len(s.lines) && lines[first] == s.lines[first] {
		first++
	}
	if first < s.top {
		return "", "", false // it has scrolled away
	}
	at := s.row
	if first < len(lines) || first < len(s.lines) {
		at = max(s.last(lines, first), 0)
		frame = syncOn + s.change(lines, first, at) + syncOff
	}
	s.lines, s.row, s.top, s.stale = lines, cursor, max(s.top, len(lines)-height), false
	return frame, vertical(cursor-at) + "\x1b[1G" + hideCursor, true
}

// last is the last line that has to be written.
func (s *scrolling) last(lines []string, first int) int {
	last := len(lines) - 1
	if len(lines) == len(s.lines) {
		for last > first && lines[last] == s.lines[last] {
			last--
		}
	}
	return last
}

// change writes the lines from the first to the last over what is there.
func (s *scrolling) change(lines []string, first, last int) string {
	var b strings.Builder
	switch {
	case s.stale:
		b.WriteString("\x1b[2J\x1b[H\x1b[3J")
	case s.lines == nil:
	case first == len(s.lines): // behind the end
		b.WriteString(vertical(len(s.lines)-1-s.row) + "\r\n")
	default:
		b.WriteString(vertical(first-s.row) + "\r")
	}
	for i := first; i <= last; i++ {
		if i > first {
			b.WriteString("\r\n")
		}
		if s.lines != nil {
			b.WriteString(clearLine)
		}
		b.WriteString(lines[i] + reset)
	}
	if n := len(s.lines) - max(len(lines), first); n > 0 {
		b.WriteString(s.erase(n, first == len(lines)))
	}
	return b.String()
}

// erase clears the n lines that the frame before had more, and goes back to the last one of this frame.
func (s *scrolling) erase(n int, here bool) string {
	if here {
		return clearLine + strings.Repeat("\r\n"+clearLine, n-1) + vertical(-n)
	}
	return strings.Repeat("\r\n"+clearLine, n) + vertical(-n)
}

// forget leaves out the first n lines, which do not change any more.
func (s *scrolling) forget(n int) {
	s.lines, s.row, s.top = s.lines[n:], s.row-n, s.top-n
}

// vertical moves the cursor down, or up.
func vertical(n int) string {
	switch {
	case n > 0:
		return "\x1b[" + strconv.Itoa(n) + "B"
	case n < 0:
		return "\x1b[" + strconv.Itoa(-n) + "A"
	}
	return ""
}
