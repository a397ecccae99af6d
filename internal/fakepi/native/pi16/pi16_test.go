package pi16_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi16"
)

const (
	zero    = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	claude  = `{"input":100,"output":8,"cacheRead":0,"cacheWrite":0,"totalTokens":108,"cost":{"input":0.0003,"output":0.00012,"cacheRead":0,"cacheWrite":0,"total":0.00042,"totalFromProvider":false},"cacheWrite1h":0}`
	replied = `"role":"assistant","content":[],"api":"openai-completions","provider":"demo","model":"demo-1","usage":` + zero
	base    = `"id":"0a1b2c3d","parentId":"4e5f6071","timestamp":"2026-11-29T16:34:24.265Z"`
	end     = `{"type":"message_end","message":`
)

// TestVariants has a line for each key order and variant of docs/pi-formats.md that the
// recordings in testdata lack.
func TestVariants(t *testing.T) {
	tests := []struct{ reason, line string }{
		{"failed after the first chunk", end + `{` + replied + `,"stopReason":"error","timestamp":1,"responseId":"r","errorMessage":"terminated","durationMs":6391,"thinkingLevel":"off"}}`},
		{"content filter", end + `{` + replied + `,"stopReason":"error","timestamp":1,"responseId":"r","rawStopReason":"content_filter","errorMessage":"e","durationMs":1,"thinkingLevel":"off"}}`},
		{"made up after an aborted tool, with duration (08d)", end + `{` + replied + `,"stopReason":"aborted","errorMessage":"e","timestamp":1,"durationMs":0,"thinkingLevel":"off"}}`},
		{"made up after an aborted tool, without (13b)", end + `{` + replied + `,"stopReason":"aborted","errorMessage":"e","timestamp":1,"thinkingLevel":"off"}}`},
		{"another model answered", end + `{` + replied + `,"stopReason":"stop","timestamp":1,"responseId":"r","responseModel":"m","rawStopReason":"stop","durationMs":1,"thinkingLevel":"off"}}`},
		{"anthropic begins with its id and an empty block (15d)", `{"type":"message_start","message":{"role":"assistant","content":[{"type":"text","text":""}],"api":"anthropic-messages","provider":"p","model":"m","usage":` + claude + `,"stopReason":"pending","timestamp":1,"responseId":"msg_1"}}`},
		{"arguments that were no JSON", `{"type":"message_update","usage":` + zero + `,"assistantMessageEvent":{"type":"toolcall_end","contentIndex":0,"toolCall":{"type":"toolCall","id":"c","name":"bash","arguments":{},"argumentsError":"e"}}}`},
		{"half a surrogate pair in a delta (22e)", `{"type":"message_update","usage":` + zero + `,"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a\ud83d"}}`},
		{"truncated output (22b)", `{"type":"tool_execution_end","toolCallId":"c","toolName":"bash","result":{"content":[{"type":"text","text":"x"}],"details":{"truncation":{"content":"x","truncated":true,"truncatedBy":"bytes","totalLines":1,"totalBytes":1048576,"outputLines":1,"outputBytes":51200,"lastLinePartial":true,"firstLineExceedsLimit":false,"maxLines":2000,"maxBytes":51200},"fullOutputPath":"/tmp/pi-bash-0123456789abcdef.log"},"structuredContent":{"output":"x","truncated":true,"exit_code":0,"wall_time_seconds":0.001}},"isError":false,"durationMs":5}`},
		{"a tool that says itself that it failed", `{"type":"tool_execution_end","toolCallId":"c","toolName":"bash","result":{"content":[],"structuredContent":"s","isError":true},"isError":true}`},
		{"edit details", `{"type":"message_start","message":{"role":"toolResult","toolCallId":"c","toolName":"edit","content":[],"details":{"diff":"d","patch":"p","firstChangedLine":1},"isError":false,"durationMs":3,"timestamp":1}}`},
		{"an image", end + `{"role":"user","content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"timestamp":1}}`},
		{"rpc bash, ended", `{"type":"message",` + base + `,"message":{"role":"bashExecution","command":"ls","output":"o","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1}}`},
		{"rpc bash, cancelled", `{"type":"message",` + base + `,"message":{"role":"bashExecution","command":"ls","output":"o","cancelled":true,"truncated":false,"timestamp":1}}`},
		{"rpc bash output", `{"type":"bash_execution_update","id":"req-1","delta":"o\n"}`},
		{"rpc bash output of a command without id", `{"type":"bash_execution_update","delta":"o"}`},
		{"nothing to compact", `{"type":"compaction_end","reason":"manual","aborted":false,"willRetry":false,"errorMessage":"e"}`},
		{"compaction aborted", `{"type":"compaction_end","reason":"manual","aborted":true,"willRetry":false}`},
		{"summary retry announced", `{"type":"summarization_retry_scheduled","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"e"}`},
		{"summary retry begins", `{"type":"summarization_retry_attempt_start","source":"compaction","reason":"threshold"}`},
		{"summary retry over", `{"type":"summarization_retry_finished"}`},
		{"session name removed", `{"type":"session_info_changed"}`},
		{"extension error", `{"type":"extension_error","extensionPath":"/x.ts","event":"tool_call","error":"e"}`},
		{"confirm without timeout", `{"type":"extension_ui_request","id":"u","method":"confirm","title":"t","message":"m"}`},
		{"select with timeout", `{"type":"extension_ui_request","id":"u","method":"select","title":"t","options":["a"],"timeout":4000}`},
		{"input", `{"type":"extension_ui_request","id":"u","method":"input","title":"t","placeholder":"p","timeout":1}`},
		{"editor", `{"type":"extension_ui_request","id":"u","method":"editor","title":"t","prefill":"p"}`},
		{"status removed", `{"type":"extension_ui_request","id":"u","method":"setStatus","statusKey":"k"}`},
		{"widget placed", `{"type":"extension_ui_request","id":"u","method":"setWidget","widgetKey":"k","widgetLines":[],"widgetPlacement":"belowEditor"}`},
		{"editor text", `{"type":"extension_ui_request","id":"u","method":"set_editor_text","text":"x"}`},
		{"reply: confirmed", `{"type":"extension_ui_response","id":"u","confirmed":false}`},
		{"reply: cancelled", `{"type":"extension_ui_response","id":"u","cancelled":true}`},
		{"header of a fork", `{"type":"session","version":3,"id":"i","timestamp":"2026-11-29T16:34:24.265Z","cwd":"/","parentSession":"/p.jsonl"}`},
		{"an extension's entry", `{"type":"custom","customType":"c","data":{"a":1},` + base + `}`},
		{"a label", `{"type":"label",` + base + `,"targetId":"t","label":"l"}`},
		{"level cycled", `{"id":1,"type":"response","command":"cycle_thinking_level","success":true,"data":{"level":"high"}}`},
		{"bash answered", `{"type":"response","command":"bash","success":true,"data":{"output":"o","exitCode":0,"cancelled":false,"truncated":false}}`},
		{"bash cancelled", `{"type":"response","command":"bash","success":true,"data":{"output":"o","cancelled":true,"truncated":false}}`},
		{"new session", `{"id":"a","type":"response","command":"new_session","success":true,"data":{"cancelled":false}}`},
		{"fork", `{"id":"a","type":"response","command":"fork","success":true,"data":{"text":"t","cancelled":false}}`},
		{"handled by an extension", `{"id":"a","type":"response","command":"prompt","success":true,"data":{"disposition":"handled"}}`},
		{"what a compaction kept of the system prompt is stamped last", `{"id":"a","type":"response","command":"get_messages","success":true,"data":{"messages":[{"role":"system","content":"","sections":{"preamble":"p","tools":"t","rules":"r","docs":"d","cwd":"c"},"toolsAdded":[{"name":"n","description":"d","parameters":{},"constrainedSampling":{}}],"timestamp":1}]}}`},
		{"context not known after compaction", `{"id":"a","type":"response","command":"get_session_stats","success":true,"data":{"sessionId":"s","userMessages":0,"assistantMessages":0,"toolCalls":0,"toolResults":0,"totalMessages":0,"tokens":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0},"cost":0,"contextUsage":{"tokens":null,"contextWindow":128000,"percent":null}}}`},
		{"prompt with image and behaviour", `{"id":"a","type":"prompt","message":"m","images":[{"type":"image","data":"","mimeType":"image/png"}],"streamingBehavior":"followUp"}`},
		{"switch session", `{"type":"switch_session","sessionPath":"/s.jsonl"}`},
		{"fork from", `{"type":"fork","entryId":"e"}`},
		{"compact with instructions", `{"type":"compact","customInstructions":"c"}`},
		{"bash", `{"id":null,"type":"bash","command":"ls"}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r, unknown, err := pi16.Examine([]byte(test.line))
			if err != nil || len(unknown) > 0 {
				t.Fatalf("error %v, unknown %v, want neither", err, unknown)
			}
			got, err := pi16.Append(nil, r)
			if err != nil || string(got) != test.line {
				t.Errorf("error %v, got\n%s\nwant\n%s", err, got, test.line)
			}
		})
	}
}

func TestExamineReportsDeviations(t *testing.T) {
	tests := []struct {
		reason, line string
		want         []string
	}{
		{"type", `{"type":"agent_dreams","a":1}`, []string{"$: unknown type"}},
		{"no type", `{}`, []string{"$: unknown type"}},
		{"field", `{"type":"agent_start","mood":1}`, []string{"$.mood: unknown field"}},
		{"missing field", `{"type":"agent_settled"}`, []string{"$: missing field"}},
		{"order", `{"aborted":true,"type":"agent_settled"}`, []string{"$: key order"}},
		{"wrong type", `{"type":"agent_settled","aborted":1}`, []string{"$.aborted: wrong type"}},
		{"a count with a fraction", `{"type":"auto_retry_end","success":true,"attempt":1.5}`, []string{"$.attempt: wrong type"}},
		{"deep inside", end + `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","bold":true}],"timestamp":1}}`, []string{"$.message.content[1].bold: unknown field"}},
		{"role", end + `{"role":"oracle"}}`, []string{"$.message: unknown type"}},
		{"block", end + `{"role":"user","content":[{"type":"video"}],"timestamp":1}}`, []string{"$.message.content[0]: unknown type"}},
		{"delta", `{"type":"message_update","usage":` + zero + `,"assistantMessageEvent":{"type":"audio_delta","contentIndex":0}}`, []string{"$.assistantMessageEvent.type: unknown type"}},
		{"entry", `{"type":"entry_appended","entry":{"type":"dream"}}`, []string{"$.entry: unknown type"}},
		{"ui method", `{"type":"extension_ui_request","id":"u","method":"sing"}`, []string{"$.method: unknown type"}},
		{"data of a command that has none", `{"type":"response","command":"abort","success":true,"data":{}}`, []string{"$.data: unknown type"}},
		{"an update of the cumulative dialects", `{"type":"message_update","usage":` + zero + `,"assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":{}},"message":{}}`, []string{"$.assistantMessageEvent.partial: unknown field", "$.message: unknown field"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r, unknown, err := pi16.Examine([]byte(test.line))
			var got []string
			for _, u := range unknown {
				got = append(got, u.Path+": "+string(u.Reason))
			}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("error %v, (-want +got):\n%s", err, diff)
			}
			if again, err := pi16.Append(nil, r); err != nil || string(again) != test.line {
				t.Errorf("not kept: error %v, got %s", err, again)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct {
		line string
		want error
	}{
		{`not json`, native.ErrSyntax},
		{``, native.ErrSyntax},
		{`{"type":`, native.ErrSyntax},
		{`[]`, native.ErrNotObject},
		{`42`, native.ErrNotObject},
		{`null`, native.ErrNotObject},
	}
	for _, test := range tests {
		if _, err := pi16.Decode([]byte(test.line)); !errors.Is(err, test.want) {
			t.Errorf("%q: got %v, want %v", test.line, err, test.want)
		}
	}
}

// TestAppendFromScratch builds records as the fake worker does, without a line to start
// from.
func TestAppendFromScratch(t *testing.T) {
	tests := []struct {
		reason string
		record native.Record
		want   string
	}{
		{
			"a delta",
			&native.MessageUpdate{Event: native.AssistantEvent{Type: "text_delta", Delta: native.Some("Hel")}},
			`{"type":"message_update","usage":` + zero + `,"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"Hel"}}`,
		},
		{
			"nil lists are empty, nil values absent",
			&native.TurnEnd{Message: &native.ToolResultMessage{ToolCallID: "c", ToolName: "bash"}},
			`{"type":"turn_end","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[],"isError":false,"timestamp":0},"toolResults":[]}`,
		},
		{
			"the first entry has no parent",
			&native.ModelChange{EntryBase: native.EntryBase{ID: "d80985b0", Timestamp: "t"}, Provider: "demo", ModelID: "m"},
			`{"type":"model_change","id":"d80985b0","parentId":null,"timestamp":"t","provider":"demo","modelId":"m"}`,
		},
		{
			"an error response",
			&native.Response{ID: native.Number(7), Command: native.Some("bogus"), Error: native.Some("Unknown command: bogus")},
			`{"id":7,"type":"response","command":"bogus","success":false,"error":"Unknown command: bogus"}`,
		},
		{
			"free arguments",
			&native.ToolStart{ToolCallID: "c", ToolName: "bash", Args: native.Object{{Key: "command", Value: native.String("ls")}, {Key: "gone", Value: nil}, {Key: "timeout", Value: native.Number(1.5)}}},
			`{"type":"tool_execution_start","toolCallId":"c","toolName":"bash","args":{"command":"ls","timeout":1.5}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got, err := pi16.Append([]byte("> "), test.record)
			if err != nil || string(got) != "> "+test.want {
				t.Errorf("error %v, got\n%s\nwant\n%s", err, got, test.want)
			}
		})
	}
}

func TestAppendRefusesWhatItCannotWrite(t *testing.T) {
	for _, r := range []native.Record{nil, (*native.AgentStart)(nil)} {
		got, err := pi16.Append([]byte("x"), r)
		if !errors.Is(err, native.ErrRecord) || string(got) != "x" {
			t.Errorf("%T: got %q, %v, want nothing written and ErrRecord", r, got, err)
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	line := `{"type":"message_update","usage":` + claude + `,"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"` + strings.Repeat("word ", 20) + `"}}`
	r, err := pi16.Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 0, 1024)
	got := testing.AllocsPerRun(100, func() {
		if _, err := pi16.Append(dst, r); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}
