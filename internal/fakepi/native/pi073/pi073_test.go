package pi073_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi073"
)

const (
	zero    = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	counted = `{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"input":0.00030000000000000003,"output":0.0000192,"cacheRead":0,"cacheWrite":0,"total":3.2e-7}}`
	maker   = `"api":"openai-completions","provider":"demo","model":"demo-1","usage":`
	base    = `"id":"0a1b2c3d","parentId":"4e5f6071","timestamp":"2026-11-29T16:34:24.265Z"`
	end     = `{"type":"message_end","message":`
)

// reply is an assistant message with the given content, and tail behind its usage.
func reply(content, tail string) string {
	return `{"role":"assistant","content":[` + content + `],` + maker + zero + tail + `}`
}

// update is a message_update whose two snapshots are equal.
func update(event, message string) string {
	return `{"type":"message_update","assistantMessageEvent":{` + event + `,"partial":` + message + `},"message":` + message + `}`
}

// TestVariants has a line for each key order and variant of docs/pi-formats.md that the
// recordings in testdata lack or have only once.
func TestVariants(t *testing.T) {
	const live = `,"stopReason":"stop","timestamp":1,"responseId":"r"`
	tests := []struct{ reason, line string }{
		{"text_start is ahead: it has the first delta's text", update(`"type":"text_start","contentIndex":0`, reply(`{"type":"text","text":"Runnin"}`, live))},
		{"partial is younger than message", `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a","partial":{"role":"assistant","content":[],` + maker + counted + `,"stopReason":"toolUse","timestamp":1,"responseId":"r"}},"message":` + reply(``, live) + `}`},
		{"partial knows of an error (24b)", `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a","partial":` + reply(``, `,"stopReason":"error","timestamp":1,"responseId":"r","errorMessage":"e"`) + `},"message":` + reply(``, live) + `}`},
		{"scratch of openai-completions", update(`"type":"toolcall_delta","contentIndex":0,"delta":""`, reply(`{"type":"toolCall","id":"c","name":"bash","arguments":{"command":""},"partialArgs":"{\"command\": \"","streamIndex":0}`, live))},
		{"scratch of anthropic-messages (15d)", update(`"type":"toolcall_start","contentIndex":2`, reply(`{"type":"thinking","thinking":"t","thinkingSignature":"","index":0},{"type":"text","text":"","index":1},{"type":"toolCall","id":"c","name":"bash","arguments":{},"partialJson":"","index":2}`, live))},
		{"no scratch from toolcall_end on", update(`"type":"toolcall_end","contentIndex":0,"toolCall":{"type":"toolCall","id":"c","name":"bash","arguments":{"timeout":1.5}}`, reply(`{"type":"toolCall","id":"c","name":"bash","arguments":{"timeout":1.5}}`, live))},
		{"the end of thinking", update(`"type":"thinking_end","contentIndex":0,"content":"t"`, reply(`{"type":"thinking","thinking":"t","thinkingSignature":"reasoning_content"}`, live))},
		{"half a surrogate pair in a delta (22e)", update(`"type":"text_delta","contentIndex":0,"delta":"a\ud83d"`, reply(`{"type":"text","text":"a\ud83d"}`, live))},
		{"failed after the first chunk", end + reply(``, `,"stopReason":"error","timestamp":1,"responseId":"r","errorMessage":"terminated"`) + `}`},
		{"made up after an aborted tool: the usual order", end + reply(``, `,"stopReason":"aborted","timestamp":1,"errorMessage":"Request was aborted"`) + `}`},
		{"another model answered", end + reply(``, `,"stopReason":"stop","timestamp":1,"responseId":"r","responseModel":"m"`) + `}`},
		{"truncated output (22b)", `{"type":"tool_execution_end","toolCallId":"c","toolName":"bash","result":{"content":[{"type":"text","text":"x"}],"details":{"truncation":{"content":"x","truncated":true},"fullOutputPath":"/tmp/pi-bash-0123456789abcdef.log"}},"isError":false}`},
		{"edit details", `{"type":"message_start","message":{"role":"toolResult","toolCallId":"c","toolName":"edit","content":[],"details":{"diff":"d","firstChangedLine":1},"isError":false,"timestamp":1}}`},
		{"rpc bash, cancelled", `{"type":"message",` + base + `,"message":{"role":"bashExecution","command":"ls","output":"o","cancelled":true,"truncated":false,"timestamp":1}}`},
		{"compaction told", `{"type":"compaction_end","reason":"threshold","result":{"summary":"s","firstKeptEntryId":"e","tokensBefore":9,"details":{"readFiles":[],"modifiedFiles":[]}},"aborted":false,"willRetry":false}`},
		{"compaction saved", `{"type":"compaction",` + base + `,"summary":"s","firstKeptEntryId":"e","tokensBefore":9,"details":{"readFiles":[],"modifiedFiles":[]},"fromHook":false}`},
		{"an overflow after its compaction", `{"type":"compaction_end","reason":"overflow","aborted":false,"willRetry":false,"errorMessage":"e"}`},
		{"end of a run", `{"type":"agent_end","messages":[]}`},
		{"prompt answered, without data", `{"id":"a","type":"response","command":"prompt","success":true}`},
		{"unknown command, without its id", `{"type":"response","command":"get_tree","success":false,"error":"Unknown command: get_tree"}`},
		{"compact answered", `{"id":7,"type":"response","command":"compact","success":true,"data":{"summary":"s","firstKeptEntryId":"e","tokensBefore":9,"details":{}}}`},
		{"editor", `{"type":"extension_ui_request","id":"u","method":"editor","title":"t","prefill":"p"}`},
		{"header of a fork", `{"type":"session","version":3,"id":"i","timestamp":"2026-11-29T16:34:24.265Z","cwd":"/","parentSession":"/p.jsonl"}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r, unknown, err := pi073.Examine([]byte(test.line))
			if err != nil || len(unknown) > 0 {
				t.Fatalf("error %v, unknown %v, want neither", err, unknown)
			}
			got, err := pi073.Append(nil, r)
			if err != nil || string(got) != test.line {
				t.Errorf("error %v, got\n%s\nwant\n%s", err, got, test.line)
			}
		})
	}
}

// TestExamineReportsLaterVersions: what Pi 1.6 writes otherwise is reported, and kept.
func TestExamineReportsLaterVersions(t *testing.T) {
	tests := []struct {
		reason, line string
		want         []string
	}{
		{"a delta-only update", `{"type":"message_update","usage":` + zero + `,"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a"}}`, []string{"$.usage: unknown field", "$.assistantMessageEvent: missing field"}},
		{"an update without its message", `{"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":` + reply(``, `,"stopReason":"stop","timestamp":1`) + `}}`, []string{"$: missing field"}},
		{"a snapshot that is null", `{"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":null},"message":null}`, []string{"$.assistantMessageEvent.partial: wrong type", "$.message: wrong type"}},
		{"willRetry", `{"type":"agent_end","messages":[],"willRetry":false}`, []string{"$.willRetry: unknown field"}},
		{"the terminal event", `{"type":"agent_settled","aborted":false}`, []string{"$: unknown type"}},
		{"a tool's duration", `{"type":"tool_execution_end","toolCallId":"c","toolName":"b","result":{"content":[],"structuredContent":"s"},"isError":false,"durationMs":3}`, []string{"$.result.structuredContent: unknown field", "$.durationMs: unknown field"}},
		{"a system message", end + `{"role":"system","content":""}}`, []string{"$.message: unknown type"}},
		{"a reply with its end", end + reply(``, `,"stopReason":"stop","timestamp":1,"responseId":"r","rawStopReason":"stop","durationMs":1,"thinkingLevel":"off"`) + `}`, []string{"$.message.rawStopReason: unknown field", "$.message.durationMs: unknown field", "$.message.thinkingLevel: unknown field"}},
		{"the error before the stamp", end + reply(``, `,"stopReason":"aborted","errorMessage":"e","timestamp":1`) + `}`, []string{"$.message: key order"}},
		{"a disposition", `{"type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`, []string{"$.data: unknown type"}},
		{"a command of later versions", `{"id":"a","type":"clear_queue"}`, []string{"$: unknown type"}},
		{"a context edit", `{"type":"context_edit",` + base + `,"targetId":"t","replacement":null}`, []string{"$: unknown type"}},
		{"bash output", `{"type":"bash_execution_update","id":"a","delta":"o"}`, []string{"$: unknown type"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r, unknown, err := pi073.Examine([]byte(test.line))
			var got []string
			for _, u := range unknown {
				got = append(got, u.Path+": "+string(u.Reason))
			}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("error %v, (-want +got):\n%s", err, diff)
			}
			if again, err := pi073.Append(nil, r); err != nil || string(again) != test.line {
				t.Errorf("not kept: error %v, got %s", err, again)
			}
		})
	}
}

