package fakepi_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
)

type verbCase struct{ name, src, want, reason string }

// verbCases are all verbs, with the exact records that a Pi 1.6 prints for them.
func verbCases() []verbCase {
	const prompt = "0s prompt \"x\"\n"
	return []verbCase{
		{"prompt", prompt + "+0s stalls", "{prompt}", "the response comes before the run (docs/pi-formats.md, section 4)"},
		{"prompt of a one-shot", "0s spawn mode=json\n" + prompt + "+0s stalls", "session {run}", "no line and no response; header first"},
		{"prompt that takes a while", "0s prompt \"x\" takes 2s\n+0s stalls", "{prompt}", ""},
		{"prompt that is never answered", `0s prompt "x" takes never`, "in:prompt", ""},
		{"prompt with a response and no run", `0s prompt "x" response_only`, "in:prompt response", ""},
		{"prompt handled by an extension", `0s prompt "x" handled`, "in:prompt response", ""},
		{"prompt twice", "0s prompt \"x\" twice\n+0s stalls", "in:prompt*2 response*2 agent_start agent_settled turn_start +system -system +user -user", "a settled inside the run (21a)"},
		{"second prompt", prompt + "+1s says \"a\"\n+0s settles\n" + "+1s prompt \"y\"\n+0s stalls", "{prompt} {says} {end} {again}", "the system message comes once"},

		{"opens", prompt + "+1s opens\n+0s stalls", "{prompt} +assistant", "early role chunk (02c)"},
		{"says", prompt + "+1s says \"a\"\n+0s settles", "{prompt} {says} {end}", ""},
		{"says stalls in mid-message", prompt + "+1s says \"a\"\n+0s stalls", "{prompt} +assistant text_start text_delta", ""},
		{"says in words", prompt + "+1s says \"one two three\" over 2s\n+0s settles", "{prompt} +assistant text_start text_delta*3 text_end -assistant {end}", ""},
		{"says in chunks", prompt + "+1s says \"abc\" over 4s chunks 5\n+0s settles", "{prompt} +assistant text_start text_delta*5 text_end -assistant {end}", "a short text is said again"},
		{"says is cut by a stall", prompt + "+1s says \"one two three\" over 2s as=a\n@a+1s stalls", "{prompt} +assistant text_start text_delta*2", ""},
		{"thinks silence", prompt + "+0s thinks 5s\n+0s says \"a\"\n+0s settles", "{prompt} {says} {end}", ""},
		{"thinks aloud", prompt + "+1s thinks \"a b\" over 2s\n+1s says \"c\"\n+0s settles",
			"{prompt} +assistant thinking_start thinking_delta*2 text_start text_delta thinking_end text_end -assistant {end}", "ends come together (3.1)"},
		{"closes", prompt + "+1s says \"a\"\n+0s closes\n+0s stalls", "{prompt} {says} turn_end", ""},
		{"closes length", prompt + "+1s says \"a\"\n+0s closes length\n+0s settles", "{prompt} {says} {end}", ""},
		{"closes aborted", prompt + "+1s says \"a\"\n+0s closes aborted\n+0s settles", "{prompt} {says} {end}", ""},
		{"closes with toolUse and no tool", prompt + "+1s says \"a\"\n+0s closes toolUse\n+0s settles", "{prompt} {says} {end}", "a contradiction (EMPTY)"},
		{"ends", prompt + "+1s says \"a\"\n+0s ends\n+0s stalls", "{prompt} {says} turn_end agent_end", "agent_end is not the end"},
		{"empty reply", prompt + "+1s opens\n+0s settles", "{prompt} +assistant -assistant {end}", "stop with zero content"},

		{"steer", prompt + "+1s says \"a b\" over 2s as=a\n@a+1s steer \"y\"\n@a.end closes\n+1s says \"c\"\n+0s settles",
			"{prompt} +assistant text_start text_delta in:steer queue_update response text_delta text_end -assistant turn_end turn_start queue_update +user -user {says} {end}", "delivered behind the message (14a)"},
		{"follow_up", prompt + "+1s says \"a\"\n+1s follow_up \"y\"\n+1s closes\n+1s says \"c\"\n+0s settles",
			"{prompt} +assistant text_start text_delta in:follow_up queue_update response text_end -assistant turn_end turn_start queue_update +user -user {says} {end}", "(14b)"},
		{"steer behind tools", prompt + "+1s tool bash \"x\" runs 2s as=t\n@t+1s steer \"y\"\n@t.end+1s says \"c\"\n+0s settles",
			"{prompt} {bash} in:steer queue_update response tool_execution_end +result -result turn_end turn_start queue_update +user -user {says} {end}", ""},
		{"steer to an idle worker", "0s steer \"y\"\n+1s prompt \"x\"\n+1s says \"c\"\n+0s settles",
			"in:steer queue_update response in:prompt response agent_start turn_start +system -system +user -user queue_update +user -user {says} {end}", "waits for the next prompt (14d)"},

		{"tool", prompt + "+1s says \"a\"\n+0s tool bash \"ls\" runs 400ms\n+1s says \"b\"\n+0s settles",
			"{prompt} +assistant text_start text_delta toolcall_start toolcall_delta*3 text_end toolcall_end -assistant tool_execution_start tool_execution_update{} {done} {says} {end}", "(05)"},
		{"tool with output", prompt + "+1s tool bash \"ls\" runs 1s gives \"a\\n\"\n+1s stalls", "{prompt} {bash} tool_execution_update {done}", ""},
		{"tool that is not bash", prompt + "+1s tool read \"a.go\" runs 1s\n+1s stalls", "{prompt} {call} tool_execution_start {done}", "no updates (3.2)"},
		{"tool in bursts", prompt + "+1s tool bash \"x\" runs 10s bursts 3s\n+1s stalls", "{prompt} {bash} tool_execution_update*3 {done}", ""},
		{"tool in quick bursts", prompt + "+1s tool bash \"x\" runs 1s bursts 10ms\n+1s stalls", "{prompt} {bash} tool_execution_update*9 {done}", "at most one update in 100 ms"},
		{"tool in bursts for a while", prompt + "+1s tool bash \"x\" runs never bursts 1s for 3s", "{prompt} {bash} tool_execution_update*3", ""},
		{"tool that repeats itself", prompt + "+1s tool bash \"x\" runs 10s repeats 3s gives \"a\"\n+1s stalls", "{prompt} {bash} tool_execution_update*3 {done}", ""},
		{"tool that hangs", prompt + "+1s tool bash \"x\" runs never", "{prompt} {bash}", ""},
		{"tool that fails", prompt + "+1s tool bash \"x\" runs 1s fails\n+1s stalls", "{prompt} {bash} {done}", ""},
		{"tool with its own timeout", prompt + "+1s tool bash \"x\" runs never timeout=4s\n+1s stalls", "{prompt} {bash} {done}", ""},
		{"tool deaf to its timeout", prompt + "+1s tool bash \"x\" runs never timeout=4s deaf", "{prompt} {bash}", ""},
		{"tool of no duration", prompt + "+1s tool bash \"x\" runs 0s\n+1s stalls", "{prompt} {bash} {done}", ""},
		{"tools in parallel", prompt + "+1s tool bash \"a\" runs 3s as=a\n@a tool bash \"b\" runs 1s\n@a tool read \"c\" runs 20ms\n@a.end+1s says \"b\"\n+0s settles",
			"{prompt} +assistant toolcall_start toolcall_delta*3 toolcall_start toolcall_delta*3 toolcall_start toolcall_delta*3 toolcall_end*3 -assistant tool_execution_start*3 tool_execution_update{}*2 tool_execution_end*3 +result -result +result -result +result -result turn_end turn_start {says} {end}",
			"starts, then updates; results in call order behind the last end (07)"},
		{"calls", prompt + "+1s calls write \"a.md\" over 4s chunks 5 as=c\n+0s tool @c runs 1s\n+1s says \"b\"\n+0s settles",
			"{prompt} +assistant toolcall_start toolcall_delta*6 toolcall_end -assistant tool_execution_start {done} {says} {end}", ""},
		{"calls that stay pending", prompt + "+1s calls bash \"x\"\n+0s closes\n+0s stalls", "{prompt} +assistant toolcall_start toolcall_delta*2 toolcall_end -assistant", ""},
		{"ends a tool", prompt + "+1s tool bash \"x\" runs never as=t\n+3s ends @t\n+1s says \"b\"\n+0s settles", "{prompt} {bash} {done} {says} {end}", ""},

		{"refused transient", prompt + "+1s refused transient\n+0s settles", "{prompt} {failed} agent_settled", "the finished error stands in both records"},
		{"refused in mid-stream", prompt + "+1s says \"a\"\n+1s refused transient\n+0s settles", "{prompt} +assistant text_start text_delta -assistant {end}", "no ends of the blocks (11a)"},
		{"retries", prompt + "+1s refused transient\n+0s retries 2s\n+1s says \"b\"\n+0s settles",
			"{prompt} {failed} auto_retry_start entry_appended agent_start turn_start +assistant text_start text_delta text_end -assistant auto_retry_end {end}", "(10a)"},
		{"retries exhausted", prompt + "+1s refused transient\n+0s retries 2s\n+0s refused transient\n+0s settles",
			"{prompt} {failed} auto_retry_start entry_appended agent_start turn_start {failed} auto_retry_end agent_settled", "(10c)"},
		{"retries that never come", prompt + "+1s refused transient\n+0s retries 8s as=r\n@r+1s stalls", "{prompt} {failed} auto_retry_start entry_appended", ""},
		{"retries cancelled", prompt + "+1s refused transient\n+0s retries 60s cancelled=9s", "{prompt} {failed} auto_retry_start entry_appended in:other_command auto_retry_end response agent_settled", "no new agent_end (section 11)"},
		{"retries hidden", prompt + "+1s retries 2s hidden\n+0s says \"b\"\n+0s settles", "{prompt} {says} {end}", "pure silence"},
		{"compacts threshold", prompt + "+1s says \"a\"\n+0s ends\n+0s compacts runs 4s\n+0s settles", "{prompt} {says} turn_end agent_end compaction_start compaction_end agent_settled", "(16e)"},
		{"compacts manual", prompt + "+1s says \"a\"\n+0s settles\n+1s compacts manual runs 4s", "{prompt} {says} {end} in:compact compaction_start compaction_end response", "(16a)"},
		{"compacts that hangs", prompt + "+1s says \"a\"\n+0s ends\n+0s compacts runs never", "{prompt} {says} turn_end agent_end compaction_start", ""},
		{"compacts that fails", prompt + "+1s says \"a\"\n+0s settles\n+1s compacts manual runs 4s fails", "{prompt} {says} {end} in:compact compaction_start compaction_end refused", ""},
		{"compacts overflow", prompt + "+1s refused overflow\n+0s compacts overflow runs 3s\n+1s says \"b\"\n+0s settles",
			"{prompt} {failed} entry_appended compaction_start compaction_end agent_start turn_start {says} {end}", "goes on at once (16f)"},
		{"ends a compaction", prompt + "+1s says \"a\"\n+0s ends\n+0s compacts runs never as=c\n+1m ends @c\n+0s settles", "{prompt} {says} turn_end agent_end compaction_start compaction_end agent_settled", ""},

		{"asks, and nobody answers", prompt + "+1s tool bash \"x\" runs 1s as=t\n@t asks select \"?\" \"A\" \"B\"", "{prompt} {call} tool_execution_start extension_ui_request", "no update before the answer (12a)"},
		{"asks with a timeout", prompt + "+1s tool bash \"x\" runs 1s as=t\n@t asks confirm \"?\" timeout=4s\n+1s stalls", "{prompt} {call} tool_execution_start extension_ui_request {done}", "resolves by itself (12c)"},
		{"notifies", prompt + "+1s tool bash \"x\" runs 1s as=t\n@t notifies \"a\"\n@t notifies status \"b\"\n@t notifies widget \"c\"\n@t notifies title \"d\"\n@t notifies editor_text \"e\"\n@t.end stalls",
			"{prompt} {call} tool_execution_start extension_ui_request*5 tool_execution_update{} {done}", "(12g)"},
		{"chatter", "0s chatter state\n+1s chatter queue\n+1s chatter name\n+1s chatter level\n+1s chatter stderr", "in:get_state response queue_update session_info_changed thinking_level_changed err", ""},
		{"chatter repeats", "0s chatter queue every 1s over 3s", "queue_update*4", ""},
		{"raw", prompt + "+0s raw \"{\\\"type\\\":\\\"odd\\\"}\\n\" every 1s over 2s\n+0s stalls", "{prompt} unknown*3", ""},
		{"wedges", prompt + "+1s says \"a\"\n+0s wedges", "{prompt} +assistant text_start text_delta", ""},
		{"exits", prompt + "+1s exits 1 \"boom\"", "{prompt} err {exit} exit:1", ""},
		{"killed", prompt + "+1s killed SIGKILL", "{prompt} {exit} SIGKILL", ""},
		{"eof before the exit", "0s eof err\n+1s exits 0", "closed:err closed:out exit:0", ""},
		{"output behind eof", "0s eof err\n+0s chatter stderr\n+1s raw stream=err \"late\\n\"\n+1s exits 0", "closed:err closed:out exit:0", "nobody reads it"},
		{"a run behind eof", "0s eof out\n" + prompt + "+1s says \"a\"\n+0s settles\n+0s exits 0", "closed:out in:prompt unseen*14 closed:err exit:0", ""},
		{"eof behind the exit", "0s exits 0\n+5s eof", "closed:err exit:0 closed:out", "a descendant holds it"},
		{"one-shot exits by itself", "0s spawn mode=json\n" + prompt + "+1s says \"a\"\n+0s settles", "session {run} {says} {end} {exit} exit:0", ""},
		{"one-shot lingers", "0s spawn mode=json\n" + prompt + "+1s says \"a\"\n+0s settles\n+0s lingers", "session {run} {says} {end}", ""},
		{"one-shot exits late", "0s spawn mode=json\n" + prompt + "+1s says \"a\"\n+0s settles\n+5s exits 0", "session {run} {says} {end} {exit} exit:0", ""},
		{"one-shot without end of stdin", "0s spawn mode=json stdin_open\n" + prompt + "+1s says \"a\"\n+0s settles", "", "not even the header (25a)"},
		{"print shows the text alone", "0s spawn mode=print\n" + prompt + "+1s says \"a\"\n+0s settles", "malformed {exit} exit:0", ""},
	}
}

