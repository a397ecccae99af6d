package native_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi16"
	"fakepi.example/internal/fakepi/native/recording"
)

func sessionLines(t testing.TB, run recording.Run) (lines [][]byte) {
	for _, path := range run.Sessions {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))...)
	}
	return lines
}

func TestSkimAgreesWithDecoderOnRecordings(t *testing.T) {
	eachDialect(t, func(t *testing.T, codec native.Codec) {
		for _, line := range recordedLines(t, codec) {
			agree(t, codec, line)
		}
	})
}

// hostile lists lines that Pi would not write and that once told, or could tell, the two
// readers apart.
var hostile = []struct{ reason, line string }{
	{"empty", ``},
	{"white space only", " \t"},
	{"white space around", "\t{ \"type\" : \"agent_settled\" , \"aborted\" : true } "},
	{"no object", `[]`},
	{"null, which crashes Pi", `null`},
	{"cut", `{"type":"message_update","usage":{"input":`},
	{"cut inside the short way of usage", `{"type":"message_update","usage":{"input":1,"output":2,"cacheRead":3`},
	{"two objects", `{"type":"agent_start"}{"type":"agent_start"}`},
	{"type missing", `{"willRetry":true}`},
	{"type of the wrong type", `{"type":7,"willRetry":true}`},
	{"type last", `{"willRetry":true,"messages":[],"type":"agent_end"}`},
	{"type twice, the last one wins", `{"type":"agent_settled","aborted":true,"willRetry":true,"type":"agent_end"}`},
	{"type twice, then not a string", `{"type":"agent_end","willRetry":true,"type":null}`},
	{"escapes in key and type", `{"\u0074ype":"agent\u005fend","w\u0069llRetry":true}`},
	{"long escaped key", `{"` + strings.Repeat(`\u0061`, 40) + `":1,"type":"agent_start"}`},
	{"key twice, then of the wrong type", `{"type":"agent_settled","aborted":true,"aborted":1}`},
	{"message twice", `{"type":"message_end","message":{"role":"assistant","stopReason":"stop","usage":{"input":5}},"message":{"role":"user","content":[]}}`},
	{"message, then none", `{"type":"message_end","message":{"role":"assistant","stopReason":"stop"},"message":null}`},
	{"role last", `{"type":"message_end","message":{"toolCallId":"a","isError":true,"stopReason":"stop","timestamp":1,"role":"toolResult"}}`},
	{"role unknown", `{"type":"message_end","message":{"role":"custom","content":[{"type":"text","text":"x"}],"timestamp":1}}`},
	{"content a string", `{"type":"message_end","message":{"role":"user","content":"hi","timestamp":1}}`},
	{"content twice", `{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"hi"}],"content":[]}}`},
	{"blocks of all sorts", `{"type":"message_end","message":{"role":"assistant","content":[7,{"text":"x"},{"text":"ab","type":"text"},{"type":"thinking","thinking":"abc"},{"type":"toolCall"},{"type":"text","text":5}]}}`},
	{"usage in another order", `{"type":"message_update","usage":{"cost":{"total":0.5},"totalTokens":3,"input":1},"assistantMessageEvent":{"type":"text_delta","delta":"x"}}`},
	{"usage with a further key", `{"type":"message_update","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"reasoning":5,"totalTokens":6,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25,"totalFromProvider":true},"cacheWrite1h":0}}`},
	{"usage twice", `{"type":"message_update","usage":{"input":1,"cost":{"total":1}},"usage":{"output":2}}`},
	{"cost twice", `{"type":"message_update","usage":{"cost":{"total":1},"cost":3}}`},
	{"tokens with a fraction or an exponent", `{"type":"message_update","usage":{"input":1.5,"output":1e3,"cacheRead":-0,"cacheWrite":9007199254740993,"totalTokens":1e400,"cost":{"total":-1E-7}}}`},
	{"event twice", `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"abc","partial":{}},"assistantMessageEvent":{"type":"toolcall_start","id":"i","toolName":"t"}}`},
	{"cumulative", `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"a","partial":{"role":"assistant"}},"message":null}`},
	{"delta of the wrong type", `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":["a"]}}`},
	{"command after its data", `{"data":{"isStreaming":true,"pendingMessageCount":2},"type":"response","command":"get_state"}`},
	{"data of another command", `{"type":"response","command":"prompt","success":true,"data":{"isStreaming":true,"disposition":"queued"}}`},
	{"data twice", `{"type":"response","command":"prompt","data":{"disposition":"queued"},"data":[]}`},
	{"ids of any type", `{"id":{"a":[1]},"type":"response","command":"abort","success":true}`},
	{"command by an escaped name", `{"type":"response","command":"\u0062ash","success":true,"data":{"cancelled":true}}`},
	{"data of compact", `{"type":"response","command":"compact","success":true,"data":{"tokensBefore":5,"estimatedTokensAfter":3,"usage":{"input":1}}}`},
	{"retry without delay", `{"type":"auto_retry_start","attempt":"1","delayMs":"2000"}`},
	{"delay below zero and beyond all bounds", `{"type":"auto_retry_start","delayMs":-5,"attempt":1e300}`},
	{"delay without end", `{"type":"auto_retry_start","delayMs":1e999}`},
	{"tool timeout", `{"type":"tool_execution_start","toolCallId":"c","toolName":"bash","args":{"timeout":0.5,"timeout":2.5}}`},
	{"args no object", `{"type":"tool_execution_start","args":"timeout"}`},
	{"args twice", `{"type":"tool_execution_start","args":{"timeout":3},"args":[1]}`},
	{"result no object", `{"type":"tool_execution_end","result":"x","isError":"true"}`},
	{"compaction of 0.58", `{"type":"auto_compaction_end","result":{"tokensBefore":3},"aborted":false,"willRetry":true,"errorMessage":"e"}`},
	{"compaction result null", `{"type":"compaction_end","reason":"manual","result":null,"aborted":true,"willRetry":false}`},
	{"parent empty", `{"type":"message","id":"a","parentId":"","timestamp":"2026-11-29T16:34:24.265Z","message":{}}`},
	{"stamp of another form", `{"type":"label","id":"a","parentId":null,"timestamp":"2026-11-29T16:34:24Z"}`},
	{"stamp of no day", `{"type":"session","timestamp":"2026-02-30T16:34:24.000Z"}`},
	{"unknown ui method", `{"type":"extension_ui_request","id":5,"method":"ask","title":"t","timeout":1.5}`},
	{"control character in a string", "{\"type\":\"bash_execution_update\",\"delta\":\"a\nb\"}"},
	{"NUL block", "\x00\x00\x00{\"type\":\"agent_start\"}"},
	{"invalid UTF-8 in a string", "{\"type\":\"bash_execution_update\",\"delta\":\"\xff\xfe\"}"},
	{"lone surrogates", `{"type":"bash_execution_update","delta":"\ud83d","id":"\udE00\ud83D"}`},
	{"half an escape", `{"type":"bash_execution_update","delta":"\u12"}`},
	{"unknown escape", `{"type":"bash_execution_update","delta":"\x"}`},
	{"leading zero", `{"type":"agent_start","n":01}`},
	{"bare point", `{"type":"agent_start","n":1.}`},
	{"plus sign", `{"type":"agent_start","n":+1}`},
	{"trailing comma", `{"type":"agent_start",}`},
	{"nested to the bound", `{"type":"agent_start","n":` + strings.Repeat("[", native.MaxDepth-1) + strings.Repeat("]", native.MaxDepth-1) + `}`},
	{"nested beyond the bound", `{"type":"agent_start","n":` + strings.Repeat("[", native.MaxDepth) + strings.Repeat("]", native.MaxDepth) + `}`},
}

