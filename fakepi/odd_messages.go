package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// unsendable is why Pi makes no request: of its provider, or JavaScript's complaint about a message of a session file;
// empty: it does.
func (w *Worker) unsendable() string {
	if w.cannotAsk() {
		return "Provider is not configured: " + w.model.Provider
	}
	if !w.session.odd {
		return ""
	}
	for _, m := range w.transcript() {
		content, odd := noList(m)
		_, text := content.(native.String)
		switch {
		case !odd, javascript.Missing(content) && w.rules.repairs: // to Pi 1.6 it is empty
		case m.Role() == "assistant":
			return javascript.Uncallable(content, "assistantMsg.content", "flatMap")
		case m.Role() == "toolResult" && !text:
			return uniterable
		case !text:
			return javascript.Uncallable(content, "msg.content", w.rules.takesText)
		}
	}
	return ""
}

// uniterable is JavaScript's complaint about the content of a tool's result that is neither a list nor a text.
const uniterable = "content is not iterable"

// unguessable is that complaint where the size of what came behind the last reply is guessed; empty: there is none.
func (w *Worker) unguessable() string {
	for _, m := range slices.Backward(w.transcript()) {
		if usedTokens(m) > 0 {
			return ""
		}
		content, odd := noList(m)
		_, text := content.(native.String)
		switch {
		case m.Role() != "toolResult", !odd, text, javascript.Missing(content) && w.rules.repairs:
		case w.rules.repairs:
			return uniterable
		default:
			return "message." + uniterable
		}
	}
	return ""
}

// uncountable is JavaScript's complaint where get_session_stats counts a reply of a session file that is not as it should
// be; empty: it has none. Pi 1.6 counts all entries, and minds no content.
func (w *Worker) uncountable() string {
	entries := w.session.entries
	if !w.rules.countsAll {
		entries = nil
		for _, p := range w.pieces(w.session.shown()) {
			if len(p.messages) > 0 {
				entries = append(entries, p.entry)
			}
		}
	}
	for _, e := range entries {
		m, ok := e.(*native.MessageEntry)
		if !ok {
			continue
		}
		if a, ok := m.Message.(*native.AssistantMessage); ok && (a.Odd != nil || a.Usage.Odd != nil) {
			if why := w.rules.uncountable(a, m); why != "" {
				return why
			}
		}
	}
	return w.unguessable()
}

// uncountable is the complaint about one reply.
func (r *rules) uncountable(a *native.AssistantMessage, e *native.MessageEntry) string {
	if content, odd := noList(a); odd && !r.countsAll {
		return javascript.Uncallable(content, "assistantMsg.content", "filter")
	}
	message, _ := r.objectOf(e).Get("message").(native.Object)
	usage, _ := message.Get("usage").(native.Object)
	switch {
	case javascript.Missing(message.Get("usage")):
		return javascript.Uncallable(message.Get("usage"), "", "input")
	case javascript.Missing(usage.Get("cost")):
		return javascript.Uncallable(usage.Get("cost"), "", "total")
	}
	return ""
}

// unaskable is why Pi takes no prompt: it knows no model, or it cannot see from the usage of the last reply, where that was
// not told, whether the context is full. Empty: it takes one.
func (w *Worker) unaskable() string {
	switch {
	case w.modelless():
		return noKey(w.rules.dialect)
	case !w.session.odd || !javascript.Truthy(w.autoCompaction()):
		return ""
	}
	for _, m := range slices.Backward(w.transcript()) {
		if a, ok := m.(*native.AssistantMessage); ok {
			usage, none := noUsage(a)
			if none && a.StopReason == "stop" && a.Provider == w.model.Provider && a.Model == w.model.ID {
				return javascript.Uncallable(usage, "", "input")
			}
			return ""
		}
	}
	return ""
}

// isOdd reports whether a message needs a look before Pi does something with it.
func isOdd(e native.Entry) bool {
	m, ok := e.(*native.MessageEntry)
	if !ok {
		return false
	}
	_, odd := noList(m.Message)
	a, _ := m.Message.(*native.AssistantMessage)
	if a == nil || odd {
		return odd
	}
	_, odd = noUsage(a)
	return odd
}

// noUsage is the usage of a reply that has none: null, or nil.
func noUsage(a *native.AssistantMessage) (usage native.Value, ok bool) {
	if a.Odd == nil {
		return nil, false
	}
	usage = a.Odd.Extra.Get("usage")
	return usage, javascript.Missing(usage) && (usage != nil || !slices.Contains(a.Odd.Keys, "usage"))
}

// noList is the content of a message of a user, the model or a tool if it is no list; nil: there is none.
func noList(m native.Message) (content native.Value, ok bool) {
	var odd *native.Odd
	switch m := m.(type) {
	case *native.UserMessage:
		odd = m.Odd
	case *native.AssistantMessage:
		odd = m.Odd
	case *native.ToolResultMessage:
		odd = m.Odd
	}
	if odd == nil {
		return nil, false
	}
	content = odd.Extra.Get("content")
	return content, content != nil || !slices.Contains(odd.Keys, "content")
}

// cannotAsk reports whether the model's provider is none that Pi can ask.
func (w *Worker) cannotAsk() bool {
	return w.model != nil && slices.Contains(w.broken, w.model.Provider)
}

// failUnsendable ends a run that asks the model nothing, with a reply that says why.
func (w *Worker) failUnsendable(why string) {
	madeUp := w.rules.repairs && why == uniterable || w.cannotAsk()
	w.closeReply(ending{stop: "error", err: why, cut: true, unreported: true, instead: madeUp})
	w.endTurn(nil)
	w.endRun(false)
	if !w.takesUp() {
		w.settle(false)
	}
}
