package fakepi

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/provider"
)

// The prices of the fake's model, in US dollars per million tokens, and its context window in tokens.
var price = native.ModelCost{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}

const (
	contextWindow = provider.ContextWindow
	maxTokens     = provider.MaxTokens
	promptTokens  = provider.PromptTokens
)

func tokens(n int) int64 { return provider.Tokens(n) }

// usageOf is what the provider reports with the last chunk; before it every count is zero.
func usageOf(input, output int64) native.Usage {
	cost := native.Cost{
		Input:             float64(price.Input/1e6) * float64(input),
		Output:            float64(price.Output/1e6) * float64(output),
		TotalFromProvider: native.Some(false),
	}
	cost.Total = float64(cost.Input) + float64(cost.Output)
	return native.Usage{
		Input: input, Output: output, Reasoning: native.Some[int64](0), Total: input + output, Cost: cost,
	}
}
