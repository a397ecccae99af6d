package dialect

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/schema"
)

// Data returns the data of responses that is the same in all dialects, but for what it
// contains.
func (o Objects) Data() []schema.Case[native.Data] {
	return slices.Concat(sessionData, modelData, []schema.Case[native.Data]{
		schema.Of[native.Data](schema.NewObject(func(v *native.MessagesData) **native.Odd { return &v.Odd },
			schema.Key("messages", schema.List(o.Message), func(v *native.MessagesData) *[]native.Message { return &v.Messages }),
		), native.CmdGetMessages),
		schema.Of[native.Data](o.Compaction, native.CmdCompact),
	})
}

var sessionData = []schema.Case[native.Data]{
	schema.Of[native.Data](schema.NewObject(func(v *native.StateData) **native.Odd { return &v.Odd },
		schema.Key("model", schema.Ptr(model), func(v *native.StateData) **native.Model { return &v.Model }),
		schema.Key("thinkingLevel", str, func(v *native.StateData) *string { return &v.ThinkingLevel }),
		schema.Key("isStreaming", flag, func(v *native.StateData) *bool { return &v.IsStreaming }),
		schema.Key("isCompacting", flag, func(v *native.StateData) *bool { return &v.IsCompacting }),
		schema.Key("steeringMode", str, func(v *native.StateData) *string { return &v.SteeringMode }),
		schema.Key("followUpMode", str, func(v *native.StateData) *string { return &v.FollowUpMode }),
		schema.Key("sessionFile", optStr, func(v *native.StateData) *native.Opt[string] { return &v.SessionFile }),
		schema.Key("sessionId", str, func(v *native.StateData) *string { return &v.SessionID }),
		schema.Key("sessionName", optStr, func(v *native.StateData) *native.Opt[string] { return &v.SessionName }),
		schema.Key("autoCompactionEnabled", flag, func(v *native.StateData) *bool { return &v.AutoCompactionEnabled }),
		schema.Key("messageCount", num, func(v *native.StateData) *int64 { return &v.MessageCount }),
		schema.Key("pendingMessageCount", num, func(v *native.StateData) *int64 { return &v.PendingMessageCount }),
	), native.CmdGetState),
	schema.Of[native.Data](schema.NewObject(func(v *native.StatsData) **native.Odd { return &v.Odd },
		schema.Key("sessionFile", optStr, func(v *native.StatsData) *native.Opt[string] { return &v.SessionFile }),
		schema.Key("sessionId", str, func(v *native.StatsData) *string { return &v.SessionID }),
		schema.Key("userMessages", num, func(v *native.StatsData) *int64 { return &v.UserMessages }),
		schema.Key("assistantMessages", num, func(v *native.StatsData) *int64 { return &v.AssistantMessages }),
		schema.Key("toolCalls", num, func(v *native.StatsData) *int64 { return &v.ToolCalls }),
		schema.Key("toolResults", num, func(v *native.StatsData) *int64 { return &v.ToolResults }),
		schema.Key("totalMessages", num, func(v *native.StatsData) *int64 { return &v.TotalMessages }),
		schema.Key("tokens", tokenTotals, func(v *native.StatsData) *native.TokenTotals { return &v.Tokens }),
		schema.Key("cost", float, func(v *native.StatsData) *float64 { return &v.Cost }),
		schema.Key("contextUsage", schema.Ptr(contextUsage), func(v *native.StatsData) **native.ContextUsage { return &v.ContextUsage }),
	), native.CmdGetSessionStats),
	schema.Of[native.Data](schema.NewObject(func(v *native.TextData) **native.Odd { return &v.Odd },
		schema.Key("text", optStr, func(v *native.TextData) *native.Opt[string] { return &v.Text }),
	), native.CmdGetLastAssistantText),
	schema.Of[native.Data](schema.NewObject(func(v *native.CancelledData) **native.Odd { return &v.Odd },
		schema.Key("text", optStr, func(v *native.CancelledData) *native.Opt[string] { return &v.Text }),
		schema.Key("cancelled", flag, func(v *native.CancelledData) *bool { return &v.Cancelled }),
	), native.CmdNewSession, native.CmdSwitchSession, native.CmdFork, native.CmdClone),
	schema.Of[native.Data](schema.NewObject(func(v *native.BashData) **native.Odd { return &v.Odd },
		schema.Key("output", str, func(v *native.BashData) *string { return &v.Output }),
		schema.Key("exitCode", optNum, func(v *native.BashData) *native.Opt[int64] { return &v.ExitCode }),
		schema.Key("cancelled", flag, func(v *native.BashData) *bool { return &v.Cancelled }),
		schema.Key("truncated", flag, func(v *native.BashData) *bool { return &v.Truncated }),
		schema.Key("fullOutputPath", optStr, func(v *native.BashData) *native.Opt[string] { return &v.FullOutputPath }),
	), native.CmdBash),
	schema.Of[native.Data](schema.NewObject(func(v *native.CommandsData) **native.Odd { return &v.Odd },
		schema.Key("commands", schema.List(slashCommand), func(v *native.CommandsData) *[]native.SlashCommand { return &v.Commands }),
	), native.CmdGetCommands),
	schema.Of[native.Data](schema.NewObject(func(v *native.ForkMessagesData) **native.Odd { return &v.Odd },
		schema.Key("messages", schema.List(forkMessage), func(v *native.ForkMessagesData) *[]native.ForkMessage { return &v.Messages }),
	), native.CmdGetForkMessages),
	schema.Of[native.Data](schema.Raw(func(v *native.RawData) *native.Value { return &v.Value })),
}

