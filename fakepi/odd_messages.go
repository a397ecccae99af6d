package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
)

// unsendable is JavaScript's complaint about a message of a session file that Pi cannot make a request of; empty: it can.
func (w *Worker) unsendable() string {
	if !w.session.odd {
		return ""
	}
	for _, m := range w.transcript() {
		content, odd := noList(m)
		_, text := content.(native.String)
		switch {
		case !odd, missing(content) && w.rules.repairs: // to Pi 1.6 it is empty
		case m.Role() == "assistant":
			return uncallable(content, "assistantMsg.content", "flatMap")
		case !text:
			return uncallable(content, "msg.content", w.rules.takesText)
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
	return ""
}

// uncountable is the complaint about one reply.
func (r *rules) uncountable(a *native.AssistantMessage, e *native.MessageEntry) string {
	if content, odd := noList(a); odd && !r.countsAll {
		return uncallable(content, "assistantMsg.content", "filter")
	}
	message, _ := r.objectOf(e).Get("message").(native.Object)
	usage, _ := message.Get("usage").(native.Object)
	switch {
	case missing(message.Get("usage")):
		return uncallable(message.Get("usage"), "", "input")
	case missing(usage.Get("cost")):
		return uncallable(usage.Get("cost"), "", "total")
	}
	return ""
}

func isOdd(e native.Entry) bool {
	m, ok := e.(*native.MessageEntry)
	if !ok {
		return false
	}
	_, odd := noList(m.Message)
	return odd
}

// noList is the content of a message of a user or the model if it is no list; nil: there is none.
func noList(m native.Message) (content native.Value, ok bool) {
	var odd *native.Odd
	switch m := m.(type) {
	case *native.UserMessage:
		odd = m.Odd
	case *native.AssistantMessage:
		odd = m.Odd
	}
	if odd == nil {
		return nil, false
	}
	content = odd.Extra.Get("content")
	return content, content != nil || !slices.Contains(odd.Keys, "content")
}

// failUnsendable ends a run that asks the model nothing, with a reply that says why.
func (w *Worker) failUnsendable(why string) {
	w.closeReply(ending{stop: "error", err: why, cut: true, untold: true})
	w.endTurn(nil)
	w.endRun(false)
	if !w.takesUp() {
		w.settle(false)
	}
}
