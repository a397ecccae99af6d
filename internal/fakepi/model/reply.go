// Package model is a scripted model endpoint: it plays the model's half of a script to a real Pi, as the package fakepi
// plays the whole of it in Pi's place. Compile makes the replies out of a script, FromRecording out of a recording of
// Pi; a Server answers Pi's requests with them, in the form of OpenAI's chat completions or of Anthropic's messages, on a
// clock.
package model

import (
	"time"

	"fakepi.example/internal/fakepi/provider"
)

// Reply is the answer to one request of Pi.
type Reply struct {
	Source string // where it stands: "demo.txtar:4"; for people and logs
	Prompt string // the script's prompt that led to the request; empty: any may
	First  bool   // it is the first to that prompt
	For    Purpose
	// Again: a client library that repeats the request of its own gets the same again.
	Again bool
	Rest  bool // it answers all requests from its place on
	Ops   []Op // without an end of its own the response ends cleanly behind the last
}

// Purpose is what kind of request a reply answers.
type Purpose string

// The purposes.
const (
	ForAny     Purpose = ""        // whatever comes next
	ForTurn    Purpose = "turn"    // of the conversation
	ForSummary Purpose = "summary" // one that Pi makes of its own when it compacts; all that come at once get the same
)

// Op is a step of a reply: one of the structs of this package, by value. Those without a Wait between them are sent in
// one write.
type Op interface{ op() string }

// Wait lets time pass, counted from the request or from the Wait before.
type Wait struct {
	D         time.Duration
	Keepalive time.Duration // a Keepalive comes that often; 0: none
}

// Headers sends the response's headers, with status 200, and nothing else.
type Headers struct{}

// Role begins the message. Headers go before it where none were sent.
type Role struct{}

// Text is a chunk of text.
type Text struct {
	Delta string `json:"delta"`
}

// Thinking is a chunk of thinking.
type Thinking struct {
	Delta string `json:"delta"`
}

// Call begins a tool call, the Index-th of the message from 0, with empty arguments.
type Call struct {
	Index int    `json:"index"`
	ID    string `json:"id"`
	Name  string `json:"name"`
}

// Arguments is a chunk of a call's arguments, which are JSON together.
type Arguments struct {
	Index int    `json:"index"`
	Delta string `json:"delta"`
}

// Finish tells why the message ends.
type Finish struct {
	Reason Reason `json:"reason"`
}

// Reason is why a message ends.
type Reason string

// The reasons, by OpenAI's names.
const (
	ReasonStop   Reason = "stop"
	ReasonLength Reason = "length"
	ReasonTools  Reason = "tool_calls"
	ReasonFilter Reason = "content_filter"
)

// Usage reports the tokens of the request and of the reply.
type Usage struct {
	Input     int64 `json:"input"`  // those in the cache included; 0: counted from the request
	Output    int64 `json:"output"` // those of the thinking included
	Cached    int64 `json:"cached"`
	Reasoning int64 `json:"reasoning"`
}

// Done is the end of the events.
type Done struct{}

// Keepalive is a comment, or Anthropic's ping, which is no part of the message.
type Keepalive struct{}

// Refuse answers with an error: instead of the headers, or in the stream of events behind them.
type Refuse struct {
	Failure    provider.Failure `json:"failure"`
	RetryAfter time.Duration    `json:"-"` // told in the headers; 0: not told
	Reset      time.Duration    `json:"-"` // until a quota resets, which then is the message; 0: not told
	Body       []byte           `json:"-"` // sent as it is, instead of Failure
}

// Reset breaks the connection (RST).
type Reset struct{}

// Close closes the connection in the middle of the response (FIN).
type Close struct{}

// Hang is silence until Pi goes away.
type Hang struct {
	Keepalive time.Duration `json:"-"` // a Keepalive comes that often; 0: none
}

func (Wait) op() string      { return "wait" }
func (Headers) op() string   { return "headers" }
func (Role) op() string      { return "role" }
func (Text) op() string      { return "text" }
func (Thinking) op() string  { return "thinking" }
func (Call) op() string      { return "call" }
func (Arguments) op() string { return "arguments" }
func (Finish) op() string    { return "finish" }
func (Usage) op() string     { return "usage" }
func (Done) op() string      { return "done" }
func (Keepalive) op() string { return "keepalive" }
func (Refuse) op() string    { return "refuse" }
func (Reset) op() string     { return "reset" }
func (Close) op() string     { return "close" }
func (Hang) op() string      { return "hang" }
