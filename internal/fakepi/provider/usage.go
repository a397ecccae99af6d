package provider

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// The fake's model, and what it can take in tokens.
const (
	Name          = "fake" // of the provider
	Model         = "fake-1"
	ContextWindow = 128000
	MaxTokens     = 16384 // of one reply
	PromptTokens  = 1180  // the system prompt and the tools
)

// Price is the model's, in US dollars per million tokens.
func Price() native.ModelCost {
	return native.ModelCost{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
}

// Signature is that of what the model thinks, where the API has one.
const Signature = "c2lnbmVk"

// ImageUnseen is what a model is sent for the images, one after another, that it cannot see.
const ImageUnseen = "(image omitted: model does not support images)"

// Unscripted is what the model says where the script does not know of a request.
const Unscripted = "Noted."

// Summary is what the model says when Pi asks for a summary of a conversation.
const Summary = "## Goal\nAs asked."

// SummaryReport is what the provider counts of the request for a summary, whose length is Pi's affair.
func SummaryReport() script.Reports { return script.Reports{Input: PromptTokens, Output: 40} }

// Tokens estimates the tokens of n bytes of text.
func Tokens(n int) int64 { return int64(n+3) / 4 }
