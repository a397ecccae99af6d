package dialect

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/schema"
)

// Objects are a dialect's own forms of what the shared objects contain.
type Objects struct {
	Block      schema.Codec[native.Block]
	Message    schema.Codec[native.Message]
	ToolResult schema.Codec[native.ToolResult]
	Compaction schema.Codec[native.CompactionResult]
}

// Events returns the events whose own keys are the same in all dialects.
func (o Objects) Events() []schema.Case[native.Record] {
	return slices.Concat(o.messageEvents(), o.toolEvents(), o.compactionEvents(), plainEvents)
}

func (o Objects) messageEvents() []schema.Case[native.Record] {
	messages := schema.List(o.Message)
	return []schema.Case[native.Record]{
		schema.Of[native.Record](schema.NewObject(func(v *native.MessageStart) **native.Odd { return &v.Odd },
			schema.Const[native.MessageStart]("type", "message_start"),
			schema.Key("message", o.Message, func(v *native.MessageStart) *native.Message { return &v.Message }),
		), "message_start"),
		schema.Of[native.Record](schema.NewObject(func(v *native.MessageEnd) **native.Odd { return &v.Odd },
			schema.Const[native.MessageEnd]("type", "message_end"),
			schema.Key("message", o.Message, func(v *native.MessageEnd) *native.Message { return &v.Message }),
		), "message_end"),
		schema.Of[native.Record](schema.NewObject(func(v *native.TurnEnd) **native.Odd { return &v.Odd },
			schema.Const[native.TurnEnd]("type", "turn_end"),
			schema.Key("message", o.Message, func(v *native.TurnEnd) *native.Message { return &v.Message }),
			schema.Key("toolResults", messages, func(v *native.TurnEnd) *[]native.Message { return &v.ToolResults }),
		), "turn_end"),
	}
}

func (o Objects) toolEvents() []schema.Case[native.Record] {
	return []schema.Case[native.Record]{
		schema.Of[native.Record](schema.NewObject(func(v *native.ToolStart) **native.Odd { return &v.Odd },
			schema.Const[native.ToolStart]("type", "tool_execution_start"),
			schema.Key("toolCallId", str, func(v *native.ToolStart) *string { return &v.ToolCallID }),
			schema.Key("toolName", str, func(v *native.ToolStart) *string { return &v.ToolName }),
			schema.Key("args", free, func(v *native.ToolStart) *native.Value { return &v.Args }),
		), "tool_execution_start"),
		schema.Of[native.Record](schema.NewObject(func(v *native.ToolUpdate) **native.Odd { return &v.Odd },
			schema.Const[native.ToolUpdate]("type", "tool_execution_update"),
			schema.Key("toolCallId", str, func(v *native.ToolUpdate) *string { return &v.ToolCallID }),
			schema.Key("toolName", str, func(v *native.ToolUpdate) *string { return &v.ToolName }),
			schema.Key("args", free, func(v *native.ToolUpdate) *native.Value { return &v.Args }),
			schema.Key("partialResult", o.ToolResult, func(v *native.ToolUpdate) *native.ToolResult { return &v.PartialResult }),
		), "tool_execution_update"),
	}
}

func (o Objects) compactionEvents() []schema.Case[native.Record] {
	return []schema.Case[native.Record]{
		schema.Of[native.Record](schema.NewObject(func(v *native.CompactionStart) **native.Odd { return &v.Odd },
			schema.Const[native.CompactionStart]("type", "compaction_start"),
			schema.Key("reason", str, func(v *native.CompactionStart) *string { return &v.Reason }),
		), "compaction_start"),
		schema.Of[native.Record](schema.NewObject(func(v *native.CompactionEnd) **native.Odd { return &v.Odd },
			schema.Const[native.CompactionEnd]("type", "compaction_end"),
			schema.Key("reason", str, func(v *native.CompactionEnd) *string { return &v.Reason }),
			schema.Key("result", schema.Ptr(o.Compaction), func(v *native.CompactionEnd) **native.CompactionResult { return &v.Result }),
			schema.Key("aborted", flag, func(v *native.CompactionEnd) *bool { return &v.Aborted }),
			schema.Key("willRetry", flag, func(v *native.CompactionEnd) *bool { return &v.WillRetry }),
			schema.Key("errorMessage", optStr, func(v *native.CompactionEnd) *native.Opt[string] { return &v.ErrorMessage }),
		), "compaction_end"),
	}
}

