package fakepi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// effects lists the effects of outputs, each with its time.
func effects(outs []fakepi.Output) []string {
	var list []string
	for _, o := range outs {
		if e := o.Effect; e != nil {
			what := strings.Join(strings.Fields(strings.Join([]string{string(e.Kind), e.Call, e.Path, e.Old, e.Text, e.Command, e.Remote}, " ")), " ")
			list = append(list, fmt.Sprintf("%s %s", o.At, what))
		}
	}
	return list
}

const (
	toolFor10s = "0s prompt \"x\"\n+1s tool bash \"x\" runs 10s call=c as=t\n"
	ofAllKinds = `@t+1s does write a.txt "new"
+1s does append a.txt "more"
+1s does edit a.txt "more" "less"
+1s does commit "done"
+1s does push
+0s does push backup
`
)

func TestEffects(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
		reason    string
	}{
		{"every kind but run", toolFor10s + ofAllKinds, []string{
			"2s write c a.txt new", "3s append c a.txt more", "4s edit c a.txt more less", "5s commit c done", "6s push c origin", "6s push c backup",
		}, ""},
		{"as the tool starts", toolFor10s + "@t does write a.txt", []string{"1s write c a.txt"}, "the tool works before it acts"},
		{"the tool that started last", toolFor10s + "@t+1s tool bash \"y\" runs 3s call=d as=u\n@u+1s does write a.txt\n@u+4s does write b.txt", []string{"3s write d a.txt", "6s write c b.txt"}, ""},
		{"behind a gate", "0s prompt \"x\"\n+1s tool bash \"x\" runs 10s call=c as=t\n@t asks confirm \"?\"\n+0s user answers \"yes\" after 30s\n@t+31s does write a.txt",
			[]string{"32s write c a.txt"}, "the answer comes at 31s"},
		{"a gate without an answer", "0s prompt \"x\"\n+1s tool bash \"x\" runs 10s call=c as=t\n@t asks confirm \"?\"\n+1s does write a.txt", nil, "it waits for it"},
		{"a gate in one-shot mode", "0s spawn mode=json\n+0s prompt \"x\"\n+1s tool bash \"x\" runs 10s call=c as=t\n@t asks confirm \"?\"\n+1s does write a.txt", nil, "the tool was refused"},
		{"a stall", toolFor10s + "@t+1s stalls\n+1s does write a.txt", nil, "nothing goes on"},
		{"a killed worker with a child", toolFor10s + "@t+1s killed SIGKILL\n+1s does write a.txt", []string{"3s write c a.txt"}, "the child of bash lives on"},
		{"a killed worker without", "0s prompt \"x\"\n+1s tool write \"a.txt\" runs 10s call=c as=t\n+1s killed SIGKILL\n+1s does write a.txt", nil, "Pi itself would have written"},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src)
		if d := cmp.Diff(tt.want, effects(answered(w, tt.src))); d != "" {
			t.Errorf("%s (%s): -want +got\n%s", tt.name, tt.reason, d)
		}
	}
}

// answered plays a minute; the user of the script answers at 31 s.
func answered(w *fakepi.Worker, src string) []fakepi.Output {
	out := play(w, 31*time.Second, nil)
	if strings.Contains(src, "user answers") {
		out = w.Send(31*time.Second, w.Answer("yes", false), out)
	}
	return play(w, time.Minute, out)
}

// An aborted tool does nothing more.
func TestAbortedToolActsNoMore(t *testing.T) {
	w := newWorker(t, toolFor10s+ofAllKinds)
	out := play(w, 2500*time.Millisecond, nil)
	out = w.Send(2500*time.Millisecond, []byte(`{"type":"abort"}`), out)
	out = play(w, time.Minute, out)
	if d := cmp.Diff([]string{"2s write c a.txt new"}, effects(out)); d != "" {
		t.Error(d)
	}
}

// In a simulation effects change what can be seen of the worktree.
func TestEffectsChangeTheWorld(t *testing.T) {
	w := newWorker(t, toolFor10s+ofAllKinds)
	seen := map[string]time.Duration{}
	for _, at := range []time.Duration{1500, 2500, 3500, 4500, 5500, 6500} {
		at *= time.Millisecond
		play(w, at, nil)
		if before, ok := seen[w.WorldDigest()]; ok {
			t.Errorf("at %s the worktree is what it was at %s", at, before)
		}
		seen[w.WorldDigest()] = at
	}
}

