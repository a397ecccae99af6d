package model

import (
	"fmt"
	"strconv"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
)

// encoder writes the ops of one reply as server-sent events.
type encoder interface {
	// append appends the events of an op; of one that is no event, nothing.
	append(dst []byte, op Op) []byte
	// failure appends an error in the stream.
	failure(dst []byte, f provider.Failure) []byte
	// body is the body of a response with an error.
	body(f provider.Failure) []byte
}

// openAI writes chunks of a chat completion.
type openAI struct {
	head  []byte // of a chunk, up to its delta
	bare  []byte // of a chunk without choices
	input int64  // tokens of the request
}

const (
	openAITail = `},"finish_reason":null}]}` + "\n\n"
	openAIDone = "data: [DONE]\n\n"
	comment    = ": keepalive\n\n"
)

// newOpenAI makes the encoder of the n-th reply, at a civil time in seconds since 1970.
func newOpenAI(r *Request, n int, created int64) *openAI {
	bare := fmt.Appendf(nil, `data: {"id":"chatcmpl-%029d","object":"chat.completion.chunk","created":%d,"model":`, n, created)
	bare = append(native.AppendString(bare, r.Model), `,"choices":[`...)
	head := append(bare[:len(bare):len(bare)], `{"index":0,"delta":{`...)
	return &openAI{head: head, bare: bare, input: r.Tokens()}
}

func (e *openAI) append(dst []byte, op Op) []byte {
	switch op := op.(type) {
	case Role:
		return append(append(append(dst, e.head...), `"role":"assistant","content":""`...), openAITail...)
	case Text:
		return e.delta(dst, `"content":`, op.Delta, openAITail)
	case Thinking:
		return e.delta(dst, `"reasoning_content":`, op.Delta, openAITail)
	case Call:
		dst = strconv.AppendInt(append(append(dst, e.head...), `"tool_calls":[{"index":`...), int64(op.Index), 10)
		dst = native.AppendString(append(dst, `,"id":`...), op.ID)
		dst = native.AppendString(append(dst, `,"type":"function","function":{"name":`...), op.Name)
		return append(append(dst, `,"arguments":""}}]`...), openAITail...)
	case Arguments:
		dst = strconv.AppendInt(append(append(dst, e.head...), `"tool_calls":[{"index":`...), int64(op.Index), 10)
		dst = native.AppendString(append(dst, `,"function":{"arguments":`...), op.Delta)
		return append(append(dst, `}}]`...), openAITail...)
	case Finish:
		return e.delta(dst, `},"finish_reason":`, string(op.Reason), "}]}\n\n")
	case Usage:
		return e.usage(dst, op)
	case Keepalive:
		return append(dst, comment...)
	case Done:
		return append(dst, openAIDone...)
	}
	return dst
}

// delta appends a chunk with one string in it.
func (e *openAI) delta(dst []byte, key, value, tail string) []byte {
	return append(native.AppendString(append(append(dst, e.head...), key...), value), tail...)
}

func (e *openAI) usage(dst []byte, u Usage) []byte {
	input := u.Input
	if input == 0 {
		input = e.input
	}
	dst = fmt.Appendf(append(dst, e.bare...), `],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d`, input, u.Output, input+u.Output)
	if u.Cached > 0 {
		dst = fmt.Appendf(dst, `,"prompt_tokens_details":{"cached_tokens":%d}`, u.Cached)
	}
	if u.Reasoning > 0 {
		dst = fmt.Appendf(dst, `,"completion_tokens_details":{"reasoning_tokens":%d}`, u.Reasoning)
	}
	return append(dst, "}}\n\n"...)
}

func (e *openAI) failure(dst []byte, f provider.Failure) []byte {
	return append(append(append(dst, "data: "...), e.body(f)...), "\n\n"...)
}

func (e *openAI) body(f provider.Failure) []byte {
	return append(f.AppendJSON([]byte(`{"error":`)), '}')
}
