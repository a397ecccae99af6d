package fakepi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/recording"
)

// sent is what a test does to a worker from outside.
type sent struct {
	at     time.Duration
	line   string
	signal string
	answer string // to the open dialog
	eof    bool
}

const ms = time.Millisecond

// The same story told by a script has the same records as the recording of the real Pi, key by key, on stdout and in
// the session file, in every dialect that has the recording. Values are masked, and what an update shows of the whole
// message, which depends on how the network cut the reply.
func TestLikeRecordings(t *testing.T) {
	getState := sent{at: time.Hour, line: `{"id":"s","type":"get_state"}`}
	const slow = `A slow reply that takes a while to finish.`
	tests := []struct {
		dir, src string
		sent     []sent
	}{
		{"rpc/01-simple", `0s prompt "Say hello."
			+500ms says "Hello there, this is a short reply." chunks 4
			+0s settles`, []sent{getState}},
		{"json/05-tool-bash", `0s spawn mode=json
			+0s prompt "Run echo hello."
			+100ms says "Running it." chunks 2
			+1ms tool bash "echo hello" runs 8ms gives "hello\n"
			+1ms says "It printed hello." chunks 2
			+0s settles`, nil},
		{"json/07-parallel-tools", `0s spawn mode=json
			+0s prompt "Run three things."
			+1s tool bash "sleep 3; echo slow" runs 3s gives "slow\n" as=a
			@a tool bash "sleep 1; echo fast" runs 1s gives "fast\n"
			@a tool read "README.md" runs 12ms gives "# Demo\n"
			@a.end says "All done." chunks 2
			+0s settles`, nil},
		{"rpc/06b-long-tool-output", `0s prompt "Run the slow job."
			+1s tool bash "for" runs 12s bursts 1900ms as=t
			@t.end says "All done." chunks 2
			+0s settles`, []sent{getState}},
		{"rpc/10a-retry-429-ok", `0s prompt "x"
			+1s refused transient
			+0s retries 2s
			+0s says "Recovered." chunks 2
			+0s settles`, []sent{getState}},
		{"json/10c-retry-529-exhausted", `0s spawn mode=json
			+0s prompt "x"
			+1s refused transient
			+0s retries 2s
			+0s refused transient
			+0s retries 4s
			+0s refused transient
			+0s retries 8s
			+0s refused transient
			+0s settles`, nil},
		{"json/10d-error-401", `0s spawn mode=json
			+0s prompt "x"
			+1s refused auth
			+0s settles`, nil},
		{"rpc/11a-rst-midstream", `0s prompt "x"
			+1s says "First part. " chunks 3
			+1s refused transient
			+0s retries 2s
			+0s says "Recovered." chunks 2
			+0s settles`, []sent{getState}},
		{"rpc/12a-select-answered", `0s prompt "Run it."
			+1s tool bash "echo ask-select" runs 10ms gives "ask-select\n" as=t
			@t asks select "Allow this command?" "Allow" "Block" as=ask
			@ask+5s thinks 1s
			+0s says "All done." chunks 2
			+0s settles`, []sent{{at: 2 * time.Second, line: `{"id":"q","type":"get_state"}`}, {at: 6 * time.Second, answer: "Allow"}, getState}},
		{"rpc/12c-confirm-timeout", `0s prompt "Run it."
			+1s tool bash "echo" runs 10ms as=t
			@t asks confirm "Run command?" timeout=4s
			+1s says "All done." chunks 2
			+0s settles`, []sent{getState}},
		{"rpc/12g-fire-and-forget", `0s prompt "Run it."
			+1s tool bash "echo" runs 10ms gives "x\n" as=t
			@t notifies "about to run"
			@t notifies status "running"
			@t notifies widget "line 1\nline 2"
			@t notifies title "pi - demo"
			@t.end+1s says "All done." chunks 2
			+0s settles`, []sent{getState}},
		{"rpc/12k-sigterm-during-dialog", `0s prompt "Run it."
			+1s tool bash "echo" runs 10ms as=t
			@t asks select "Allow?" "Allow" "Block"`, []sent{{at: 2 * time.Second, signal: "SIGTERM"}, {at: 4 * time.Second, signal: "SIGKILL"}}},
		{"rpc/13a-abort-midstream", `0s prompt "x"
			+1s says "First part. " chunks 3
			+0s stalls`, []sent{{at: 3 * time.Second, line: `{"id":"req-2","type":"abort"}`}, getState}},
		{"rpc/13b-abort-midtool", `0s prompt "x"
			+1s tool bash "sleep" runs 20s bursts 100ms for 100ms
			+1s stalls`, []sent{{at: 3 * time.Second, line: `{"id":"req-2","type":"abort"}`}, getState}},
		{"rpc/14a-steer-midstream", `0s prompt "x"
			+1s says "` + slow + `" over 7s chunks 7 as=a
			@a+2500ms steer "y"
			@a.end closes
			+1s says "Steered reply." chunks 2
			+0s settles`, []sent{getState}},
		{"rpc/14b-followup-midstream", `0s prompt "x"
			+1s says "` + slow + `" over 7s chunks 7 as=a
			@a+2500ms follow_up "y"
			@a.end closes
			+1s says "Follow-up reply." chunks 2
			+0s settles`, []sent{getState}},
		{"rpc/14d-steer-idle", `0s prompt "x"
			+1s says "First." chunks 2
			+0s settles
			+1s steer "y"
			+3s prompt "Next."
			+1s says "Second." chunks 2
			+0s settles`, []sent{{at: 3 * time.Second, line: `{"id":"s","type":"get_state"}`}}},
		{"rpc/15a-thinking", `0s prompt "x"
			+1s thinks "Let me think" chunks 4
			+1s says "Here is the answer." chunks 3
			+0s settles`, []sent{getState}},
		{"rpc/16a-compact-manual", `0s prompt "x"
			+1s says "word word" chunks 2
			+0s settles
			+1s prompt "More."
			+1s says "word word" chunks 2
			+0s settles
			+1s compacts manual runs 5s as=c
			@c.end prompt "Go on."
			+1s says "ok" chunks 1
			+0s settles`, []sent{{at: 6 * time.Second, line: `{"id":"q","type":"get_state"}`}, {at: time.Hour, line: `{"id":"r","type":"get_session_stats"}`}}},
		{"rpc/16f-compact-overflow", `0s prompt "x"
			+1s says "word word" chunks 2
			+0s settles
			+1s prompt "More."
			+1s refused overflow
			+0s compacts overflow runs 3s
			+1s says "After overflow recovery." chunks 2
			+0s settles`, nil},
		{"json/16e-compact-auto-threshold", `0s spawn mode=json
			+0s prompt "x"
			+1s says "word word" chunks 2
			+0s ends
			+0s compacts runs 4s
			+0s settles`, nil},
		{"rpc/18a-bash-exit3", `0s prompt "x"
			+1s tool bash "exit 3" runs 12ms fails gives "oops\n"
			+1s says "All done." chunks 2
			+0s settles`, []sent{getState}},
		{"json/18d-edit-write-ok", `0s spawn mode=json
			+0s prompt "x"
			+1s tool edit "README.md" runs 4ms as=e
			@e tool write "new.txt" runs 3ms
			@e.end says "All done." chunks 2
			+0s settles`, nil},
		{"json/24a-length", `0s spawn mode=json
			+0s prompt "x"
			+1s says "A reply that is" chunks 3
			+0s closes length
			+0s settles`, nil},
		{"rpc/04-true-stall-sigterm", `0s prompt "x"
			+1s says "First part. " chunks 3
			+0s stalls`, []sent{{at: 3 * time.Second, signal: "SIGTERM"}}},
		{"rpc/04-true-stall-sigkill", `0s prompt "x"
			+1s says "First part. " chunks 3
			+0s stalls`, []sent{{at: 3 * time.Second, signal: "SIGKILL"}}},
		{"rpc/20b-stdin-eof-midstream", `0s prompt "x"
			+1s says "First part. " chunks 3
			+0s stalls`, []sent{{at: 3 * time.Second, eof: true}}},
		{"rpc/21b-prompt-while-streaming", `0s prompt "x"
			+1s says "First answer" over 6s chunks 6 as=a
			@a.end closes
			+1s says "Second." chunks 2
			+0s closes
			+1s says "Third." chunks 2
			+0s settles`, []sent{
			{at: 1500 * ms, line: `{"id":"r","type":"prompt","message":"No behavior."}`},
			{at: 1600 * ms, line: `{"id":"r","type":"prompt","message":"Steer me.","streamingBehavior":"steer"}`},
			{at: 1700 * ms, line: `{"id":"r","type":"prompt","message":"Follow me.","streamingBehavior":"followUp"}`},
			getState,
		}},
		{"json/01-simple", `0s spawn mode=json
			+0s prompt "Say hello."
			+500ms says "Hello there, this is a short reply." chunks 4
			+0s settles`, nil},
		{"json/03-stall-resume", `0s spawn mode=json
			+0s prompt "Say hello."
			+500ms says "First part. " chunks 3
			+30s says "Second part." chunks 4
			+0s settles`, nil},
		{"json/04-true-stall-sigint", `0s spawn mode=json
			+0s prompt "Say hello."
			+500ms says "First part. " chunks 3
			+0s stalls`, []sent{{at: 3 * time.Second, signal: "SIGINT"}}},
		{"rpc/02a-slow-ttft-headers-late", `0s prompt "Say hello."
			+8s says "Hello after a while." chunks 3
			+0s settles`, []sent{getState}},
		{"rpc/02c-slow-ttft-role-early", `0s prompt "Say hello."
			+100ms opens
			+8s says "Hello after a while." chunks 3
			+0s settles`, []sent{getState}},
		{"rpc/06a-long-tool-silent", `0s prompt "x"
			+100ms tool bash "sleep 12" runs 12s gives "x\n"
			+100ms says "All done." chunks 2
			+0s settles`, []sent{getState}},
		{"json/08a-kill9-during-tool", `0s spawn mode=json
			+0s prompt "x"
			+100ms tool bash "sleep" runs never`, []sent{{at: 3 * time.Second, signal: "SIGKILL"}}},
		{"rpc/08a-kill9-during-tool", `0s prompt "x"
			+100ms tool bash "sleep" runs never`, []sent{{at: 3 * time.Second, signal: "SIGKILL"}}},
		{"json/08b-kill9-after-tool", `0s spawn mode=json
			+0s prompt "x"
			+100ms tool write "effect.txt" runs 10ms
			+0s stalls`, []sent{{at: 3 * time.Second, signal: "SIGKILL"}}},
		{"json/08f-kill9-first-stream", `0s spawn mode=json
			+0s prompt "x"
			+100ms says "First part. " chunks 2
			+0s stalls`, []sent{{at: 3 * time.Second, signal: "SIGKILL"}}},
		{"json/10a-retry-429-ok", `0s spawn mode=json
			+0s prompt "x"
			+1s refused transient status=429
			+0s retries 2s
			+0s says "Recovered." chunks 2
			+0s settles`, nil},
		{"rpc/10c-retry-529-exhausted", `0s prompt "x"
			+1s refused transient
			+0s retries 2s
			+0s refused transient
			+0s retries 4s
			+0s refused transient
			+0s retries 8s
			+0s refused transient
			+0s settles`, []sent{getState}},
		{"json/12a-gate-no-ui", `0s spawn mode=json
			+0s prompt "Run it."
			+1s tool bash "echo" runs 10ms as=t
			@t asks select "Allow?" "Allow" "Block"
			+1s says "All done." chunks 2
			+0s settles`, nil},
		{"json/15c-anthropic-text", `0s spawn mode=json
			+0s prompt "Say hello."
			+100ms says "Hello there, this is a short reply." over 80ms chunks 3
			+0s settles`, nil},
		{"json/17a-args-truncated-json", `0s spawn mode=json
			+0s prompt "Run it."
			+1s tool bash args "{\"command\":\"echo hel" runs 10ms gives "hel\n" as=t
			@t.end says "All done." chunks 2
			+0s settles`, nil},
		{"json/18f-bash-background-child", `0s spawn mode=json
			+0s prompt "x"
			+1s tool bash "sleep 6 & echo started" runs 107ms gives "started\n" as=t
			@t.end says "All done." chunks 2
			+0s settles`, nil},
		{"json/22a-unicode", `0s spawn mode=json
			+0s prompt "x"
			+1s says "a\u2028b" chunks 1
			+0s settles`, nil},
		{"rpc/23a-silence-30s", `0s prompt "x"
			+1s says "First" chunks 2
			+30s says "Second part." chunks 1
			+0s settles`, []sent{getState}},
		{"rpc/20a-stdin-eof-idle", `10s chatter queue`, []sent{{at: 2 * time.Second, line: `{"id":"s","type":"get_state"}`}, {at: 3 * time.Second, eof: true}}},
	}
	played := map[native.Dialect]int{}
	for _, tt := range tests {
		src := strings.ReplaceAll(tt.src, "\t", "")
		for _, lang := range tongues {
			name := lang.version + "/" + tt.dir
			dir := filepath.Join("native/testdata/recordings", name)
			if _, err := os.Stat(dir); err != nil {
				continue
			}
			played[lang.dialect]++
			outs := drive(newWorker(t, src, in(lang.dialect), func(c *fakepi.Config) {
				if strings.Contains(tt.dir, "anthropic") {
					speakAnthropic(c)
				}
			}), tt.sent)
			compareShapes(t, name+" stdout", recorded(t, dir), lines(outs, fakepi.Out))
			compareShapes(t, name+" session", recordedSession(t, dir), lines(outs, fakepi.Session))
		}
	}
	if played[native.Pi16] < 28 || played[native.Pi073] < 28 {
		t.Errorf("got %v recordings told, want 28 of each dialect", played)
	}
}