func runs(c *fakepi.Config) { c.Exec = true }

// A command holds its tool until it has ended; its output and its status are the tool's.
func TestRun(t *testing.T) {
	w := newWorker(t, toolFor10s+"@t+1s does run \"make\"\n@t.end+1s says \"b\"\n+0s settles", runs)
	out := play(w, time.Minute, nil)
	if d := cmp.Diff([]string{"2s run c make"}, effects(out)); d != "" {
		t.Error(d)
	}
	if strings.Contains(tokens(out), "tool_execution_end") {
		t.Error("the tool ended before its command")
	}
	out = w.Ran(time.Minute, "c", []byte("no rule\n"), 2, nil)
	out = play(w, 2*time.Minute, out)
	end := toolEnd(out)
	if want := `{"content":[{"type":"text","text":"no rule\n\n\nCommand exited with code 2"}]`; !strings.Contains(end, want) || !strings.Contains(end, `"isError":true`) {
		t.Errorf("the tool's end is %s, want %s as an error", end, want)
	}
	if !strings.Contains(tokens(out), "agent_settled") {
		t.Errorf("the run does not go on: %s", tokens(out))
	}
	if again := w.Ran(2*time.Minute, "c", []byte("late"), 0, nil); len(again) > 0 {
		t.Errorf("a command of a call that has ended: %s", tokens(again))
	}
}

// A tool's own timeout ends it before its command, which then is no child of it any more.
func TestCommandThatTimesOut(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s tool bash \"make\" runs never timeout=2s call=c as=t\n@t does run \"make\"\n@t.end+1s says \"b\"\n+0s settles"
	w := newWorker(t, src, runs)
	out := w.Printed(1500*time.Millisecond, "c", []byte("a\n"), play(w, 1500*time.Millisecond, nil))
	if children := w.Children(); len(children) != 1 {
		t.Errorf("while it runs: %v, want its process", children)
	}
	out = play(w, time.Minute, out)
	if end := toolEnd(out); !strings.Contains(end, `"text":"a\n\n\nCommand timed out after 2 seconds"`) || !strings.Contains(end, `"isError":true`) {
		t.Errorf("the tool's end is %s", end)
	}
	if children := w.Children(); len(children) > 0 || w.Detached("c") {
		t.Errorf("behind its end: %v, detached %v; want it killed", children, w.Detached("c"))
	}
}

// Where nobody runs commands a script that has them is refused.
func TestRunIsRefused(t *testing.T) {
	s := parse(t, toolFor10s+"@t+1s does run \"make\"")
	_, err := fakepi.New(fakepi.Config{Steps: s.For(script.DefaultActor)})
	var at *script.Error
	if !errors.Is(err, fakepi.ErrScript) || !errors.As(err, &at) || at.Pos.Line != 3 {
		t.Errorf("%v, want %v in line 3", err, fakepi.ErrScript)
	}
}

// What came to nothing fails the tool, with the reason as its output.
func TestFailed(t *testing.T) {
	w := newWorker(t, "0s prompt \"x\"\n+1s tool edit \"a.txt\" runs 2s call=c as=t\n@t+1s does edit a.txt \"old\" \"new\"\n@t.end+1s stalls")
	out := play(w, 2*time.Second, nil)
	out = w.Failed(2*time.Second, "c", "Could not find the exact text.", out)
	out = play(w, time.Minute, out)
	end := toolEnd(out)
	if want := `"text":"Could not find the exact text."`; !strings.Contains(end, want) || !strings.Contains(end, `"isError":true`) {
		t.Errorf("the tool's end is %s, want %s as an error", end, want)
	}
}

