package script_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi/script"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	src := `


#  A comment.
0s    prompt   "tidy"


  # Another.
+120s	says "Reading."    chunks 1   over 90s
@a.end+first_token-1000ms tool bash "ls" writes runs 400ms as=tool   # why
+0s worker tool bash "a command that is rather long" runs 5s busy as=other
+0s user answers "\u0041"

+0s says x
-- x --
kept   as it is
`
	want := `#  A comment.
0s       prompt "tidy"

# Another.
+2m                    says "Reading." over 90s chunks 1
@a.end+first_token-1s  tool bash "ls" runs 400ms writes        as=tool  # why
+0s                    tool bash "a command that is rather long" runs 5s busy  as=other
+0s                    user answers "A"

+0s      says x
-- x --
kept   as it is
`
	got, err := script.Format("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// texts are strings that are hard to write.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", `"`, `\`, "\n", "\x00\xff", "\u2028\u2029", "\xed\xa0\xbd", "a # b", "\u00a0", "e\u0301", "\u200b", "\r\n", "😀",
	}))
}

func spans() *rapid.Generator[script.Span] {
	return rapid.Custom(func(t *rapid.T) script.Span {
		return script.SpanOf(time.Duration(rapid.Int64Range(0, int64(9000*time.Hour)).Draw(t, "d")))
	})
}

func maybeSpan(t *rapid.T, name string) script.Span {
	if rapid.Bool().Draw(t, name) {
		return spans().Draw(t, name)
	}
	return script.Span{}
}

func text(t *rapid.T) script.Text { return script.Text{Value: texts().Draw(t, "text")} }

// actions are actions of any verb whose parts fit together.
func actions() *rapid.Generator[script.Action] {
	return rapid.Custom(func(t *rapid.T) script.Action {
		over, some := maybeSpan(t, "over"), rapid.Bool().Draw(t, "some")
		n := rapid.IntRange(0, 99).Draw(t, "n")
		return rapid.SampledFrom([]script.Action{
			script.Spawn{Mode: "json", Source: "followed", Parent: some, Model: "m-1", Autonomous: !some, StdinOpen: some},
			script.Prompt{Text: text(t), Takes: over, Twice: some},
			script.Steer{Text: text(t)},
			script.Says{Text: text(t), Over: over, Chunks: n},
			script.Thinks{For: spans().Draw(t, "for"), Keepalive: over},
			script.Calls{Name: "write", Command: text(t), Over: over, Chunks: n},
			script.Tool{Name: "bash", Command: text(t), Runs: spans().Draw(t, "runs"), Child: script.ChildBusy, For: over, Fails: some},
			script.Tool{Call: "c", Runs: script.Span{Never: true}, Timeout: over, Writes: some, ID: "call_1"},
			script.Asks{Method: "confirm", Title: texts().Draw(t, "title"), Timeout: over},
			script.Asks{Method: "select", Title: texts().Draw(t, "title"), Options: rapid.SliceOfN(texts(), 1, 3).Draw(t, "options")},
			script.Notifies{Method: "status", Text: texts().Draw(t, "text"), Every: over, Over: over},
			script.Chatter{Kind: "queue", Every: over, Over: over},
			script.Closes{Stop: "length"},
			script.Ends{Of: "c"},
			script.Refused{Class: "quota", Message: text(t), Status: 400 + n, Reset: over, RetryAfter: over, WillRetry: some},
			script.Refused{Class: "transient", By: "end"},
			script.Opens{Headers: some},
			script.Stalls{Keepalive: over},
			script.Reports{Input: int64(n) + 1, Output: int64(n), Cached: int64(n / 2)},
			script.Calls{Name: "edit", Args: text(t)},
			script.Retries{Delay: spans().Draw(t, "delay"), Hidden: some},
			script.Retries{Delay: spans().Draw(t, "delay"), Cancelled: over},
			script.Compacts{Reason: "overflow", Runs: spans().Draw(t, "runs"), Same: some},
			script.Wedges{How: "frozen"},
			script.Exits{Code: n, Stderr: text(t)},
			script.Killed{Signal: "SIGKILL"},
			script.Raw{Stream: "err", Data: text(t), Times: n + 1, Progress: some},
			script.Answers{Value: texts().Draw(t, "value"), Of: "c", After: over},
		}).Draw(t, "action")
	})
}

func times() *rapid.Generator[script.Time] {
	return rapid.Custom(func(t *rapid.T) script.Time {
		term := script.Term{Minus: rapid.Bool().Draw(t, "minus"), D: spans().Draw(t, "term").D}
		limit := script.Term{Minus: true, Limit: "first_token"}
		return rapid.SampledFrom([]script.Time{
			{Absolute: true, Terms: []script.Term{{D: term.D}}},
			{Terms: []script.Term{term, limit}},
			{Label: "a", Terms: []script.Term{limit}},
			{Label: "a", End: true},
		}).Draw(t, "time")
	})
}

func actor(a script.Action) string {
	if _, ok := a.(script.Answers); ok {
		return "user"
	}
	return script.DefaultActor
}

// A step that is printed is read back as it was.
func TestPrintedStepsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := actions().Draw(t, "action")
		want := script.Step{Time: times().Draw(t, "time"), Actor: actor(a), Action: a, Label: rapid.SampledFrom([]string{"", "x1"}).Draw(t, "label")}
		s, err := script.Parse("test", []byte(want.String()))
		if err != nil {
			t.Fatalf("%s\n%v", want.String(), err)
		}
		if diff := cmp.Diff([]script.Step{want}, s.Steps, ignorePos); diff != "" {
			t.Fatalf("%s\n-want +got\n%s", want.String(), diff)
		}
	})
}

// Format keeps what a script says, whatever its spaces and comments, and formatting twice changes nothing.
func TestFormatIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var src strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			a := actions().Draw(t, "action")
			step := script.Step{Time: times().Draw(t, "time"), Actor: actor(a), Action: a}
			src.WriteString(rapid.SampledFrom([]string{"", "  ", "\t", "\n\n", "# note\n", "  #\n"}).Draw(t, "before"))
			src.WriteString(step.String())
			src.WriteString(rapid.SampledFrom([]string{"", " ", " # why", "\r"}).Draw(t, "behind") + "\n")
		}
		checkFormat(t, []byte(src.String()))
	})
}

// checkFormat fails unless a source that parses is formatted to one that says the same and is canonical.
func checkFormat(t interface{ Fatalf(string, ...any) }, src []byte) {
	before, err := script.Parse("test", src)
	if err != nil {
		return
	}
	once, err := script.Format("test", src)
	if err != nil {
		t.Fatalf("%q parses, but Format fails: %v", src, err)
	}
	after, err := script.Parse("test", once)
	if err != nil {
		t.Fatalf("the formatted source does not parse: %v\n%s", err, once)
	}
	if !cmp.Equal(before, after, ignorePos) {
		t.Fatalf("Format changes the script: -before +after\n%s", cmp.Diff(before, after, ignorePos))
	}
	twice, err := script.Format("test", once)
	if err != nil || string(once) != string(twice) {
		t.Fatalf("Format is not idempotent (%v):\n%s", err, cmp.Diff(string(once), string(twice)))
	}
}
