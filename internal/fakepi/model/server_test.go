package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/model"
)

// says is a reply with one text, to a prompt of the script.
func says(prompt, text string) model.Reply {
	return model.Reply{Source: text, Prompt: prompt, For: model.ForTurn, Ops: []model.Op{
		model.Role{}, model.Text{Delta: text}, model.Finish{Reason: model.ReasonStop}, model.Usage{Output: 1}, model.Done{},
	}}
}

// first is a reply that is the first to its prompt.
func first(r model.Reply) model.Reply {
	r.First = true
	return r
}

var content = regexp.MustCompile(`"content":"([^"]+)"`)

// texts are those of the replies to bodies, one after the other.
func texts(t *testing.T, replies []model.Reply, bodies ...string) []string {
	var got []string
	inBubble(t, func(t *testing.T) {
		l := serve(t, nil, replies...)
		for _, body := range bodies {
			var headers []string
			if rest, again := strings.CutPrefix(body, "again "); again {
				body, headers = rest, []string{"X-Stainless-Retry-Count: 1"}
			}
			told := ask(t, l, openAIPath, body, headers...)
			if m := content.FindStringSubmatch(told); m != nil {
				got = append(got, m[1])
			} else {
				got = append(got, strings.Fields(told)[1]) // a status
			}
		}
	})
	return got
}

// toolResult is a body that ends with the result of a tool.
func toolResult(prompt string) string {
	return fmt.Sprintf(`{"model":"fake-1","stream":true,"tools":[{}],"messages":[{"role":"user","content":%q},{"role":"assistant","tool_calls":[{"function":{"arguments":"{}"}}]},{"role":"tool","content":"ok"}]}`, prompt)
}

// conversation is a body of messages, each a role and a text: "user a".
func conversation(messages ...string) string {
	var all []string
	for _, m := range messages {
		role, text, _ := strings.Cut(m, " ")
		all = append(all, fmt.Sprintf(`{"role":%q,"content":%q}`, role, text))
	}
	return fmt.Sprintf(`{"model":"fake-1","stream":true,"messages":[%s]}`, strings.Join(all, ","))
}

