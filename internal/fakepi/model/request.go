package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fakepi.example/internal/fakepi/provider"
)

// API is the form in which Pi asks.
type API string

// The forms, by Pi's names.
const (
	OpenAI    API = "openai-completions"
	Anthropic API = "anthropic-messages"
)

// ErrRequest: a request that no provider would take.
var ErrRequest = errors.New("invalid request")

// Request is what Pi asks, as far as it matters for the answer.
type Request struct {
	API      API
	Model    string
	Stream   bool
	Messages []Message // without those of the system
	Tools    int
}

// Message is one of a request's.
type Message struct {
	Role    string // "user", "assistant"; "tool" for the result of a call
	Text    string // all of it: texts, thinking, arguments of calls
	Stopped bool   // Pi has stopped a call of which it is the result
}

// ParseRequest reads a request's body. Errors are ErrRequest.
func ParseRequest(api API, body []byte) (Request, error) {
	var b struct {
		Model    string            `json:"model"`
		Stream   bool              `json:"stream"`
		Messages []json.RawMessage `json:"messages"`
		Tools    []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Request{}, fmt.Errorf("%w: the body: %w", ErrRequest, err)
	}
	r := Request{API: api, Model: b.Model, Stream: b.Stream, Tools: len(b.Tools)}
	switch {
	case b.Model == "":
		return Request{}, fmt.Errorf("%w: it names no model", ErrRequest)
	case !b.Stream:
		return Request{}, fmt.Errorf(`%w: only "stream": true is served`, ErrRequest)
	}
	for i, raw := range b.Messages {
		messages, err := parseMessage(raw)
		if err != nil {
			return Request{}, fmt.Errorf("%w: message %d: %w", ErrRequest, i, err)
		}
		if role := messages[0].Role; role != "system" && role != "developer" {
			r.Messages = append(r.Messages, messages...)
		}
	}
	if len(r.Messages) == 0 && len(b.Messages) > 0 {
		r.Messages = append(r.Messages, Message{Role: "user"}) // Pi leaves out a prompt that is empty
	}
	if len(r.Messages) == 0 {
		return Request{}, fmt.Errorf("%w: it has no message", ErrRequest)
	}
	return r, nil
}

// part is a part of a message's content, in either form.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	Input    json.RawMessage `json:"input"`
	Content  json.RawMessage `json:"content"` // of a tool's result
}

// parseMessage reads a message; one of results of calls, which one API puts together, is as many.
func parseMessage(raw []byte) ([]Message, error) {
	var b struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		Reasoning string          `json:"reasoning_content"`
		Calls     []struct {
			Function struct {
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, err
	}
	text, results, err := parseContent(b.Content, 2)
	if err != nil {
		return nil, err
	}
	if len(results) > 0 {
		return resultsOf(results), nil
	}
	m := Message{Role: b.Role, Text: b.Reasoning + text}
	for _, c := range b.Calls {
		m.Text += c.Function.Arguments
	}
	if m.Role == "tool" {
		return resultsOf([]string{text}), nil
	}
	return []Message{m}, nil
}

func resultsOf(texts []string) []Message {
	messages := make([]Message, len(texts))
	for i, text := range texts {
		messages[i] = Message{Role: "tool", Text: text, Stopped: provider.Stopped(text)}
	}
	return messages
}

// parseContent reads a string, or a list of parts, which may hold contents again: those of results of calls.
func parseContent(raw json.RawMessage, depth int) (text string, results []string, err error) {
	if len(raw) == 0 || string(raw) == "null" || depth == 0 {
		return "", nil, nil
	}
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &text)
		return text, nil, err
	}
	var parts []part
	if err = json.Unmarshal(raw, &parts); err != nil {
		return "", nil, err
	}
	var all strings.Builder
	for _, p := range parts {
		inner, _, err := parseContent(p.Content, depth-1)
		if err != nil {
			return "", nil, err
		}
		if p.Type == "tool_result" {
			results = append(results, inner)
		}
		all.WriteString(p.Thinking + p.Text + string(p.Input) + inner)
	}
	return all.String(), results, nil
}

// ofUser is how many messages of the user the request ends with.
func (r *Request) ofUser() int {
	n := 0
	for _, m := range slices.Backward(r.Messages) {
		if m.Role != "user" {
			break
		}
		n++
	}
	return n
}

// trailing are the texts of the user that the request ends with, without what stands for their images.
func (r *Request) trailing() []string {
	var texts []string
	for _, m := range r.Messages[len(r.Messages)-r.ofUser():] {
		texts = append(texts, provider.Said(m.Text))
	}
	return texts
}

// IsSummary reports whether Pi asks for a summary of a conversation: it then stands in the one message, in a frame.
func (r *Request) IsSummary() bool {
	text := r.Messages[0].Text
	return len(r.Messages) == 1 && r.Tools == 0 &&
		(strings.HasPrefix(text, "<conversation>\n") || strings.HasPrefix(text, "# Conversation\n"))
}

// Tokens is how many the request has, as the fake counts them.
func (r *Request) Tokens() int64 {
	n := int64(provider.PromptTokens)
	for _, m := range r.Messages {
		n += provider.Tokens(len(m.Text))
	}
	return n
}
