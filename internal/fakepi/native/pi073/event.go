package pi073

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/dialect"
	"fakepi.example/internal/fakepi/native/schema"
)

var toolResult = schema.NewObject(func(v *native.ToolResult) **native.Odd { return &v.Odd },
	schema.Key("content", blocks, func(v *native.ToolResult) *[]native.Block { return &v.Content }),
	schema.Key("details", free, func(v *native.ToolResult) *native.Value { return &v.Details }),
	schema.Key("isError", optFlag, func(v *native.ToolResult) *native.Opt[bool] { return &v.IsError }),
)

// The whole message so far stands twice in an update, as it was at two moments: partial is
// the younger one, and either may be ahead of the delta.
var assistantEvent = schema.NewObject(func(v *native.AssistantEvent) **native.Odd { return &v.Odd },
	schema.Key("type", dialect.DeltaType, func(v *native.AssistantEvent) *string { return &v.Type }),
	schema.Key("contentIndex", num, func(v *native.AssistantEvent) *int64 { return &v.ContentIndex }),
	schema.Key("delta", optStr, func(v *native.AssistantEvent) *native.Opt[string] { return &v.Delta }),
	schema.Key("content", optStr, func(v *native.AssistantEvent) *native.Opt[string] { return &v.Content }),
	schema.Key("toolCall", schema.Ptr(toolCall), func(v *native.AssistantEvent) **native.ToolCall { return &v.ToolCall }),
	schema.Key("partial", schema.Ref(assistantMessage), func(v *native.AssistantEvent) **native.AssistantMessage { return &v.Partial }),
)

var compactionResult = schema.NewObject(func(v *native.CompactionResult) **native.Odd { return &v.Odd },
	schema.Key("summary", str, func(v *native.CompactionResult) *string { return &v.Summary }),
	schema.Key("firstKeptEntryId", str, func(v *native.CompactionResult) *string { return &v.FirstKeptEntryID }),
	schema.Key("tokensBefore", num, func(v *native.CompactionResult) *int64 { return &v.TokensBefore }),
	schema.Key("details", free, func(v *native.CompactionResult) *native.Value { return &v.Details }),
)

var compactionEntry = schema.NewObject(func(v *native.CompactionEntry) **native.Odd { return &v.Odd },
	schema.Const[native.CompactionEntry]("type", "compaction"),
	schema.Key("id", str, func(v *native.CompactionEntry) *string { return &v.ID }),
	schema.Key("parentId", schema.NullString{}, func(v *native.CompactionEntry) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.CompactionEntry) *string { return &v.Timestamp }),
	schema.Key("summary", str, func(v *native.CompactionEntry) *string { return &v.Summary }),
	schema.Key("firstKeptEntryId", str, func(v *native.CompactionEntry) *string { return &v.FirstKeptEntryID }),
	schema.Key("tokensBefore", num, func(v *native.CompactionEntry) *int64 { return &v.TokensBefore }),
	schema.Key("details", free, func(v *native.CompactionEntry) *native.Value { return &v.Details }),
	schema.Key("fromHook", optFlag, func(v *native.CompactionEntry) *native.Opt[bool] { return &v.FromHook }),
)

// events are those that no other dialect writes so.
var events = []schema.Case[native.Record]{
	schema.Of[native.Record](schema.NewObject(func(v *native.MessageUpdate) **native.Odd { return &v.Odd },
		schema.Const[native.MessageUpdate]("type", "message_update"),
		schema.Key("assistantMessageEvent", assistantEvent, func(v *native.MessageUpdate) *native.AssistantEvent { return &v.Event }),
		schema.Key("message", schema.Ref(assistantMessage), func(v *native.MessageUpdate) **native.AssistantMessage { return &v.Message }),
	), "message_update"),
	schema.Of[native.Record](schema.NewObject(func(v *native.ToolEnd) **native.Odd { return &v.Odd },
		schema.Const[native.ToolEnd]("type", "tool_execution_end"),
		schema.Key("toolCallId", str, func(v *native.ToolEnd) *string { return &v.ToolCallID }),
		schema.Key("toolName", str, func(v *native.ToolEnd) *string { return &v.ToolName }),
		schema.Key("result", toolResult, func(v *native.ToolEnd) *native.ToolResult { return &v.Result }),
		schema.Key("isError", flag, func(v *native.ToolEnd) *bool { return &v.IsError }),
	), "tool_execution_end"),
	schema.Of[native.Record](schema.NewObject(func(v *native.AgentEnd) **native.Odd { return &v.Odd },
		schema.Const[native.AgentEnd]("type", "agent_end"),
		schema.Key("messages", schema.List(message), func(v *native.AgentEnd) *[]native.Message { return &v.Messages }),
	), "agent_end"),
}
