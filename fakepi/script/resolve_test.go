package script_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi/script"

	"github.com/google/go-cmp/cmp"
)

var limits = map[string]time.Duration{"first_token": 90 * time.Second, "tool": 2 * time.Hour}

// Each line is followed by when it comes and how long it lasts ("-" if it has no end).
func TestResolve(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"from the end of the line before", `
			0s stalls
			+2s says "x" over 3s
			+1s says "y"
			+1s stalls`, "0s- 2s+3s 6s- 7s-"},
		{"from a start where there is no end", `
			1s tool bash "x" runs never
			+5s stalls`, "1s- 6s-"},
		{"from labels", `
			1s tool bash "x" runs 10s as=a
			@a+2s stalls
			@a.end-1s stalls
			3s stalls`, "1s+10s 3s- 10s- 3s-"},
		{"limits, signs and fractions", `
			0s tool bash "x" runs tool-1s as=a
			@a.end+first_token-1s-0.5s stalls`, "0s+1h59m59s 2h1m27.5s-"},
		{"a tool's own timeout ends it", `
			0s tool bash "x" runs never timeout=4s as=a
			@a.end tool bash "x" runs 10s timeout=4s
			+0s tool bash "x" runs 3s timeout=4s
			+0s tool bash "x" runs 10s timeout=4s deaf
			+0s tool bash "x" runs never timeout=4s deaf`, "0s+4s 4s+4s 8s+3s 11s+10s 21s-"},
		{"ends ends what never does", `
			0s tool bash "x" runs never as=a
			10s ends @a
			@a.end+1s stalls`, "0s+10s 10s- 11s-"},
		{"an answer counts from its dialog, what follows from the answer", `
			5s asks confirm "?" timeout=1m
			+0s user answers "yes" after 20s
			+1s stalls`, "5s+20s 5s+20s 26s-"},
		{"nobody answers: the dialog ends by its timeout", `
			5s asks confirm "?" timeout=1m
			+1s stalls`, "5s+1m 66s-"},
		{"nobody answers ever", `
			5s asks confirm "?"
			+1s stalls`, "5s- 6s-"},
		{"an answer by label", `
			5s asks confirm "?" as=a
			@a+9s user cancels
			6s asks confirm "?" as=b
			+2s user answers "yes" @b
			+1s user cancels @b`, "error: test:5:4: this dialog has its answer already"},
		{"dialogs stop the clock of the tool around them", `
			0s tool bash "x" runs 3s as=a
			@a asks confirm "?"
			+0s user answers "yes" after 20s
			@a+21s asks confirm "?" timeout=5s
			@a.end stalls`, "0s+28s 0s+20s 0s+20s 21s+5s 28s-"},
		{"a tool whose dialog nobody answers has no end", `
			0s tool bash "x" runs 3s as=a
			@a asks confirm "?"
			@a.end stalls`, "error: test:3:4: @a.end does not exist"},
		{"a dialog behind the tool leaves it alone", `
			0s tool bash "x" runs 3s
			+1s asks confirm "?"`, "0s+3s 4s-"},
		{"a retry, a compaction, chatter", `
			0s retries 4s
			+0s compacts runs 2m30s
			+0s chatter queue every 1s over 10s
			+0s raw "x" every 1s over 10s
			+0s prompt "x" takes 2s`, "0s+4s 4s+2m30s 2m34s+10s 2m44s+10s 2m54s+2s"},

		{"label unknown", "0s stalls as=tool\n@tol stalls", "error: test:2:1: unknown label @tol; did you mean @tool?"},
		{"label below", "@a stalls\n0s stalls as=a", "error: test:1:1: unknown label @a; a label is given above"},
		{"label twice", "0s stalls as=a\n0s stalls as=a", "error: test:2:1: the label a is given twice; line 1 has it too"},
		{"no end", "0s stalls as=a\n@a.end stalls", "error: test:2:1: @a.end does not exist: that step has no duration"},
		{"limit unknown", "0s+tol stalls", `error: test:1:1: unknown limit "tol"; known: first_token, tool`},
		{"limit unknown in a duration", `0s says "x" over tol`, `error: test:1:1: unknown limit "tol"`},
		{"before the start", "1s stalls\n+1s-3s stalls", "error: test:2:1: this is before the start of the script"},
		{"less than nothing", `0s says "x" over 1s-2s`, "error: test:1:1: over 1s-2s is less than nothing"},
		{"too late", strings.Repeat("+10000h stalls\n", 11), "error: test:11:1: this is too late"},
		{"no dialog", `0s user answers "yes"`, "error: test:1:1: there is no dialog to answer"},
		{"not a dialog", "0s stalls as=a\n+0s user cancels @a", "error: test:2:1: @a is no dialog"},
		{"after the timeout", "0s asks confirm \"?\" timeout=5s\n+0s user answers \"yes\" after 6s", "error: test:2:1: the dialog's own timeout passes before this"},
		{"before the dialog", "9s asks confirm \"?\"\n3s user cancels", "error: test:2:1: this comes before the dialog is opened"},
		{"ended twice", "0s tool bash \"x\" runs 3s as=a\n1s ends @a", "error: test:2:1: @a has ended already, after 3s"},
		{"cannot be ended", "0s says \"x\" as=a\n1s ends @a", "error: test:2:1: @a is no tool and no compaction"},
		{"no call", "0s says \"x\" as=a\n1s tool @a runs 1s", "error: test:2:1: @a is no call of worker"},
	}
	for _, tt := range tests {
		s := parse(t, strings.TrimPrefix(tt.src, "\n"))
		got := ""
		if err := s.Resolve(limits); err != nil {
			got = "error: " + err.Error()
			if strings.HasPrefix(got, tt.want) {
				continue
			}
		}
		for _, step := range s.Steps {
			got += " " + script.FormatDuration(step.At)
			if step.HasDur {
				got += "+" + script.FormatDuration(step.Dur)
			} else {
				got += "-"
			}
		}
		if got = strings.TrimSpace(got); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Tools that overlap are calls of one message.
func TestBatches(t *testing.T) {
	s := parse(t, `0s  tool bash "a" runs 3s as=a
@a+1s   tool bash "b" runs 5s as=b
@a+4s   tool bash "c" runs 1s
@b.end  tool bash "d" runs never as=d
@d+9h   tool bash "e" runs 1s
+1s     killed SIGKILL
+0s     spawn
+1s     tool bash "f" runs 1s
`)
	if err := s.Resolve(nil); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, step := range s.Steps {
		if tool, ok := step.Action.(script.Tool); ok {
			got[tool.Command.Value] = tool.Batch
		}
	}
	want := map[string]int{"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A tool that runs an earlier call takes its name and command.
func TestToolOfCall(t *testing.T) {
	s := parse(t, "0s calls write \"a.go\" as=w\n+1s tool @w runs 1s\n")
	if err := s.Resolve(nil); err != nil {
		t.Fatal(err)
	}
	if tool := s.Steps[1].Action.(script.Tool); tool.Name != "write" || tool.Command.Value != "a.go" {
		t.Errorf("got %+v, want the name write and the command a.go", tool)
	}
}

// Resolving again with other limits gives what those limits say.
func TestResolveAgain(t *testing.T) {
	s := parse(t, `0s tool bash "x" runs tool-1s`)
	for _, limit := range []time.Duration{time.Hour, time.Minute} {
		if err := s.Resolve(map[string]time.Duration{"tool": limit}); err != nil {
			t.Fatal(err)
		}
		if got := s.Steps[0].Dur; got != limit-time.Second {
			t.Errorf("got %v, want %v", got, limit-time.Second)
		}
	}
}

func TestFor(t *testing.T) {
	steps := []script.Step{{Actor: "w1", At: 5, Label: "c"}, {Actor: "w2"}, {Actor: "w1", At: 1, Label: "a"}, {Actor: "w1", At: 1, Label: "b"}}
	got := ""
	for _, s := range script.For(steps, "w1") {
		got += s.Label
	}
	if got != "abc" {
		t.Errorf("got %s, want abc", got)
	}
}
