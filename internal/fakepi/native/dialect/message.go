package dialect

import (
	"fakepi.example/fakepi/native"
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

// Block returns the union of a dialect's own blocks and of the shared ones.
func Block(own ...schema.Case[native.Block]) *schema.Union[native.Block] {
	return schema.NewUnion("type",
		func(v native.Value) (native.Block, bool) { return &native.UnknownBlock{Value: v}, true },
		append(own,
			schema.Of[native.Block](image, "image"),
			schema.Of[native.Block](schema.Raw(func(b *native.UnknownBlock) *native.Value { return &b.Value })),
		)...,
	)
}

var image = schema.NewObject(func(b *native.ImageBlock) **native.Odd { return &b.Odd },
	schema.Const[native.ImageBlock]("type", "image"),
	schema.Key("data", str, func(b *native.ImageBlock) *string { return &b.Data }),
	schema.Key("mimeType", str, func(b *native.ImageBlock) *string { return &b.MimeType }),
)

// Message returns the union of a dialect's own messages and of the shared ones, which
// contain its blocks.
func Message(block schema.Codec[native.Block], own ...schema.Case[native.Message]) *schema.Union[native.Message] {
	return schema.NewUnion("role",
		func(v native.Value) (native.Message, bool) {
			o, ok := v.(native.Object)
			return &native.UnknownMessage{Value: o}, ok
		},
		append(own,
			schema.Of[native.Message](userMessage(block), "user"),
			schema.Of[native.Message](bashExecution, "bashExecution"),
			schema.Of[native.Message](compactionSummary, "compactionSummary"),
			schema.Of[native.Message](schema.Raw(func(m *native.UnknownMessage) *native.Object { return &m.Value })),
		)...,
	)
}

func userMessage(block schema.Codec[native.Block]) *schema.Object[native.UserMessage] {
	blocks := schema.List(block)
	return schema.NewObject(func(m *native.UserMessage) **native.Odd { return &m.Odd },
		schema.Const[native.UserMessage]("role", "user"),
		schema.Key("content", blocks, func(m *native.UserMessage) *[]native.Block { return &m.Content }),
		schema.Key("timestamp", num, func(m *native.UserMessage) *int64 { return &m.Timestamp }),
	)
}

var bashExecution = schema.NewObject(func(m *native.BashExecutionMessage) **native.Odd { return &m.Odd },
	schema.Const[native.BashExecutionMessage]("role", "bashExecution"),
	schema.Key("command", str, func(m *native.BashExecutionMessage) *string { return &m.Command }),
	schema.Key("output", str, func(m *native.BashExecutionMessage) *string { return &m.Output }),
	schema.Key("exitCode", optNum, func(m *native.BashExecutionMessage) *native.Opt[int64] { return &m.ExitCode }),
	schema.Key("cancelled", flag, func(m *native.BashExecutionMessage) *bool { return &m.Cancelled }),
	schema.Key("truncated", flag, func(m *native.BashExecutionMessage) *bool { return &m.Truncated }),
	schema.Key("fullOutputPath", optStr, func(m *native.BashExecutionMessage) *native.Opt[string] { return &m.FullOutputPath }),
	schema.Key("timestamp", num, func(m *native.BashExecutionMessage) *int64 { return &m.Timestamp }),
	schema.Key("excludeFromContext", optFlag, func(m *native.BashExecutionMessage) *native.Opt[bool] { return &m.ExcludeFromContext }),
)

var compactionSummary = schema.NewObject(func(m *native.CompactionSummaryMessage) **native.Odd { return &m.Odd },
	schema.Const[native.CompactionSummaryMessage]("role", "compactionSummary"),
	schema.Key("summary", str, func(m *native.CompactionSummaryMessage) *string { return &m.Summary }),
	schema.Key("tokensBefore", num, func(m *native.CompactionSummaryMessage) *int64 { return &m.TokensBefore }),
	schema.Key("timestamp", num, func(m *native.CompactionSummaryMessage) *int64 { return &m.Timestamp }),
)
