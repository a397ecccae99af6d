package pi16

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

	optStr   = schema.Opt(str)
	optNum   = schema.Opt(num)
	optFloat = schema.Opt(float)
	optFlag  = schema.Opt(flag)
	strs     = schema.List(str)
)

var cost = schema.NewObject(func(c *native.Cost) **native.Odd { return &c.Odd },
	schema.Key("input", float, func(c *native.Cost) *float64 { return &c.Input }),
	schema.Key("output", float, func(c *native.Cost) *float64 { return &c.Output }),
	schema.Key("cacheRead", float, func(c *native.Cost) *float64 { return &c.CacheRead }),
	schema.Key("cacheWrite", float, func(c *native.Cost) *float64 { return &c.CacheWrite }),
	schema.Key("total", float, func(c *native.Cost) *float64 { return &c.Total }),
	schema.Key("totalFromProvider", optFlag, func(c *native.Cost) *native.Opt[bool] { return &c.TotalFromProvider }),
)

var usage = schema.NewObject(func(u *native.Usage) **native.Odd { return &u.Odd },
	schema.Key("input", num, func(u *native.Usage) *int64 { return &u.Input }),
	schema.Key("output", num, func(u *native.Usage) *int64 { return &u.Output }),
	schema.Key("cacheRead", num, func(u *native.Usage) *int64 { return &u.CacheRead }),
	schema.Key("cacheWrite", num, func(u *native.Usage) *int64 { return &u.CacheWrite }),
	schema.Key("reasoning", optNum, func(u *native.Usage) *native.Opt[int64] { return &u.Reasoning }),
	schema.Key("totalTokens", num, func(u *native.Usage) *int64 { return &u.Total }),
	schema.Key("cost", cost, func(u *native.Usage) *native.Cost { return &u.Cost }),
	schema.Key("cacheWrite1h", optNum, func(u *native.Usage) *native.Opt[int64] { return &u.CacheWrite1h }),
)

var toolCall = schema.NewObject(func(b *native.ToolCall) **native.Odd { return &b.Odd },
	schema.Const[native.ToolCall]("type", "toolCall"),
	schema.Key("id", str, func(b *native.ToolCall) *string { return &b.ID }),
	schema.Key("name", str, func(b *native.ToolCall) *string { return &b.Name }),
	schema.Key("arguments", free, func(b *native.ToolCall) *native.Value { return &b.Arguments }),
	schema.Key("argumentsError", optStr, func(b *native.ToolCall) *native.Opt[string] { return &b.ArgumentsError }),
)

var block = dialect.Block(
	schema.Of[native.Block](schema.NewObject(func(b *native.TextBlock) **native.Odd { return &b.Odd },
		schema.Const[native.TextBlock]("type", "text"),
		schema.Key("text", str, func(b *native.TextBlock) *string { return &b.Text }),
	), "text"),
	schema.Of[native.Block](schema.NewObject(func(b *native.ThinkingBlock) **native.Odd { return &b.Odd },
		schema.Const[native.ThinkingBlock]("type", "thinking"),
		schema.Key("thinking", str, func(b *native.ThinkingBlock) *string { return &b.Thinking }),
		schema.Key("thinkingSignature", optStr, func(b *native.ThinkingBlock) *native.Opt[string] { return &b.Signature }),
	), "thinking"),
	schema.Of[native.Block](toolCall, "toolCall"),
)

var blocks = schema.List(block)

var assistantMessage = newAssistantMessage()

// The error text stands before the stamp in the message that Pi makes up after an abort,
// and after the provider's fields otherwise.
func newAssistantMessage() *schema.Object[native.AssistantMessage] {
	type msg = native.AssistantMessage
	failure := schema.Key("errorMessage", optStr, func(m *msg) *native.Opt[string] { return &m.ErrorMessage })
	return schema.NewObject(func(m *msg) **native.Odd { return &m.Odd },
		schema.Const[msg]("role", "assistant"),
		schema.Key("content", blocks, func(m *msg) *[]native.Block { return &m.Content }),
		schema.Key("api", str, func(m *msg) *string { return &m.API }),
		schema.Key("provider", str, func(m *msg) *string { return &m.Provider }),
		schema.Key("model", str, func(m *msg) *string { return &m.Model }),
		schema.Key("usage", usage, func(m *msg) *native.Usage { return &m.Usage }),
		schema.Key("stopReason", str, func(m *msg) *string { return &m.StopReason }),
		schema.When(func(m *msg) bool { return m.Synthetic }, failure),
		schema.Key("timestamp", num, func(m *msg) *int64 { return &m.Timestamp }),
		schema.Key("responseId", optStr, func(m *msg) *native.Opt[string] { return &m.ResponseID }),
		schema.Key("responseModel", optStr, func(m *msg) *native.Opt[string] { return &m.ResponseModel }),
		schema.Key("rawStopReason", optStr, func(m *msg) *native.Opt[string] { return &m.RawStopReason }),
		schema.When(func(m *msg) bool { return !m.Synthetic }, failure),
		schema.Key("durationMs", optNum, func(m *msg) *native.Opt[int64] { return &m.DurationMs }),
		schema.Key("thinkingLevel", optStr, func(m *msg) *native.Opt[string] { return &m.ThinkingLevel }),
	).After(func(_ *schema.Reader, m *msg, from native.Object) {
		m.Synthetic = m.ErrorMessage.Set && from.Before("errorMessage", "timestamp")
	})
}