func TestSkimAgreesWithDecoderOnHostileLines(t *testing.T) {
	for _, c := range hostile {
		t.Run(c.reason, func(t *testing.T) { agree(t, pi16.Codec{}, []byte(c.line)) })
	}
}

func FuzzSkimAgreesWithDecoder(f *testing.F) {
	for _, c := range hostile {
		if len(c.line) < native.MaxDepth {
			f.Add([]byte(c.line))
		}
	}
	for i, line := range recordedLines(f, nil) {
		if i%7 == 0 && len(line) < 2000 {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) { agree(t, pi16.Codec{}, line) })
}

func TestSkim(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	tests := []struct {
		reason, line string
		want         native.Skimmed
	}{
		{
			"a delta before usage is known",
			`{"type":"message_update","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a\"b"}}`,
			native.Skimmed{Kind: native.KindMessageUpdate, Delta: native.DeltaText, DeltaLen: 4, HasUsage: true},
		},
		{
			"a tool call begins",
			`{"type":"message_update","usage":{"input":100,"output":20,"cacheRead":1,"cacheWrite":2,"reasoning":0,"totalTokens":123,"cost":{"input":0.0003,"output":0.0003,"cacheRead":0,"cacheWrite":0,"total":0.0006000000000000001,"totalFromProvider":false}},"assistantMessageEvent":{"type":"toolcall_start","contentIndex":0,"id":"call_1","toolName":"bash"}}`,
			native.Skimmed{
				Kind: native.KindMessageUpdate, Delta: native.DeltaToolCallStart, ToolCallID: b("call_1"), ToolName: b("bash"), HasUsage: true,
				Usage: native.SkimmedUsage{Input: 100, Output: 20, CacheRead: 1, CacheWrite: 2, Total: 123, Cost: 0.0006000000000000001},
			},
		},
		{
			"a failed reply",
			`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"abc"},{"type":"thinking","thinking":"de","thinkingSignature":"s"},{"type":"toolCall","id":"c","name":"bash","arguments":{}}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"error","timestamp":1795970064378,"responseId":"r","rawStopReason":"content_filter","errorMessage":"no","durationMs":1,"thinkingLevel":"off"}}`,
			native.Skimmed{
				Kind: native.KindMessageEnd, Role: native.RoleAssistant, Stop: native.StopError, Blocks: 3, TextLen: 3, ThinkingLen: 2, Calls: 1,
				Provider: b("p"), Model: b("m"), Reason: b("content_filter"), Error: b("no"), HasUsage: true,
				Usage: native.SkimmedUsage{Input: 1, Total: 1}, Timestamp: 1795970064378, HasTimestamp: true,
			},
		},
		{
			"white space in front of a text is none of it",
			`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":" \n\u000b\t"},{"type":"text","text":"\n ab \n"}],"stopReason":"stop"}}`,
			native.Skimmed{Kind: native.KindMessageEnd, Role: native.RoleAssistant, Stop: native.StopStop, Blocks: 2, TextLen: 5},
		},
		{
			"a bash call with its own timeout, in seconds",
			`{"type":"tool_execution_start","toolCallId":"call_1","toolName":"bash","args":{"command":"sleep 9","timeout":4}}`,
			native.Skimmed{
				Kind: native.KindToolStart, ToolCallID: b("call_1"), ToolName: b("bash"), Args: b(`{"command":"sleep 9","timeout":4}`),
				Timeout: 4 * time.Second, HasTimeout: true,
			},
		},
		{
			"a dialog with a timeout, in ms",
			`{"type":"extension_ui_request","id":"e1","method":"confirm","title":"Run?","message":"ls","timeout":4000}`,
			native.Skimmed{Kind: native.KindUIRequest, ID: b(`"e1"`), Method: native.MethodConfirm, Text: b("Run?"), Timeout: 4 * time.Second, HasTimeout: true},
		},
		{
			"an announced retry",
			`{"type":"auto_retry_start","attempt":2,"maxAttempts":3,"delayMs":4000,"errorMessage":"429"}`,
			native.Skimmed{Kind: native.KindRetryStart, Attempt: 2, MaxAttempts: 3, Delay: 4 * time.Second, HasDelay: true, Error: b("429")},
		},
		{
			"the state, with a numeric id",
			`{"id":7,"type":"response","command":"get_state","success":true,"data":{"isStreaming":true,"isCompacting":false,"pendingMessageCount":3}}`,
			native.Skimmed{
				Kind: native.KindResponse, ID: b("7"), Command: b("get_state"), Success: true, HasSuccess: true,
				Streaming: native.Yes, Compacting: native.No, Pending: 3,
			},
		},
		{
			"the first entry of a session",
			`{"type":"model_change","id":"d80985b0","parentId":null,"timestamp":"2026-11-29T16:34:24.321Z","provider":"demo","modelId":"demo-1"}`,
			native.Skimmed{
				Kind: native.KindModelChange, ID: b(`"d80985b0"`), ParentID: b("null"), Provider: b("demo"), Model: b("demo-1"),
				Timestamp: 1795970064321, HasTimestamp: true, EntryTimestamp: 1795970064321, HasEntryTimestamp: true,
			},
		},
		{
			"a command",
			`{"id":"r","type":"set_model","provider":"demo","modelId":"nope"}`,
			native.Skimmed{Kind: native.KindOtherCommand, ID: b(`"r"`), Command: b("set_model")},
		},
		{"an event of tomorrow", `{"type":"agent_dreams","willRetry":true}`, native.Skimmed{Kind: native.KindUnknown}},
		{"a torn line", `{"type":"agent_end","messages":[`, native.Skimmed{Kind: native.KindMalformed}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var got native.Skimmed
			native.Skim([]byte(test.line), &got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSkimAllocatesNothing(t *testing.T) {
	lines := recordedLines(t, nil)
	for _, c := range hostile {
		if !strings.Contains(c.line, "e999") && !strings.Contains(c.line, "e400") {
			lines = append(lines, []byte(c.line))
		}
	}
	var s native.Skimmed
	got := testing.AllocsPerRun(3, func() {
		for _, line := range lines {
			native.Skim(line, &s)
		}
	})
	if got != 0 {
		t.Errorf("got %v allocations over %d lines, want 0", got, len(lines))
	}
}
