package fakepi

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// stats is the data of get_session_stats: of all entries where the dialect counts what was paid for, otherwise of what
// the model is shown.
func (w *Worker) stats() *native.StatsData {
	c := counter{StatsData: &native.StatsData{
		SessionFile: w.sessionPath(), SessionID: w.session.header.ID, ContextUsage: w.contextUsage(),
	}}
	if !w.rules.countsAll {
		for _, m := range w.transcript() {
			c.message(m)
		}
	} else {
		for _, e := range w.session.entries {
			c.entry(e)
		}
	}
	t := &c.Tokens
	t.Total = t.Input + t.Output + t.CacheRead + t.CacheWrite
	return c.StatsData
}

// sessionPath is the session file as clients are told of it.
func (w *Worker) sessionPath() native.Opt[string] {
	return native.Opt[string]{V: w.session.path, Set: !w.session.unsaved}
}

type counter struct{ *native.StatsData }

func (c *counter) entry(e native.Entry) {
	switch e := e.(type) {
	case *native.MessageEntry:
		c.message(e.Message)
	case *native.CompactionEntry:
		if e.Usage != nil {
			c.usage(*e.Usage)
		}
	default:
		if t := e.Type(); t == "usage" || t == "branch_summary" {
			c.freeUsage(freeEntry(e))
		}
	}
}

func (c *counter) message(m native.Message) {
	c.TotalMessages++
	switch m := m.(type) {
	case *native.UserMessage:
		c.UserMessages++
	case *native.ToolResultMessage:
		c.ToolResults++
	case *native.AssistantMessage:
		c.AssistantMessages++
		for _, b := range m.Content {
			if _, ok := b.(*native.ToolCall); ok {
				c.ToolCalls++
			}
		}
		c.usage(m.Usage)
	}
}

func (c *counter) usage(u native.Usage) {
	c.Tokens.Input += u.Input
	c.Tokens.Output += u.Output
	c.Tokens.CacheRead += u.CacheRead
	c.Tokens.CacheWrite += u.CacheWrite
	c.Cost += u.Cost.Total
}

// freeUsage counts the usage of an entry that only extensions write.
func (c *counter) freeUsage(o native.Object) {
	u, _ := o.Get("usage").(native.Object)
	cost, _ := u.Get("cost").(native.Object)
	number := func(o native.Object, key string) float64 {
		n, _ := o.Get(key).(native.Number)
		return float64(n)
	}
	c.usage(native.Usage{
		Input: int64(number(u, "input")), Output: int64(number(u, "output")),
		CacheRead: int64(number(u, "cacheRead")), CacheWrite: int64(number(u, "cacheWrite")),
		Cost: native.Cost{Total: number(cost, "total")},
	})
}

// lastText is the data of get_last_assistant_text: of the last reply that ended well or says something.
func (w *Worker) lastText() *native.TextData {
	messages := w.transcript()
	for i := len(messages) - 1; i >= 0; i-- {
		a, ok := messages[i].(*native.AssistantMessage)
		if !ok || w.skipsReply(a) {
			continue
		}
		said := ""
		for _, b := range a.Content {
			if t, ok := b.(*native.TextBlock); ok {
				said += t.Text
			}
		}
		said = javascript.Trim(said)
		return &native.TextData{Text: native.Opt[string]{V: said, Set: said != ""}}
	}
	return &native.TextData{}
}

// skipsReply reports whether a reply has no text that anybody would ask for.
func (w *Worker) skipsReply(a *native.AssistantMessage) bool {
	if !w.rules.looksForText {
		return a.StopReason == "aborted" && len(a.Content) == 0
	}
	if a.StopReason == "stop" {
		return false
	}
	for _, b := range a.Content {
		if t, ok := b.(*native.TextBlock); ok && javascript.Trim(t.Text) != "" {
			return false
		}
	}
	return true
}