// Each request gets the reply that fits.
func TestOrder(t *testing.T) {
	summary := says("", "summary")
	summary.For = model.ForSummary
	refused := model.Reply{Source: "refused", Prompt: "a", For: model.ForTurn, Again: true, Ops: []model.Op{model.Refuse{}}}
	refused.Ops = compile(t, "0s prompt \"x\"\n+0s refused transient\n+0s settles")[0].Ops
	hidden := refused
	hidden.Again = false
	rest := says("", "rest")
	rest.For, rest.Rest = model.ForAny, true
	anyOne := says("", "any")
	anyOne.For = model.ForAny
	hangs := first(says("a", "hangs"))
	hangs.Ops = []model.Op{model.Role{}, model.Text{Delta: "hangs"}, model.Hang{}} // until Pi breaks it off
	calls := first(says("a", "calls"))
	const asksSummary = `{"model":"m","stream":true,"messages":[{"role":"system","content":"s"},{"role":"user","content":"# Conversation\n"}]}`
	tests := []struct {
		replies []model.Reply
		bodies  []string
		want    []string
		reason  string
	}{
		{[]model.Reply{says("a", "1"), says("a", "2"), says("b", "3")}, []string{request("a"), toolResult("a"), request("b")}, []string{"1", "2", "3"}, "in order"},
		{[]model.Reply{says("a", "1"), says("a", "2"), first(says("b", "3"))}, []string{request("a"), request("b")}, []string{"1", "3"}, "forward to the prompt of that text"},
		{[]model.Reply{says("a", "1"), says("a", "2")}, []string{request("a"), request("steer"), request("more")}, []string{"1", "2", "Noted."}, "a text that is no prompt goes on in order; behind the end comes a short reply"},
		{[]model.Reply{says("a", "1"), says("a", "2"), says("a", "3")}, []string{request("a"), request("a"), request("a")}, []string{"1", "2", "3"}, "one text again and again"},
		{[]model.Reply{says("a", "1"), summary, says("b", "2")}, []string{request("a"), asksSummary, asksSummary, request("b")}, []string{"1", "summary", "summary", "2"}, "summaries that Pi asks for at once"},
		{[]model.Reply{says("a", "1"), summary, says("b", "2")}, []string{request("a"), request("b")}, []string{"1", "2"}, "a summary that Pi does not ask for"},
		{[]model.Reply{says("a", "1")}, []string{asksSummary, request("a")}, []string{"## Goal\\nAs asked.", "1"}, "a summary that the script does not know"},
		{[]model.Reply{refused, says("a", "1")}, []string{request("a"), "again " + request("a"), "again " + request("a"), request("a")}, []string{"529", "529", "529", "1"}, "a client library that insists"},
		{[]model.Reply{hidden, says("a", "1")}, []string{request("a"), "again " + request("a")}, []string{"529", "1"}, "a hidden retry gets the next"},
		{[]model.Reply{anyOne, rest}, []string{asksSummary, request("a"), asksSummary, request("b")}, []string{"any", "rest", "rest", "rest"}, "a recording's, whatever is asked, and its default"},
		{nil, []string{request("a")}, []string{"Noted."}, "an empty script"},

		{[]model.Reply{hangs, says("a", "left"), first(says("b", "b"))}, []string{request("a"), conversation("user a", "user x")}, []string{"hangs", "b"}, "what is left behind a reply that was broken off is passed over"},
		{[]model.Reply{hangs, says("a", "left"), first(says("a", "a"))}, []string{request("a"), conversation("user a", "user a")}, []string{"hangs", "a"}, "the same text again"},
		{[]model.Reply{hangs, says("a", "left"), first(says("b", "b"))}, []string{request("a"), request("a")}, []string{"hangs", "b"}, "an empty text, which Pi leaves out, behind it"},
		{[]model.Reply{hangs, says("a", "left")}, []string{request("a"), conversation("user a", "user x")}, []string{"hangs", "Noted."}, "behind the last prompt"},
		{[]model.Reply{calls, says("a", "left"), first(says("b", "b"))}, []string{request("a"), conversation("user a", "assistant c", "tool x\n\nCommand aborted", "user x")}, []string{"calls", "b"}, "behind a call that was stopped"},
		{[]model.Reply{calls, says("a", "left"), first(says("b", "b"))}, []string{request("a"), conversation("user a", "assistant c", "tool ok", "user x")}, []string{"calls", "left"}, "a steer behind a call"},
		{[]model.Reply{calls, says("a", "left"), first(says("b", "b")), first(says("c", "c"))}, []string{request("a"), conversation("user a", "assistant c", "tool ok", "user c")}, []string{"calls", "c"}, "a steer with the text of a later prompt"},
		{[]model.Reply{first(hidden), says("a", "left"), first(says("a", "a"))}, []string{request("a"), request("a"), conversation("user a", "assistant left", "user a")}, []string{"529", "left", "a"}, "Pi's own retry is no text again"},
		{[]model.Reply{first(hidden), says("a", "left"), first(says("b", "b"))}, []string{request("a"), conversation("user a", "user x")}, []string{"529", "left"}, "an unknown text behind a failure gets what comes behind that"},
		{[]model.Reply{first(hidden), summary, says("a", "left"), first(says("a", "a"))}, []string{request("a"), asksSummary, conversation("user summary", "user a")}, []string{"529", "summary", "left"}, "a summary before the retry"},
		{[]model.Reply{first(says("a", "a")), first(says("b", "b")), first(says("c", "c"))}, []string{request("c"), conversation("user c", "assistant c", "user b")}, []string{"c", "Noted."}, "what is passed over is gone"},
		{[]model.Reply{hangs, first(says("b", "b")), first(says("c", "c"))}, []string{request("a"), conversation("user a", "user x", "user c")}, []string{"hangs", "c"}, "an unknown prompt, and with it a steer that names one"},
	}
	for _, tt := range tests {
		if got := texts(t, tt.replies, tt.bodies...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// What is no request for a model gets a status and says in JSON what would be one.
func TestWrongRequests(t *testing.T) {
	tests := []struct {
		method, path, body string
		status             int
		message            string
	}{
		{"GET", openAIPath, "", 405, "GET is not served here; use POST"},
		{"POST", "/v1/responses", "", 404, "there is no /v1/responses; POST /v1/chat/completions or /v1/messages"},
		{"POST", openAIPath, "", 400, "invalid request: the body: unexpected end of JSON input"},
		{"POST", openAIPath, "[]", 400, "invalid request: the body: json: cannot unmarshal array"},
		{"POST", openAIPath, `{"stream":true,"messages":[]}`, 400, "invalid request: it names no model"},
		{"POST", openAIPath, `{"model":"m","messages":[]}`, 400, `invalid request: only "stream": true is served`},
		{"POST", openAIPath, `{"model":"m","stream":true}`, 400, "invalid request: it has no message"},
		{"POST", anthropicPath, `{"model":"m","stream":true,"messages":[{"role":"user","content":7}]}`, 400, "invalid request: message 0: json: cannot unmarshal number"},
	}
	s := model.NewServer(nil, clock.New(), nil)
	for _, tt := range tests {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body)))
		var got struct {
			Error struct{ Message, Type string }
		}
		err := json.Unmarshal(w.Body.Bytes(), &got)
		if w.Code != tt.status || err != nil || !strings.HasPrefix(got.Error.Message, tt.message) || got.Error.Type != "invalid_request_error" {
			t.Errorf("%s %s %q: got %d %s (%v), want %d %q", tt.method, tt.path, tt.body, w.Code, w.Body, err, tt.status, tt.message)
		}
	}
}

