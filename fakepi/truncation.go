package fakepi

import (
	"bytes"
	"fmt"

	"fakepi.example/fakepi/native"
)

// What Pi shows of a long output.
const (
	maxLines = 2000
	maxBytes = 51200
)

// truncation is what Pi has cut from a long text (docs/pi-formats.md, section 3.2).
type truncation struct {
	content  string
	by       string // lines, bytes
	lines    int    // of the whole text
	bytes    int
	shown    int  // lines
	partial  bool // the end of one line that is too long alone
	lastLine int  // bytes behind the last line feed
	tooLong  int  // bytes of a first line that is too long alone, of a file
}

// lineCount counts lines. A line feed at the end may begin one.
func (r *rules) lineCount(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if r.countsFeed || len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// tail is the end of an output as far as Pi shows it, and what was cut; nil: nothing.
func (r *rules) tail(out []byte) (string, *truncation) {
	total := r.lineCount(out)
	if total <= maxLines && len(out) <= maxBytes {
		return string(out), nil
	}
	text := out
	if !r.countsFeed {
		text = bytes.TrimSuffix(out, []byte("\n"))
	}
	t := &truncation{by: "lines", lines: total, bytes: len(out), lastLine: len(out) - 1 - bytes.LastIndexByte(out, '\n')}
	start, end := len(text), len(text)
	for t.shown < maxLines && end >= 0 {
		from := bytes.LastIndexByte(text[:end], '\n') + 1
		if len(text)-from > maxBytes {
			t.by = "bytes"
			break
		}
		start, end = from, from-1
		t.shown++
	}
	if t.shown == 0 {
		start = charAfter(text, len(text)-maxBytes)
		t.partial, t.shown = true, 1
	}
	t.content = string(text[start:])
	return t.content, t
}

// head is the beginning of a file as far as Pi shows it, in whole lines.
func (r *rules) head(text []byte) (string, *truncation) {
	total := r.lineCount(text)
	if total <= maxLines && len(text) <= maxBytes {
		return string(text), nil
	}
	t := &truncation{by: "lines", lines: total, bytes: len(text)}
	end := 0 // of what is shown, without the feed behind it
	for next := 0; t.shown < maxLines && next <= len(text); t.shown++ {
		stop := len(text)
		if feed := bytes.IndexByte(text[next:], '\n'); feed >= 0 {
			stop = next + feed
		}
		if stop > maxBytes {
			t.by = "bytes"
			if t.shown == 0 {
				t.tooLong = stop
			}
			break
		}
		end, next = stop, stop+1
	}
	t.content = string(text[:end])
	return t.content, t
}

// charAfter is where a character begins, at i or behind it.
func charAfter(b []byte, i int) int {
	for i < len(b) && b[i]&0xC0 == 0x80 {
		i++
	}
	return i
}

// limit tells that bytes were what cut it.
func (t *truncation) limit() string {
	if t.by == "lines" {
		return ""
	}
	return " (" + size(maxBytes) + " limit)"
}

// logged is the note below a command's output: its whole is in a file.
func (t *truncation) logged(file string) string {
	if t.partial {
		return fmt.Sprintf("\n\n[Showing last %s of line %d (line is %s). Full output: %s]",
			size(len(t.content)), t.lines, size(t.lastLine), file)
	}
	return fmt.Sprintf("\n\n[Showing lines %d-%d of %d%s. Full output: %s]", t.lines-t.shown+1, t.lines, t.lines, t.limit(), file)
}

// continued is a file's content with the note of how to read on; lines is how many the file has.
func (t *truncation) continued(path string, lines int) string {
	if t.tooLong > 0 {
		return fmt.Sprintf("[Line 1 is %s, exceeds %s limit. Use bash: sed -n '1p' %s | head -c %d]",
			size(t.tooLong), size(maxBytes), path, maxBytes)
	}
	return fmt.Sprintf("%s\n\n[Showing lines 1-%d of %d%s. Use offset=%d to continue.]", t.content, t.shown, lines, t.limit(), t.shown+1)
}

// size writes a number of bytes for people.
func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%dB", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1fKB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1fMB", float64(n)/(1<<20))
}

// details is the truncation as results have it.
func (t *truncation) details() native.Member {
	num := func(key string, n int) native.Member { return native.Member{Key: key, Value: native.Number(n)} }
	return native.Member{Key: "truncation", Value: native.Object{
		{Key: "content", Value: native.String(t.content)},
		{Key: "truncated", Value: native.Bool(true)},
		{Key: "truncatedBy", Value: native.String(t.by)},
		num("totalLines", t.lines), num("totalBytes", t.bytes),
		num("outputLines", t.shown), num("outputBytes", len(t.content)),
		{Key: "lastLinePartial", Value: native.Bool(t.partial)},
		{Key: "firstLineExceedsLimit", Value: native.Bool(t.tooLong > 0)},
		num("maxLines", maxLines), num("maxBytes", maxBytes),
	}}
}
