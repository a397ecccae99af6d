package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// clean takes from a worker's text what would move the cursor or change the terminal.
func clean(text string) string {
	if isClean(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(ansi.Strip(strings.ToValidUTF8(text, "\ufffd")), "\t", "   "))
}

func isClean(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' || c == 0x7f || c == 0xc2 {
			return false
		}
	}
	return utf8.ValidString(text)
}

// wrap breaks clean text into lines no wider than width, at spaces where it can. Of a text that is continued only the
// last line changes.
func wrap(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = wrapLine(lines, line, width)
	}
	return lines
}

// wrapLine appends the lines of one line of text.
func wrapLine(lines []string, text string, width int) []string {
	start, space, used := 0, -1, 0 // of the line in hand: its start, its last space, its width
	for i := 0; i < len(text); {
		cluster, w := ansi.FirstGraphemeCluster(text[i:], ansi.GraphemeWidth)
		if used+w > width && i > start {
			if cluster == " " { // it stands for the end of the line
				lines = append(lines, text[start:i])
				i += len(cluster)
				start, space, used = i, -1, 0
				continue
			}
			end := i
			if space >= start {
				lines, end = append(lines, text[start:space]), space+1
			} else {
				lines = append(lines, text[start:i])
			}
			start, space, used = end, -1, ansi.StringWidth(text[end:i])
		}
		if cluster == " " {
			space = i
		}
		used += w
		i += len(cluster)
	}
	return append(lines, text[start:])
}

// fit cuts a styled line to a width.
func fit(line string, width int) string {
	if len(line) <= width || ansi.StringWidth(line) <= width {
		return line
	}
	return ansi.Truncate(line, width, "")
}

// pad fills a styled line up to a width.
func pad(line string, width int) string {
	return line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
}
