package fakepi

import (
	"cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// anthropicAPI is the one API whose replies look different: a block ends before the next begins, and the provider counts
// the request first (docs/pi-formats.md, sections 2 and 3.1).
const anthropicAPI = "anthropic-messages"

// blockwise reports whether the worker's model speaks it.
func (w *Worker) blockwise() bool { return w.model.API == anthropicAPI }

// replyID names a reply as its provider does.
func (w *Worker) replyID() string {
	if w.blockwise() {
		return w.ids.word("msg_", 24)
	}
	return w.ids.word("chatcmpl-", 29)
}

// counted is what Pi makes of the provider's report.
func (w *Worker) counted(r script.Reports) native.Usage {
	u := usageOf(r, w.model.Cost)
	if w.blockwise() {
		u.Reasoning, u.CacheWrite1h = native.Opt[int64]{}, native.Some[int64](0)
	}
	return u
}

// countedTwice is what Pi makes of two reports: their sum, of which it writes the members in another order.
func (w *Worker) countedTwice(sum script.Reports) native.Usage {
	u := w.counted(sum)
	if w.blockwise() {
		u.Odd = &native.Odd{Keys: []string{"input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "totalTokens", "cost"}}
	}
	return u
}

// soFar is what has been counted of a reply that streams: nothing, or the request and a first token.
func (w *Worker) soFar() native.Usage {
	if !w.blockwise() || w.reply.id == "" {
		return native.Usage{}
	}
	r := script.Reports{Input: provider.PromptTokens + w.context}
	if w.reply.reported != nil {
		r = *w.reply.reported
	}
	r.Output = 1
	return w.counted(r)
}

// reportAhead is what the script will say that the provider counts of the reply that begins; nil: nothing.
func (w *Worker) reportAhead() *script.Reports {
	for _, s := range w.steps[max(w.next-1, 0):] { // from the step that began it
		switch a := s.Action.(type) {
		case script.Reports:
			return &a
		case script.Opens, script.Says, script.Thinks, script.Calls:
		default:
			return nil
		}
	}
	return nil
}

// signature is that of a block of thinking, which one API gives at its end.
func (w *Worker) signature(closed bool) native.Opt[string] {
	switch {
	case !w.blockwise():
		return native.Some("reasoning_content")
	case closed:
		return native.Some(provider.Signature)
	}
	return native.Some("")
}

// scratch is what Pi notes in a call that streams.
func (w *Worker) scratch(at int, call int64, text []byte) native.Scratch {
	if w.blockwise() {
		return native.Scratch{PartialJSON: native.Some(string(text)), Index: native.Some(int64(at))}
	}
	return native.Scratch{PartialArgs: native.Some(string(text)), StreamIndex: native.Some(call)}
}

// closeBlock ends the open block of an API that ends one by one.
func (w *Worker) closeBlock(usage native.Usage) {
	at := w.reply.closed
	if !w.blockwise() || at == len(w.reply.blocks) {
		return
	}
	w.reply.closed++
	w.endBlock(at, w.blockAt(at, false), usage)
	w.endChunk(w.rules.streaming, native.Usage{})
}

// stopWords are the APIs' words for stop reasons, where they are others than Pi's.
var stopWords = map[bool]map[string]string{
	false: {"toolUse": "tool_calls"},
	true:  {"toolUse": "tool_use", "stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"},
}

// stopWord is the provider's word for a stop reason.
func (w *Worker) stopWord(stop string) string { return cmp.Or(stopWords[w.blockwise()][stop], stop) }

// abortText is what Pi writes into a reply that was aborted while it streamed.
func (w *Worker) abortText() string {
	if w.blockwise() {
		return "This operation was aborted"
	}
	return "Request was aborted"
}
