package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// tokensOf estimates a message as the provider is sent it with each later request.
func (w *Worker) tokensOf(content []native.Block) int64 {
	n := 0
	for i, b := range content {
		if isImage(b) {
			if !w.sees() && (i == 0 || !isImage(content[i-1])) {
				n += len(provider.ImageUnseen)
			}
			continue
		}
		switch b := b.(type) {
		case *native.TextBlock:
			n += len(b.Text)
		case *native.ThinkingBlock:
			n += len(b.Thinking)
		case *native.ToolCall:
			n += len(native.AppendValue(nil, b.Arguments))
		}
	}
	return provider.Tokens(n)
}

// resultTokens estimates a tool's result in the same way. To one API Pi sends no empty one.
func (w *Worker) resultTokens(m *native.ToolResultMessage) int64 {
	if w.blockwise() || len(m.Content) != 1 {
		return w.tokensOf(m.Content)
	}
	b, ok := m.Content[0].(*native.TextBlock)
	switch {
	case ok && b.Text == "" && w.rules.emptyAsImage:
		return provider.Tokens(len("(see attached image)"))
	case ok && javascript.Trim(b.Text) == "" && !w.rules.emptyAsImage:
		return provider.Tokens(len("(no tool output)"))
	}
	return w.tokensOf(m.Content)
}

// sees reports whether the model takes images.
func (w *Worker) sees() bool { return slices.Contains(w.model.Input, "image") }

// isImage reports whether Pi takes a part of a message for an image.
func isImage(b native.Block) bool {
	if odd, ok := b.(*native.UnknownBlock); ok {
		o, _ := odd.Value.(native.Object)
		return o.Text("type") == "image"
	}
	_, ok := b.(*native.ImageBlock)
	return ok
}

// usageOf is what Pi makes of the provider's report, which comes with the last chunk; before it every count is zero.
func usageOf(r script.Reports, price native.ModelCost) native.Usage {
	u := native.Usage{
		Input: r.Input - r.Cached, Output: r.Output, CacheRead: r.Cached, Reasoning: native.Some(r.Reasoning),
		Total: r.Input + r.Output,
	}
	u.Cost = native.Cost{
		Input:             float64(price.Input/1e6) * float64(u.Input),
		Output:            float64(price.Output/1e6) * float64(u.Output),
		CacheRead:         float64(price.CacheRead/1e6) * float64(u.CacheRead),
		TotalFromProvider: native.Some(false),
	}
	u.Cost.Total = float64(u.Cost.Input) + float64(u.Cost.Output) + float64(u.Cost.CacheRead)
	return u
}