var toolResultMessage = schema.NewObject(func(m *native.ToolResultMessage) **native.Odd { return &m.Odd },
	schema.Const[native.ToolResultMessage]("role", "toolResult"),
	schema.Key("toolCallId", str, func(m *native.ToolResultMessage) *string { return &m.ToolCallID }),
	schema.Key("toolName", str, func(m *native.ToolResultMessage) *string { return &m.ToolName }),
	schema.Key("content", blocks, func(m *native.ToolResultMessage) *[]native.Block { return &m.Content }),
	schema.Key("details", free, func(m *native.ToolResultMessage) *native.Value { return &m.Details }),
	schema.Key("isError", flag, func(m *native.ToolResultMessage) *bool { return &m.IsError }),
	schema.Key("durationMs", optNum, func(m *native.ToolResultMessage) *native.Opt[int64] { return &m.DurationMs }),
	schema.Key("timestamp", num, func(m *native.ToolResultMessage) *int64 { return &m.Timestamp }),
)

var sections = schema.NewObject(func(s *native.SystemSections) **native.Odd { return &s.Odd },
	schema.Key("preamble", str, func(s *native.SystemSections) *string { return &s.Preamble }),
	schema.Key("tools", str, func(s *native.SystemSections) *string { return &s.Tools }),
	schema.Key("rules", str, func(s *native.SystemSections) *string { return &s.Rules }),
	schema.Key("docs", str, func(s *native.SystemSections) *string { return &s.Docs }),
	schema.Key("addendum", optStr, func(s *native.SystemSections) *native.Opt[string] { return &s.Addendum }),
	schema.Key("project_context", optStr, func(s *native.SystemSections) *native.Opt[string] { return &s.ProjectContext }),
	schema.Key("cwd", str, func(s *native.SystemSections) *string { return &s.CWD }),
)

var toolSpec = schema.NewObject(func(t *native.ToolSpec) **native.Odd { return &t.Odd },
	schema.Key("name", str, func(t *native.ToolSpec) *string { return &t.Name }),
	schema.Key("description", str, func(t *native.ToolSpec) *string { return &t.Description }),
	schema.Key("parameters", free, func(t *native.ToolSpec) *native.Value { return &t.Parameters }),
	schema.Key("constrainedSampling", free, func(t *native.ToolSpec) *native.Value { return &t.ConstrainedSampling }),
)

var systemMessage = newSystemMessage()

func newSystemMessage() *schema.Object[native.SystemMessage] {
	type msg = native.SystemMessage
	stamp := schema.Key("timestamp", num, func(m *msg) *int64 { return &m.Timestamp })
	return schema.NewObject(func(m *msg) **native.Odd { return &m.Odd },
		schema.Const[msg]("role", "system"),
		schema.Key("content", str, func(m *msg) *string { return &m.Content }),
		schema.Key("sections", sections, func(m *msg) *native.SystemSections { return &m.Sections }),
		schema.When(func(m *msg) bool { return !m.Compacted }, stamp),
		schema.Key("toolsAdded", schema.List(toolSpec), func(m *msg) *[]native.ToolSpec { return &m.ToolsAdded }),
		schema.When(func(m *msg) bool { return m.Compacted }, stamp),
	).After(func(_ *schema.Reader, m *msg, from native.Object) {
		m.Compacted = from.Before("toolsAdded", "timestamp")
	})
}

var message = dialect.Message(block,
	schema.Of[native.Message](assistantMessage, "assistant"),
	schema.Of[native.Message](toolResultMessage, "toolResult"),
	schema.Of[native.Message](systemMessage, "system"),
)

var messages = schema.List(message)
