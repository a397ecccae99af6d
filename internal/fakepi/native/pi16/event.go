package pi16

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/dialect"
	"fakepi.example/internal/fakepi/native/schema"
)

var toolResult = schema.NewObject(func(v *native.ToolResult) **native.Odd { return &v.Odd },
	schema.Key("content", blocks, func(v *native.ToolResult) *[]native.Block { return &v.Content }),
	schema.Key("details", free, func(v *native.ToolResult) *native.Value { return &v.Details }),
	schema.Key("structuredContent", free, func(v *native.ToolResult) *native.Value { return &v.StructuredContent }),
	schema.Key("isError", optFlag, func(v *native.ToolResult) *native.Opt[bool] { return &v.IsError }),
)

var assistantEvent = schema.NewObject(func(v *native.AssistantEvent) **native.Odd { return &v.Odd },
	schema.Key("type", dialect.DeltaType, func(v *native.AssistantEvent) *string { return &v.Type }),
	schema.Key("contentIndex", num, func(v *native.AssistantEvent) *int64 { return &v.ContentIndex }),
	schema.Key("delta", optStr, func(v *native.AssistantEvent) *native.Opt[string] { return &v.Delta }),
	schema.Key("content", optStr, func(v *native.AssistantEvent) *native.Opt[string] { return &v.Content }),
	schema.Key("id", optStr, func(v *native.AssistantEvent) *native.Opt[string] { return &v.ID }),
	schema.Key("toolName", optStr, func(v *native.AssistantEvent) *native.Opt[string] { return &v.ToolName }),
	schema.Key("toolCall", schema.Ptr(toolCall), func(v *native.AssistantEvent) **native.ToolCall { return &v.ToolCall }),
)

var compactionResult = schema.NewObject(func(v *native.CompactionResult) **native.Odd { return &v.Odd },
	schema.Key("summary", str, func(v *native.CompactionResult) *string { return &v.Summary }),
	schema.Key("firstKeptEntryId", str, func(v *native.CompactionResult) *string { return &v.FirstKeptEntryID }),
	schema.Key("tokensBefore", num, func(v *native.CompactionResult) *int64 { return &v.TokensBefore }),
	schema.Key("estimatedTokensAfter", optNum, func(v *native.CompactionResult) *native.Opt[int64] { return &v.EstimatedTokensAfter }),
	schema.Key("usage", schema.Ptr(usage), func(v *native.CompactionResult) **native.Usage { return &v.Usage }),
	schema.Key("details", free, func(v *native.CompactionResult) *native.Value { return &v.Details }),
)

// events are those that no other dialect writes so.
var events = []schema.Case[native.Record]{
	schema.Of[native.Record](schema.NewObject(func(v *native.MessageUpdate) **native.Odd { return &v.Odd },
		schema.Const[native.MessageUpdate]("type", "message_update"),
		schema.Key("usage", usage, func(v *native.MessageUpdate) *native.Usage { return &v.Usage }),
		schema.Key("assistantMessageEvent", assistantEvent, func(v *native.MessageUpdate) *native.AssistantEvent { return &v.Event }),
	), "message_update"),
	schema.Of[native.Record](schema.NewObject(func(v *native.ToolEnd) **native.Odd { return &v.Odd },
		schema.Const[native.ToolEnd]("type", "tool_execution_end"),
		schema.Key("toolCallId", str, func(v *native.ToolEnd) *string { return &v.ToolCallID }),
		schema.Key("toolName", str, func(v *native.ToolEnd) *string { return &v.ToolName }),
		schema.Key("result", toolResult, func(v *native.ToolEnd) *native.ToolResult { return &v.Result }),
		schema.Key("isError", flag, func(v *native.ToolEnd) *bool { return &v.IsError }),
		schema.Key("durationMs", optNum, func(v *native.ToolEnd) *native.Opt[int64] { return &v.DurationMs }),
	), "tool_execution_end"),
	schema.Of[native.Record](schema.NewObject(func(v *native.AgentEnd) **native.Odd { return &v.Odd },
		schema.Const[native.AgentEnd]("type", "agent_end"),
		schema.Key("messages", messages, func(v *native.AgentEnd) *[]native.Message { return &v.Messages }),
		schema.Key("willRetry", flag, func(v *native.AgentEnd) *bool { return &v.WillRetry }),
	), "agent_end"),
	schema.Of[native.Record](schema.NewObject(func(v *native.AgentSettled) **native.Odd { return &v.Odd },
		schema.Const[native.AgentSettled]("type", "agent_settled"),
		schema.Key("aborted", flag, func(v *native.AgentSettled) *bool { return &v.Aborted }),
	), "agent_settled"),
	schema.Of[native.Record](schema.NewObject(func(v *native.EntryAppended) **native.Odd { return &v.Odd },
		schema.Const[native.EntryAppended]("type", "entry_appended"),
		schema.Key("entry", entry, func(v *native.EntryAppended) *native.Entry { return &v.Entry }),
	), "entry_appended"),
	schema.Of[native.Record](schema.NewObject(func(v *native.SummarizationRetry) **native.Odd { return &v.Odd },
		schema.Key("type", str, func(v *native.SummarizationRetry) *string { return &v.Name }),
		schema.Key("attempt", optNum, func(v *native.SummarizationRetry) *native.Opt[int64] { return &v.Attempt }),
		schema.Key("maxAttempts", optNum, func(v *native.SummarizationRetry) *native.Opt[int64] { return &v.MaxAttempts }),
		schema.Key("delayMs", optFloat, func(v *native.SummarizationRetry) *native.Opt[float64] { return &v.DelayMs }),
		schema.Key("errorMessage", optStr, func(v *native.SummarizationRetry) *native.Opt[string] { return &v.ErrorMessage }),
		schema.Key("source", optStr, func(v *native.SummarizationRetry) *native.Opt[string] { return &v.Source }),
		schema.Key("reason", optStr, func(v *native.SummarizationRetry) *native.Opt[string] { return &v.Reason }),
	), "summarization_retry_scheduled", "summarization_retry_attempt_start", "summarization_retry_finished"),
	schema.Of[native.Record](schema.NewObject(func(v *native.BashUpdate) **native.Odd { return &v.Odd },
		schema.Const[native.BashUpdate]("type", "bash_execution_update"),
		schema.Key("id", free, func(v *native.BashUpdate) *native.Value { return &v.ID }),
		schema.Key("delta", str, func(v *native.BashUpdate) *string { return &v.Delta }),
	), "bash_execution_update"),
}
