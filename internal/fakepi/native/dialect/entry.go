package dialect

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/schema"
)

// Header is the first line of a session file and of json mode.
func Header() schema.Case[native.Record] { return schema.Of[native.Record](sessionHeader, "session") }

// Entries are those entries of a union I (alone on a line, or inside a record) that are
// the same in all dialects, but for the message.
func Entries[I any](message schema.Codec[native.Message]) []schema.Case[I] {
	return []schema.Case[I]{
		schema.Of[I](messageEntry(message), "message"),
		schema.Of[I](modelChange, "model_change"),
		schema.Of[I](thinkingLevelChange, "thinking_level_change"),
		schema.Of[I](sessionInfo, "session_info"),
		schema.Of[I](otherEntry, otherEntries...),
		schema.Of[I](schema.Raw(func(e *native.UnknownEntry) *native.Value { return &e.Value })),
	}
}

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

func messageEntry(message schema.Codec[native.Message]) *schema.Object[native.MessageEntry] {
	return schema.NewObject(func(v *native.MessageEntry) **native.Odd { return &v.Odd },
		schema.Const[native.MessageEntry]("type", "message"),
		schema.Key("id", str, func(v *native.MessageEntry) *string { return &v.ID }),
		schema.Key("parentId", nullStr, func(v *native.MessageEntry) *string { return &v.ParentID }),
		schema.Key("timestamp", str, func(v *native.MessageEntry) *string { return &v.Timestamp }),
		schema.Key("message", message, func(v *native.MessageEntry) *native.Message { return &v.Message }),
	)
}

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
