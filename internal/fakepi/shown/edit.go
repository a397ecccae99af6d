package shown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fakepi.example/fakepi/native"
)

// shownContext is how many lines around a change Pi shows.
const shownContext = 4

// Edit is what Pi tells of an edit, the details of its result: the difference for people, if wanted as a patch too, and the
// line of the new text at which it begins.
func Edit(path, before, after string, patch bool) native.Object {
	lines := diffLines(splitLines(before), splitLines(after))
	shown, first := showDiff(lines, len(strconv.Itoa(1+max(strings.Count(before, "\n"), strings.Count(after, "\n")))))
	o := native.Object{{Key: "diff", Value: native.String(shown)}}
	if patch {
		o = append(o, native.Member{Key: "patch", Value: native.String(patchOf(path, lines))})
	}
	return append(o, native.Member{Key: "firstChangedLine", Value: native.Number(first)})
}

// diffLine is a line of two texts, with its line feed.
type diffLine struct {
	kind     byte // ' ' of both, '-' of the old one, '+' of the new one
	text     string
	old, new int // its number, or that of the next line there, from 1
}

func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// diffLines compares texts line by line; what was taken away comes before what took its place.
func diffLines(before, after []string) []diffLine {
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	d := differ{old: 1, new: 1}
	d.add(' ', before[:head])
	d.middle(before[head:len(before)-tail], after[head:len(after)-tail])
	d.add(' ', before[len(before)-tail:])
	return d.lines
}

// differ gathers the lines of a difference.
type differ struct {
	lines    []diffLine
	old, new int
}

func (d *differ) add(kind byte, lines []string) {
	for _, text := range lines {
		d.lines = append(d.lines, diffLine{kind, text, d.old, d.new})
		if kind != '+' {
			d.old++
		}
		if kind != '-' {
			d.new++
		}
	}
}

// maxCompared bounds the work of comparing; beyond it nothing in the middle counts as common.
const maxCompared = 1 << 20

// middle compares what lies between the first and the last change, by the longest common sequence.
func (d *differ) middle(before, after []string) {
	if len(before)*len(after) > maxCompared {
		d.add('-', before)
		d.add('+', after)
		return
	}
	common := make([][]int, len(before)+1) // length of the longest one behind a pair of lines
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var added []string // since the last line of both
	for len(before) > 0 || len(after) > 0 {
		i, j := len(common)-1-len(before), len(common[0])-1-len(after)
		switch {
		case len(before) > 0 && len(after) > 0 && before[0] == after[0]:
			d.add('+', added)
			d.add(' ', before[:1])
			added, before, after = nil, before[1:], after[1:]
		case len(after) == 0 || len(before) > 0 && common[i+1][j] >= common[i][j+1]:
			d.add('-', before[:1])
			before = before[1:]
		default:
			added, after = append(added, after[0]), after[1:]
		}
	}
	d.add('+', added)
}

// near reports for each line whether so few lines lie between it and a change.
func near(lines []diffLine) []bool {
	close := make([]bool, len(lines))
	for i, l := range lines {
		if l.kind == ' ' {
			continue
		}
		for j := max(0, i-shownContext); j <= min(len(lines)-1, i+shownContext); j++ {
			close[j] = true
		}
	}
	return close
}

// showDiff writes a difference for people, with line numbers of so many digits; dots stand for what is left out.
func showDiff(lines []diffLine, digits int) (shown string, first int) {
	var rows []string
	close := near(lines)
	for i, l := range lines {
		if l.kind != ' ' && first == 0 {
			first = l.new
		}
		switch number := l.old; {
		case close[i]:
			if l.kind == '+' {
				number = l.new
			}
			rows = append(rows, fmt.Sprintf("%c%*d %s", l.kind, digits, number, strings.TrimSuffix(l.text, "\n")))
		case i == 0 || close[i-1]:
			rows = append(rows, fmt.Sprintf(" %*s ...", digits, ""))
		}
	}
	return strings.Join(rows, "\n"), first
}

// patchOf writes a difference as a patch.
func patchOf(path string, lines []diffLine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", path, path)
	close := near(lines)
	for i := 0; i < len(lines); {
		if !close[i] {
			i++
			continue
		}
		end := i
		for end < len(lines) && close[end] {
			end++
		}
		writeHunk(&b, lines[i:end])
		i = end
	}
	return b.String()
}

func writeHunk(b *strings.Builder, lines []diffLine) {
	olds, news := 0, 0
	for _, l := range lines {
		if l.kind != '+' {
			olds++
		}
		if l.kind != '-' {
			news++
		}
	}
	oldStart, newStart := lines[0].old, lines[0].new
	if olds == 0 {
		oldStart--
	}
	if news == 0 {
		newStart--
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldStart, olds, newStart, news)
	for _, l := range lines {
		b.WriteByte(l.kind)
		b.WriteString(l.text)
		if !strings.HasSuffix(l.text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
