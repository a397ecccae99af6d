package fakepi

import (
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// blockKind is what a part of a reply is.
type blockKind uint8

const (
	blockText blockKind = iota
	blockThinking
	blockCall
)

// reply is the assistant message that is being streamed.
type reply struct {
	open     bool   // message_start was printed
	token    bool   // an update was printed
	id       string // empty before the first chunk
	blocks   []block
	closed   int                      // blocks that have ended while it streams
	reported *script.Reports          // by the provider; nil: an estimate
	done     *native.AssistantMessage // once it has ended and only its last updates are to come
}

// block is a part of the open reply.
type block struct {
	kind blockKind
	text []byte // what was said so far; of a call its arguments
	call int    // of a call: its place in the calls
}

// ending is how a reply ends.
type ending struct {
	stop       string
	err        string // of an error or abort
	raw        string // the provider's word for it, where it is none for stop
	cut        bool   // the connection broke: the blocks get no end of their own
	unreported bool   // the provider told neither why nor what it counted
	instead    bool   // Pi makes it up, as after an abort; no request was sent
}

// endingOf is how a reply ends with a stop reason.
func (w *Worker) endingOf(stop string) ending {
	if stop == "aborted" {
		return ending{stop: stop, err: w.abortText()}
	}
	return ending{stop: stop}
}

// openReply prints message_start: the provider answers, and names the reply. Where it counts the request first, Pi prints
// what it has by then: the name and the first block, or in a dialect that copied the message before, the count alone.
func (w *Worker) openReply(first ...native.Block) {
	if !w.blockwise() {
		w.answered()
		w.identify()
		return
	}
	w.ensureTurn()
	w.reply = reply{open: true, id: w.replyID(), reported: w.reportAhead()}
	m := w.newMessage()
	m.StopReason, m.Usage = w.rules.streaming, w.soFar()
	if !w.rules.snapshots {
		m.ResponseID, m.Content = native.Some(w.reply.id), append(m.Content, first...)
	}
	w.print(&native.MessageStart{Message: m}, true)
	w.endChunk(w.rules.streaming, native.Usage{})
}

// identify takes the name that comes with the provider's first chunk.
func (w *Worker) identify() {
	if w.reply.id == "" {
		w.reply.id = w.replyID()
		w.endChunk(w.rules.streaming, native.Usage{})
	}
}

// answered prints message_start for headers that came.
func (w *Worker) answered() {
	w.ensureTurn()
	w.reply = reply{open: true}
	m := w.newMessage()
	m.StopReason = w.rules.streaming
	w.print(&native.MessageStart{Message: m}, true)
	w.endChunk(w.rules.streaming, native.Usage{})
}

// ensureTurn opens the turn that the next reply needs.
func (w *Worker) ensureTurn() {
	if !w.turn {
		w.startTurn()
	}
}

func (w *Worker) newMessage() *native.AssistantMessage {
	return &native.AssistantMessage{
		Content: []native.Block{}, API: w.model.API, Provider: w.model.Provider, Model: w.model.ID,
		Timestamp: w.stamp(w.requestAt),
	}
}

// chunk prints one delta, and what must stand before it.
func (w *Worker) chunk(kind blockKind, text string) {
	at, fresh := w.openBlock(kind)
	start := native.AssistantEvent{Type: startNames[kind], ContentIndex: int64(at)}
	if fresh && w.blockwise() {
		w.update(start, native.Usage{})
		w.endChunk(w.rules.streaming, native.Usage{})
	}
	b := &w.reply.blocks[at]
	b.text = append(b.text, text...)
	if fresh && !w.blockwise() {
		w.update(start, native.Usage{})
	}
	w.update(native.AssistantEvent{
		Type: deltaNames[kind], ContentIndex: int64(at), Delta: native.Some(text),
	}, native.Usage{})
	w.endChunk(w.rules.streaming, native.Usage{})
}

var (
	startNames = [...]string{blockText: "text_start", blockThinking: "thinking_start", blockCall: "toolcall_start"}
	deltaNames = [...]string{blockText: "text_delta", blockThinking: "thinking_delta", blockCall: "toolcall_delta"}
	endNames   = [...]string{blockText: "text_end", blockThinking: "thinking_end", blockCall: "toolcall_end"}
)

// openBlock returns the text or thinking block of an open reply that goes on, and whether it is new.
func (w *Worker) openBlock(kind blockKind) (at int, fresh bool) {
	if !w.reply.open {
		w.openReply(w.emptyBlock(kind))
	}
	if at := w.openBlockOf(kind); at >= 0 {
		return at, false
	}
	w.closeBlock(native.Usage{})
	w.reply.blocks = append(w.reply.blocks, block{kind: kind})
	return len(w.reply.blocks) - 1, true
}

// openBlockOf is the block of a kind that goes on, or -1: the last one, or in an API that has one text and one thinking that.
func (w *Worker) openBlockOf(kind blockKind) int {
	for at, b := range w.reply.blocks {
		if b.kind == kind && (at == len(w.reply.blocks)-1 || kind != blockCall && !w.blockwise()) {
			return at
		}
	}
	return -1
}

func (w *Worker) emptyBlock(kind blockKind) native.Block {
	if kind == blockThinking {
		return &native.ThinkingBlock{Signature: w.signature(false)}
	}
	return &native.TextBlock{}
}

// openCall begins a tool call in the reply, with the empty delta that openai-completions sends first.
func (w *Worker) openCall(call int, usage native.Usage) {
	c := &w.calls[call]
	if !w.reply.open {
		w.openReply(&native.ToolCall{ID: c.id, Name: c.name, Arguments: native.Object{}})
	}
	w.closeBlock(native.Usage{})
	w.reply.blocks = append(w.reply.blocks, block{kind: blockCall, call: call})
	at := int64(len(w.reply.blocks) - 1)
	w.update(native.AssistantEvent{
		Type: startNames[blockCall], ContentIndex: at, ID: native.Some(c.id), ToolName: native.Some(c.name),
	}, usage)
	if !w.blockwise() {
		w.update(native.AssistantEvent{Type: deltaNames[blockCall], ContentIndex: at, Delta: native.Some("")}, usage)
	}
	w.endChunk(w.rules.streaming, native.Usage{})
}

// update prints a delta or what stands around it, with its usage, or the whole message.
func (w *Worker) update(e native.AssistantEvent, usage native.Usage) {
	w.identify()
	w.reply.token, w.owed, w.trouble = true, false, troubleNone
	if usage.Total == 0 {
		usage = w.soFar()
	}
	u := &native.MessageUpdate{Usage: usage, Event: e}
	switch {
	case !w.rules.snapshots || !w.printsLines():
	case w.reply.done == nil:
		w.delay(e)
		return
	default:
		u.Message, u.Event.Partial = w.reply.done, w.reply.done
	}
	w.print(u, true)
}

// closeReply finishes the open reply, or one that failed or was empty before it was opened.
func (w *Worker) closeReply(e ending) {
	if !w.reply.open && e.err == "" {
		w.openReply()
	}
	usage := w.usage(e)
	if w.rawStop(e) != "" {
		w.identify()
		w.closeBlock(usage)
		w.endChunk(e.stop, native.Usage{})
		w.endChunk(e.stop, usage)
	}
	w.flushUpdates()
	m := w.finished(e)
	if e.stop == "aborted" && w.showsEnd() {
		m.ErrorMessage = native.Some(w.abortWords())
	}
	if w.reply.done = m; !e.cut && !w.blockwise() {
		w.endBlocks(m.Content, usage)
	}
	if !w.reply.open {
		w.print(&native.MessageStart{Message: m}, true)
	}
	if e.err == "" {
		w.context += w.tokensOf(m.Content)
	}
	w.reply, w.stream, w.owed, w.trouble = reply{}, stream{}, false, troubleNone
	w.last = m
	w.finish(m)
	if e.stop != "error" {
		w.recovered = false
		w.endRetries()
	}
}

// finished is the reply as it has ended.
func (w *Worker) finished(e ending) *native.AssistantMessage {
	m := w.newMessage()
	m.Content, m.Usage, m.StopReason = w.content(e), w.usage(e), e.stop
	m.ThinkingLevel = native.Some(w.requestLevel)
	m.DurationMs = native.Some((w.now - w.requestAt).Milliseconds())
	if raw := w.rawStop(e); raw != "" {
		m.RawStopReason = native.Some(raw)
	}
	if w.reply.id != "" {
		m.ResponseID = native.Some(w.reply.id)
	}
	if e.err != "" {
		m.ErrorMessage, m.Synthetic = native.Some(e.err), e.instead
	}
	return m
}

// content is the finished reply's.
func (w *Worker) content(e ending) []native.Block {
	out := make([]native.Block, len(w.reply.blocks))
	for i := range out {
		out[i] = w.blockAt(i, e.cut || w.blockwise() && i >= w.reply.closed)
	}
	return out
}

// blockAt is a block of the finished reply.
func (w *Worker) blockAt(i int, cut bool) native.Block {
	switch b := w.reply.blocks[i]; b.kind {
	case blockText:
		return &native.TextBlock{Text: string(b.text)}
	case blockThinking:
		return &native.ThinkingBlock{Thinking: string(b.text), Signature: w.signature(i < w.reply.closed)}
	default:
		return w.callBlock(b, cut)
	}
}

// callBlock is a tool call. Of one that broke off within the stream, what came of its arguments counts.
func (w *Worker) callBlock(b block, cut bool) *native.ToolCall {
	c := &w.calls[b.call]
	t := &native.ToolCall{ID: c.id, Name: c.name, Arguments: c.args}
	broken := c.broken
	switch {
	case cut:
		t.Arguments, broken = javascript.Salvage(b.text), ""
	case len(b.text) != len(c.written):
		t.Arguments, broken = w.rules.readArguments(b.text)
	}
	if broken != "" {
		t.ArgumentsError = native.Some(broken)
	}
	return t
}

// endBlocks prints the end of every block, all together when the stream ends (docs/pi-formats.md, section 3.1).
func (w *Worker) endBlocks(content []native.Block, usage native.Usage) {
	for i, b := range content {
		w.endBlock(i, b, usage)
	}
}

func (w *Worker) endBlock(i int, b native.Block, usage native.Usage) {
	e := native.AssistantEvent{Type: endNames[w.reply.blocks[i].kind], ContentIndex: int64(i)}
	switch b := b.(type) {
	case *native.TextBlock:
		e.Content = native.Some(b.Text)
	case *native.ThinkingBlock:
		e.Content = native.Some(b.Thinking)
	case *native.ToolCall:
		e.ToolCall = b
	}
	w.update(e, usage)
}

// usage is the reply's; a provider that failed reports none.
func (w *Worker) usage(e ending) native.Usage {
	if e.unreported || e.err != "" && e.raw == "" {
		return w.soFar()
	}
	return w.reported(e.stop, 0)
}

// reported is what the provider counts of the reply, with so many bytes of calls that are still to come.
func (w *Worker) reported(stop string, more int) native.Usage {
	switch r := w.reply.reported; {
	case r != nil:
		return w.counted(*r)
	case stop == "length":
		return w.counted(script.Reports{Input: provider.PromptTokens + w.context, Output: provider.MaxTokens})
	}
	return w.counted(script.Reports{Input: provider.PromptTokens + w.context, Output: provider.Tokens(w.said() + more)})
}

// said is how many bytes the reply has.
func (w *Worker) said() int {
	n := 0
	for _, b := range w.reply.blocks {
		n += len(b.text)
	}
	return n
}

// rawStop is the provider's word for the stop reason; empty: it told none.
func (w *Worker) rawStop(e ending) string {
	if e.raw != "" || e.unreported || e.err != "" {
		return w.stopWord(e.raw)
	}
	return w.stopWord(e.stop)
}

// proven reports whether the last reply is a good end of the work (WDC-LIFE-004).
func (w *Worker) proven() bool {
	if w.last == nil || w.last.StopReason != "stop" {
		return false
	}
	spoken := false
	for _, b := range w.last.Content {
		switch b := b.(type) {
		case *native.TextBlock:
			spoken = spoken || strings.TrimSpace(b.Text) != ""
		case *native.ToolCall:
			return false
		}
	}
	return spoken
}
