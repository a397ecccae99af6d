package model_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/model"
)

func TestParseRequest(t *testing.T) {
	const head = `{"model":"m","stream":true,"messages":[`
	tests := []struct {
		api    model.API
		body   string
		want   []model.Message
		tokens int64
		reason string
	}{
		{model.OpenAI, head + `{"role":"system","content":"S"},{"role":"developer","content":"D"},{"role":"user","content":"four"}]}`, []model.Message{{Role: "user", Text: "four"}}, 1181, "Pi's own words are a fixed count"},
		{model.OpenAI, head + `{"role":"user","content":[{"type":"text","text":"fo"},{"type":"text","text":"ur!"}]}]}`, []model.Message{{Role: "user", Text: "four!"}}, 1182, "parts"},
		{model.OpenAI, head + `{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"function":{"name":"ls","arguments":"{}"}},{"function":{"arguments":"[1]"}}]},{"role":"tool","content":"ok"}]}`, []model.Message{{Role: "assistant", Text: "hm{}[1]"}, {Role: "tool", Text: "ok"}}, 1183, "thinking and arguments count, names do not"},
		{model.Anthropic, head + `{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"tool_use","input":{"x":1}}]},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"ok"}]}]}]}`, []model.Message{{Role: "assistant", Text: `hma{"x":1}`}, {Role: "tool", Text: "ok"}}, 1184, "Anthropic's parts; a result of a tool is no prompt"},
		{model.Anthropic, head + `{"role":"user","content":[{"type":"tool_result","content":"a"},{"type":"tool_result","content":"Command aborted"}]}]}`, []model.Message{{Role: "tool", Text: "a"}, {Role: "tool", Text: "Command aborted", Stopped: true}}, 1185, "results of a batch, which are one message with Anthropic, count one by one"},
		{model.OpenAI, head + `{"role":"system","content":"S"}]}`, []model.Message{{Role: "user"}}, 1180, "Pi leaves out a prompt that is empty"},
		{model.OpenAI, head + `{"role":"user","content":"\ud83d"}]}`, []model.Message{{Role: "user", Text: "\ufffd"}}, 1181, "a lone surrogate has three bytes anyway"},
	}
	for _, tt := range tests {
		r, err := model.ParseRequest(tt.api, []byte(tt.body))
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
			continue
		}
		if d := cmp.Diff(tt.want, r.Messages); d != "" || r.Tokens() != tt.tokens {
			t.Errorf("%s: %d tokens, want %d; -want +got\n%s", tt.reason, r.Tokens(), tt.tokens, d)
		}
	}
}

// A summary is told from a prompt by its frame, its loneliness and its lack of tools.
func TestIsSummary(t *testing.T) {
	tests := []struct {
		messages, tools string
		want            bool
	}{
		{`{"role":"system","content":"s"},{"role":"user","content":"<conversation>\n[User]: x\n</conversation>\n"}`, "", true},
		{`{"role":"user","content":[{"type":"text","text":"# Conversation\n[User]: x"}]}`, "", true},
		{`{"role":"user","content":"# Conversation\n"}`, `{}`, false},
		{`{"role":"user","content":"sum up: <conversation>"}`, "", false},
		{`{"role":"user","content":"# Conversation\n"},{"role":"assistant","content":"x"},{"role":"user","content":"y"}`, "", false},
	}
	for _, tt := range tests {
		r, err := model.ParseRequest(model.OpenAI, []byte(`{"model":"m","stream":true,"tools":[`+tt.tools+`],"messages":[`+tt.messages+`]}`))
		if err != nil || r.IsSummary() != tt.want {
			t.Errorf("%s: got %v (%v), want %v", tt.messages, r.IsSummary(), err, tt.want)
		}
	}
}

// FuzzServe looks for a request that makes the server panic, or that it answers without a word: a wrong one gets an
// error in JSON, any other its reply.
func FuzzServe(f *testing.F) {
	f.Add("POST", openAIPath, request("x"))
	f.Add("POST", anthropicPath, toolResult("x"))
	f.Add("GET", "/", "")
	f.Add("POST", openAIPath, `{"model":"m","stream":true,"messages":[{"role":"user","content":[{"content":[{"content":[{}]}]}]}]}`)
	f.Add("POST", openAIPath, `{"model":"\ud83d","stream":true,"messages":[null]}`)
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Method, r.URL.Path = method, path
		w := httptest.NewRecorder()
		model.NewServer([]model.Reply{says("x", "1")}, clock.NewMock(), nil).ServeHTTP(w, r)
		if _, err := model.ParseRequest(model.OpenAI, []byte(body)); err != nil && !errors.Is(err, model.ErrRequest) {
			t.Errorf("got %v, want an ErrRequest", err)
		}
		if w.Code == 200 {
			if s := w.Body.String(); !strings.HasSuffix(s, "data: [DONE]\n\n") && !strings.HasSuffix(s, `data: {"type":"message_stop"}`+"\n\n") {
				t.Errorf("got %q, want a whole reply", s)
			}
			return
		}
		var got struct{ Error struct{ Message string } }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Error.Message == "" {
			t.Errorf("%d %s: got no error in JSON (%v)", w.Code, w.Body, err)
		}
	})
}
