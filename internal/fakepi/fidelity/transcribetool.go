package fidelity

import (
	"fmt"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/native/recording"
)

// tool writes the run of a call that starts with record i: how long it took and what it gave. A command that no step can
// stand for is run.
func (t *transcriber) tool(i int) {
	start, _ := t.records[i].Value.(native.Object)
	id := start.Text("toolCallId")
	if t.toolAt == 0 {
		t.toolAt = t.events[i].At // the others of the message wait for its dialog by themselves
	}
	line := fmt.Sprintf("tool @c%d runs ", t.calls[id])
	switch end := t.end(i, id); {
	case end >= 0:
		t.toolEnded(i, end, line)
	case t.records[i].Kind == "tool_execution_start(bash)" && t.next(i, "tool_execution_update(bash)") >= 0:
		t.runs(line+"1ms", object(start, "args"))
	default:
		t.hangs = true
		t.step(t.toolAt, "%snever", line)
	}
}

// toolEnded writes a call that starts with record i and ends with record end.
func (t *transcriber) toolEnded(i, end int, line string) {
	start, _ := t.records[i].Value.(native.Object)
	name, args := start.Text("toolName"), object(start, "args")
	ended, _ := t.records[end].Value.(native.Object)
	failed, _ := ended.Get("isError").(native.Bool)
	result := object(ended, "result")
	took := max(time.Millisecond, t.events[end].At-t.begins(i, end)).Truncate(time.Millisecond)
	t.free = max(t.free, t.toolAt+took)
	text := resultText(result)
	switch {
	case name == "bash" && t.mustRun(i, end):
		t.unordered = t.unordered || shortened(result) // in how many pieces it is read is chance
		t.runs(line+limit(result, args), args)
		return
	case bool(failed) && (strings.HasSuffix(text, " not found") || name == "bash" && t.gated(i, end, text)):
		t.step(t.toolAt, "%s0s blocked gives %s", line, script.Quote(text))
		return
	}
	line += script.FormatDuration(took)
	if text != "" && (name == "bash" || name == "read") {
		line += " gives " + script.Quote(text)
	}
	if failed {
		line += " fails"
	}
	t.step(t.toolAt, "%s", line)
	t.effects(name, args)
}

// runs writes a call whose command is run, which takes its own time.
func (t *transcriber) runs(line string, args native.Object) {
	t.allowExec = true
	t.step(t.toolAt, "%s", line)
	t.step(t.at, "does run %s", script.Quote(args.Text("command")))
}

// limit is how long a command may run, at least.
func limit(result, args native.Object) string {
	if !strings.Contains(contentText(result), timedOut) {
		return "1ms"
	}
	seconds, _ := args.Get("timeout").(native.Number)
	return "never timeout=" + script.FormatDuration(native.Duration(float64(seconds), time.Second))
}

// timedOut is how Pi says that a command took longer than the model allowed.
const timedOut = "Command timed out after "

// gated reports whether a command never ran, for another reason than Pi's own.
func (t *transcriber) gated(i, end int, text string) bool {
	for _, own := range []string{"Validation failed for tool ", "Invalid arguments for tool ", "Tool call "} {
		if strings.HasPrefix(text, own) {
			return false
		}
	}
	return t.updates(i, end) == 0 && !strings.HasSuffix(text, "aborted")
}

// updates is how often the call that starts with record i printed before record end.
func (t *transcriber) updates(i, end int) int {
	n := 0
	for _, r := range t.records[i:end] {
		if r.is("tool_execution_update") && callOf(r) == callOf(t.records[i]) {
			n++
		}
	}
	return n
}

// end is the record with which a call ends, or a negative number.
func (t *transcriber) end(i int, id string) int {
	for j := i + 1; j < len(t.records); j++ {
		if t.records[j].is("tool_execution_end") && callOf(t.records[j]) == id {
			return j
		}
	}
	return -1
}