// drive plays a worker and does to it what is sent.
func drive(w *fakepi.Worker, todo []sent) []fakepi.Output {
	var outs []fakepi.Output
	for _, s := range todo {
		outs = play(w, s.at, outs)
		switch {
		case s.signal != "":
			outs = w.Signal(s.at, s.signal, outs)
		case s.eof:
			outs = w.CloseStdin(s.at, outs)
		case s.answer != "":
			outs = w.Send(s.at, w.Answer(s.answer, false), outs)
		default:
			outs = w.Send(s.at, []byte(s.line), outs)
		}
	}
	return play(w, horizon, outs)
}

func lines(outs []fakepi.Output, stream string) [][]byte {
	var list [][]byte
	for _, o := range outs {
		if o.Stream == stream && o.Data != nil {
			list = append(list, o.Data)
		}
	}
	return list
}

func recorded(t *testing.T, dir string) [][]byte {
	t.Helper()
	events, err := recording.ReadFile(filepath.Join(dir, recording.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for _, e := range events {
		if e.Dir == recording.Out {
			list = append(list, e.Line)
		}
	}
	return list
}

func recordedSession(t *testing.T, dir string) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "session", "*.jsonl"))
	if err != nil || len(files) > 1 {
		t.Fatalf("%s: got session files %v (%v), want one at most", dir, files, err)
	}
	if len(files) == 0 {
		return nil // the worker was gone before its file began
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for _, line := range strings.SplitAfter(string(data), "\n") {
		if line != "" {
			list = append(list, []byte(line))
		}
	}
	return list
}

