package fidelity

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fakepi.example/fakepi/model"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/recording"
	"fakepi.example/fakepi/script"
)

// answer tells the reply that begins with record i.
func (t *teller) answer(i int) {
	end := t.next(i, "message_end(assistant)")
	var final native.Object
	if end >= 0 {
		o, _ := t.records[end].Value.(native.Object)
		final = object(o, "message")
	}
	if str(final, "stopReason") == "aborted" && t.records[i+1].Kind == "message_end(assistant)" {
		return // Pi has made it up
	}
	reply, ok := t.take()
	for ok && refuses(reply) && str(final, "stopReason") != "error" { // a client library has asked again
		t.step(t.lastOut, "retries %s hidden", script.FormatDuration((t.events[i].At - t.lastOut).Truncate(time.Millisecond)))
		reply, ok = t.take()
	}
	if !ok {
		return
	}
	for range t.hidden(reply) {
		t.take()
	}
	t.ops(i, reply)
}

// hidden is how many requests more a client library has made of one that failed before Pi knew: with pi-0.73 two.
func (t *teller) hidden(r model.Reply) int {
	n := 0
	if t.meta.PiVersion == Version(native.Pi073) && refuses(r) {
		for n < 2 && t.reply+n < len(t.replies) && refuses(t.replies[t.reply+n]) {
			n++
		}
	}
	return n
}

func refuses(r model.Reply) bool {
	if len(r.Ops) == 0 {
		return false
	}
	_, ok := r.Ops[0].(model.Refuse)
	return ok
}

// ops tells a reply, op by op, from when Pi asked for it.
func (t *teller) ops(i int, reply model.Reply) {
	at := t.lastOut
	finished := false
	for n := 0; n < len(reply.Ops); n++ {
		switch op := reply.Ops[n].(type) {
		case model.Wait:
			at += op.D
		case model.Role:
			t.step(at, "opens")
		case model.Text:
			t.step(at, "says %s", script.Quote(op.Delta))
		case model.Thinking:
			t.step(at, "thinks %s", script.Quote(op.Delta))
		case model.Call:
			n += t.call(at, op, reply.Ops[n+1:])
		case model.Usage:
			t.step(at, "reports input %d output %d cached %d reasoning %d", op.Input, op.Output, op.Cached, op.Reasoning)
		case model.Finish:
			finished = true
			defer t.finish(i, op.Reason) // behind the usage
		case model.Refuse:
			finished = true
			t.step(t.events[i].At, "refused %s", refusal(op))
		case model.Reset:
			finished = true
			t.step(at, "refused transient by=reset")
		case model.Hang:
			return
		}
	}
	if !finished {
		t.step(at, "refused transient by=end")
	}
}

// call tells a call with its chunks, and returns how many ops they were.
func (t *teller) call(at time.Duration, call model.Call, ops []model.Op) int {
	args, n := "", 0
	for _, op := range ops {
		chunk, ok := op.(model.Arguments)
		if !ok {
			break
		}
		args, n = args+chunk.Delta, n+1
	}
	t.calls[call.ID] = len(t.calls) + 1
	t.step(at, "calls %s args %s chunks %d as=c%d", call.Name, script.Quote(args), n, t.calls[call.ID])
	return n
}

// finish closes a reply. Calls close it themselves, and the last one the end of the run.
func (t *teller) finish(i int, why model.Reason) {
	next := t.next(i, "agent_end", "turn_start")
	switch {
	case why == model.ReasonLength:
		t.step(t.at, "closes length")
	case why == model.ReasonStop && next >= 0 && t.records[next].Kind == "turn_start":
		t.step(t.at, "closes stop")
	}
}

// refusal is an error by its status.
func refusal(op model.Refuse) string {
	var body struct {
		Error struct{ Message, Type string }
	}
	_ = json.Unmarshal(op.Body, &body) // a body of another form has no message
	class := "transient"
	switch {
	case op.Failure.Status == 401 || op.Failure.Status == 403:
		class = "auth"
	case strings.Contains(body.Error.Message, "maximum context length"):
		class = "overflow"
	case op.Failure.Status == 400:
		class = "other"
	}
	return fmt.Sprintf("%s %s status=%d type=%s", class, script.Quote(body.Error.Message), op.Failure.Status, body.Error.Type)
}