// The endpoint listens on this machine alone.
func TestListen(t *testing.T) {
	tests := []struct {
		address string
		want    error
	}{
		{"127.0.0.1:0", nil}, {"localhost:0", nil}, {"[::1]:0", nil}, {"127.9.9.9:0", nil},
		{"0.0.0.0:0", model.ErrAddress}, {":0", model.ErrAddress}, {"[::]:0", model.ErrAddress},
		{"192.0.2.1:80", model.ErrAddress}, {"example.org:80", model.ErrAddress}, {"localhost.example.org:0", model.ErrAddress},
	}
	for _, tt := range tests {
		l, err := model.Listen(tt.address)
		if l != nil {
			l.Close()
		}
		if tt.want == nil && errors.Is(err, syscall.EADDRNOTAVAIL) {
			continue // no such protocol here
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.address, err, tt.want)
		}
	}
	var op *net.AddrError
	if _, err := model.Listen("127.0.0.1"); !errors.As(err, &op) {
		t.Errorf("without a port: got %v, want a net.AddrError", err)
	}
}

// Over a real connection a reset is a reset, and a close a close.
func TestBreaks(t *testing.T) {
	begun := []model.Op{model.Role{}, model.Text{Delta: "a"}}
	tests := []struct {
		ops    []model.Op
		want   error
		reason string
	}{
		{append(slices.Clone(begun), model.Reset{}), syscall.ECONNRESET, "in mid-stream"},
		{[]model.Op{model.Reset{}}, syscall.ECONNRESET, "before the headers"},
		{append(slices.Clone(begun), model.Close{}), io.ErrUnexpectedEOF, "in mid-stream"},
		{[]model.Op{model.Close{}}, io.EOF, "before the headers"},
		{begun, nil, "an end without a word is a good end of the response"},
	}
	for _, tt := range tests {
		l, err := model.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go model.NewServer([]model.Reply{{Ops: tt.ops}}, clock.New(), nil).Serve(t.Context(), l)
		resp, err := http.Post("http://"+l.Addr().String()+openAIPath, "application/json", strings.NewReader(request("x")))
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%T %s: got %v, want %v", tt.ops[len(tt.ops)-1], tt.reason, err, tt.want)
		}
	}
}

// The log has what Pi asked, each op as it was sent, and how the reply ended; its times are the clock's.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	inBubble(t, func(t *testing.T) {
		l := serve(t, &log, compile(t, "0s prompt \"x\"\n+2s says \"a\"\n+0s settles\n+0s prompt \"y\"\n+1s says \"b\"\n+0s stalls")...)
		ask(t, l, openAIPath, request("x"))
		ask(t, l, anthropicPath, request("y"), "X-Stainless-Retry-Count: 0")
		synctest.Wait()
	})
	var got []string
	for line := range strings.Lines(log.String()) {
		var r model.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%v %d %s %s %s %s", time.Duration(r.MS*float64(time.Millisecond)), r.N, r.Event, r.Op, r.Path, r.Source)))
		if r.Event == "request" && string(r.Body) != request(map[int]string{1: "x", 2: "y"}[r.N]) {
			t.Errorf("request %d: got body %s", r.N, r.Body)
		}
	}
	want := []string{
		"0s 1 request  /v1/chat/completions script:2", "2s 1 op role", "2s 1 op text", "2s 1 op finish", "2s 1 op usage", "2s 1 op done", "2s 1 end",
		"2s 2 request  /v1/messages script:5", "3s 2 op role", "3s 2 op text", "3s 2 op hang", "1h0m2s 2 gone",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// ServeOnce ends by itself, and not before the last reply has reached its client whole.
func TestServeOnce(t *testing.T) {
	l, err := model.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		done <- model.NewServer([]model.Reply{says("", "1"), says("", "2")}, clock.New(), nil).ServeOnce(t.Context(), l)
	}()
	for _, want := range []string{"1", "2"} {
		resp, err := http.Post("http://"+l.Addr().String()+openAIPath, "application/json", strings.NewReader(request("x")))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(body), `"content":"`+want+`"`) || !strings.HasSuffix(string(body), "data: [DONE]\n\n") {
			t.Errorf("got %q (%v), want the whole reply %s", body, err, want)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
