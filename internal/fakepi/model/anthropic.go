package model

import (
	"fmt"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
)

// anthropic writes the events of Anthropic's messages. One block is open at a time.
type anthropic struct {
	model  string
	n      int
	usage  Usage // of the reply, since the first event tells its input
	open   string
	blocks int
	reason string // that the last event but one tells; empty: not yet
}

// newAnthropic makes the encoder of the n-th reply.
func newAnthropic(r *Request, n int, reply Reply) *anthropic {
	e := &anthropic{model: r.Model, n: n}
	for _, op := range reply.Ops {
		if u, ok := op.(Usage); ok {
			e.usage = u
		}
	}
	if e.usage.Input == 0 {
		e.usage.Input = r.Tokens()
	}
	return e
}

func (e *anthropic) append(dst []byte, op Op) []byte {
	switch op := op.(type) {
	case Role:
		return e.start(dst)
	case Text:
		dst = e.block(dst, "text", `"text":""`)
		return e.delta(dst, "text_delta", "text", op.Delta)
	case Thinking:
		dst = e.block(dst, "thinking", `"thinking":"","signature":""`)
		return e.delta(dst, "thinking_delta", "thinking", op.Delta)
	case Call:
		dst = e.stop(dst)
		head := append(native.AppendString([]byte(`"id":`), op.ID), `,"name":`...)
		head = native.AppendString(head, op.Name)
		return e.block(dst, "tool_use", string(head)+`,"input":{}`)
	case Arguments:
		return e.delta(dst, "input_json_delta", "partial_json", op.Delta)
	case Finish:
		e.reason = map[Reason]string{
			ReasonStop: "end_turn", ReasonLength: "max_tokens", ReasonTools: "tool_use", ReasonFilter: "refusal",
		}[op.Reason]
		return e.stop(dst)
	case Usage:
		e.usage.Output = op.Output
	case Keepalive:
		return event(dst, "ping", "")
	case Done:
		return e.end(dst)
	}
	return dst
}

// event appends one event; rest follows its type.
func event(dst []byte, name, rest string) []byte {
	return fmt.Appendf(dst, "event: %s\ndata: {\"type\":%q%s}\n\n", name, name, rest)
}

func (e *anthropic) start(dst []byte) []byte {
	rest := fmt.Appendf(nil, `,"message":{"id":"msg_%024d","type":"message","role":"assistant","model":`, e.n)
	rest = native.AppendString(rest, e.model)
	rest = fmt.Appendf(rest, `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":0,"output_tokens":1}}`,
		e.usage.Input-e.usage.Cached, e.usage.Cached)
	return event(dst, "message_start", string(rest))
}

// block begins a block of a type, unless one of that type is open.
func (e *anthropic) block(dst []byte, kind, fields string) []byte {
	if e.open == kind {
		return dst
	}
	dst = e.stop(dst)
	e.open = kind
	return event(dst, "content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":%q,%s}`, e.blocks, kind, fields))
}

func (e *anthropic) delta(dst []byte, kind, key, text string) []byte {
	rest := fmt.Appendf(nil, `,"index":%d,"delta":{"type":%q,%q:`, e.blocks, kind, key)
	return event(dst, "content_block_delta", string(native.AppendString(rest, text))+"}")
}

// stop ends the open block. One of thinking is signed before.
func (e *anthropic) stop(dst []byte) []byte {
	if e.open == "" {
		return dst
	}
	if e.open == "thinking" {
		dst = e.delta(dst, "signature_delta", "signature", provider.Signature)
	}
	dst = event(dst, "content_block_stop", fmt.Sprintf(`,"index":%d`, e.blocks))
	e.open = ""
	e.blocks++
	return dst
}

func (e *anthropic) end(dst []byte) []byte {
	if e.reason != "" {
		dst = event(dst, "message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}`, e.reason, e.usage.Output))
	}
	return event(dst, "message_stop", "")
}

func (e *anthropic) failure(dst []byte, f provider.Failure) []byte {
	return append(append(append(dst, "event: error\ndata: "...), e.body(f)...), "\n\n"...)
}

func (e *anthropic) body(f provider.Failure) []byte { return f.AppendAnthropic(nil) }
