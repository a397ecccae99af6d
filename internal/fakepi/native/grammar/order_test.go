package grammar_test

import (
	"strings"
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/grammar"
)

// words are the records of the streams below, in short.
var words = map[string]string{
	"started":    `{"type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`,
	"new":        `{"type":"response","command":"new_session","success":true,"data":{"cancelled":false}}`,
	"header":     `{"type":"session","version":3}`,
	"run":        `{"type":"agent_start"}`,
	"turn":       `{"type":"turn_start"}`,
	"system(":    `{"type":"message_start","message":{"role":"system"}}`,
	"system)":    `{"type":"message_end","message":{"role":"system"}}`,
	"user(":      `{"type":"message_start","message":{"role":"user"}}`,
	"user)":      `{"type":"message_end","message":{"role":"user"}}`,
	"(":          `{"type":"message_start","message":{"role":"assistant","stopReason":"pending"}}`,
	"stop)":      `{"type":"message_end","message":{"role":"assistant","stopReason":"stop"}}`,
	"use)":       `{"type":"message_end","message":{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall"},{"type":"toolCall"}]}}`,
	"aborted)":   `{"type":"message_end","message":{"role":"assistant","stopReason":"aborted"}}`,
	"error(":     `{"type":"message_start","message":{"role":"assistant","stopReason":"error"}}`,
	"error)":     `{"type":"message_end","message":{"role":"assistant","stopReason":"error"}}`,
	"pending)":   `{"type":"message_end","message":{"role":"assistant","stopReason":"pending"}}`,
	"text":       `{"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0}}`,
	"word":       `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a"}}`,
	"/text":      `{"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":0,"content":"a"}}`,
	"callA":      `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_start","contentIndex":0,"id":"A"}}`,
	"/callA":     `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":0}}`,
	"callB":      `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_start","contentIndex":1,"id":"B"}}`,
	"/callB":     `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":1}}`,
	"A(":         `{"type":"tool_execution_start","toolCallId":"A"}`,
	"A)":         `{"type":"tool_execution_end","toolCallId":"A"}`,
	"B(":         `{"type":"tool_execution_start","toolCallId":"B"}`,
	"B)":         `{"type":"tool_execution_end","toolCallId":"B"}`,
	"B..":        `{"type":"tool_execution_update","toolCallId":"B"}`,
	"resultA(":   `{"type":"message_start","message":{"role":"toolResult","toolCallId":"A"}}`,
	"resultA)":   `{"type":"message_end","message":{"role":"toolResult","toolCallId":"A"}}`,
	"resultB(":   `{"type":"message_start","message":{"role":"toolResult","toolCallId":"B"}}`,
	"resultB)":   `{"type":"message_end","message":{"role":"toolResult","toolCallId":"B"}}`,
	"refusedA)":  `{"type":"message_end","message":{"role":"toolResult","toolCallId":"A","isError":true}}`,
	"/turn":      `{"type":"turn_end","message":{"role":"assistant"}}`,
	"/run":       `{"type":"agent_end","willRetry":false}`,
	"/run?":      `{"type":"agent_end","willRetry":true}`,
	"retry(":     `{"type":"auto_retry_start","delayMs":2000}`,
	"retried)":   `{"type":"auto_retry_end","success":true}`,
	"gaveup)":    `{"type":"auto_retry_end","success":false}`,
	"entry":      `{"type":"entry_appended","entry":{}}`,
	"compact(":   `{"type":"compaction_start","reason":"threshold"}`,
	"manual(":    `{"type":"compaction_start","reason":"manual"}`,
	"overflow(":  `{"type":"compaction_start","reason":"overflow"}`,
	"summarize":  `{"type":"summarization_retry_scheduled"}`,
	"compact)":   `{"type":"compaction_end","willRetry":false}`,
	"compact)?":  `{"type":"compaction_end","willRetry":true}`,
	"settled":    `{"type":"agent_settled"}`,
	"queue":      `{"type":"queue_update"}`,
	"ask":        `{"type":"extension_ui_request","method":"select"}`,
	"torn":       `{"type":"agent_`,
	"unheard-of": `{"type":"agent_dreams"}`,
	"command":    `{"type":"prompt"}`,
}