func compareShapes(t *testing.T, name string, want, got [][]byte) {
	t.Helper()
	if d := cmp.Diff(shapes(want), shapes(got)); d != "" {
		t.Errorf("%s: -recorded +played\n%s", name, d)
	}
}

// shapes writes each line's shape. How the provider cuts the arguments of a call is left out.
func shapes(lines [][]byte) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		v, err := native.ParseValue(line)
		if err != nil {
			list[i] = "not JSON: " + err.Error()
			continue
		}
		list[i] = shape("", v)
	}
	for i := range list { // it is there unless the clock ticked between two statements of Pi
		list[i] = strings.ReplaceAll(list[i], made+",durationMs:number", made)
	}
	return slices.CompactFunc(list, func(a, b string) bool { return a == b && strings.Contains(a, "toolcall_delta") })
}

// made is where the reply that Pi makes up after an aborted tool has its duration, or not.
const made = "stopReason:aborted,errorMessage:string,timestamp:number"

// words are the keys whose strings matter.
var words = map[string]bool{
	"type": true, "role": true, "stopReason": true, "method": true, "command": true, "disposition": true,
	"reason": true, "toolName": true, "api": true,
}

// shape writes a value with its keys in their order and its scalars by their type.
func shape(key string, v native.Value) string {
	switch v := v.(type) {
	case native.String:
		if words[key] {
			return string(v)
		}
		return "string"
	case native.Number:
		return "number"
	case native.Array:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = shape(key, e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case native.Object:
		return shapeObject(v)
	}
	return fmt.Sprint(v)
}

func shapeObject(o native.Object) string {
	kind, _ := o.Get("type").(native.String)
	var parts []string
	for _, m := range o {
		switch {
		case kind == "message_update" && (m.Key == "usage" || m.Key == "message"), m.Key == "partial":
			continue
		case m.Key == "arguments" || m.Key == "args" || m.Key == "options":
			parts = append(parts, m.Key)
		case m.Key == "command" && kind != "response":
			parts = append(parts, "command:string")
		default:
			parts = append(parts, m.Key+":"+shape(m.Key, m.Value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}
