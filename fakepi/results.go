package fakepi

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"

	"fakepi.example/fakepi/native"
)

// outcome is how a call ended.
type outcome struct {
	text   string // instead of the tool's own text
	note   string // below the output: why it was stopped
	failed bool
	unrun  bool // it never worked: blocked, aborted before its start
	exited bool // by itself
}

// results makes the result of the event and of the message; they differ (docs/pi-formats.md, section 3.2).
func (w *Worker) results(c *call, o outcome) (native.ToolResult, *native.ToolResultMessage) {
	r := w.resultOf(c, o)
	m := &native.ToolResultMessage{
		ToolCallID: c.id, ToolName: c.name, Content: r.Content, Details: r.Details, IsError: o.failed,
	}
	if !o.unrun {
		m.DurationMs = native.Some((w.now - c.beginAt).Milliseconds())
	}
	return r, m
}

func (w *Worker) resultOf(c *call, o outcome) native.ToolResult {
	switch {
	case o.text != "":
		return failure(o.text)
	case o.note != "":
		text, _ := c.tail()
		return failure(below(text, o.note))
	case c.name == "bash":
		return w.bashResult(c, o)
	case o.failed:
		return failure(orElse(string(c.output), c.name+" failed"))
	}
	return w.fileResult(c)
}

func failure(text string) native.ToolResult {
	return native.ToolResult{Content: textContent(text), Details: native.Object{}}
}

func textContent(text string) []native.Block { return []native.Block{&native.TextBlock{Text: text}} }

// below adds Pi's own sentence under a tool's output.
func below(output, note string) string {
	if output == "" {
		return note
	}
	return output + "\n\n" + note
}

func (w *Worker) bashResult(c *call, o outcome) native.ToolResult {
	text, cut := c.tail()
	r := native.ToolResult{Details: cut.details(w.logFile(c))}
	if cut != nil {
		text += cut.notice(w.logFile(c))
	}
	text = orElse(text, "(no output)")
	code := 0
	if o.failed {
		code = max(1, c.code)
		text = below(text, fmt.Sprintf("Command exited with code %d", code))
		r.IsError = native.Some(true)
	}
	r.Content = textContent(text)
	r.StructuredContent = native.Object{
		{Key: "output", Value: native.String(c.output)},
		{Key: "truncated", Value: native.Bool(cut != nil)},
		{Key: "exit_code", Value: native.Number(code)},
		{Key: "wall_time_seconds", Value: native.Number(math.Round((w.now-c.beginAt).Seconds()*10) / 10)},
	}
	return r
}

// fileResult is the result of a tool that is not bash.
func (w *Worker) fileResult(c *call) native.ToolResult {
	path := pathOf(c.args)
	switch c.name {
	case "read":
		return native.ToolResult{Content: textContent(string(c.output)), StructuredContent: native.String(c.output)}
	case "write":
		return native.ToolResult{Content: textContent(w.rules.wrote(c.args))}
	case "edit":
		return native.ToolResult{
			Content: textContent("Successfully replaced 1 block(s) in " + path + "."),
			Details: w.rules.edited(path),
		}
	}
	return native.ToolResult{Content: textContent(orElse(string(c.output), "done"))}
}

func pathOf(args native.Value) string {
	o, _ := args.(native.Object)
	path, _ := o.Get("path").(native.String)
	return string(path)
}

// partial is the accumulated output so far.
func (w *Worker) partial(c *call) native.ToolResult {
	text, cut := c.tail()
	if text == "" {
		return native.ToolResult{Content: []native.Block{}}
	}
	r := native.ToolResult{Content: textContent(text), Details: native.Object{}}
	if cut != nil {
		r.Details = cut.details(w.logFile(c))
	}
	return r
}

// appendBurst adds the n-th new output to what was printed.
func appendBurst(dst []byte, n int) []byte { return fmt.Appendf(dst, "line %d\n", n) }

// What Pi shows of a long output.
const (
	maxLines = 2000
	maxBytes = 51200
)

// truncation is what was cut from a long output.
type truncation struct {
	content    string
	by         string
	lines      int // of the whole output
	bytes      int
	shownLines int
}

// tail is the end of the output, as far as Pi shows it.
func (c *call) tail() (string, *truncation) {
	out := c.output
	total := lineCount(out)
	if total <= maxLines && len(out) <= maxBytes {
		return string(out), nil
	}
	t := &truncation{by: "lines", lines: total, bytes: len(out)}
	shown := lastLines(out, min(total, maxLines))
	if len(shown) > maxBytes {
		t.by = "bytes"
		shown = shown[len(shown)-maxBytes:]
		for len(shown) > 0 && shown[0]&0xC0 == 0x80 {
			shown = shown[1:]
		}
	}
	shown = bytes.TrimSuffix(shown, []byte("\n"))
	t.content, t.shownLines = string(shown), lineCount(shown)
	return t.content, t
}

// lineCount counts lines; a final line feed ends one.
func lineCount(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

func lastLines(b []byte, n int) []byte {
	i := len(b)
	if i > 0 && b[i-1] == '\n' {
		i--
	}
	for ; n > 0 && i >= 0; n-- {
		i = bytes.LastIndexByte(b[:max(i, 0)], '\n')
	}
	return b[i+1:]
}

func (t *truncation) notice(log string) string {
	return fmt.Sprintf("\n\n[Showing lines %d-%d of %d. Full output: %s]", t.lines-t.shownLines+1, t.lines, t.lines, log)
}

// details is nil for an output that was not cut.
func (t *truncation) details(log string) native.Value {
	if t == nil {
		return nil
	}
	num := func(key string, n int) native.Member { return native.Member{Key: key, Value: native.Number(n)} }
	return native.Object{
		{Key: "truncation", Value: native.Object{
			{Key: "content", Value: native.String(t.content)},
			{Key: "truncated", Value: native.Bool(true)},
			{Key: "truncatedBy", Value: native.String(t.by)},
			num("totalLines", t.lines), num("totalBytes", t.bytes),
			num("outputLines", t.shownLines), num("outputBytes", len(t.content)),
			{Key: "lastLinePartial", Value: native.Bool(t.by == "bytes" && t.shownLines == 1)},
			{Key: "firstLineExceedsLimit", Value: native.Bool(false)},
			num("maxLines", maxLines), num("maxBytes", maxBytes),
		}},
		{Key: "fullOutputPath", Value: native.String(log)},
	}
}

// logFile is where Pi keeps the whole of a long output; its name follows from the call.
func (w *Worker) logFile(c *call) string {
	s := newIDs(w.seed ^ uint64(c.pid))
	return fmt.Sprintf("/tmp/pi-bash-%016x.log", s.next())
}

// seconds writes a duration as the number of seconds that Pi's texts have.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