func TestOrder(t *testing.T) {
	const begun = "started run turn system( system) user( user) "
	const batch = "( callA callB /callA /callB use) "
	tests := []struct {
		reason, mode, stream string
		bad                  string // word at which the stream is refused; "end"; "" if it is right
	}{
		{"a plain reply", "rpc", begun + "( text word /text stop) /turn /run settled", ""},
		{"nothing at all", "rpc", "", ""},
		{"json mode begins with the header", "json", "run", "run"},
		{"even an aside comes after the header", "json", "queue", "queue"},
		{"json mode needs its header even if nothing else comes", "json", "", "end"},
		{"rpc mode has no header", "rpc", "header", "header"},
		{"a run without the response that starts it", "rpc", "run", "run"},
		{"a reply without a prompt", "rpc", "started run turn (", "("},
		{"work that is not over", "rpc", begun + "( stop) /turn /run", "end"},
		{"a message that never ends", "rpc", begun + "( stop) /turn /run settled started run turn user(", "end"},
		{"a steer is delivered in a new turn", "rpc", begun + "( queue text word /text stop) /turn turn queue user( user) ( stop) /turn /run settled", ""},
		{"a system message in a later run", "rpc", begun + "( stop) /turn /run settled started run turn system(", "system("},
		{"a system message in a new session", "rpc", begun + "( stop) /turn /run settled new started run turn system( system) user( user) ( stop) /turn /run settled", ""},
		{"a system message after the prompt", "rpc", "started run turn user( user) system(", "system("},
		{"a message of another role ends", "rpc", begun + "( user)", "user)"},
		{"a message ends pending", "rpc", begun + "( pending)", "pending)"},
		{"a message that failed at once", "rpc", begun + "error( error) /turn /run settled", ""},
		{"an update of such a message", "rpc", begun + "error( text", "text"},
		{"text before its block", "rpc", begun + "( word", "word"},
		{"text after its block", "rpc", begun + "( text /text word", "word"},
		{"a block that begins twice", "rpc", begun + "( text text", "text"},
		{"a block left open by a good message", "rpc", begun + "( text word stop)", "stop)"},
		{"a block left open by an aborted one", "rpc", begun + "( text word aborted) /turn /run settled", ""},
		{"a batch in parallel", "rpc", begun + batch + "A( B( B.. B) A) resultA( resultA) resultB( resultB) /turn turn ( stop) /turn /run settled", ""},
		{"a batch one by one, behind a dialog", "rpc", begun + batch + "A( ask A) B( B) resultA( resultA) resultB( resultB) /turn turn ( stop) /turn /run settled", ""},
		{"calls out of order", "rpc", begun + batch + "B(", "B("},
		{"a call twice", "rpc", begun + batch + "A( A) A(", "A("},
		{"the end of a call that has not begun", "rpc", begun + batch + "A( B)", "B)"},
		{"output after the end", "rpc", begun + batch + "A( B( B) B..", "B.."},
		{"a result before the last end", "rpc", begun + batch + "A( B( A) resultA(", "resultA("},
		{"results out of order", "rpc", begun + batch + "A( B( A) B) resultB(", "resultB("},
		{"a result missing", "rpc", begun + batch + "A( B( A) B) resultA( resultA) /turn", "/turn"},
		{"a batch cut off by an abort", "rpc", begun + batch + "A( A) resultA( refusedA) /turn turn ( aborted) /turn /run settled", ""},
		{"calls that never run", "rpc", begun + batch + "/turn", "/turn"},
		{"a retry that works", "rpc", begun + "error( error) /turn /run? retry( entry run turn ( text /text stop) retried) /turn /run settled", ""},
		{"a retry whose success is not told", "rpc", begun + "error( error) /turn /run? retry( entry run turn ( stop) /turn", "/turn"},
		{"a retry without its announcement", "rpc", begun + "error( error) /turn /run? run", "run"},
		{"settled while a retry is to come", "rpc", begun + "error( error) /turn /run? settled", "settled"},
		{"a retry called off", "rpc", begun + "error( error) /turn /run? retry( entry gaveup) settled", ""},
		{"retries exhausted", "rpc", begun + "error( error) /turn /run? retry( entry run turn error( error) /turn /run gaveup) settled", ""},
		{"retries exhausted, not told", "rpc", begun + "error( error) /turn /run? retry( entry run turn error( error) /turn /run settled", "settled"},
		{"compaction before the end of work", "rpc", begun + "( stop) /turn /run compact( summarize compact) settled", ""},
		{"compaction by command", "rpc", "compact( compact)", ""},
		{"two of them in one write", "rpc", "manual( manual( compact)", ""},
		{"one in the same write as new_session", "rpc", "manual( new manual( compact)", ""},
		{"one beside an automatic one", "rpc", begun + "( stop) /turn /run compact( compact(", "compact("},
		{"compaction of an overflow, then the run again", "rpc", begun + "error( error) /turn /run entry overflow( compact)? run turn ( stop) /turn /run settled", ""},
		{"an overflow whose message is not dropped", "rpc", begun + "error( error) /turn /run overflow(", "overflow("},
		{"compaction inside a run", "rpc", begun + "compact(", "compact("},
		{"compaction without end", "rpc", begun + "( stop) /turn /run compact( settled", "settled"},
		{"settled inside a run", "rpc", "started run settled", "settled"},
		{"the spurious one of two prompts", "rpc", "started started run settled turn user( user) ( stop) /turn /run settled", ""},
		{"the spurious one twice", "rpc", "started started run settled settled", "settled"},
		{"a torn line", "rpc", "started torn", "torn"},
		{"an unknown event", "rpc", "started unheard-of", "unheard-of"},
		{"a command on stdout", "rpc", "command", "command"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got, err := refusedAt(grammar.Pi16(test.mode), words, test.stream)
			if got != test.bad {
				t.Errorf("refused at %q (%v), want %q", got, err, test.bad)
			}
		})
	}
}

// refusedAt returns the word of the stream at which the checker refuses it, or "end", or "".
func refusedAt(c *grammar.Checker, words map[string]string, stream string) (string, error) {
	for _, word := range strings.Fields(stream) {
		var s native.Skimmed
		native.Skim([]byte(words[word]), &s)
		if err := c.Observe(&s); err != nil {
			return word, err
		}
	}
	if err := c.End(true); err != nil {
		return "end", err
	}
	return "", nil
}

func TestViolationNamesLineAndWish(t *testing.T) {
	c := grammar.Pi16("json")
	var err error
	for _, word := range []string{"header", "run", "user("} {
		var s native.Skimmed
		native.Skim([]byte(words[word]), &s)
		err = c.Observe(&s)
	}
	const want = "line 3: got message_start of user, want turn_start, or agent_settled"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
