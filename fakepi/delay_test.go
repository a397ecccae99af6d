package fakepi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// A prompt that Pi 0.73 takes in a delay makes it busy, though no event says so: another prompt is refused or waits its
// turn, and the request behind the delay gets the reply to the retry. As the real Pi was seen to do.
func TestPromptsInADelay(t *testing.T) {
	const src = "0s prompt \"a\"\n+1s refused transient\n+0s retries 1m\n+1s says \"One.\"\n+0s settles\n" +
		"+1h prompt \"b\"\n+1s thinks \"Two.\"\n+0s settles"
	prompt := func(rest string) sent { return sent{at: 30 * time.Second, line: `{"type":"prompt",` + rest + `}`} }
	sent := []sent{
		{line: `{"type":"prompt","message":"a"}`},
		prompt(`"message":"x"`),
		prompt(`"message":"z"`),
		prompt(`"message":"y","streamingBehavior":"steer"`),
	}
	w := newWorker(t, src, in(native.Pi073), func(c *fakepi.Config) { c.Driven = true })
	const (
		failed = "response agent_start turn_start +user -user +assistant -assistant turn_end agent_end auto_retry_start"
		taken  = "response refused queue_update response"
		one    = "agent_start turn_start +user -user +assistant text_start text_delta text_end -assistant auto_retry_end turn_end"
		two    = "turn_start queue_update +user -user +assistant thinking_start thinking_delta thinking_end -assistant turn_end agent_end"
	)
	got, want := tokens(without(drive(w, sent), fakepi.Session)), failed+" "+taken+" "+one+" "+two
	if got != want {
		t.Error(cmp.Diff(want, got))
	}
}
