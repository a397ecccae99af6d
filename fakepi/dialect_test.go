package fakepi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// Where the dialects part in what they print (docs/pi-formats.md, section 14): each row was seen with the real Pis. A
// worker is driven until the first thing that is sent; only what comes from then on is compared, without the session.
func TestDialectsPart(t *testing.T) {
	const (
		prompt  = "0s prompt \"x\"\n"
		dialog  = prompt + "+1s tool bash \"x\" runs 1h as=t\n@t asks confirm \"?\""
		abort   = `{"id":"a","type":"abort"}`
		made    = "turn_start +assistant -assistant turn_end agent_end"
		stopped = "tool_execution_end +result -result turn_end " + made
	)
	at := time.Minute
	tests := []struct {
		name, src   string
		sent        []sent
		pi16, pi073 string
		reason      string
	}{
		{"abort in a reply", prompt + "+1s says \"a\"\n+0s stalls", []sent{{at: at, line: abort}},
			"text_end -assistant turn_end agent_end agent_settled response", "text_end -assistant turn_end agent_end response", ""},
		{"abort before headers", prompt + "+0s stalls", []sent{{at: at, line: abort}},
			"+assistant -assistant turn_end agent_end agent_settled response", "+assistant -assistant turn_end agent_end response", ""},
		{"abort in a tool", prompt + "+1s tool bash \"x\" runs never", []sent{{at: at, line: abort}},
			stopped + " agent_settled response", stopped + " response", ""},
		{"abort under a dialog, refused", dialog, []sent{{at: at, line: abort}, {at: 2 * at, answer: "no"}},
			stopped + " agent_settled response", stopped + " response", "no answer before the dialog closes (12i)"},
		{"abort under a dialog, allowed", dialog, []sent{{at: at, line: abort}, {at: 2 * at, answer: "yes"}},
			stopped + " agent_settled response", "tool_execution_update{} " + stopped + " response", "0.73 lets the gate decide and stops the call"},
		{"abort under a dialog of a batch", prompt + "+1s tool bash \"x\" runs 1h as=t\n@t asks confirm \"?\"\n@t+2h tool bash \"y\" runs 1s",
			[]sent{{at: at, line: abort}, {at: 2 * at, answer: "no"}},
			"tool_execution_end tool_execution_start tool_execution_end +result -result +result -result turn_end " + made + " agent_settled response",
			"tool_execution_end tool_execution_start tool_execution_update{} tool_execution_end +result -result +result -result turn_end " + made + " response", ""},
		{"abort in a delay", prompt + "+1s refused transient\n+0s retries 10m", []sent{{at: at, line: abort}},
			"auto_retry_end agent_settled response", "auto_retry_end response", ""},
		{"abort in a retry", prompt + "+1s refused transient\n+0s retries 2s\n+0s says \"a\"\n+0s stalls", []sent{{at: at, line: abort}},
			"text_end -assistant auto_retry_end turn_end agent_end agent_settled response", "text_end -assistant auto_retry_end turn_end agent_end response", "an aborted reply has not failed"},
		{"abort in a compaction", prompt + "+1s says \"a\"\n+0s ends\n+0s compacts runs 2m\n+0s settles", []sent{{at: at, line: abort}},
			"compaction_end agent_settled response", "response compaction_end", "0.73 answers and goes on (16c)"},
		{"messages wait for a compaction", prompt + "+1s says \"a\"\n+0s ends\n+0s compacts runs 2m\n+0s says \"b\"\n+0s settles",
			[]sent{{at: at, line: `{"type":"steer","message":"m"}`}},
			"queue_update response compaction_end agent_start turn_start queue_update +user -user {says} turn_end agent_end agent_settled",
			"queue_update response compaction_end agent_start turn_start queue_update +user -user {says} turn_end agent_end", "they are then delivered"},
		{"a steer in a delay", prompt + "+1s refused transient\n+0s retries 2m\n+0s says \"b\"\n+0s settles",
			[]sent{{at: at, line: `{"type":"steer","message":"m"}`}},
			"queue_update response agent_start turn_start queue_update +user -user +assistant text_start text_delta text_end -assistant auto_retry_end turn_end agent_end agent_settled",
			"queue_update response agent_start turn_start queue_update +user -user +assistant text_start text_delta text_end -assistant auto_retry_end turn_end agent_end", ""},
		{"a failure that is not retried", prompt + "+1s refused transient\n+0s retries 90s\n+0s refused auth\n+0s settles\n+1s prompt \"y\"\n+0s says \"b\"\n+0s settles", []sent{{at: at}},
			"agent_start turn_start {failed} auto_retry_end agent_settled response agent_start turn_start +user -user {says} {end}",
			"agent_start turn_start {failed} response agent_start turn_start +user -user +assistant text_start text_delta text_end -assistant auto_retry_end turn_end agent_end",
			"0.73 says nothing, and calls the next good reply a success of the retry"},
		{"retries exhausted", prompt + "+1s refused transient\n+0s retries 90s\n+0s refused transient\n+0s settles", []sent{{at: at}},
			"agent_start turn_start {failed} auto_retry_end agent_settled", "agent_start turn_start {failed} auto_retry_end", ""},
		{"too large again", prompt + "+1s refused overflow\n+0s compacts overflow runs 90s\n+0s refused overflow\n+0s settles", []sent{{at: at}},
			"compaction_end agent_start turn_start {failed} compaction_end agent_settled", "compaction_end agent_start turn_start {failed} compaction_end", "an end without a start"},
		{"cut at the token limit", prompt + "+90s calls bash \"x\" as=c\n+0s closes length\n+0s tool @c runs 1s\n+1s settles", []sent{{at: at}},
			"+assistant toolcall_start toolcall_delta*2 toolcall_end -assistant tool_execution_start tool_execution_end +result -result turn_end turn_start +assistant -assistant {end}",
			"+assistant toolcall_start toolcall_delta*2 toolcall_end -assistant tool_execution_start tool_execution_update{} tool_execution_end +result -result turn_end turn_start +assistant -assistant turn_end agent_end", "0.73 runs the calls (17e)"},
		{"driven: two prompts at once", "10m chatter queue", []sent{{at: at, line: `{"type":"prompt","message":"a"}`}, {at: at, line: `{"type":"prompt","message":"b"}`}},
			"response*2 agent_start agent_settled turn_start +system -system +user -user {says} {end}", "response*2 agent_start turn_start +user -user {says} turn_end agent_end", "the second is lost (21a)"},
		{"driven: a prompt in a delay", prompt + "+1s refused transient\n+0s retries 2m\n+1h prompt \"y\"\n+0s says \"b\"\n+0s settles",
			[]sent{{at: ms, line: `{"type":"prompt","message":"m"}`}, {at: at, line: `{"type":"prompt","message":"m"}`}},
			"response {run} {failed} auto_retry_start entry_appended refused agent_start turn_start",
			"response agent_start turn_start +user -user {failed} auto_retry_start response agent_start turn_start +user -user",
			"0.73 is idle then, and the prompt takes the place of the retry, to which the script has no reply"},
		{"compaction in a one-shot", "0s spawn mode=json\n" + prompt + "+1s says \"a\"\n+0s ends\n+1m compacts runs 1m\n+0s settles", []sent{{at: at}},
			"compaction_start compaction_end agent_settled {exit} exit:0", "compaction_start {exit} exit:0", "0.73 lets go of its session and lives on (16e)"},
	}
	for _, tt := range tests {
		for i, want := range []string{tt.pi16, tt.pi073} {
			lang := tongues[i]
			w := newWorker(t, tt.src, in(lang.dialect), func(c *fakepi.Config) { c.Driven = strings.HasPrefix(tt.name, "driven") })
			play(w, tt.sent[0].at-ms, nil)
			todo := slices.DeleteFunc(slices.Clone(tt.sent), func(s sent) bool { return s.line == "" && s.answer == "" })
			outs := without(drive(w, todo), fakepi.Session, fakepi.In)
			if got := tokens(outs); got != expand(want) {
				t.Errorf("%s in %s (%s):\n%s", tt.name, lang.dialect, tt.reason, cmp.Diff(expand(want), got))
			}
		}
	}
}

