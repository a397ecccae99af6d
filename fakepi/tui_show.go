package fakepi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
	"fakepi.example/internal/fakepi/tui"
)

// paint shows a record on the terminal. Frames are drawn by [Worker.playScreen], one for all that happens at an instant.
func (w *Worker) paint(r native.Record, progress bool) {
	w.tui.progress = w.tui.progress || progress
	ui := w.tui.ui
	switch r := r.(type) {
	case *native.AgentStart:
		w.note(r)
		ui.Run(w.now)
	case *native.TurnStart:
		ui.Turn(w.now)
	case *native.MessageStart:
		if m, ok := r.Message.(*native.UserMessage); ok {
			ui.User(w.now, contentText(m.Content))
		}
	case *native.MessageUpdate:
		w.showUpdate(&r.Event)
	case *native.MessageEnd:
		w.showEnd(r)
	case *native.AgentEnd:
		ui.Progress(w.now, false)
		ui.Rest(w.now)
		ui.Finished(w.now)
	case *native.AgentSettled:
		w.note(r)
	default:
		w.paintAside(r)
	}
	w.written(false)
}

// paintAside shows what stands beside the conversation.
func (w *Worker) paintAside(r native.Record) {
	ui := w.tui.ui
	switch r := r.(type) {
	case *native.ToolStart:
		ui.Call(w.now, r.ToolCallID, callTitle(r.ToolName, r.Args), r.ToolName == "bash")
	case *native.ToolUpdate:
		ui.Output(w.now, r.ToolCallID, contentText(r.PartialResult.Content))
	case *native.ToolEnd:
		ui.Output(w.now, r.ToolCallID, contentText(r.Result.Content))
		ui.Called(w.now, r.ToolCallID)
	case *native.UIRequest:
		w.showRequest(r)
	case *native.QueueUpdate:
		ui.Queue(w.now, r.Steering, r.FollowUp)
	case *native.RetryStart, *native.RetryEnd, *native.CompactionStart, *native.CompactionEnd:
		w.showDelay(r)
	case *native.Response:
		w.showResponse(r)
	case *native.ThinkingLevelChanged:
		ui.Note(w.now, "Thinking level: "+r.Level)
	case *native.SessionInfoChanged:
		ui.Retitle(w.windowTitle())
		ui.Dir(w.now, w.dirLine())
		w.note(r)
	}
}

// showHistory shows the messages of a session that goes on.
func (w *Worker) showHistory() {
	for _, m := range w.transcript() {
		switch m := m.(type) {
		case *native.UserMessage:
			w.tui.ui.User(w.now, contentText(m.Content))
		case *native.AssistantMessage:
			w.showReply(m)
		case *native.ToolResultMessage:
			w.tui.ui.Output(w.now, m.ToolCallID, contentText(m.Content))
			w.tui.ui.Called(w.now, m.ToolCallID)
		}
	}
	w.tui.ui.Finished(w.now)
}

// showReply shows a finished reply with its calls.
func (w *Worker) showReply(m *native.AssistantMessage) {
	ui := w.tui.ui
	for _, b := range m.Content {
		switch b := b.(type) {
		case *native.TextBlock:
			ui.Text(w.now, b.Text)
		case *native.ThinkingBlock:
			ui.Thought(w.now, b.Thinking)
		case *native.ToolCall:
			ui.Call(w.now, b.ID, callTitle(b.Name, b.Arguments), false)
		}
	}
	w.showEnding(m)
}

func (w *Worker) showUpdate(e *native.AssistantEvent) {
	switch e.Type {
	case "text_delta":
		w.tui.ui.Text(w.now, e.Delta.V)
	case "thinking_delta":
		w.tui.ui.Thought(w.now, e.Delta.V)
	case "toolcall_start":
		w.tui.ui.Said(w.now)
	}
}

// showEnd shows how a reply has ended.
func (w *Worker) showEnd(r *native.MessageEnd) {
	if m, ok := r.Message.(*native.AssistantMessage); ok {
		w.showEnding(m)
		w.note(r)
	}
}

// showEnding shows why a reply has ended if it is no good end, and what it has used.
func (w *Worker) showEnding(m *native.AssistantMessage) {
	ui := w.tui.ui
	ui.Said(w.now)
	switch m.StopReason {
	case "error":
		ui.Fail(w.now, "Error: "+m.ErrorMessage.V)
	case "aborted":
		ui.Fail(w.now, m.ErrorMessage.V)
	}
	w.tui.sent += m.Usage.Input
	w.tui.received += m.Usage.Output
	if m.Usage.Total > 0 {
		ui.Used(w.tui.sent, w.tui.received, m.Usage.Total, provider.ContextWindow)
	}
}

