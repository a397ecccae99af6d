package fakepi

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

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

// grown is how far a message has come.
type grown struct {
	lengths []int // of its blocks, in bytes
	closed  int   // of them
	stop    string
	usage   native.Usage
}

// Pi's event loop, in turns of its queue of promises. A chunk of a read comes every six, or four. An update passes two queues,
// each of which wakes in three or goes on in two; the agent copies it, is busy for two, and prints through a third.
const (
	turnsToWake  = 3
	turnsToNext  = 2
	turnsToEmit  = 2
	turnsToPrint = 3
	turnsBetween = 4 // two prints
)

// moment is when an update is copied and printed, in turns since the instant began.
type moment struct{ forwarded, copied, printed int }

// turnsPerChunk is how far the chunks of one read are apart, by how deep the API's reader is nested.
func (w *Worker) turnsPerChunk() int {
	if w.blockwise() {
		return 4
	}
	return 6
}

// after is the moment of an update that came in a turn, behind another.
func (m moment) after(came int) moment {
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
	g := grown{closed: w.reply.closed, stop: stop, usage: usage}
	if usage.Total == 0 {
		g.usage = w.soFar()
	}
	for _, b := range w.reply.blocks {
		g.lengths = append(g.lengths, len(b.text))
	}
	w.updates.chunks = append(w.updates.chunks, g)
}

// delay keeps an update until its instant is over.
func (w *Worker) delay(e native.AssistantEvent) {
	if w.silent() {
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
	per := w.turnsPerChunk()
	for i := range u.list {
		m = m.after(u.list[i].chunk * per)
		now := u.after((m.printed - 1) / per)
		message := w.snapshot(now)
		partial := *message
		if was := u.after((m.copied - 1) / per); was.stop != now.stop || was.usage.Total != now.usage.Total {
			message.StopReason = was.stop
			if !w.blockwise() { // where it is one object, counted on
				message.Usage = was.usage
			}
		}
		u.list[i].event.Partial = &partial
		w.write(Out, &native.MessageUpdate{Event: u.list[i].event, Message: message}, u.list[i].progress)
	}
}

// after is the state of the message behind so many chunks.
func (u *updates) after(chunks int) grown { return u.chunks[min(max(chunks, 1), len(u.chunks))-1] }

// snapshot is the open reply as it was.
func (w *Worker) snapshot(g grown) *native.AssistantMessage {
	m := w.newMessage()
	m.StopReason, m.Usage, m.ResponseID = g.stop, g.usage, native.Some(w.reply.id)
	m.Content = w.unfinished(g)
	return m
}

// unfinished is the content of a reply as it was, with the scratch keys of its calls.
func (w *Worker) unfinished(g grown) []native.Block {
	out := make([]native.Block, 0, len(g.lengths))
	index := int64(0)
	for i, b := range w.reply.blocks[:len(g.lengths)] {
		text := b.text[:g.lengths[i]]
		closed := i < g.closed
		mark := native.Opt[int64]{V: int64(i), Set: w.blockwise() && !closed}
		switch b.kind {
		case blockText:
			out = append(out, &native.TextBlock{Text: string(text), Index: mark})
		case blockThinking:
			out = append(out, &native.ThinkingBlock{Thinking: string(text), Signature: w.signature(closed), Index: mark})
		case blockCall:
			c := &w.calls[b.call]
			t := &native.ToolCall{ID: c.id, Name: c.name, Arguments: javascript.Salvage(text)}
			if !closed {
				t.Scratch = w.scratch(i, index, text)
			}
			out = append(out, t)
			index++
		}
	}
	return out
}
