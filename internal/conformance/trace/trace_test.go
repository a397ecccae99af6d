package trace_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

func instant(at time.Duration) watchdog.Instant {
	epoch := time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)
	return watchdog.Instant{Mono: at, Boot: at, Wall: epoch.Add(at), BootID: "boot-1"}
}

// story is a small history, made anew for each use.
func story() []*trace.Step {
	return []*trace.Step{
		{
			Event: 1, Now: instant(0), Why: trace.WhySeen,
			Seen:   []watchdog.Observation{{N: 1, At: instant(0), Worker: "w1", Generation: 1, Body: watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true}}},
			Truths: []trace.Truth{{Worker: "w1", Generation: 1, Phase: watchdog.VerdictIdle}},
		},
		{
			Event: 2, Now: instant(time.Second), Why: trace.WhySeen,
			Seen:   []watchdog.Observation{{N: 2, At: instant(time.Second), Worker: "w1", Generation: 1, Body: watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("{\"type\":\"agent_start\"}\n")}}},
			Truths: []trace.Truth{{Worker: "w1", Generation: 1, Phase: watchdog.VerdictAwaitingFirstToken, Since: time.Second, Stuck: true}},
			Decision: watchdog.Decision{
				Verdicts: []watchdog.Verdict{{
					Worker: "w1", Generation: 1, Name: watchdog.VerdictAwaitingFirstToken, Status: watchdog.StatusOK,
					Cause:    watchdog.Cause{Phase: watchdog.VerdictAwaitingFirstToken, Limit: watchdog.LimitFirstToken},
					Evidence: []watchdog.Evidence{{N: 2, Generation: 1}},
				}},
				Wake: 10 * time.Minute,
			},
		},
		{
			Event: 3, Now: instant(10 * time.Minute), Why: trace.WhyWake,
			Truths: []trace.Truth{{Worker: "w1", Generation: 1, Phase: watchdog.VerdictAwaitingFirstToken, Since: time.Second, Stuck: true}},
			Decision: watchdog.Decision{Commands: []watchdog.Command{{
				Key: "k", Kind: watchdog.CmdNotify, Worker: "w1", Text: "look",
				Cause: watchdog.Cause{Name: watchdog.VerdictSlowFirstToken, Limit: watchdog.LimitAttention},
			}}},
		},
	}
}

func tell(s trace.Sink, steps []*trace.Step) {
	for _, step := range steps {
		s.Advance(step.Now)
		s.Step(step)
	}
	s.End(instant(time.Hour))
}

func sum(steps []*trace.Step) [32]byte {
	d := trace.NewDigest()
	tell(d, steps)
	return d.Sum()
}

// Whatever a subject was shown, said or did, and the truth behind it, is in the digest.
func TestDigest(t *testing.T) {
	want := sum(story())
	if again := sum(story()); again != want {
		t.Fatal("the same history has two digests")
	}
	cases := []struct {
		name   string
		change func([]*trace.Step)
	}{
		{"time", func(s []*trace.Step) { s[2].Now = instant(10*time.Minute + 1) }},
		{"zone", func(s []*trace.Step) { s[2].Now.Wall = s[2].Now.Wall.In(time.FixedZone("", 3600)) }},
		{"reason of the step", func(s []*trace.Step) { s[2].Why = trace.WhyPoll }},
		{"bytes", func(s []*trace.Step) {
			s[1].Seen[0].Body = watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("{\"type\":\"agent_stort\"}\n")}
		}},
		{"a stream", func(s []*trace.Step) {
			s[1].Seen[0].Body = watchdog.Bytes{Stream: watchdog.StreamErr, Data: []byte("{\"type\":\"agent_start\"}\n")}
		}},
		{"a generation", func(s []*trace.Step) { s[1].Seen[0].Generation = 2 }},
		{"a spawn", func(s []*trace.Step) {
			s[0].Seen[0].Body = watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld}
		}},
		{"truth", func(s []*trace.Step) { s[1].Truths[0].Stuck = false }},
		{"a verdict's name", func(s []*trace.Step) { s[1].Decision.Verdicts[0].Name = watchdog.VerdictStreaming }},
		{"a verdict's cause", func(s []*trace.Step) { s[1].Decision.Verdicts[0].Cause.Limit = watchdog.LimitTool }},
		{"evidence", func(s []*trace.Step) { s[1].Decision.Verdicts[0].Evidence[0].Age = 1 }},
		{"detail", func(s []*trace.Step) { s[1].Decision.Verdicts[0].Detail.Calls = []string{"call_1"} }},
		{"a wake-up", func(s []*trace.Step) { s[1].Decision.Wake++ }},
		{"an acknowledgement", func(s []*trace.Step) { s[1].Decision.Ack++ }},
		{"a command", func(s []*trace.Step) { s[2].Decision.Commands[0].Kind = watchdog.CmdKill }},
		{"a command's text", func(s []*trace.Step) { s[2].Decision.Commands[0].Text = "lock" }},
		{"an error", func(s []*trace.Step) { s[2].Err = &trace.Panic{Value: "boom"} }},
	}
	for _, c := range cases {
		steps := story()
		c.change(steps)
		if sum(steps) == want {
			t.Errorf("another %s, and the same digest", c.name)
		}
	}
}

func TestTimeline(t *testing.T) {
	cases := []struct {
		name  string
		focus int
		want  string
	}{
		{"the whole history", 0, `
        0.000s  w1   #1       spawned, mode rpc, held, parent true
        0.000s  w1   truth    idle since 0s
        1.000s  w1   #2       out {"type":"agent_start"}
        1.000s  w1   truth    awaiting_first_token, stuck since 1s
        1.000s  w1   verdict  awaiting_first_token ok (phase awaiting_first_token, limit first_token) on #2
      600.000s  w1   command  notify because of slow_first_token attention
     3600.000s       end
`},
		{"around one record", 2, `
        0.000s  w1   #1       spawned, mode rpc, held, parent true
        0.000s  w1   truth    idle since 0s
        1.000s  w1   #2       out {"type":"agent_start"}
        1.000s  w1   truth    awaiting_first_token, stuck since 1s
>       1.000s  w1   verdict  awaiting_first_token ok (phase awaiting_first_token, limit first_token) on #2
      600.000s  w1   command  notify because of slow_first_token attention
`},
	}
	for _, c := range cases {
		var out bytes.Buffer
		line := trace.NewTimeline(&out, c.focus)
		tell(line, story())
		line.Flush()
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// What a worker wrote reaches a terminal without its control sequences.
func TestTimelineIsHarmless(t *testing.T) {
	steps := story()
	steps[1].Seen[0].Body = watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("\x1b[2J\u202e\x9b31m" + strings.Repeat("x", 200))}
	var out bytes.Buffer
	line := trace.NewTimeline(&out, 0)
	tell(line, steps)
	line.Flush()
	for _, r := range out.String() {
		if r != '\n' && (r < ' ' || r > '~') {
			t.Fatalf("%q in the timeline:\n%s", r, out.String())
		}
	}
	if !strings.Contains(out.String(), "...") {
		t.Error("a long record is not cut")
	}
}