// What Pi writes where the dialects differ in their words (docs/pi-formats.md, sections 2, 3.2 and 11).
func TestTextsByDialect(t *testing.T) {
	long := func(lines int) string { return strings.Repeat("line\n", lines) }
	tests := []struct {
		name, src, pi16, pi073 string
		abort                  bool
	}{
		{"aborted before headers", "0s prompt \"x\"\n+0s stalls", "Request aborted", "Request was aborted.", true},
		{"aborted in a reply", "0s prompt \"x\"\n+1s says \"a\"\n+0s stalls", "Request was aborted", "Request was aborted", true},
		{"aborted behind a tool", "0s prompt \"x\"\n+1s tool bash \"x\" runs never", "This operation was aborted", "Request was aborted.", true},
		{"refused", "0s prompt \"x\"\n+1s refused transient", `529: {"message":"Overloaded","type":"overloaded_error","code":null}`, "529 Overloaded", false},
		{"written", "0s prompt \"x\"\n+1s tool write \"é.txt\" runs 0s\n+1s stalls", "Successfully wrote to é.txt", "Successfully wrote 5 bytes to é.txt", false},
		{"no such tool", "0s prompt \"x\"\n+1s tool nothing \"x\" runs 0s blocked\n+1s stalls", "Tool nothing not found", "Tool nothing not found", false},
		{"a gate that throws", "0s prompt \"x\"\n+1s tool bash \"x\" runs 0s blocked gives \"gate failed\"\n+1s stalls", "gate failed", "gate failed", false},
		{"a file that is not there", "0s prompt \"x\"\n+1s tool read \"f\" runs 0s fails\n+1s stalls",
			"ENOENT: no such file or directory, access '/home/dev/project/f'", "ENOENT: no such file or directory, access '/home/dev/project/f'", false},
		{"bursts of lines", "0s prompt \"x\"\n+1s tool bash \"x\" bursts 1s gives \"a\\nb\\nc\\n\" runs 2500ms\n+0s stalls", "c", "c", false},
		{"a long output", fmt.Sprintf("0s prompt \"x\"\n+1s tool bash \"x\" gives %q runs 0s\n+1s stalls", long(2500)),
			"[Showing lines 501-2500 of 2500. Full output: LOG]", "[Showing lines 502-2501 of 2501. Full output: LOG]", false},
		{"an output of 2000 lines", fmt.Sprintf("0s prompt \"x\"\n+1s tool bash \"x\" gives %q runs 0s\n+1s stalls", long(2000)),
			"line", "[Showing lines 2-2001 of 2001. Full output: LOG]", false},
		{"a long line", fmt.Sprintf("0s prompt \"x\"\n+1s tool bash \"x\" gives %q runs 0s\n+1s stalls", strings.Repeat("x", 1<<20)),
			"[Showing last 50.0KB of line 1 (line is 1.0MB). Full output: LOG]", "[Showing last 50.0KB of line 1 (line is 1.0MB). Full output: LOG]", false},
		{"many bytes", fmt.Sprintf("0s prompt \"x\"\n+1s tool bash \"x\" gives %q runs 0s\n+1s stalls", strings.Repeat(strings.Repeat("x", 999)+"\n", 100)),
			"[Showing lines 50-100 of 100 (50.0KB limit). Full output: LOG]", "[Showing lines 50-101 of 101 (50.0KB limit). Full output: LOG]", false},
		{"a long file", fmt.Sprintf("0s prompt \"x\"\n+1s tool read \"f\" gives %q runs 0s\n+1s stalls", long(2500)),
			"[Showing lines 1-2000 of 2501. Use offset=2001 to continue.]", "[Showing lines 1-2000 of 2501. Use offset=2001 to continue.]", false},
		{"a file of one line", fmt.Sprintf("0s prompt \"x\"\n+1s tool read \"f\" gives %q runs 0s\n+1s stalls", strings.Repeat("x", 60000)),
			"[Line 1 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '1p' f | head -c 51200]", "[Line 1 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '1p' f | head -c 51200]", false},
	}
	for _, tt := range tests {
		for i, want := range []string{tt.pi16, tt.pi073} {
			w := newWorker(t, tt.src, in(tongues[i].dialect))
			outs := play(w, time.Minute, nil)
			if tt.abort {
				outs = w.Send(time.Minute, []byte(`{"type":"abort"}`), outs)
			}
			if got := lastWords(t, tongues[i].codec, outs); got != want {
				t.Errorf("%s in %s: got %q, want %q", tt.name, tongues[i].dialect, got, want)
			}
		}
	}
}

// lastWords is the last line of what Pi made of the last message that was told: its error, or the text of a result.
func lastWords(t *testing.T, codec native.Codec, outs []fakepi.Output) string {
	t.Helper()
	text := ""
	for _, o := range outs {
		if o.Stream != fakepi.Out || o.Data == nil {
			continue
		}
		r, err := codec.Decode(o.Data)
		if err != nil {
			t.Fatal(err)
		}
		end, ok := r.(*native.MessageEnd)
		if !ok {
			continue
		}
		switch m := end.Message.(type) {
		case *native.AssistantMessage:
			text = m.ErrorMessage.V
		case *native.ToolResultMessage:
			text = m.Content[0].(*native.TextBlock).Text
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	before, log, found := strings.Cut(lines[len(lines)-1], "/tmp/pi-bash-")
	if found && len(log) == len("0123456789abcdef.log]") {
		return before + "LOG]"
	}
	return lines[len(lines)-1]
}
