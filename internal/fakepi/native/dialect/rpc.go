package dialect

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/schema"
)

// RPC returns commands, responses and extension-UI records. Beside the shared commands it
// takes those that only this dialect has; data is that of its responses, see
// [Objects.Data].
func (o Objects) RPC(data []schema.Case[native.Data], own ...string) []schema.Case[native.Record] {
	return []schema.Case[native.Record]{
		schema.Of[native.Record](response(schema.NewUnion("", rawData, data...)), "response"),
		schema.Of[native.Record](uiRequest, "extension_ui_request"),
		schema.Of[native.Record](uiResponse, "extension_ui_response"),
		schema.Of[native.Record](command(o.Block), slices.Concat(commands, own)...),
	}
}

var optStrs = schema.OptList(str)

func command(block schema.Codec[native.Block]) *schema.Object[native.Command] {
	return schema.NewObject(func(v *native.Command) **native.Odd { return &v.Odd },
		schema.Key("id", free, func(v *native.Command) *native.Value { return &v.ID }),
		schema.Key("type", str, func(v *native.Command) *string { return &v.Name }),
		schema.Key("message", optStr, func(v *native.Command) *native.Opt[string] { return &v.Message }),
		schema.Key("images", schema.OptList(block), func(v *native.Command) *[]native.Block { return &v.Images }),
		schema.Key("streamingBehavior", optStr, func(v *native.Command) *native.Opt[string] { return &v.StreamingBehavior }),
		schema.Key("provider", optStr, func(v *native.Command) *native.Opt[string] { return &v.Provider }),
		schema.Key("modelId", optStr, func(v *native.Command) *native.Opt[string] { return &v.ModelID }),
		schema.Key("level", optStr, func(v *native.Command) *native.Opt[string] { return &v.Level }),
		schema.Key("mode", optStr, func(v *native.Command) *native.Opt[string] { return &v.Mode }),
		schema.Key("enabled", optFlag, func(v *native.Command) *native.Opt[bool] { return &v.Enabled }),
		schema.Key("name", optStr, func(v *native.Command) *native.Opt[string] { return &v.SessionName }),
		schema.Key("sessionPath", optStr, func(v *native.Command) *native.Opt[string] { return &v.SessionPath }),
		schema.Key("parentSession", optStr, func(v *native.Command) *native.Opt[string] { return &v.ParentSession }),
		schema.Key("entryId", optStr, func(v *native.Command) *native.Opt[string] { return &v.EntryID }),
		schema.Key("customInstructions", optStr, func(v *native.Command) *native.Opt[string] { return &v.CustomInstructions }),
		schema.Key("command", optStr, func(v *native.Command) *native.Opt[string] { return &v.Command }),
		schema.Key("outputPath", optStr, func(v *native.Command) *native.Opt[string] { return &v.OutputPath }),
	)
}

// commands are those that every version knows.
var commands = []string{
	native.CmdPrompt, native.CmdSteer, native.CmdFollowUp, native.CmdAbort, native.CmdGetState,
	native.CmdGetMessages, native.CmdGetSessionStats, native.CmdGetLastAssistantText,
	native.CmdGetAvailableModels, native.CmdSetModel, native.CmdCycleModel,
	native.CmdSetThinkingLevel, native.CmdCycleThinkingLevel, native.CmdSetSteeringMode,
	native.CmdSetFollowUpMode, native.CmdSetAutoCompaction, native.CmdSetAutoRetry,
	native.CmdSetSessionName, native.CmdAbortRetry, native.CmdAbortBash, native.CmdNewSession,
	native.CmdSwitchSession, native.CmdFork, native.CmdClone, native.CmdCompact, native.CmdBash,
	native.CmdGetCommands, native.CmdGetForkMessages, native.CmdExportHTML,
}

func response(data *schema.Union[native.Data]) *schema.Object[native.Response] {
	return schema.NewObject(func(v *native.Response) **native.Odd { return &v.Odd },
		schema.Key("id", free, func(v *native.Response) *native.Value { return &v.ID }),
		schema.Const[native.Response]("type", "response"),
		schema.Key("command", optStr, func(v *native.Response) *native.Opt[string] { return &v.Command }),
		schema.Key("success", flag, func(v *native.Response) *bool { return &v.Success }),
		schema.Key("data", rawFirst{data}, func(v *native.Response) *native.Data { return &v.Data }),
		schema.Key("error", optStr, func(v *native.Response) *native.Opt[string] { return &v.Error }),
	).After(func(r *schema.Reader, resp *native.Response, _ native.Object) {
		raw, ok := resp.Data.(*native.RawData)
		if !ok || raw.Value == (native.Null{}) {
			return
		}
		r.At(".data", func() {
			if !data.ReadAs(r, resp.Command.V, raw.Value, &resp.Data) {
				r.Report(native.UnknownType)
			}
		})
	})
}

// rawFirst reads data raw: only the whole response tells its command.
type rawFirst struct{ byCommand *schema.Union[native.Data] }

func (rawFirst) Absent(v *native.Data) bool { return *v == nil }

func (c rawFirst) Append(dst []byte, v *native.Data) []byte { return c.byCommand.Append(dst, v) }

func (rawFirst) Read(_ *schema.Reader, from native.Value, v *native.Data) bool {
	*v = &native.RawData{Value: from}
	return true
}

func rawData(v native.Value) (native.Data, bool) { return &native.RawData{Value: v}, true }

var uiRequest = schema.NewObject(func(v *native.UIRequest) **native.Odd { return &v.Odd },
	schema.Const[native.UIRequest]("type", "extension_ui_request"),
	schema.Key("id", str, func(v *native.UIRequest) *string { return &v.ID }),
	schema.Key("method", uiMethod, func(v *native.UIRequest) *string { return &v.Method }),
	schema.Key("title", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.Title }),
	schema.Key("options", optStrs, func(v *native.UIRequest) *[]string { return &v.Options }),
	schema.Key("message", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.Message }),
	schema.Key("notifyType", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.NotifyType }),
	schema.Key("placeholder", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.Placeholder }),
	schema.Key("prefill", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.Prefill }),
	schema.Key("statusKey", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.StatusKey }),
	schema.Key("statusText", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.StatusText }),
	schema.Key("widgetKey", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.WidgetKey }),
	schema.Key("widgetLines", optStrs, func(v *native.UIRequest) *[]string { return &v.WidgetLines }),
	schema.Key("widgetPlacement", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.WidgetPlacement }),
	schema.Key("text", optStr, func(v *native.UIRequest) *native.Opt[string] { return &v.Text }),
	schema.Key("timeout", optFloat, func(v *native.UIRequest) *native.Opt[float64] { return &v.Timeout }),
)

var uiMethod = schema.Word{
	"select", "confirm", "input", "editor",
	"notify", "setStatus", "setWidget", "setTitle", "set_editor_text",
}

var uiResponse = schema.NewObject(func(v *native.UIResponse) **native.Odd { return &v.Odd },
	schema.Const[native.UIResponse]("type", "extension_ui_response"),
	schema.Key("id", str, func(v *native.UIResponse) *string { return &v.ID }),
	schema.Key("value", optStr, func(v *native.UIResponse) *native.Opt[string] { return &v.Value }),
	schema.Key("confirmed", optFlag, func(v *native.UIResponse) *native.Opt[bool] { return &v.Confirmed }),
	schema.Key("cancelled", optFlag, func(v *native.UIResponse) *native.Opt[bool] { return &v.Cancelled }),
)
