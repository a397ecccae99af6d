// Package shown says what Pi shows of long outputs and files, of what a command prints piece by piece, and of an edit
// (docs/pi-formats.md, section 3.2).
package shown

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

// Cut is what Pi has cut from a long text.
type Cut struct {
	content  string
	by       string // lines, bytes
	lines    int    // of the whole text
	bytes    int
	shown    int  // lines
	partial  bool // the end of one line that is too long alone
	lastLine int  // bytes behind the last line feed
	tooLong  int  // bytes of a first line that is too long alone, of a file
}

// lineCount counts lines.
func lineCount(b []byte, feedBegins bool) int {
	n := bytes.Count(b, []byte("\n"))
	if feedBegins || len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// Tail is the end of an output as far as Pi shows it, and what was cut; nil: nothing. feedBegins: a line feed at the end
// begins another line.
func Tail(out []byte, feedBegins bool) (string, *Cut) {
	total := lineCount(out, feedBegins)
	if total <= maxLines && len(out) <= maxBytes {
		return string(out), nil
	}
	text := out
	if !feedBegins {
		text = bytes.TrimSuffix(out, []byte("\n"))
	}
	c := &Cut{by: "lines", lines: total, bytes: len(out), lastLine: len(out) - 1 - bytes.LastIndexByte(out, '\n')}
	start, end := len(text), len(text)
	for c.shown < maxLines && end >= 0 {
		from := bytes.LastIndexByte(text[:end], '\n') + 1
		if len(text)-from > maxBytes {
			c.by = "bytes"
			break
		}
		start, end = from, from-1
		c.shown++
	}
	if c.shown == 0 {
		start = CharAfter(text, len(text)-maxBytes)
		c.partial, c.shown = true, 1
	}
	c.content = string(text[start:])
	return c.content, c
}

// Head is the beginning of a file as far as Pi shows it, in whole lines, and what was cut; nil: nothing. feedBegins is as of
// [Tail].
func Head(text []byte, feedBegins bool) (string, *Cut) {
	total := lineCount(text, feedBegins)
	if total <= maxLines && len(text) <= maxBytes {
		return string(text), nil
	}
	c := &Cut{by: "lines", lines: total, bytes: len(text)}
	end := 0 // of what is shown, without the feed behind it
	for next := 0; c.shown < maxLines && next <= len(text); c.shown++ {
		stop := len(text)
		if feed := bytes.IndexByte(text[next:], '\n'); feed >= 0 {
			stop = next + feed
		}
		if stop > maxBytes {
			c.by = "bytes"
			if c.shown == 0 {
				c.tooLong = stop
			}
			break
		}
		end, next = stop, stop+1
	}
	c.content = string(text[:end])
	return c.content, c
}

// CharAfter is where a character begins, at i or behind it.
func CharAfter(b []byte, i int) int {
	for i < len(b) && b[i]&0xC0 == 0x80 {
		i++
	}
	return i
}

// limit tells that bytes were what cut it.
func (c *Cut) limit() string {
	if c.by == "lines" {
		return ""
	}
	return " (" + Size(maxBytes) + " limit)"
}

// Logged is the note below a command's output: its whole is in a file.
func (c *Cut) Logged(file string) string {
	if c.partial {
		return fmt.Sprintf("\n\n[Showing last %s of line %d (line is %s). Full output: %s]",
			Size(len(c.content)), c.lines, Size(c.lastLine), file)
	}
	return fmt.Sprintf("\n\n[Showing lines %d-%d of %d%s. Full output: %s]", c.lines-c.shown+1, c.lines, c.lines, c.limit(), file)
}

// Continued is a file's content with the note of how to read on; lines is how many the file has.
func (c *Cut) Continued(path string, lines int) string {
	if c.tooLong > 0 {
		return fmt.Sprintf("[Line 1 is %s, exceeds %s limit. Use bash: sed -n '1p' %s | head -c %d]",
			Size(c.tooLong), Size(maxBytes), path, maxBytes)
	}
	return fmt.Sprintf("%s\n\n[Showing lines 1-%d of %d%s. Use offset=%d to continue.]", c.content, c.shown, lines, c.limit(), c.shown+1)
}

// Size writes a number of bytes for people.
func Size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%dB", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1fKB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1fMB", float64(n)/(1<<20))
}

// Details is the member truncation as results have it.
func (c *Cut) Details() native.Member {
	num := func(key string, n int) native.Member { return native.Member{Key: key, Value: native.Number(n)} }
	return native.Member{Key: "truncation", Value: native.Object{
		{Key: "content", Value: native.String(c.content)},
		{Key: "truncated", Value: native.Bool(true)},
		{Key: "truncatedBy", Value: native.String(c.by)},
		num("totalLines", c.lines), num("totalBytes", c.bytes),
		num("outputLines", c.shown), num("outputBytes", len(c.content)),
		{Key: "lastLinePartial", Value: native.Bool(c.partial)},
		{Key: "firstLineExceedsLimit", Value: native.Bool(c.tooLong > 0)},
		num("maxLines", maxLines), num("maxBytes", maxBytes),
	}}
}
