package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
)

// What an idle worker answers, byte for byte (docs/pi-formats.md, section 6).
func TestAnswers(t *testing.T) {
	tests := []struct{ sent, want, reason string }{
		{`not json`, `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: Unexpected token 'o', \"not json\" is not valid JSON"}`, "fails at the second letter of null"},
		{`{"type":`, `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: Unexpected end of JSON input"}`, ""},
		{``, `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: Unexpected end of JSON input"}`, "an empty line"},
		{`{"type":"get_state" and a long tail}`, `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: Expected ',' or '}' after property value in JSON at position 20 (line 1 column 21)"}`, "the place is told"},
		{`"abc\`, `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: Unexpected end of JSON input"}`, "it ends in an escape"},
		{`😀 z`, `{"type":"response","command":"parse","success":false,"error":"Failed to parse command: Unexpected token '\ud83d', \"😀 z\" is not valid JSON"}`, "the half of a character"},
		{"{\"id\":\"\xed\xa0\x80 \xe2\x80\",\"type\":\"b\"}", `{"id":"��� �","type":"response","command":"b","success":false,"error":"Unknown command: b"}`, "no UTF-8"},
		{`{"id":[1e400,-0,12345678901234567890],"type":"b"}` + "\r", `{"id":[null,0,12345678901234567000],"type":"response","command":"b","success":false,"error":"Unknown command: b"}`, "numbers are doubles, and a CR goes"},
		{`[]`, `{"type":"response","success":false,"error":"Unknown command: undefined"}`, ""},
		{`42`, `{"type":"response","success":false,"error":"Unknown command: undefined"}`, ""},
		{`{}`, `{"type":"response","success":false,"error":"Unknown command: undefined"}`, ""},
		{`{"id":"x1","type":"bogus"}`, `{"id":"x1","type":"response","command":"bogus","success":false,"error":"Unknown command: bogus"}`, "1.6 repeats the id"},
		{`{"id":"x2","type":"prompt"}`, `{"id":"x2","type":"response","command":"prompt","success":false,"error":"Cannot read properties of undefined (reading 'startsWith')"}`, ""},
		{`{"type":"extension_ui_response","id":"nope","value":"x"}`, ``, "an unknown id is ignored"},
		{`{"id":7,"type":"set_auto_retry","enabled":true}`, `{"id":7,"type":"response","command":"set_auto_retry","success":true}`, "a number stays one"},
		{`{"id":"a","type":"abort"}`, `{"id":"a","type":"response","command":"abort","success":true}`, "nothing to abort"},
		{`{"type":"steer","message":"y"}`, `{"type":"queue_update","steering":["y"],"followUp":[]}` + "\n" + `{"type":"response","command":"steer","success":true,"data":{"disposition":"queued"}}`, "accepted and does nothing (14d)"},
		{`{"type":"follow_up","message":"y"}`, `{"type":"queue_update","steering":[],"followUp":["y"]}` + "\n" + `{"type":"response","command":"follow_up","success":true,"data":{"disposition":"queued"}}`, ""},
	}
	for _, tt := range tests {
		w := newWorker(t, "0s chatter queue")
		play(w, time.Second, nil)
		got := text(w.Send(time.Minute, []byte(tt.sent+"\n"), nil))
		want := tt.want
		if want != "" {
			want += "\n"
		}
		if got != want {
			t.Errorf("%s (%s):\n%s", tt.sent, tt.reason, cmp.Diff(want, got))
		}
	}
}

func text(outs []fakepi.Output) string {
	var b strings.Builder
	for _, o := range outs {
		b.Write(o.Data)
	}
	return b.String()
}

// Lines that kill the worker (docs/pi-formats.md, section 6).
func TestDeadlyLines(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	tests := []struct{ line, want, reason string }{
		{"null", "err closed:out closed:err exit:1", "it has no type"},
		{`{"type":"get_commands","id":` + nested(4000) + "}", "response", "the measured bound is at 4,100"},
		{`{"type":"get_commands","id":` + nested(4200) + "}", "err closed:out closed:err exit:1", "Pi cannot write the id"},
		{`{"type":"get_commands","id":` + nested(20000) + "}", "err closed:out closed:err exit:1", ""},
		{`{"type":"get_commands","x":` + nested(200_000) + "}", "response", "nobody writes it"},
		{nested(20000) + "x", "refused", "no JSON at all"},
	}
	for _, tt := range tests {
		w := newWorker(t, "0s chatter queue")
		if got := tokens(drive(w, []sent{{at: time.Second, line: tt.line}})); got != "queue_update "+tt.want {
			t.Errorf("%.40s (%s): got %s, want %s", tt.line, tt.reason, got, tt.want)
		}
	}
}

// What a worker in the middle of something does with what it is sent, the session file left out.
func TestSend(t *testing.T) {
	const prompt = "0s prompt \"x\"\n"
	const gate = prompt + "+1s tool bash \"x\" runs 1s as=t\n@t asks confirm \"?\"\n"
	abort := func(at time.Duration) sent { return sent{at: at, line: `{"type":"abort"}`} }
	tests := []struct {
		name, src string
		sent      []sent
		want      string
		reason    string
	}{
		{"abort before the first token", prompt + "+0s stalls", []sent{abort(time.Second)}, "{prompt} {failed} agent_settled response", ""},
		{"abort of a reply", prompt + "+1s says \"a\"\n+0s stalls", []sent{abort(2 * time.Second)}, "{prompt} {says} {end} response", "(13a)"},
		{"abort of a tool", prompt + "+1s tool bash \"x\" runs never", []sent{abort(2 * time.Second)}, "{prompt} {bash} {done} +assistant -assistant {end} response", "one extra empty turn (13b)"},
		{"abort of a call that has not begun", prompt + "+1s calls bash \"x\"\n+0s closes\n+0s stalls", []sent{abort(2 * time.Second)},
			"{prompt} +assistant toolcall_start toolcall_delta*2 toolcall_end -assistant tool_execution_start {done} +assistant -assistant {end} response", ""},
		{"abort in backoff", prompt + "+1s refused transient\n+0s retries 8s\n+0s says \"a\"\n+0s settles", []sent{abort(2 * time.Second)},
			"{prompt} {failed} auto_retry_start entry_appended auto_retry_end agent_settled response", "the rest of the run is gone"},
		{"abort of a compaction", prompt + "+1s says \"a\"\n+0s ends\n+0s compacts runs never", []sent{abort(time.Minute)},
			"{prompt} {says} turn_end agent_end compaction_start compaction_end agent_settled response", ""},
		{"abort of a manual compaction", prompt + "+1s says \"a\"\n+0s settles\n+0s compacts manual runs never", []sent{abort(time.Minute)},
			"{prompt} {says} {end} in:compact compaction_start compaction_end refused response", ""},
		{"abort of an end that hangs", prompt + "+1s says \"a\"\n+0s ends\n+0s stalls", []sent{abort(time.Minute)}, "{prompt} {says} turn_end agent_end agent_settled response", ""},
		{"abort of a deaf worker", prompt + "+1s says \"a\"\n+0s wedges", []sent{abort(time.Minute)}, "{prompt} +assistant text_start text_delta", ""},
		{"abort under a dialog", gate, []sent{abort(time.Minute)}, "{prompt} {call} tool_execution_start extension_ui_request", "no answer (12i)"},
		{"abort under a dialog that closes", gate, []sent{abort(time.Minute), {at: 2 * time.Minute, answer: "yes"}},
			"{prompt} {call} tool_execution_start extension_ui_request {done} +assistant -assistant {end} response", "(12o)"},
		{"yes", gate, []sent{{at: time.Minute, answer: "yes"}}, "{prompt} {call} tool_execution_start extension_ui_request tool_execution_update{} {done}", ""},
		{"no", gate, []sent{{at: time.Minute, answer: "no"}}, "{prompt} {call} tool_execution_start extension_ui_request {done}", "the gate blocks the call"},
		{"get_state under a dialog", gate, []sent{{at: time.Minute, line: `{"type":"get_state"}`}}, "{prompt} {call} tool_execution_start extension_ui_request response", ""},
		{"what follows a late answer comes as late", gate + "@t.end+1s says \"a\"\n+0s settles", []sent{{at: time.Hour, answer: "yes"}},
			"{prompt} {call} tool_execution_start extension_ui_request tool_execution_update{} {done} {says} {end}", "a step waits until Pi can do it"},
		{"prompt in a run", prompt + "+0s stalls", []sent{{at: time.Minute, line: `{"type":"prompt","message":"y"}`}}, "{prompt} refused", "(21b)"},
		{"prompt to a settled worker", prompt + "+1s says \"a\"\n+0s settles", []sent{{at: time.Minute, line: `{"type":"prompt","message":"y"}`}}, "{prompt} {says} {end} response agent_start turn_start +user -user", ""},
		{"steer that the script does not know", prompt + "+1s says \"a\"\n+10s settles", []sent{{at: 2 * time.Second, line: `{"type":"steer","message":"y"}`}},
			"{prompt} +assistant text_start text_delta queue_update response text_end -assistant turn_end turn_start queue_update +user -user {says} {end}", "gets a short reply"},
		{"anything to a frozen worker", prompt + "+1s wedges frozen", []sent{abort(time.Minute), {at: time.Hour, line: `{"type":"get_state"}`}}, "{prompt}", ""},
		{"anything to a spinning worker", prompt + "+1s wedges spinning", []sent{abort(time.Minute), {at: time.Hour, line: `{"type":"get_state"}`}}, "{prompt}", ""},
	}
	for _, tt := range tests {
		w := newWorker(t, strings.Replace(tt.src, "asks confirm \"?\"\n@t.end", "asks confirm \"?\" timeout=2h\n@t+1s", 1))
		outs := without(drive(w, tt.sent), fakepi.Session)
		if got, want := tokens(outs), expand(tt.want); got != want {
			t.Errorf("%s (%s):\n%s", tt.name, tt.reason, cmp.Diff(want, got))
		}
	}
}

// get_state in every situation (docs/pi-formats.md, section 6).
func TestState(t *testing.T) {
	const prompt = "0s prompt \"x\"\n"
	tests := []struct {
		name, src             string
		streaming, compacting bool
		pending               int
	}{
		{"idle", `0s chatter queue`, false, false, 0},
		{"first token due", prompt + "+0s stalls", true, false, 0},
		{"in a tool", prompt + "+1s tool bash \"x\" runs never", true, false, 0},
		{"in a dialog", prompt + "+1s asks confirm \"?\"", true, false, 0},
		{"backing off", prompt + "+1s refused transient\n+0s retries 10h\n+0s stalls", true, false, 0},
		{"compacting by itself", prompt + "+1s opens\n+0s ends\n+0s compacts runs never", true, true, 0},
		{"compacting by command", prompt + "+1s opens\n+0s settles\n+0s compacts manual runs never", false, true, 0},
		{"settled", prompt + "+1s opens\n+0s settles", false, false, 0},
		{"steered while idle", `0s steer "y"`, false, false, 1},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src)
		play(w, time.Minute, nil)
		if s, c, p := w.State(time.Minute); s != tt.streaming || c != tt.compacting || p != tt.pending {
			t.Errorf("%s: got %v %v %d, want %v %v %d", tt.name, s, c, p, tt.streaming, tt.compacting, tt.pending)
		}
	}
}
