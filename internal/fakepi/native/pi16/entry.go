package pi16

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/dialect"
	"fakepi.example/internal/fakepi/native/schema"
)

var nullStr schema.NullString

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
	schema.Key("systemMessage", schema.Ptr(systemMessage), func(v *native.CompactionEntry) **native.SystemMessage { return &v.SystemMessage }),
)

var contextEdit = schema.NewObject(func(v *native.ContextEdit) **native.Odd { return &v.Odd },
	schema.Const[native.ContextEdit]("type", "context_edit"),
	schema.Key("id", str, func(v *native.ContextEdit) *string { return &v.ID }),
	schema.Key("parentId", nullStr, func(v *native.ContextEdit) *string { return &v.ParentID }),
	schema.Key("timestamp", str, func(v *native.ContextEdit) *string { return &v.Timestamp }),
	schema.Key("targetId", str, func(v *native.ContextEdit) *string { return &v.TargetID }),
	schema.Key("replacement", free, func(v *native.ContextEdit) *native.Value { return &v.Replacement }),
)

// entryCases are the entries of a union I: alone on a line, or inside a record.
func entryCases[I any]() []schema.Case[I] {
	return append(dialect.Entries[I](message),
		schema.Of[I](compactionEntry, "compaction"),
		schema.Of[I](contextEdit, "context_edit"),
	)
}

var entry = schema.NewUnion("type",
	func(v native.Value) (native.Entry, bool) {
		o, ok := v.(native.Object)
		return &native.UnknownEntry{Value: o}, ok
	},
	entryCases[native.Entry]()...,
)

var entries = schema.List(entry)
