package fakepi

import "fakepi.example/fakepi/native"

// addSnapshot gives an update the whole message so far, twice (docs/pi-formats.md, section 3.1).
func (w *Worker) addSnapshot(u *native.MessageUpdate) {
	m := w.reply.done
	if m == nil {
		m = w.newMessage()
		m.Content, m.StopReason, m.Usage = w.unfinished(), w.rules.streaming, u.Usage
		m.ResponseID = native.Some(w.reply.id)
	}
	u.Message, u.Event.Partial = m, m
}

// unfinished is the content of the open reply, with the scratch keys of its calls.
func (w *Worker) unfinished() []native.Block {
	out := make([]native.Block, 0, len(w.reply.blocks))
	index := int64(0)
	for _, b := range w.reply.blocks {
		switch b.kind {
		case blockText:
			out = append(out, &native.TextBlock{Text: string(b.text)})
		case blockThinking:
			out = append(out, &native.ThinkingBlock{Thinking: string(b.text), Signature: native.Some("reasoning_content")})
		case blockCall:
			c := &w.calls[b.call]
			out = append(out, &native.ToolCall{ID: c.id, Name: c.name, Arguments: salvage(b.text), Scratch: native.Scratch{
				PartialArgs: native.Some(string(b.text)), StreamIndex: native.Some(index),
			}})
			index++
		}
	}
	return out
}
