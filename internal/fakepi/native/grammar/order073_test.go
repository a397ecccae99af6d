package grammar_test

import (
	"maps"
	"testing"

	"fakepi.example/internal/fakepi/native/grammar"
)

// words073 are those of pi-0.73: updates are cumulative, a call's id is not known while it
// streams, and nothing tells whether a run will be retried.
func words073() map[string]string {
	w := maps.Clone(words)
	maps.Copy(w, map[string]string{
		"started":    `{"type":"response","command":"prompt","success":true}`,
		"pending(":   `{"type":"message_start","message":{"role":"assistant","stopReason":"pending"}}`,
		"busy":       `{"type":"response","command":"prompt","success":false,"error":"Agent is already processing."}`,
		"vetoed":     `{"type":"response","command":"new_session","success":true,"data":{"cancelled":true}}`,
		"(":          `{"type":"message_start","message":{"role":"assistant","stopReason":"stop"}}`,
		"length)":    `{"type":"message_end","message":{"role":"assistant","stopReason":"length","content":[{"type":"toolCall"},{"type":"toolCall"}]}}`,
		"other)":     `{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":"401"}}`,
		"error)":     `{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":"529"}}`,
		"callA":      `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_start","contentIndex":0,"partial":{}},"message":{}}`,
		"callB":      `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_start","contentIndex":1,"partial":{}},"message":{}}`,
		"/run":       `{"type":"agent_end","messages":[]}`,
		"retry(":     `{"type":"auto_retry_start","delayMs":2000,"errorMessage":"529"}`,
		"manual(":    `{"type":"compaction_start","reason":"manual"}`,
		"too-large)": `{"type":"compaction_end","reason":"overflow","aborted":false,"willRetry":false,"errorMessage":"e"}`,
	})
	return w
}

func TestOrder073(t *testing.T) {
	const begun = "started run turn user( user) "
	const batch = "( callA callB /callA /callB use) "
	tests := []struct {
		reason, mode, stream string
		bad                  string // word at which the stream is refused; "end"; "" if it is right
	}{
		{"a plain reply", "rpc", begun + "( text word /text stop) /turn /run", ""},
		{"a one-shot", "json", "header run turn user( user) ( stop) /turn /run", ""},
		{"a one-shot of two messages", "json", "header run turn user( user) ( stop) /turn /run run turn user( user) ( stop) /turn /run", ""},
		{"a terminal event", "rpc", begun + "( stop) /turn /run settled", "settled"},
		{"the spurious terminal event", "rpc", "started started run settled", "settled"},
		{"a system message", "rpc", "started run turn system(", "system("},
		{"a message that begins pending gets no updates", "rpc", begun + "pending( text", "text"},
		{"an update of a message that failed at once", "rpc", begun + "error( text", "text"},
		{"work that is not over", "rpc", begun + "( stop) /turn", "end"},
		{"a run without the response that starts it", "rpc", begun + "( stop) /turn /run run", "run"},
		{"a prompt that was refused starts none", "rpc", begun + "( stop) busy /turn /run run", "run"},
		{"a prompt in a run is queued and starts none", "rpc", begun + "( started stop) /turn /run run", "run"},
		{"of two prompts at once the second is lost", "rpc", "started started run turn user( user) ( stop) /turn /run run", "run"},
		{"calls named by their start", "rpc", begun + batch + "A( B( B) A) resultA( resultA) resultB( resultB) /turn turn ( stop) /turn /run", ""},
		{"results out of order", "rpc", begun + batch + "A( B( A) B) resultB(", "resultB("},
		{"a batch cut off by an abort", "rpc", begun + batch + "A( A) resultA( refusedA) /turn turn ( aborted) /turn /run", ""},
		{"calls that broke off run all the same", "rpc", begun + "( callA callB /callA /callB length) /turn", "/turn"},
		{"a retry that works", "rpc", begun + "error( error) /turn /run retry( run turn ( text /text stop) retried) /turn /run", ""},
		{"a retry whose success is not told", "rpc", begun + "error( error) /turn /run retry( run turn ( stop) /turn", "/turn"},
		{"an aborted reply ends a retry as well", "rpc", begun + "error( error) /turn /run retry( run turn ( aborted) retried) /turn /run", ""},
		{"an entry is never told", "rpc", begun + "error( error) /turn /run retry( entry", "entry"},
		{"a retry without its announcement", "rpc", begun + "error( error) /turn /run run", "run"},
		{"a retry after a good reply", "rpc", begun + "( stop) /turn /run retry(", "retry("},
		{"a failure that is not retried", "rpc", begun + "error( other) /turn /run", ""},
		{"a delay that has no end", "rpc", begun + "error( error) /turn /run retry(", "end"},
		{"a retry called off", "rpc", begun + "error( error) /turn /run retry( gaveup)", ""},
		{"retries exhausted", "rpc", begun + "error( error) /turn /run retry( run turn error( error) /turn /run gaveup)", ""},
		{"retries exhausted, not told", "rpc", begun + "error( error) /turn /run retry( run turn error( error) /turn /run", "end"},
		{"a retry that fails for good for another reason", "rpc", begun + "error( error) /turn /run retry( run turn error( other) /turn /run", ""},
		{"given up without a retry", "rpc", begun + "error( error) /turn /run gaveup)", "gaveup)"},
		{"compaction after a run, then queued messages", "rpc", begun + "( stop) /turn /run compact( compact) run turn user( user) ( stop) /turn /run", ""},
		{"compaction by command", "rpc", "manual( compact) started run turn user( user) ( stop) /turn /run", ""},
		{"compaction by command drops a run", "rpc", begun + "( text manual( compact)", ""},
		{"automatic compaction inside a run", "rpc", begun + "( text compact(", "compact("},
		{"compaction without end", "rpc", begun + "( stop) /turn /run compact(", "end"},
		{"json mode does not tell the end of a compaction", "json", "header run turn user( user) ( stop) /turn /run compact(", ""},
		{"compaction of an overflow, then the run again", "rpc", begun + "error( other) /turn /run overflow( compact)? run turn ( stop) /turn /run", ""},
		{"the run again, which is due", "rpc", begun + "error( other) /turn /run overflow( compact)?", "end"},
		{"compaction by command before the run again", "rpc", begun + "error( other) /turn /run overflow( compact)? manual( compact)", ""},
		{"an automatic compaction before the run again", "rpc", begun + "error( other) /turn /run overflow( compact)? overflow(", "overflow("},
		{"a retried run that compaction drops", "rpc", begun + "error( error) /turn /run retry( run turn manual( compact) started run turn user( user) ( stop) retried) /turn /run", ""},
		{"an overflow after its compaction", "rpc", begun + "error( other) /turn /run overflow( compact)? run turn error( other) /turn /run too-large)", ""},
		{"a compaction that ends without a start", "rpc", begun + "( stop) /turn /run compact)", "compact)"},
		{"another session drops a run", "rpc", begun + "( text new started run turn user( user) ( stop) /turn /run", ""},
		{"a session that an extension kept", "rpc", begun + "( text vetoed", "end"},
	}
	w := words073()
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got, err := refusedAt(grammar.Pi073(test.mode), w, test.stream)
			if got != test.bad {
				t.Errorf("refused at %q (%v), want %q", got, err, test.bad)
			}
		})
	}
}