// TestAppendFromScratch builds records as the fake worker does, without a line to start
// from: fields of other dialects are left out.
func TestAppendFromScratch(t *testing.T) {
	call := &native.ToolCall{ID: "c", Name: "bash", Arguments: native.Object{}, ArgumentsError: native.Some("e"), Scratch: native.Scratch{PartialArgs: native.Some("{"), StreamIndex: native.Some(int64(0))}}
	live := &native.AssistantMessage{Content: []native.Block{call}, StopReason: "stop", DurationMs: native.Some(int64(5))}
	const written = `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{},"partialArgs":"{","streamIndex":0}],"api":"","provider":"","model":"","usage":` + zero + `,"stopReason":"stop","timestamp":0}`
	tests := []struct {
		reason string
		record native.Record
		want   string
	}{
		{
			"a live update",
			&native.MessageUpdate{Event: native.AssistantEvent{Type: "toolcall_delta", ID: native.Some("c"), Delta: native.Some("{"), Partial: live}, Message: live},
			`{"type":"message_update","assistantMessageEvent":{"type":"toolcall_delta","contentIndex":0,"delta":"{","partial":` + written + `},"message":` + written + `}`,
		},
		{"the end of a run", &native.AgentEnd{WillRetry: true}, `{"type":"agent_end","messages":[]}`},
		{
			"a tool's end",
			&native.ToolEnd{ToolCallID: "c", ToolName: "bash", Result: native.ToolResult{StructuredContent: native.String("s")}, DurationMs: native.Some(int64(5))},
			`{"type":"tool_execution_end","toolCallId":"c","toolName":"bash","result":{"content":[]},"isError":false}`,
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got, err := pi073.Append(nil, test.record)
			if diff := cmp.Diff(test.want, string(got)); err != nil || diff != "" {
				t.Errorf("error %v, (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAppendRefusesLaterRecords(t *testing.T) {
	for _, r := range []native.Record{
		nil, &native.AgentSettled{}, &native.EntryAppended{}, &native.BashUpdate{}, &native.SummarizationRetry{}, &native.ContextEdit{},
	} {
		got, err := pi073.Append([]byte("x"), r)
		if !errors.Is(err, native.ErrRecord) || string(got) != "x" {
			t.Errorf("%T: got %q, %v, want nothing written and ErrRecord", r, got, err)
		}
	}
}