// mustRun reports whether a command printed several times or more than Pi shows, ended with a status that the word fails
// does not mean, was ended before, or is what can have left a file.
func (t *transcriber) mustRun(i, end int) bool {
	o, _ := t.records[end].Value.(native.Object)
	result := object(o, "result")
	text := contentText(result)
	_, code, exited := strings.Cut(text, "\n\nCommand exited with code ")
	updates := t.updates(i, end)
	return updates > 2 || updates > 0 && t.left || shortened(result) || exited && code != "1" ||
		strings.HasSuffix(text, "Command aborted") || strings.Contains(text, timedOut)
}

// effects writes what a tool does to the worktree.
func (t *transcriber) effects(name string, args native.Object) {
	switch name {
	case "write":
		t.step(t.at, "does write %s %s", args.Text("path"), script.Quote(args.Text("content")))
	case "edit":
		edits, _ := args.Get("edits").(native.Array)
		for _, e := range edits {
			edit, _ := e.(native.Object)
			t.step(t.at, "does edit %s %s %s", args.Text("path"), script.Quote(edit.Text("oldText")), script.Quote(edit.Text("newText")))
		}
	}
}

// begins is when a call begins to work that started with record i and ended with record j: behind its dialog.
func (t *transcriber) begins(i, j int) time.Duration {
	at := t.events[i].At
	for k := i + 1; k < j; k++ {
		o, _ := t.records[k].Value.(native.Object)
		if timeout, ok := o.Get("timeout").(native.Number); ok && t.records[k].is("extension_ui_request") {
			at = t.events[k].At + time.Duration(timeout)*time.Millisecond
		}
		if t.events[k].Dir == recording.In && strings.Contains(string(t.events[k].Line), `"extension_ui_response"`) {
			at = t.events[k].At
		}
	}
	return min(at, t.events[j].At)
}

// shortened reports whether a result has not all that a tool has put out.
func shortened(result native.Object) bool {
	return object(result, "details").Get("truncation") != nil && result.Get("structuredContent") == nil
}

// resultText is what a tool has put out, without what Pi says below it.
func resultText(result native.Object) string {
	if output, ok := object(result, "structuredContent").Get("output").(native.String); ok {
		return string(output)
	}
	text, _, _ := strings.Cut(contentText(result), "\n\nCommand ")
	if text == "(no output)" {
		return ""
	}
	return text
}

func contentText(result native.Object) string {
	content, _ := result.Get("content").(native.Array)
	if len(content) == 0 {
		return ""
	}
	block, _ := content[0].(native.Object)
	return block.Text("text")
}

// asks writes what an extension asks or says while a call waits to begin.
func (t *transcriber) asks(o native.Object) {
	title := script.Quote(o.Text("title"))
	switch method := o.Text("method"); method {
	case "select", "confirm", "input", "editor":
		line := "asks " + method + " " + title
		options, _ := o.Get("options").(native.Array)
		if placeholder := o.Text("placeholder"); placeholder != "" {
			options = native.Array{native.String(placeholder)}
		}
		for _, option := range options {
			text, _ := option.(native.String)
			line += " " + script.Quote(string(text))
		}
		ms, timed := o.Get("timeout").(native.Number)
		timeout := time.Duration(ms) * time.Millisecond
		if timed {
			line += " timeout=" + script.FormatDuration(timeout)
		}
		t.step(t.at, "%s", line)
		if !t.answeredLater(o) {
			t.toolAt += timeout // of the calls behind it
			t.hangs = t.hangs || !timed
		}
	case "notify":
		level := strings.Replace(o.Text("notifyType"), "info", "notify", 1)
		t.step(t.at, "notifies %s %s", level, script.Quote(o.Text("message")))
	case "setStatus":
		t.step(t.at, "notifies status %s", script.Quote(o.Text("statusText")))
	case "setWidget":
		lines, _ := o.Get("widgetLines").(native.Array)
		var all []string
		for _, line := range lines {
			text, _ := line.(native.String)
			all = append(all, string(text))
		}
		t.step(t.at, "notifies widget %s", script.Quote(strings.Join(all, "\n")))
	case "setTitle":
		t.step(t.at, "notifies title %s", title)
	}
}
