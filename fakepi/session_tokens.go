package fakepi

import (
	"fmt"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
)

// imageChars is what Pi takes an image for.
const imageChars = 4800

// estimate is Pi's guess of the tokens of a message: a quarter of its UTF-16 length.
func estimate(m native.Message) int64 {
	chars := 0
	switch m := m.(type) {
	case *native.SystemMessage:
		s := m.Sections
		for _, part := range []string{m.Content, s.Preamble, s.Tools, s.Rules, s.Docs, s.Addendum.V, s.ProjectContext.V, s.CWD} {
			chars += units(part)
		}
		if len(m.ToolsAdded) > 0 {
			chars += valueUnits(toolValues(m.ToolsAdded))
		}
	case *native.UserMessage:
		chars = blockUnits(m.Content)
	case *native.AssistantMessage:
		chars = blockUnits(m.Content)
	case *native.ToolResultMessage:
		chars = blockUnits(m.Content)
		if content, _ := noList(m); m.Odd != nil {
			text, _ := content.(native.String)
			chars += units(string(text))
		}
	case *native.BashExecutionMessage:
		chars = units(m.Command) + units(m.Output)
	case *native.CompactionSummaryMessage:
		chars = units(m.Summary)
	case *native.UnknownMessage:
		chars = units(m.Value.Text("summary")) + units(m.Value.Text("content"))
	}
	return provider.Tokens(chars)
}

func blockUnits(blocks []native.Block) int {
	n := 0
	for _, b := range blocks {
		switch b := b.(type) {
		case *native.TextBlock:
			n += units(b.Text)
		case *native.ThinkingBlock:
			n += units(b.Thinking)
		case *native.ToolCall:
			n += units(b.Name) + valueUnits(b.Arguments)
		case *native.ImageBlock:
			n += imageChars
		}
	}
	return n
}

// units is the length of a string in JavaScript.
func units(s string) int {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0xF0:
			n += 2
		case c&0xC0 != 0x80:
			n++
		}
	}
	return n
}

func valueUnits(v native.Value) int { return units(string(native.AppendValue(nil, v))) }

func toolValues(tools []native.ToolSpec) native.Array {
	var a native.Array
	for _, t := range tools {
		a = append(a, native.Object{
			{Key: "name", Value: native.String(t.Name)}, {Key: "description", Value: native.String(t.Description)},
			{Key: "parameters", Value: t.Parameters}, {Key: "constrainedSampling", Value: t.ConstrainedSampling},
		})
	}
	return a
}

// usedTokens are the tokens that the provider counted for a reply, 0 if it did not come to that.
func usedTokens(m native.Message) int64 {
	a, ok := m.(*native.AssistantMessage)
	if !ok || a.StopReason == "aborted" || a.StopReason == "error" {
		return 0
	}
	if a.Usage.Total != 0 {
		return a.Usage.Total
	}
	return a.Usage.Input + a.Usage.Output + a.Usage.CacheRead + a.Usage.CacheWrite
}

// contextTokens is how many tokens the model is shown: what the provider counted last, and a guess of what came since.
// What was counted before the context changed is no help. hidden are replies that do not count.
func (w *Worker) contextTokens(branch []native.Entry, hidden []string) int64 {
	pieces := w.piecesBut(branch, hidden)
	var since int64
	for _, p := range slices.Backward(pieces) {
		for _, m := range slices.Backward(p.messages) {
			if used := usedTokens(m); used > 0 && !w.outdated(branch, p.entry) {
				return used + since
			} else if used > 0 {
				return w.guess(pieces)
			}
			since += estimate(m)
		}
	}
	return w.guess(pieces)
}

// outdated reports whether the context was changed after an entry.
func (w *Worker) outdated(branch []native.Entry, e native.Entry) bool {
	if !w.rules.edits {
		return false
	}
	for _, later := range slices.Backward(branch) {
		if later == e {
			return false
		}
		switch later.(type) {
		case *native.ContextEdit, *native.CompactionEntry:
			return true
		}
	}
	return false
}

// guess estimates all messages; of several system messages the last stands for all.
func (w *Worker) guess(pieces []piece) int64 {
	var sum, system int64
	for _, p := range pieces {
		for _, m := range p.messages {
			if m.Role() == "system" {
				system = estimate(m)
				continue
			}
			sum += estimate(m)
		}
	}
	return sum + system
}

// contextUsage is how full the context is. After a compaction nobody knows before the next reply.
func (w *Worker) contextUsage() *native.ContextUsage {
	branch := w.session.shown()
	usage := &native.ContextUsage{Tokens: native.Null{}, ContextWindow: w.model.ContextWindow, Percent: native.Null{}}
	if w.model.ContextWindow <= 0 {
		return nil
	}
	if at := lastCompaction(branch); at >= 0 && !w.countedSince(branch[at+1:]) {
		return usage
	}
	n := w.contextTokens(branch, w.session.dropped)
	usage.Tokens, usage.Percent = native.Number(n), native.Number(float64(n)/float64(w.model.ContextWindow)*100)
	return usage
}

func (w *Worker) countedSince(entries []native.Entry) bool {
	return slices.ContainsFunc(entries, func(e native.Entry) bool {
		m := messageOf(e)
		return m != nil && usedTokens(m) > 0
	})
}

// sentTokens estimates messages as the provider is sent them: a reply that failed is not, and a call without a result has
// got one.
func (w *Worker) sentTokens(messages []native.Message) int64 {
	var n int64
	open := map[string]bool{}
	for _, m := range messages {
		switch m := m.(type) {
		case *native.UserMessage:
			n += w.tokensOf(m.Content)
		case *native.AssistantMessage:
			if m.StopReason != "error" && m.StopReason != "aborted" {
				n += w.tokensOf(m.Content)
				for _, id := range callsOf(m) {
					open[id] = true
				}
			}
		case *native.ToolResultMessage:
			n += w.resultTokens(m)
			delete(open, m.ToolCallID)
		case *native.CompactionSummaryMessage:
			n += provider.Tokens(len(summaryFrame) + len(m.Summary))
		case *native.BashExecutionMessage:
			n += provider.Tokens(len(bashText(m)))
		}
	}
	return n + int64(len(open))*provider.Tokens(len("No result provided"))
}

func callsOf(m *native.AssistantMessage) []string {
	var ids []string
	for _, b := range m.Content {
		if c, ok := b.(*native.ToolCall); ok {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// summaryFrame is around a summary in what the model is sent.
const summaryFrame = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n\n</summary>"

// bashText is what the model is told of a command of the client.
func bashText(m *native.BashExecutionMessage) string {
	if m.ExcludeFromContext.V {
		return ""
	}
	text := "Ran `" + m.Command + "`\n"
	if m.Output == "" {
		text += "(no output)"
	} else {
		text += "```\n" + m.Output + "\n```"
	}
	switch {
	case m.Cancelled:
		text += "\n\n(command cancelled)"
	case m.ExitCode.Set && m.ExitCode.V != 0:
		text += fmt.Sprintf("\n\nCommand exited with code %d", m.ExitCode.V)
	}
	if m.Truncated && m.FullOutputPath.Set {
		text += "\n\n[Output truncated. Full output: " + m.FullOutputPath.V + "]"
	}
	return text
}