var plainEvents = []schema.Case[native.Record]{
	schema.Of[native.Record](schema.NewObject(func(v *native.TurnStart) **native.Odd { return &v.Odd },
		schema.Const[native.TurnStart]("type", "turn_start"),
	), "turn_start"),
	schema.Of[native.Record](schema.NewObject(func(v *native.AgentStart) **native.Odd { return &v.Odd },
		schema.Const[native.AgentStart]("type", "agent_start"),
	), "agent_start"),
	schema.Of[native.Record](schema.NewObject(func(v *native.QueueUpdate) **native.Odd { return &v.Odd },
		schema.Const[native.QueueUpdate]("type", "queue_update"),
		schema.Key("steering", strs, func(v *native.QueueUpdate) *[]string { return &v.Steering }),
		schema.Key("followUp", strs, func(v *native.QueueUpdate) *[]string { return &v.FollowUp }),
	), "queue_update"),
	schema.Of[native.Record](schema.NewObject(func(v *native.RetryStart) **native.Odd { return &v.Odd },
		schema.Const[native.RetryStart]("type", "auto_retry_start"),
		schema.Key("attempt", num, func(v *native.RetryStart) *int64 { return &v.Attempt }),
		schema.Key("maxAttempts", num, func(v *native.RetryStart) *int64 { return &v.MaxAttempts }),
		schema.Key("delayMs", float, func(v *native.RetryStart) *float64 { return &v.DelayMs }),
		schema.Key("errorMessage", str, func(v *native.RetryStart) *string { return &v.ErrorMessage }),
	), "auto_retry_start"),
	schema.Of[native.Record](schema.NewObject(func(v *native.RetryEnd) **native.Odd { return &v.Odd },
		schema.Const[native.RetryEnd]("type", "auto_retry_end"),
		schema.Key("success", flag, func(v *native.RetryEnd) *bool { return &v.Success }),
		schema.Key("attempt", num, func(v *native.RetryEnd) *int64 { return &v.Attempt }),
		schema.Key("finalError", optStr, func(v *native.RetryEnd) *native.Opt[string] { return &v.FinalError }),
	), "auto_retry_end"),
	schema.Of[native.Record](schema.NewObject(func(v *native.SessionInfoChanged) **native.Odd { return &v.Odd },
		schema.Const[native.SessionInfoChanged]("type", "session_info_changed"),
		schema.Key("name", optStr, func(v *native.SessionInfoChanged) *native.Opt[string] { return &v.Name }),
	), "session_info_changed"),
	schema.Of[native.Record](schema.NewObject(func(v *native.ThinkingLevelChanged) **native.Odd { return &v.Odd },
		schema.Const[native.ThinkingLevelChanged]("type", "thinking_level_changed"),
		schema.Key("level", str, func(v *native.ThinkingLevelChanged) *string { return &v.Level }),
	), "thinking_level_changed"),
	schema.Of[native.Record](schema.NewObject(func(v *native.ExtensionError) **native.Odd { return &v.Odd },
		schema.Const[native.ExtensionError]("type", "extension_error"),
		schema.Key("extensionPath", str, func(v *native.ExtensionError) *string { return &v.ExtensionPath }),
		schema.Key("event", str, func(v *native.ExtensionError) *string { return &v.Event }),
		schema.Key("error", str, func(v *native.ExtensionError) *string { return &v.Error }),
	), "extension_error"),
}

// DeltaType is the type of an assistantMessageEvent.
var DeltaType = schema.Word{
	"text_start", "text_delta", "text_end",
	"thinking_start", "thinking_delta", "thinking_end",
	"toolcall_start", "toolcall_delta", "toolcall_end",
}