// abortWords is what Pi shows in a terminal of a reply that was aborted, and saves there instead of the provider's words; not
// behind keys that quit it, since then it shows nothing any more.
func (w *Worker) abortWords() string {
	switch n := w.retries.attempt; n {
	case 0:
		return "Operation aborted"
	case 1:
		return "Aborted after 1 retry attempt"
	default:
		return fmt.Sprintf("Aborted after %d retry attempts", n)
	}
}

// showDelay shows a wait for a retry, and a compaction.
func (w *Worker) showDelay(r native.Record) {
	ui := w.tui.ui
	switch r := r.(type) {
	case *native.RetryStart:
		text := "Retrying (" + decimal(r.Attempt) + "/" + decimal(r.MaxAttempts) + ") in {}s... (escape to cancel)"
		ui.Work(w.now, text, w.now+time.Duration(r.DelayMs*float64(time.Millisecond)))
	case *native.RetryEnd:
		if !r.Success {
			ui.Rest(w.now)
			ui.Fail(w.now, "Error: Retry failed after "+decimal(r.Attempt)+" attempts: "+r.FinalError.V)
		}
	case *native.CompactionStart:
		text := "Compacting context... (escape to cancel)"
		if r.Reason != "manual" {
			text = "Auto-compacting... (escape to cancel)"
		}
		ui.Progress(w.now, true)
		ui.Work(w.now, text, 0)
		w.note(r)
	case *native.CompactionEnd:
		ui.Progress(w.now, false)
		ui.Rest(w.now)
		switch {
		case r.Result != nil:
			ui.Note(w.now, r.Result.Summary)
		case r.Aborted:
			ui.Note(w.now, "Compaction cancelled")
		default:
			ui.Fail(w.now, r.ErrorMessage.V)
		}
		w.note(r)
	}
}

// showRequest shows a question, or what an extension says.
func (w *Worker) showRequest(r *native.UIRequest) {
	ui := w.tui.ui
	switch r.Method {
	case "notify":
		ui.Note(w.now, r.Message.V)
	case "setStatus", "setWidget":
		w.tui.notes = maps.Clone(w.tui.notes)
		if w.tui.notes == nil {
			w.tui.notes = map[string]string{}
		}
		w.tui.notes[r.StatusKey.V+r.WidgetKey.V] = r.StatusText.V + strings.Join(r.WidgetLines, " ")
		var notes []string
		for _, key := range slices.Sorted(maps.Keys(w.tui.notes)) {
			notes = append(notes, w.tui.notes[key])
		}
		ui.Status(w.now, notes)
	case "setTitle":
		ui.Retitle(r.Title.V)
	case "set_editor_text":
		ui.Edit(w.now, r.Text.V)
	default:
		w.showDialog(r)
	}
}

// showDialog opens a dialog; before the program's screen it is the menu that this begins with.
func (w *Worker) showDialog(r *native.UIRequest) {
	d := tui.Dialog{Title: r.Title.V, Options: r.Options, Message: r.Message.V}
	if w.dialog.timeout != never {
		d.Until = w.dialog.timeout
	}
	kind := "question"
	switch r.Method {
	case "confirm":
		d.Method, kind = tui.Confirm, "permission"
	case "input":
		d.Method = tui.Enter
	case "editor":
		d.Method, d.Message = tui.Edit, r.Prefill.V
	}
	if !w.tui.open {
		w.tui.ui.OpenMenu(w.now, d)
		return
	}
	w.tui.pick = pick{}
	w.tui.ui.Ask(w.now, d)
	w.block(kind, r.Title.V)
}

// contentText is the text of a message's content.
func contentText(content []native.Block) string {
	var b strings.Builder
	for _, c := range content {
		if t, ok := c.(*native.TextBlock); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// callTitle is a call as a person reads it.
func callTitle(name string, args native.Value) string {
	o, _ := args.(native.Object)
	if command, ok := o.Get("command").(native.String); ok && name == "bash" {
		return "$ " + string(command)
	}
	if path, ok := o.Get("path").(native.String); ok {
		return name + " " + string(path)
	}
	return name + " " + string(native.AppendValue(nil, args))
}
