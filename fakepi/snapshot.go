package fakepi

import "fakepi.example/fakepi/native"

// updates are those of one instant, in a dialect that gives each the whole message twice. Both are the message as it
// has become by the time that Pi copies and prints it, and it prints behind the provider's chunks: so what comes at one
// instant is printed together, each update as far ahead of its own delta as Pi would be (docs/pi-formats.md, section
// 3.1).
type updates struct {
	list   []update
	chunks []grown // the message after each chunk of the instant
}

// update waits to be printed.
type update struct {
	event    native.AssistantEvent
	chunk    int // that brought it, from 1
	progress bool
}

// grown is how far a message has come. Only its last block grows.
type grown struct {
	blocks int
	last   int // bytes of the last block
	stop   string
	usage  native.Usage
}

// Pi's event loop, in turns of its queue of promises. A chunk of a read comes every six. An update passes two queues,
// each of which wakes in three or goes on in two; the agent copies it, is busy for two, and prints through a third.
const (
	turnsPerChunk = 6
	turnsToWake   = 3
	turnsToNext   = 2
	turnsToEmit   = 2
	turnsToPrint  = 3
	turnsBetween  = 4 // two prints
)

// moment is when an update is copied and printed, in turns since the instant began.
type moment struct{ forwarded, copied, printed int }

// after is the moment of an update of a chunk that comes behind another.
func (m moment) after(chunk int) moment {
	came := chunk * turnsPerChunk
	next := moment{forwarded: max(came+turnsToWake, m.forwarded+turnsToNext)}
	free := m.copied + turnsToEmit
	next.copied = next.forwarded + turnsToWake
	if next.forwarded <= free {
		next.copied = free + turnsToNext
	}
	next.printed = max(next.copied+turnsToPrint, m.printed+turnsBetween)
	return next
}

// endChunk notes what a chunk of the provider has made of the open reply.
func (w *Worker) endChunk(stop string, usage native.Usage) {
	if !w.rules.snapshots || !w.printsLines() {
		return
	}
	g := grown{blocks: len(w.reply.blocks), stop: stop, usage: usage}
	if g.blocks > 0 {
		g.last = len(w.reply.blocks[g.blocks-1].text)
	}
	w.updates.chunks = append(w.updates.chunks, g)
}

// delay keeps an update until its instant is over.
func (w *Worker) delay(e native.AssistantEvent) {
	if w.leaving() {
		return
	}
	w.updates.list = append(w.updates.list, update{event: e, chunk: len(w.updates.chunks) + 1, progress: w.moved(true)})
}

// flushUpdates prints the updates of the instant.
func (w *Worker) flushUpdates() {
	if len(w.updates.list) == 0 {
		w.updates.chunks = nil
		return
	}
	u := w.updates
	w.updates = updates{}
	var m moment
	for i := range u.list {
		m = m.after(u.list[i].chunk)
		now := u.at(m.printed)
		message := w.snapshot(now)
		partial := *message
		if was := u.at(m.copied); was.stop != now.stop || was.usage.Total != now.usage.Total {
			message.StopReason, message.Usage = was.stop, was.usage
		}
		u.list[i].event.Partial = &partial
		w.write(Out, &native.MessageUpdate{Event: u.list[i].event, Message: message}, u.list[i].progress)
	}
}

// at is the state of the message in a turn, before the chunk of that very turn.
func (u *updates) at(turn int) grown {
	return u.chunks[min(max((turn-1)/turnsPerChunk, 1), len(u.chunks))-1]
}

// snapshot is the open reply as it was.
func (w *Worker) snapshot(g grown) *native.AssistantMessage {
	m := w.newMessage()
	m.StopReason, m.Usage, m.ResponseID = g.stop, g.usage, native.Some(w.reply.id)
	m.Content = w.unfinished(g)
	return m
}

// unfinished is the content of a reply as it was, with the scratch keys of its calls.
func (w *Worker) unfinished(g grown) []native.Block {
	out := make([]native.Block, 0, g.blocks)
	index := int64(0)
	for i, b := range w.reply.blocks[:g.blocks] {
		text := b.text
		if i == g.blocks-1 {
			text = text[:g.last]
		}
		switch b.kind {
		case blockText:
			out = append(out, &native.TextBlock{Text: string(text)})
		case blockThinking:
			out = append(out, &native.ThinkingBlock{Thinking: string(text), Signature: native.Some("reasoning_content")})
		case blockCall:
			c := &w.calls[b.call]
			out = append(out, &native.ToolCall{ID: c.id, Name: c.name, Arguments: w.rules.salvage(text), Scratch: native.Scratch{
				PartialArgs: native.Some(string(text)), StreamIndex: native.Some(index),
			}})
			index++
		}
	}
	return out
}
