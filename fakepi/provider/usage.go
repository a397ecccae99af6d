package provider

import "fakepi.example/fakepi/native"

// The fake's model, and what it can take in tokens.
const (
	Name          = "fake" // of the provider
	Model         = "fake-1"
	ContextWindow = 128000
	MaxTokens     = 16384 // of one reply
	PromptTokens  = 1180  // the system prompt and the tools
	SummaryTokens = 40    // of a summary
)

// Price is the model's, in US dollars per million tokens.
func Price() native.ModelCost {
	return native.ModelCost{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
}

// Summary is what the model says when Pi asks for a summary of a conversation.
const Summary = "## Goal\nAs asked."

// Tokens estimates the tokens of n bytes of text.
func Tokens(n int) int64 { return int64(n+3) / 4 }
