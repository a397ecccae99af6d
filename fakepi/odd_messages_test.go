package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// What Pi says of a session file whose messages it cannot send or count: the words are those that the real one was seen to say.
func TestOddContent(t *testing.T) {
	const usage = `"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},`
	user := func(content string) string { return `{"role":"user",` + content + `"timestamp":1}` }
	reply := func(content, usage string) string {
		return `{"role":"assistant",` + content + `"api":"a","provider":"p","model":"m",` + usage + `"stopReason":"stop","timestamp":1}`
	}
	result := func(content string) string {
		return `{"role":"toolResult","toolCallId":"c","toolName":"bash",` + content + `"isError":false,"timestamp":1}`
	}
	const flatMap, filter = "assistantMsg.content.flatMap is not a function", "assistantMsg.content.filter is not a function"
	tests := []struct {
		name, message     string
		says16, says073   string // the error of the reply; empty: the model is asked
		stats16, stats073 string // the error of get_session_stats
		why               string
	}{
		{"a user's number", user(`"content":7,`), "msg.content.filter is not a function", "msg.content.map is not a function", "", "", ""},
		{"a user's object", user(`"content":{"type":"text","text":"x"},`), "msg.content.filter is not a function", "msg.content.map is not a function", "", "", ""},
		{"a user's text", user(`"content":"hi",`), "", "", "", "", "a text is as good as a list"},
		{"a user's null", user(`"content":null,`), "", "Cannot read properties of null (reading 'map')", "", "", "to Pi 1.6 it is empty"},
		{"a user without", user(""), "", "Cannot read properties of undefined (reading 'map')", "", "", ""},
		{"a reply's number", reply(`"content":7,`, usage), flatMap, flatMap, "", filter, ""},
		{"a reply's text", reply(`"content":"yo",`, usage), flatMap, flatMap, "", filter, "a reply has a list alone"},
		{"a reply without", reply("", usage), "", "Cannot read properties of undefined (reading 'flatMap')", "", "Cannot read properties of undefined (reading 'filter')", ""},
		{"a reply's usage", reply(`"content":[],`, `"usage":7,`), "", "", "Cannot read properties of undefined (reading 'total')", "Cannot read properties of undefined (reading 'total')", ""},
		{"a reply's cost", reply(`"content":[],`, `"usage":{"input":1},`), "", "", "Cannot read properties of undefined (reading 'total')", "Cannot read properties of undefined (reading 'total')", ""},
		{"a result's number", result(`"content":7,`), "content is not iterable", "content is not iterable", "content is not iterable", "message.content is not iterable", ""},
		{"a result's object", result(`"content":{},`), "content is not iterable", "content is not iterable", "content is not iterable", "message.content is not iterable", ""},
		{"a result's null", result(`"content":null,`), "", "content is not iterable", "", "message.content is not iterable", "to Pi 1.6 it is empty"},
		{"a result's text", result(`"content":"hi",`), "", "", "", "", ""},
		{"a whole reply", reply(`"content":[],`, usage), "", "", "", "", ""},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			says, counts := tt.says16, tt.stats16
			if lang.dialect == native.Pi073 {
				says, counts = tt.says073, tt.stats073
			}
			file := bareHeader + `{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z","message":` + tt.message + "}\n"
			w := newWorker(t, "0s prompt \"x\"\n+50ms says \"One.\"\n+0s settles", in(lang.dialect), func(c *fakepi.Config) {
				c.Mode, c.Driven, c.Sessions = "rpc", true, disk{"/s.jsonl": file}
			})
			w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":"/s.jsonl"}`), nil)
			stats := text(w.Send(time.Second, []byte(`{"type":"get_session_stats"}`), nil))
			if failed := strings.Contains(stats, `"success":false`); failed != (counts != "") || !strings.Contains(stats, counts) {
				t.Errorf("%s, %s (%s): get_session_stats says %s, want %q", lang.dialect, tt.name, tt.why, stats, counts)
			}
			run := text(w.Step(2*time.Second+40*time.Millisecond, w.Send(2*time.Second, []byte(`{"type":"prompt","message":"x"}`), nil)))
			if says != "" != strings.Contains(run, `"errorMessage":"`+says+`"`) || says != "" != strings.Contains(run, `"type":"agent_end"`) {
				t.Errorf("%s, %s (%s): the run is %s, want the error %q", lang.dialect, tt.name, tt.why, run, says)
			}
		}
	}
}

// A prompt behind a reply whose usage nobody told is refused, as both versions of Pi do: they look at it before they ask again.
func TestPromptBehindNoUsage(t *testing.T) {
	const complaint = `"command":"prompt","success":false,"error":"Cannot read properties of undefined (reading 'input')"`
	tests := []struct {
		change, settings string
		refused          bool
		reason           string
	}{
		{"", "{}", true, ""},
		{`"stopReason":"error",`, "{}", false, "it is not counted"},
		{`"model":"other",`, "{}", false, "it is another model's"},
		{"", `{"compaction":{"enabled":false}}`, false, "Pi does not look"},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			w := newWorker(t, "0s prompt \"x\"\n+50ms says \"One.\"\n+0s settles", in(lang.dialect), func(c *fakepi.Config) {
				c.Mode, c.Driven = "rpc", true
				settings, err := native.ParseValue([]byte(tt.settings))
				if err != nil {
					t.Fatal(err)
				}
				c.Settings.Global, _ = settings.(native.Object)
				c.Models = []native.Model{{ID: "m", Provider: "p", ContextWindow: 128000}}
				message := `{"role":"assistant","content":[],"api":"a","provider":"p",` + orText(tt.change, `"model":"m",`) + orText(tt.change, `"stopReason":"stop",`) + `"timestamp":1}`
				file := bareHeader + `{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z","message":` + message + "}\n"
				c.Sessions = disk{"/s.jsonl": file}
			})
			w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":"/s.jsonl"}`), nil)
			if got := text(w.Send(2*time.Second, []byte(`{"type":"prompt","message":"x"}`), nil)); strings.Contains(got, complaint) != tt.refused {
				t.Errorf("%s %s (%s): %s", lang.dialect, tt.change, tt.reason, got)
			}
		}
	}
}

// orText is a member, or another one of the same key instead.
func orText(change, member string) string {
	if key, _, _ := strings.Cut(member, ":"); strings.HasPrefix(change, key) {
		return change
	}
	return member
}
