package fakepi

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/shown"
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
		text, _ := w.shown(c, "")
		return failure(below(text, o.note))
	case c.name == "bash":
		return w.bashResult(c, o)
	case o.failed:
		return failure(cmp.Or(string(c.output), w.fileFailure(c), c.name+" failed"))
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

// bashResult is the result of a command that has exited.
func (w *Worker) bashResult(c *call, o outcome) native.ToolResult {
	text, details := w.shown(c, "(no output)")
	code := 0
	if o.failed {
		code = max(1, c.code)
		text = below(text, fmt.Sprintf("Command exited with code %d", code))
	}
	if o.failed && w.rules.throwsCode {
		return failure(text)
	}
	r := native.ToolResult{Content: textContent(text), StructuredContent: w.structured(c, code)}
	if details != nil {
		r.Details = details
	}
	if o.failed {
		r.IsError = native.Some(true)
	}
	return r
}

// structured is the result for programs.
func (w *Worker) structured(c *call, code int) native.Object {
	output, cut := c.output, len(c.output) > maxStructured
	if cut {
		half := maxStructured / 2
		omitted := fmt.Sprintf("\n\n[... %d bytes omitted ...]\n\n", len(output)-2*half)
		output = slices.Concat(output[:half], []byte(omitted), output[shown.CharAfter(output, len(output)-half):])
	}
	o := native.Object{{Key: "output", Value: native.String(output)}, {Key: "truncated", Value: native.Bool(cut)}}
	if cut {
		o = append(o, native.Member{Key: "full_output_path", Value: native.String(w.logFile(c))})
	}
	seconds := math.Round((w.now-c.beginAt).Seconds()*10) / 10
	return append(o, native.Member{Key: "exit_code", Value: native.Number(code)},
		native.Member{Key: "wall_time_seconds", Value: native.Number(seconds)})
}

// maxStructured is how many bytes of a long output programs get; its middle is left out.
const maxStructured = 1 << 20

// shown is the output, or what stands for none, with the note of what was cut from it, and the details that say so;
// nil: nothing was cut.
func (w *Worker) shown(c *call, none string) (string, native.Object) {
	text, cut := shown.Tail(c.output, w.rules.countsFeed)
	text = cmp.Or(text, none)
	if cut == nil {
		return text, nil
	}
	file := w.logFile(c)
	return text + cut.Logged(file), native.Object{cut.Details(), {Key: "fullOutputPath", Value: native.String(file)}}
}

// fileFailure is what Pi says where a file is not as it should be.
func (w *Worker) fileFailure(c *call) string {
	switch path := pathOf(c.args); c.name {
	case "read":
		return fmt.Sprintf("ENOENT: no such file or directory, access '%s/%s'", w.cwd, path)
	case "edit":
		return fmt.Sprintf("Could not find the exact text in %s. The old text must match exactly including all whitespace and newlines.", path)
	}
	return ""
}

// fileResult is the result of a tool that is not bash.
func (w *Worker) fileResult(c *call) native.ToolResult {
	path := pathOf(c.args)
	switch c.name {
	case "read":
		return w.fileRead(c, path)
	case "write":
		return native.ToolResult{Content: textContent(w.rules.wrote(c.args))}
	case "edit":
		details := c.details
		if details == nil {
			details = shown.Edit(path, "todo\n", "done\n", w.rules.patches)
		}
		return native.ToolResult{Content: textContent("Successfully replaced 1 block(s) in " + path + "."), Details: details}
	}
	return native.ToolResult{Content: textContent(cmp.Or(string(c.output), "done"))}
}

func pathOf(args native.Value) string {
	o, _ := args.(native.Object)
	path, _ := o.Get("path").(native.String)
	return string(path)
}

// fileRead is the result of the tool read.
func (w *Worker) fileRead(c *call, path string) native.ToolResult {
	text, cut := shown.Head(c.output, w.rules.countsFeed)
	r := native.ToolResult{}
	if cut != nil {
		text = cut.Continued(path, bytes.Count(c.output, []byte("\n"))+1)
		r.Details = native.Object{cut.Details()}
	}
	r.Content, r.StructuredContent = textContent(text), native.String(text)
	return r
}

// partial is the accumulated output so far.
func (w *Worker) partial(c *call) native.ToolResult {
	text, cut := shown.Tail(c.output, w.rules.countsFeed)
	if len(c.output) == 0 {
		return native.ToolResult{Content: []native.Block{}}
	}
	r := native.ToolResult{Content: textContent(text), Details: native.Object{}}
	if cut != nil {
		r.Details = native.Object{cut.Details(), {Key: "fullOutputPath", Value: native.String(w.logFile(c))}}
	}
	return r
}

// appendBurst adds the n-th new output to what was printed: a line of what the script gives, as long as there is one.
func appendBurst(dst []byte, given string, n int) []byte {
	for line := range strings.Lines(linesFrom(given, n-1)) {
		return append(dst, line...)
	}
	return fmt.Appendf(dst, "line %d\n", n)
}

// linesFrom is a text without its first n lines.
func linesFrom(text string, n int) string {
	for ; n > 0 && text != ""; n-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// logFile is where Pi keeps the whole of a long output; its name follows from the call.
func (w *Worker) logFile(c *call) string {
	s := newIDs(w.seed ^ uint64(c.pid))
	return fmt.Sprintf("/tmp/pi-bash-%016x.log", s.next())
}

// seconds writes a duration as the number of seconds that Pi's texts have.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