// tool tells the run of a call that starts with record i: how long it took and what it gave. A command that no step can
// tell of is run.
func (t *teller) tool(i int) {
	start, _ := t.records[i].Value.(native.Object)
	name, args := str(start, "toolName"), object(start, "args")
	id := str(start, "toolCallId")
	end := t.end(i, id)
	line, at := fmt.Sprintf("tool @c%d runs ", t.calls[id]), t.events[i].At
	if at-t.toolAt < 50*time.Millisecond {
		at = t.toolAt // of the same message
	}
	t.toolAt = at
	if end < 0 && name == "bash" && t.next(i, "tool_execution_update(bash)") >= 0 {
		t.runs(at, line+"10ms", args)
		return
	}
	if end < 0 {
		t.hangs = true
		t.step(at, "%snever", line)
		return
	}
	ended, _ := t.records[end].Value.(native.Object)
	failed, _ := ended.Get("isError").(native.Bool)
	result := object(ended, "result")
	took := (t.events[end].At - t.begins(i, end)).Truncate(time.Millisecond)
	text := resultText(result)
	switch {
	case name == "bash" && t.mustRun(i, end, id):
		t.runs(at, line+script.FormatDuration(min(took, 10*time.Millisecond)), args)
		return
	case text == noUI || strings.HasSuffix(text, " not found") && bool(failed):
		t.step(at, "%s0s blocked gives %s", line, script.Quote(text))
		return
	}
	line += script.FormatDuration(took)
	if text != "" && (name == "bash" || name == "read") {
		line += " gives " + script.Quote(text)
	}
	if failed {
		line += " fails"
	}
	t.step(at, "%s", line)
	t.effects(name, args)
}

// runs tells a call whose command is run, which takes its own time.
func (t *teller) runs(at time.Duration, line string, args native.Object) {
	t.allowExec = true
	t.step(at, "%s", line)
	t.step(t.at, "does run %s", script.Quote(str(args, "command")))
}

// noUI is what the gate of the recordings says where nobody can be asked.
const noUI = "Blocked: no UI to ask"

// end is the record with which a call ends, or a negative number.
func (t *teller) end(i int, id string) int {
	for j := i + 1; j < len(t.records); j++ {
		if t.records[j].is("tool_execution_end") && callOf(t.records[j]) == id {
			return j
		}
	}
	return -1
}

// mustRun reports whether a command printed several times, ended with a status that the word fails does not mean, or was
// aborted.
func (t *teller) mustRun(i, end int, id string) bool {
	updates := 0
	for _, r := range t.records[i:end] {
		if r.is("tool_execution_update") && callOf(r) == id {
			updates++
		}
	}
	o, _ := t.records[end].Value.(native.Object)
	text := contentText(object(o, "result"))
	_, code, exited := strings.Cut(text, "\n\nCommand exited with code ")
	return updates > 2 || exited && code != "1" || strings.HasSuffix(text, "Command aborted")
}

// effects tells what a tool does to the worktree.
func (t *teller) effects(name string, args native.Object) {
	switch name {
	case "write":
		t.step(t.at, "does write %s %s", str(args, "path"), script.Quote(str(args, "content")))
	case "edit":
		edits, _ := args.Get("edits").(native.Array)
		for _, e := range edits {
			edit, _ := e.(native.Object)
			t.step(t.at, "does edit %s %s %s", str(args, "path"), script.Quote(str(edit, "oldText")), script.Quote(str(edit, "newText")))
		}
	}
}

// begins is when a call begins to work that started with record i and ended with record j: behind its dialog.
func (t *teller) begins(i, j int) time.Duration {
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
	return str(block, "text")
}

// asks tells what an extension asks or says while a call waits to begin.
func (t *teller) asks(o native.Object) {
	title := script.Quote(str(o, "title"))
	switch method := str(o, "method"); method {
	case "select", "confirm", "input", "editor":
		line := "asks " + method + " " + title
		options, _ := o.Get("options").(native.Array)
		for _, option := range options {
			text, _ := option.(native.String)
			line += " " + script.Quote(string(text))
		}
		if timeout, ok := o.Get("timeout").(native.Number); ok {
			line += " timeout=" + script.FormatDuration(time.Duration(timeout)*time.Millisecond)
		}
		t.step(t.at, "%s", line)
		t.hangs = t.hangs || !t.answeredLater(o)
	case "notify":
		level := strings.Replace(str(o, "notifyType"), "info", "notify", 1)
		t.step(t.at, "notifies %s %s", level, script.Quote(str(o, "message")))
	case "setStatus":
		t.step(t.at, "notifies status %s", script.Quote(str(o, "statusText")))
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
