package pi16

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/schema"
)

var nullStr schema.NullString

var sessionHeader = schema.NewObject(func(v *native.SessionHeader) **native.Odd { return &v.Odd },
	schema.Const[native.SessionHeader]("type", "session"),
	schema.Key("version", num, func(v *native.SessionHeader) *int64 { return &v.Version }),
	schema.Key("id", str, func(v *native.SessionHeader) *string { return &v.ID }),
	schema.Key("timestamp", str, func(v *native.SessionHeader) *string { return &v.Timestamp }),
	schema.Key("cwd", str, func(v *native.SessionHeader) *string { return &v.CWD }),
	schema.Key("parentSession", optStr, func(v *native.SessionHeader) *native.Opt[string] { return &v.ParentSession }),
)

var modelChange = schema.NewObject(func(v *native.ModelChange) **native.Odd { return &v.Odd },
	schema.Const[native.ModelChange]("type", "model_change"),
	schema.Key("id", str, func(v *native.ModelChange) *string { return &v.ID }),
	schema.Key("parentId", nullStr, func(v *native.ModelChange) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.ModelChange) *string { return &v.Timestamp }),
	schema.Key("provider", str, func(v *native.ModelChange) *string { return &v.Provider }),
	schema.Key("modelId", str, func(v *native.ModelChange) *string { return &v.ModelID }),
)

var thinkingLevelChange = schema.NewObject(func(v *native.ThinkingLevelChange) **native.Odd { return &v.Odd },
	schema.Const[native.ThinkingLevelChange]("type", "thinking_level_change"),
	schema.Key("id", str, func(v *native.ThinkingLevelChange) *string { return &v.ID }),
	schema.Key("parentId", nullStr, func(v *native.ThinkingLevelChange) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.ThinkingLevelChange) *string { return &v.Timestamp }),
	schema.Key("thinkingLevel", str, func(v *native.ThinkingLevelChange) *string { return &v.ThinkingLevel }),
)

var messageEntry = schema.NewObject(func(v *native.MessageEntry) **native.Odd { return &v.Odd },
	schema.Const[native.MessageEntry]("type", "message"),
	schema.Key("id", str, func(v *native.MessageEntry) *string { return &v.ID }),
	schema.Key("parentId", nullStr, func(v *native.MessageEntry) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.MessageEntry) *string { return &v.Timestamp }),
	schema.Key("message", message, func(v *native.MessageEntry) *native.Message { return &v.Message }),
)

var compactionEntry = schema.NewObject(func(v *native.CompactionEntry) **native.Odd { return &v.Odd },
	schema.Const[native.CompactionEntry]("type", "compaction"),
	schema.Key("id", str, func(v *native.CompactionEntry) *string { return &v.ID }),
	schema.Key("parentId", nullStr, func(v *native.CompactionEntry) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.CompactionEntry) *string { return &v.Timestamp }),
	schema.Key("summary", str, func(v *native.CompactionEntry) *string { return &v.Summary }),
	schema.Key("firstKeptEntryId", str, func(v *native.CompactionEntry) *string { return &v.FirstKeptEntryID }),
	schema.Key("tokensBefore", num, func(v *native.CompactionEntry) *int64 { return &v.TokensBefore }),
	schema.Key("details", free, func(v *native.CompactionEntry) *native.Value { return &v.Details }),
	schema.Key("usage", schema.Ptr(usage), func(v *native.CompactionEntry) **native.Usage { return &v.Usage }),
	schema.Key("fromHook", optFlag, func(v *native.CompactionEntry) *native.Opt[bool] { return &v.FromHook }),
	schema.Key("systemMessage", schema.Ptr(compactedSystemMessage), func(v *native.CompactionEntry) **native.SystemMessage { return &v.SystemMessage }),
)

var contextEdit = schema.NewObject(func(v *native.ContextEdit) **native.Odd { return &v.Odd },
	schema.Const[native.ContextEdit]("type", "context_edit"),
	schema.Key("id", str, func(v *native.ContextEdit) *string { return &v.ID }),
	schema.Key("parentId", nullStr, func(v *native.ContextEdit) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.ContextEdit) *string { return &v.Timestamp }),
	schema.Key("targetId", str, func(v *native.ContextEdit) *string { return &v.TargetID }),
	schema.Key("replacement", free, func(v *native.ContextEdit) *native.Value { return &v.Replacement }),
)

var sessionInfo = schema.NewObject(func(v *native.SessionInfo) **native.Odd { return &v.Odd },
	schema.Const[native.SessionInfo]("type", "session_info"),
	schema.Key("id", str, func(v *native.SessionInfo) *string { return &v.ID }),
	schema.Key("parentId", nullStr, func(v *native.SessionInfo) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.SessionInfo) *string { return &v.Timestamp }),
	schema.Key("name", str, func(v *native.SessionInfo) *string { return &v.Name }),
)

var otherEntry = schema.Raw(func(e *native.OtherEntry) *native.Object { return &e.Value })

// otherEntries are named in Pi's source; no recording has one.
var otherEntries = []string{"custom", "custom_message", "branch_summary", "label", "usage"}

// entryCases are the entries of a union I: alone on a line, or inside a record.
func entryCases[I any]() []schema.Case[I] {
	return []schema.Case[I]{

		schema.Of[I](modelChange, "model_change"),

		schema.Of[I](thinkingLevelChange, "thinking_level_change"),

		schema.Of[I](messageEntry, "message"),

		schema.Of[I](compactionEntry, "compaction"),

		schema.Of[I](contextEdit, "context_edit"),

		schema.Of[I](sessionInfo, "session_info"),

		schema.Of[I](otherEntry, otherEntries...),
		schema.Of[I](schema.Raw(func(e *native.UnknownEntry) *native.Object { return &e.Value })),
	}
}

var entry = schema.NewUnion("type",
	func(v native.Value) (native.Entry, bool) {
		o, ok := v.(native.Object)
		return &native.UnknownEntry{Value: o}, ok
	},
	entryCases[native.Entry]()...,
)

var entries = schema.List(entry)
