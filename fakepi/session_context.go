package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
)

// piece is an entry and what the model is shown of it.
type piece struct {
	entry    native.Entry
	messages []native.Message // none: the entry is no message, or it was taken out
}

// transcript is what the model is shown, the messages of get_messages.
func (w *Worker) transcript() []native.Message {
	messages := []native.Message{}
	for _, p := range w.pieces(w.session.shown()) {
		messages = append(messages, p.messages...)
	}
	if w.joinsRetry() {
		messages = append(messages, w.userMessage(w.asking.message))
	}
	return messages
}

// pieces takes a branch apart: the summary of its last compaction, what that kept, and what came since.
func (w *Worker) pieces(branch []native.Entry) []piece { return w.piecesBut(branch, w.session.dropped) }

// piecesBut leaves out the messages of entries that are hidden.
func (w *Worker) piecesBut(branch []native.Entry, hidden []string) []piece {
	at := lastCompaction(branch)
	if at < 0 {
		return w.piecesOf(nil, branch, hidden)
	}
	c := branch[at].(*native.CompactionEntry)
	first := piece{entry: c, messages: []native.Message{summaryOf(c)}}
	if c.SystemMessage != nil && w.rules.system {
		first.messages = slices.Insert(first.messages, 0, native.Message(c.SystemMessage))
	}
	kept := slices.IndexFunc(branch[:at], func(e native.Entry) bool { return placeOf(e).ID == c.FirstKeptEntryID })
	if kept < 0 {
		kept = at
	}
	rest := slices.Concat(branch[kept:at], branch[at+1:])
	if w.rules.system {
		rest = slices.Concat(slices.DeleteFunc(slices.Clone(branch[kept:at]), isSystem), branch[at+1:])
	}
	return w.piecesOf([]piece{first}, rest, hidden)
}

func (w *Worker) piecesOf(pieces []piece, entries []native.Entry, dropped []string) []piece {
	hidden := map[string]bool{}
	for _, id := range dropped {
		hidden[id] = true
	}
	for _, e := range entries {
		if edit, ok := e.(*native.ContextEdit); ok && w.rules.edits {
			hidden[edit.TargetID] = edit.Replacement == native.Value(native.Null{})
		}
	}
	for _, e := range entries {
		p := piece{entry: e}
		if m := messageOf(e); m != nil && !hidden[placeOf(e).ID] {
			p.messages = []native.Message{m}
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// lastCompaction is the place of the last one, or -1.
func lastCompaction(entries []native.Entry) int {
	for i, e := range slices.Backward(entries) {
		if _, ok := e.(*native.CompactionEntry); ok {
			return i
		}
	}
	return -1
}

func isSystem(e native.Entry) bool {
	m, ok := e.(*native.MessageEntry)
	return ok && m.Message.Role() == "system"
}

func summaryOf(c *native.CompactionEntry) native.Message {
	return &native.CompactionSummaryMessage{Summary: c.Summary, TokensBefore: c.TokensBefore, Timestamp: millis(c.Timestamp)}
}

// messageOf is the message that an entry is, or nil. Extensions write two more kinds.
func messageOf(e native.Entry) native.Message {
	if m, ok := e.(*native.MessageEntry); ok {
		return m.Message
	}
	o := freeEntry(e)
	var keys []string
	message := native.Object{}
	switch e.Type() {
	case "custom_message":
		message = append(message, native.Member{Key: "role", Value: native.String("custom")})
		keys = []string{"customType", "content", "display", "details"}
	case "branch_summary":
		message = append(message, native.Member{Key: "role", Value: native.String("branchSummary")})
		keys = []string{"summary", "fromId"}
	default:
		return nil
	}
	for _, key := range keys {
		if v := o.Get(key); v != nil {
			message = append(message, native.Member{Key: key, Value: v})
		}
	}
	at := native.Number(millis(o.Text("timestamp")))
	return &native.UnknownMessage{Value: append(message, native.Member{Key: "timestamp", Value: at})}
}

// settings are what a branch was left with: its model, and its thinking level if it has one.
type settings struct {
	provider, model string
	level           string
}

func settingsOf(branch []native.Entry) settings {
	var s settings
	for _, e := range branch {
		switch e := e.(type) {
		case *native.ThinkingLevelChange:
			s.level = e.ThinkingLevel
		case *native.ModelChange:
			s.provider, s.model = e.Provider, e.ModelID
		case *native.MessageEntry:
			if a, ok := e.Message.(*native.AssistantMessage); ok {
				s.provider, s.model = a.Provider, a.Model
			}
		}
	}
	return s
}
