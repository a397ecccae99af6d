package provider

// What the fake's model can take, in tokens.
const (
	ContextWindow = 128000
	MaxTokens     = 16384 // of one reply
	PromptTokens  = 1180  // the system prompt and the tools
	SummaryTokens = 40    // of a summary
)

// Summary is what the model says when Pi asks for a summary of a conversation.
const Summary = "## Goal\nAs asked."

// Tokens estimates the tokens of n bytes of text.
func Tokens(n int) int64 { return int64(n+3) / 4 }
