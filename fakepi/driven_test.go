package fakepi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
)

// A driven worker: what it does with the prompts of a real client, the session file left out.
func TestDriven(t *testing.T) {
	const two = "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n+1m prompt \"y\"\n+1s thinks \"b\"\n+0s settles\n"
	prompt := func(at time.Duration) sent { return sent{at: at, line: `{"id":7,"type":"prompt","message":"p"}`} }
	later := func(at time.Duration) sent { return sent{at: at, line: `{"id":8,"type":"follow_up","message":"q"}`} }
	named := func(at time.Duration, text string) sent {
		return sent{at: at, line: `{"id":9,"type":"prompt","message":"` + text + `"}`}
	}
	abort := func(at time.Duration) sent { return sent{at: at, line: `{"type":"abort"}`} }
	const three = "0s prompt \"x\"\n+1s tool bash \"a\" runs 10s\n+1s says \"left\"\n+0s settles\n" +
		"+1m prompt \"y\"\n+1s thinks \"b\"\n+0s settles\n+1m prompt \"z\"\n+1s opens\n+0s settles\n"
	const opens = "+assistant -assistant"
	const stopped = "{bash} {done} " + opens + " {end} response*2 agent_start turn_start +user -user"
	const run, again = "response {run}", "response agent_start turn_start +user -user"
	const thinks = "+assistant thinking_start thinking_delta thinking_end -assistant"
	tests := []struct {
		name, src string
		sent      []sent
		want      string
		reason    string
	}{
		{"no prompt", two, nil, "", "the script's own is not sent"},
		{"one", two, []sent{prompt(time.Second)}, run + " {says} {end}", ""},
		{"two", two, []sent{prompt(time.Second), prompt(10 * time.Second)}, run + " {says} {end} " + again + " " + thinks + " {end}", "earlier than the script has it"},
		{"three", two, []sent{prompt(time.Second), prompt(time.Minute), prompt(time.Hour)},
			run + " {says} {end} " + again + " " + thinks + " {end} " + again + " {says} {end}", "the script knows two"},
		{"four", "0s chatter queue", []sent{prompt(time.Second), prompt(time.Minute), prompt(time.Hour), prompt(2 * time.Hour)},
			"queue_update " + run + " {says} {end} " + again + " {says} {end} " + again + " {says} {end} " + again + " {says} {end}", "the short reply serves for ever"},
		{"before the first prompt", "0s asks confirm \"?\"\n+1m prompt \"x\"\n+1s says \"a\"\n+0s settles", []sent{prompt(time.Second)},
			"extension_ui_request " + run, "a dialog holds the reply"},
		{"in a run", two, []sent{prompt(time.Second), prompt(1500 * time.Millisecond)}, run + " refused {says} {end}", "it takes no reply of the script"},
		{"after an abort", "0s prompt \"x\"\n+1s says \"a\"\n+0s stalls\n+1m prompt \"y\"\n+1s thinks \"b\"\n+0s settles",
			[]sent{prompt(time.Second), {at: 5 * time.Second, line: `{"type":"abort"}`}, prompt(10 * time.Second)},
			"response {run} {says} {end} response*2 agent_start turn_start +user -user " + thinks + " {end}", "the stall was of the run"},
		{"the script's steer", "0s prompt \"x\"\n+1s says \"a\"\n+0s steer \"y\"\n+0s closes stop\n+1s says \"b\"\n+0s settles", []sent{prompt(time.Second)},
			run + " {says} {end}", "left out: where no message waits, Pi stops"},
		{"a follow-up", two, []sent{prompt(time.Second), later(1500 * time.Millisecond), prompt(time.Minute)},
			run + " queue_update response {says} turn_end turn_start queue_update +user -user " + thinks + " {end} " + again + " {says} {end}",
			"it takes the place of the second prompt"},
		{"a follow-up behind the last prompt", two, []sent{prompt(time.Second), prompt(10 * time.Second), later(10500 * time.Millisecond)},
			run + " {says} {end} " + again + " queue_update response " + thinks + " turn_end turn_start queue_update +user -user {says} {end}",
			"the short reply"},
		{"a follow-up before prompts without a run", "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n+1m prompt \"y\" handled\n+1m prompt \"z\" takes 3s\n+1s thinks \"b\"\n+0s settles",
			[]sent{prompt(time.Second), later(1500 * time.Millisecond)},
			run + " queue_update response {says} turn_end turn_start queue_update +user -user " + thinks + " {end}", "it takes the place of one that gets a reply"},
		{"the last prompt first", three, []sent{named(time.Second, "z"), named(time.Minute, "y")},
			run + " " + opens + " {end} " + again + " {says} {end}", "those before it are gone"},
		{"a named prompt behind an abort", three, []sent{prompt(time.Second), abort(5 * time.Second), named(time.Minute, "z")},
			run + " " + stopped + " " + opens + " {end}", "what is left is passed over, and the prompt between"},
		{"a prompt behind an abort", three, []sent{prompt(time.Second), abort(5 * time.Second), prompt(time.Minute)},
			run + " " + stopped + " " + thinks + " {end}", "what is left is passed over"},
		{"a follow-up that names a prompt", two + "+1m prompt \"q\"\n+1s opens\n+0s settles", []sent{prompt(time.Second), later(1500 * time.Millisecond)},
			run + " queue_update response {says} turn_end turn_start queue_update +user -user " + opens + " {end}", "not the next"},
		{"never taken", "0s prompt \"x\" takes never", []sent{prompt(time.Second)}, "", ""},
		{"handled", "0s prompt \"x\" handled\n+0s stalls", []sent{prompt(time.Second)}, "response", ""},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src, func(c *fakepi.Config) { c.Driven = true })
		outs := without(drive(w, tt.sent), fakepi.Session)
		if got, want := tokens(outs), expand(tt.want); got != want {
			t.Errorf("%s (%s):\n%s", tt.name, tt.reason, cmp.Diff(want, got))
		}
	}
}
