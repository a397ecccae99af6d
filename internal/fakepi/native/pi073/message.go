package pi073

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/dialect"
	"fakepi.example/internal/fakepi/native/schema"
)

var (
	str   schema.String
	num   schema.Int
	float schema.Float
	flag  schema.Bool
	free  schema.Any

	optStr  = schema.Opt(str)
	optNum  = schema.Opt(num)
	optFlag = schema.Opt(flag)
)

var cost = schema.NewObject(func(c *native.Cost) **native.Odd { return &c.Odd },
	schema.Key("input", float, func(c *native.Cost) *float64 { return &c.Input }),
	schema.Key("output", float, func(c *native.Cost) *float64 { return &c.Output }),
	schema.Key("cacheRead", float, func(c *native.Cost) *float64 { return &c.CacheRead }),
	schema.Key("cacheWrite", float, func(c *native.Cost) *float64 { return &c.CacheWrite }),
	schema.Key("total", float, func(c *native.Cost) *float64 { return &c.Total }),
)

var usage = schema.NewObject(func(u *native.Usage) **native.Odd { return &u.Odd },
	schema.Key("input", num, func(u *native.Usage) *int64 { return &u.Input }),
	schema.Key("output", num, func(u *native.Usage) *int64 { return &u.Output }),
	schema.Key("cacheRead", num, func(u *native.Usage) *int64 { return &u.CacheRead }),
	schema.Key("cacheWrite", num, func(u *native.Usage) *int64 { return &u.CacheWrite }),
	schema.Key("totalTokens", num, func(u *native.Usage) *int64 { return &u.Total }),
	schema.Key("cost", cost, func(u *native.Usage) *native.Cost { return &u.Cost }),
)

// The scratch keys of each API stand last, in the order in which its adapter sets them.
var toolCall = schema.NewObject(func(b *native.ToolCall) **native.Odd { return &b.Odd },
	schema.Const[native.ToolCall]("type", "toolCall"),
	schema.Key("id", str, func(b *native.ToolCall) *string { return &b.ID }),
	schema.Key("name", str, func(b *native.ToolCall) *string { return &b.Name }),
	schema.Key("arguments", free, func(b *native.ToolCall) *native.Value { return &b.Arguments }),
	schema.Key("partialArgs", optStr, func(b *native.ToolCall) *native.Opt[string] { return &b.Scratch.PartialArgs }),
	schema.Key("streamIndex", optNum, func(b *native.ToolCall) *native.Opt[int64] { return &b.Scratch.StreamIndex }),
	schema.Key("partialJson", optStr, func(b *native.ToolCall) *native.Opt[string] { return &b.Scratch.PartialJSON }),
	schema.Key("index", optNum, func(b *native.ToolCall) *native.Opt[int64] { return &b.Scratch.Index }),
)

var block = dialect.Block(
	schema.Of[native.Block](schema.NewObject(func(b *native.TextBlock) **native.Odd { return &b.Odd },
		schema.Const[native.TextBlock]("type", "text"),
		schema.Key("text", str, func(b *native.TextBlock) *string { return &b.Text }),
		schema.Key("index", optNum, func(b *native.TextBlock) *native.Opt[int64] { return &b.Index }),
	), "text"),
	schema.Of[native.Block](schema.NewObject(func(b *native.ThinkingBlock) **native.Odd { return &b.Odd },
		schema.Const[native.ThinkingBlock]("type", "thinking"),
		schema.Key("thinking", str, func(b *native.ThinkingBlock) *string { return &b.Thinking }),
		schema.Key("thinkingSignature", optStr, func(b *native.ThinkingBlock) *native.Opt[string] { return &b.Signature }),
		schema.Key("index", optNum, func(b *native.ThinkingBlock) *native.Opt[int64] { return &b.Index }),
	), "thinking"),
	schema.Of[native.Block](toolCall, "toolCall"),
)

var blocks = schema.List(block)

// The message that Pi makes up after an abort has its keys in the same order as any other.
var assistantMessage = schema.NewObject(func(m *native.AssistantMessage) **native.Odd { return &m.Odd },
	schema.Const[native.AssistantMessage]("role", "assistant"),
	schema.Key("content", blocks, func(m *native.AssistantMessage) *[]native.Block { return &m.Content }),
	schema.Key("api", str, func(m *native.AssistantMessage) *string { return &m.API }),
	schema.Key("provider", str, func(m *native.AssistantMessage) *string { return &m.Provider }),
	schema.Key("model", str, func(m *native.AssistantMessage) *string { return &m.Model }),
	schema.Key("usage", usage, func(m *native.AssistantMessage) *native.Usage { return &m.Usage }),
	schema.Key("stopReason", str, func(m *native.AssistantMessage) *string { return &m.StopReason }),
	schema.Key("timestamp", num, func(m *native.AssistantMessage) *int64 { return &m.Timestamp }),
	schema.Key("responseId", optStr, func(m *native.AssistantMessage) *native.Opt[string] { return &m.ResponseID }),
	schema.Key("responseModel", optStr, func(m *native.AssistantMessage) *native.Opt[string] { return &m.ResponseModel }),
	schema.Key("errorMessage", optStr, func(m *native.AssistantMessage) *native.Opt[string] { return &m.ErrorMessage }),
)

var toolResultMessage = schema.NewObject(func(m *native.ToolResultMessage) **native.Odd { return &m.Odd },
	schema.Const[native.ToolResultMessage]("role", "toolResult"),
	schema.Key("toolCallId", str, func(m *native.ToolResultMessage) *string { return &m.ToolCallID }),
	schema.Key("toolName", str, func(m *native.ToolResultMessage) *string { return &m.ToolName }),
	schema.Key("content", blocks, func(m *native.ToolResultMessage) *[]native.Block { return &m.Content }),
	schema.Key("details", free, func(m *native.ToolResultMessage) *native.Value { return &m.Details }),
	schema.Key("isError", flag, func(m *native.ToolResultMessage) *bool { return &m.IsError }),
	schema.Key("timestamp", num, func(m *native.ToolResultMessage) *int64 { return &m.Timestamp }),
)

var message = dialect.Message(block,
	schema.Of[native.Message](assistantMessage, "assistant"),
	schema.Of[native.Message](toolResultMessage, "toolResult"),
)