var modelData = []schema.Case[native.Data]{
	schema.Of[native.Data](schema.NewObject(func(v *native.ModelsData) **native.Odd { return &v.Odd },
		schema.Key("models", schema.List(model), func(v *native.ModelsData) *[]native.Model { return &v.Models }),
	), native.CmdGetAvailableModels),
	schema.Of[native.Data](model, native.CmdSetModel),
	schema.Of[native.Data](schema.NewObject(func(v *native.CycleModelData) **native.Odd { return &v.Odd },
		schema.Key("model", model, func(v *native.CycleModelData) *native.Model { return &v.Model }),
		schema.Key("thinkingLevel", str, func(v *native.CycleModelData) *string { return &v.ThinkingLevel }),
		schema.Key("isScoped", flag, func(v *native.CycleModelData) *bool { return &v.IsScoped }),
	), native.CmdCycleModel),
	schema.Of[native.Data](schema.NewObject(func(v *native.LevelData) **native.Odd { return &v.Odd },
		schema.Key("level", str, func(v *native.LevelData) *string { return &v.Level }),
	), native.CmdCycleThinkingLevel),
}

var modelCost = schema.NewObject(func(v *native.ModelCost) **native.Odd { return &v.Odd },
	schema.Key("input", float, func(v *native.ModelCost) *float64 { return &v.Input }),
	schema.Key("output", float, func(v *native.ModelCost) *float64 { return &v.Output }),
	schema.Key("cacheRead", float, func(v *native.ModelCost) *float64 { return &v.CacheRead }),
	schema.Key("cacheWrite", float, func(v *native.ModelCost) *float64 { return &v.CacheWrite }),
)

var model = schema.NewObject(func(v *native.Model) **native.Odd { return &v.Odd },
	schema.Key("id", str, func(v *native.Model) *string { return &v.ID }),
	schema.Key("name", str, func(v *native.Model) *string { return &v.Name }),
	schema.Key("api", str, func(v *native.Model) *string { return &v.API }),
	schema.Key("provider", str, func(v *native.Model) *string { return &v.Provider }),
	schema.Key("baseUrl", str, func(v *native.Model) *string { return &v.BaseURL }),
	schema.Key("reasoning", flag, func(v *native.Model) *bool { return &v.Reasoning }),
	schema.Key("thinkingLevelMap", free, func(v *native.Model) *native.Value { return &v.ThinkingLevelMap }),
	schema.Key("input", strs, func(v *native.Model) *[]string { return &v.Input }),
	schema.Key("cost", modelCost, func(v *native.Model) *native.ModelCost { return &v.Cost }),
	schema.Key("contextWindow", num, func(v *native.Model) *int64 { return &v.ContextWindow }),
	schema.Key("maxTokens", num, func(v *native.Model) *int64 { return &v.MaxTokens }),
	schema.Key("compat", free, func(v *native.Model) *native.Value { return &v.Compat }),
)

var tokenTotals = schema.NewObject(func(v *native.TokenTotals) **native.Odd { return &v.Odd },
	schema.Key("input", num, func(v *native.TokenTotals) *int64 { return &v.Input }),
	schema.Key("output", num, func(v *native.TokenTotals) *int64 { return &v.Output }),
	schema.Key("cacheRead", num, func(v *native.TokenTotals) *int64 { return &v.CacheRead }),
	schema.Key("cacheWrite", num, func(v *native.TokenTotals) *int64 { return &v.CacheWrite }),
	schema.Key("total", num, func(v *native.TokenTotals) *int64 { return &v.Total }),
)

var contextUsage = schema.NewObject(func(v *native.ContextUsage) **native.Odd { return &v.Odd },
	schema.Key("tokens", free, func(v *native.ContextUsage) *native.Value { return &v.Tokens }),
	schema.Key("contextWindow", num, func(v *native.ContextUsage) *int64 { return &v.ContextWindow }),
	schema.Key("percent", free, func(v *native.ContextUsage) *native.Value { return &v.Percent }),
)

var slashCommand = schema.NewObject(func(v *native.SlashCommand) **native.Odd { return &v.Odd },
	schema.Key("name", str, func(v *native.SlashCommand) *string { return &v.Name }),
	schema.Key("description", optStr, func(v *native.SlashCommand) *native.Opt[string] { return &v.Description }),
	schema.Key("source", str, func(v *native.SlashCommand) *string { return &v.Source }),
	schema.Key("sourceInfo", free, func(v *native.SlashCommand) *native.Value { return &v.SourceInfo }),
)

var forkMessage = schema.NewObject(func(v *native.ForkMessage) **native.Odd { return &v.Odd },
	schema.Key("entryId", str, func(v *native.ForkMessage) *string { return &v.EntryID }),
	schema.Key("text", str, func(v *native.ForkMessage) *string { return &v.Text }),
)
