package fakepi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// assistants are the finished replies that a worker printed.
func assistants(t *testing.T, src string, tongue tongue) []*native.AssistantMessage {
	t.Helper()
	var all []*native.AssistantMessage
	for _, o := range play(newWorker(t, src, in(tongue.dialect)), time.Hour, nil) {
		if o.Stream != fakepi.Out || o.Data == nil {
			continue
		}
		r, err := tongue.codec.Decode(o.Data[:len(o.Data)-1])
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := r.(*native.MessageEnd); ok {
			if m, ok := end.Message.(*native.AssistantMessage); ok {
				all = append(all, m)
			}
		}
	}
	return all
}

// A reply that the provider fails has the text, and the marks of what came before, that the real Pi gave it (both
// versions were asked).
func TestFailures(t *testing.T) {
	const quota = "You have hit your usage limit."
	tests := []struct {
		steps  string
		pi16   string // the stop reason, the error, the provider's word, whether the reply has an id, its tokens
		pi073  string
		reason string
	}{
		{"refused transient", `error "529: {\"message\":\"Overloaded\",\"type\":\"overloaded_error\",\"code\":null}" "" false 0`, `error "529 Overloaded" "" false 0`, "a status"},
		{`refused transient "Slow" status=429 type=x`, `error "429: {\"message\":\"Slow\",\"type\":\"x\",\"code\":null}" "" false 0`, `error "429 Slow" "" false 0`, "another"},
		{"refused transient by=reset", `error "Connection error.: read ECONNRESET" "" false 0`, `error "Connection error." "" false 0`, "before the headers"},
		{"refused transient by=close", `error "Connection error.: other side closed (UND_ERR_SOCKET)" "" false 0`, `error "Connection error." "" false 0`, "before the headers"},
		{"opens headers\n+1s refused transient", `error "terminated: read ECONNRESET" "" false 0`, `error "terminated" "" false 0`, "behind the headers there is no id yet"},
		{"opens\n+1s refused transient by=close", `error "terminated: other side closed (UND_ERR_SOCKET)" "" true 0`, `error "terminated" "" true 0`, "behind the first chunk"},
		{"says \"a\"\n+1s refused transient", `error "terminated: read ECONNRESET" "" true 0`, `error "terminated" "" true 0`, "in mid-stream"},
		{"says \"a\"\n+1s refused quota", `error "` + quota + `" "" true 0`, `error "` + quota + `" "" true 0`, "an event has no status"},
		{"says \"a\"\n+1s refused transient by=end", `error "Stream ended without finish_reason" "" true 0`, `stop "" "" true 0`, "an end without a reason"},
		{"opens headers\n+1s refused transient by=end", `error "Stream ended without finish_reason" "" false 0`, `stop "" "" false 0`, "nor an id"},
		{"says \"abcde\"\n+1s refused other by=filter", `error "Provider finish_reason: content_filter" "content_filter" true 1183`, `error "Provider finish_reason: content_filter" "" true 1183`, "a filter reports as a good end does"},
		{"opens headers\n+1s settles", `stop "" "stop" true 1181`, `stop "" "" true 1181`, "the last chunk brings the id too"},
		{"says \"a\"\n+0s reports input 1200 output 40 cached 1024 reasoning 8\n+0s settles", `stop "" "stop" true 1240`, `stop "" "" true 1240`, "what the script reports"},
		{"says \"a\"\n+0s closes length\n+0s settles", `length "" "length" true 17565`, `length "" "" true 17565`, "a reply that was cut has all the tokens there are"},
	}
	for _, tt := range tests {
		for i, want := range []string{tt.pi16, tt.pi073} {
			all := assistants(t, "0s prompt \"x\"\n+1s "+tt.steps, tongues[i])
			if len(all) != 1 {
				t.Errorf("%s: got %d replies, want one", tt.steps, len(all))
				continue
			}
			m := all[0]
			got := fmt.Sprintf("%s %q %q %v %d", m.StopReason, m.ErrorMessage.V, m.RawStopReason.V, m.ResponseID.Set, m.Usage.Total)
			if got != want {
				t.Errorf("%s, %s, %s:\n got %s\nwant %s", tongues[i].dialect, tt.reason, tt.steps, got, want)
			}
		}
	}
}

// The parts of a report are what Pi makes of them.
func TestReports(t *testing.T) {
	m := assistants(t, "0s prompt \"x\"\n+1s opens\n+0s reports input 1200 output 40 cached 1024 reasoning 10\n+0s settles", tongues[0])[0]
	want := "176 40 1024 10 1240 0.000528 0.0006000000000000001 0.0003072 0.0014352000000000002"
	u := m.Usage
	if got := fmt.Sprint(u.Input, u.Output, u.CacheRead, u.Reasoning.V, u.Total, u.Cost.Input, u.Cost.Output, u.Cost.CacheRead, u.Cost.Total); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What pi-0.73 takes for a good end is no failure, and nothing is retried behind it.
func TestEndWithoutReason(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s says \"a\"\n+0s refused transient by=end\n+0s retries 2s\n+1s says \"b\"\n+0s settles"
	for i, want := range []string{
		"message_start message_update*3 message_end turn_end agent_end auto_retry_start",
		"message_start message_update*3 message_end turn_end agent_end",
	} {
		outs := play(newWorker(t, src, in(tongues[i].dialect)), time.Hour, nil)
		var types []string
		for _, o := range outs {
			if o.At == time.Second && o.Stream == fakepi.Out {
				types = append(types, strings.SplitN(string(o.Data), `"`, 5)[3])
			}
		}
		if got := counted(types); !strings.HasPrefix(got, want) || strings.Contains(got, "retry") != strings.Contains(want, "retry") {
			t.Errorf("%s: got %s, want %s", tongues[i].dialect, got, want)
		}
	}
}

// counted joins words, repeated ones with their number.
func counted(words []string) string {
	var out []string
	for i := 0; i < len(words); {
		n := 1
		for i+n < len(words) && words[i+n] == words[i] {
			n++
		}
		word := words[i]
		if n > 1 {
			word = fmt.Sprintf("%s*%d", word, n)
		}
		out = append(out, word)
		i += n
	}
	return strings.Join(out, " ")
}