func TestVerbs(t *testing.T) {
	for _, tt := range verbCases() {
		outs := without(play(newWorker(t, tt.src), horizon, nil), fakepi.Session)
		if got, want := tokens(outs), expand(tt.want); got != want {
			t.Errorf("%s (%s):\n%s", tt.name, tt.reason, cmp.Diff(want, got))
		}
	}
}

// What the worker prints is legal for every verb but raw, and so is every example of the language's page.
func TestVerbsAreLegal(t *testing.T) {
	cases := verbCases()
	for i, src := range examples(t) {
		cases = append(cases, verbCase{name: fmt.Sprintf("example %d", i+1), src: src})
	}
	for _, tt := range cases {
		if strings.Contains(tt.src, " raw ") || strings.Contains(tt.src, "mode=print") {
			continue
		}
		for _, lang := range tongues {
			i := newInspector(lang, func(format string, args ...any) {
				t.Errorf("%s in %s: %s\n%s", tt.name, lang.dialect, fmt.Sprintf(format, args...), tt.src)
			})
			if strings.Contains(tt.src, "mode=json") {
				i.checker = lang.grammar("json")
			}
			i.take(play(newWorker(t, tt.src, in(lang.dialect)), horizon, nil))
		}
	}
}

// examples are the plain scripts of docs/script.md.
func examples(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/script.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, block := range strings.Split(string(page), "```script\n")[1:] {
		src, _, _ := strings.Cut(block, "```")
		list = append(list, src)
	}
	if len(list) < 20 {
		t.Fatalf("got %d examples, want one for each verb", len(list))
	}
	return list
}