// Children are what has a process of its own; its plan as an orphan is what it does when its worker is killed.
func TestChildren(t *testing.T) {
	w := newWorker(t, toolFor10s+ofAllKinds)
	play(w, 500*time.Millisecond, nil)
	if got := w.Children(); len(got) > 0 {
		t.Errorf("before the tool: %v", got)
	}
	play(w, 3500*time.Millisecond, nil)
	if d := cmp.Diff([]fakepi.Child{{Call: "c", Command: "x"}}, w.Children()); d != "" {
		t.Error(d)
	}
	rest, end, ends := w.OrphanPlan("c")
	if d := cmp.Diff([]string{"4s edit c a.txt more less", "5s commit c done", "6s push c origin", "6s push c backup"}, effects(rest)); d != "" {
		t.Error(d)
	}
	if end != 11*time.Second || !ends {
		t.Errorf("it ends at %s (%t), want 11s", end, ends)
	}
	w.Signal(3500*time.Millisecond, "SIGTERM", nil)
	if got := w.Children(); len(got) > 0 {
		t.Errorf("behind a SIGTERM: %v", got)
	}
	never := newWorker(t, "0s prompt \"x\"\n+1s tool bash \"x\" runs never call=c")
	play(never, time.Minute, nil)
	if _, end, ends := never.OrphanPlan("c"); ends {
		t.Errorf("a tool that never ends, ends at %s", end)
	}
}

// Somebody kills the process of a tool: Pi 1.6 takes that for a failure, Pi 0.73 does not.
func TestChildEnded(t *testing.T) {
	tests := []struct {
		dialect native.Dialect
		code    int
		text    string // of the result
		failed  bool
	}{
		{native.Pi16, -9, `Command exited with code 137`, true},
		{native.Pi073, -9, `(no output)`, false},
		{native.Pi073, 137, `Command exited with code 137`, true},
		{native.Pi16, 3, `Command exited with code 3`, true},
		{native.Pi073, 3, `Command exited with code 3`, true},
		{native.Pi16, 0, `(no output)`, false},
	}
	for _, tt := range tests {
		w := newWorker(t, "0s prompt \"x\"\n+1s tool bash \"x\" runs never call=c\n+1m stalls", in(tt.dialect))
		out := play(w, 10*time.Second, nil)
		out = w.ChildEnded(10*time.Second, "c", tt.code, out)
		end := toolEnd(out)
		if !strings.Contains(end, tt.text) || strings.Contains(end, `"isError":true`) != tt.failed {
			t.Errorf("%s, code %d: %s; want %q, failed %t", tt.dialect, tt.code, end, tt.text, tt.failed)
		}
		if again := w.ChildEnded(11*time.Second, "c", 0, nil); toolEnd(again) != "" {
			t.Errorf("%s: it ended twice", tt.dialect)
		}
	}
}

// toolEnd is the last tool_execution_end.
func toolEnd(outs []fakepi.Output) string {
	end := ""
	for _, o := range outs {
		if o.Stream == fakepi.Out && strings.Contains(string(o.Data), `"type":"tool_execution_end"`) {
			end = string(o.Data)
		}
	}
	return end
}

// What a command has left in the background lives on when the command has ended by itself; an abort kills it.
func TestSpared(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s tool bash \"x\" runs 1s call=c as=t\n@t does run \"sleep 9 &\"\n@t.end+1m says \"Done.\"\n+0s settles"
	tests := []struct {
		reason   string
		end      func(*fakepi.Worker, []fakepi.Output) []fakepi.Output
		detached bool
	}{
		{"it has ended", func(w *fakepi.Worker, out []fakepi.Output) []fakepi.Output {
			return w.Ran(time.Second, "c", nil, 0, out)
		}, true},
		{"a signal has ended it alone", func(w *fakepi.Worker, out []fakepi.Output) []fakepi.Output {
			return w.Ran(time.Second, "c", nil, -9, out)
		}, true},
		{"it was aborted", func(w *fakepi.Worker, out []fakepi.Output) []fakepi.Output {
			return w.Send(time.Second, []byte(`{"type":"abort"}`), out)
		}, false},
		{"the worker was told to end", func(w *fakepi.Worker, out []fakepi.Output) []fakepi.Output {
			return w.Signal(time.Second, "SIGTERM", out)
		}, false},
	}
	for _, tt := range tests {
		w := newWorker(t, src, func(c *fakepi.Config) { c.Exec = true })
		out := play(w, time.Second, nil)
		tt.end(w, out)
		play(w, 10*time.Second, nil)
		if got := w.Detached("c"); got != tt.detached || len(w.Children()) > 0 {
			t.Errorf("%s: detached %t, want %t; children %v", tt.reason, got, tt.detached, w.Children())
		}
	}
}
