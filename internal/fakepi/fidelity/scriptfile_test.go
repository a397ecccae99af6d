package fidelity_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/fidelity"
)

const good = `# Stopped in a tool.
modes    rpc json
dialects pi-1.6
stops    SIGKILL abort
settings {"compaction":{"enabled":false}}
gate
client   prompt
         prompt "Another."
         on tool_execution_start(bash) x2
         wait 300ms
         command {"type":"get_state"}
         send "not json\n"
         stop
         start --session $SESSION

0s      prompt "Run it."
+50ms   tool bash "ls" runs 10ms gives out.txt
+50ms   says "Done."
+0s     settles
-- out.txt --
main.go
-- work/main.go --
package main
`

func TestParse(t *testing.T) {
	s, err := fidelity.Parse("x/08a-stopped.txt", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := []fidelity.Act{
		{Verb: "prompt", N: 1, Next: true},
		{Verb: "prompt", N: 1, Text: "Another."},
		{Verb: "on", N: 2, Text: "tool_execution_start(bash)"},
		{Verb: "wait", N: 1, Wait: 300 * time.Millisecond},
		{Verb: "command", N: 1, Text: `{"type":"get_state"}`},
		{Verb: "send", N: 1, Text: "not json\n", Raw: true},
		{Verb: "stop", N: 1},
		{Verb: "start", N: 1, Args: []string{"--session", "$SESSION"}},
	}
	if diff := cmp.Diff(want, s.Client, cmpopts.IgnoreFields(fidelity.Act{}, "Pos")); diff != "" {
		t.Errorf("the client's half (-want +got):\n%s", diff)
	}
	if at := s.Client[2].Pos.String(); at != "x/08a-stopped.txt:9:10" {
		t.Errorf("got the third act at %s, want line 9, column 10", at)
	}
	if at := s.Worker.Steps[1].Pos.Line; at != 17 {
		t.Errorf("got the tool in line %d, want 17 as in the file", at)
	}
	if !s.Gate || s.Group() != "08" || string(s.Work["main.go"]) != "package main\n" || strings.Contains(string(s.Source), "work/") {
		t.Errorf("got gate %t, group %s, files %q, source %s", s.Gate, s.Group(), s.Work, s.Source)
	}
	var names []string
	for _, c := range s.Cases(native.Pi16) {
		names = append(names, c.Name())
	}
	if diff := cmp.Diff([]string{"08a-stopped/rpc/SIGKILL", "08a-stopped/rpc/abort", "08a-stopped/json/SIGKILL"}, names); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
	if cases := s.Cases(native.Pi073); len(cases) > 0 {
		t.Errorf("got %d cases in a dialect that does not show it", len(cases))
	}
}

func TestParseRefuses(t *testing.T) {
	const worker = "\n0s prompt \"x\"\n+0s stalls\n"
	tests := []struct {
		reason, name, text string
		line               int
	}{
		{"no mode", "01a-x.txt", "gate" + worker, 1},
		{"an unknown mode", "01a-x.txt", "modes rpc tui" + worker, 1},
		{"an unknown key", "01a-x.txt", "modes rpc\nmods" + worker, 2},
		{"maybe without a kind", "01a-x.txt", "modes rpc\nmaybe" + worker, 2},
		{"a flag with a value", "01a-x.txt", "modes rpc\ngate yes" + worker, 2},
		{"an unknown verb", "01a-x.txt", "modes rpc\nclient prompt\n       promt" + worker, 3},
		{"an event that is none", "01a-x.txt", "modes rpc\nclient on 7" + worker, 2},
		{"a number of times that is none", "01a-x.txt", "modes rpc\nclient on agent_end 2" + worker, 2},
		{"a signal that is none", "01a-x.txt", "modes rpc\nclient signal KILL" + worker, 2},
		{"no duration", "01a-x.txt", "modes rpc\nclient wait" + worker, 2},
		{"broken JSON", "01a-x.txt", "modes rpc\nclient command {\"type\":}" + worker, 2},
		{"an indented line below another key", "01a-x.txt", "modes rpc\n  prompt" + worker, 2},
		{"stops without stop", "01a-x.txt", "modes rpc\nstops abort" + worker, 1},
		{"stop without stops", "01a-x.txt", "modes rpc\nclient stop" + worker, 1},
		{"a name without a group", "simple.txt", "modes rpc" + worker, 1},
		{"a worker that cannot be", "01a-x.txt", "modes rpc\n\n0s says \"x\"\n", 3},
		{"a window that is none", "01a-x.txt", "modes rpc\nwindow wide" + worker, 2},
		{"settings that are none", "01a-x.txt", "modes rpc\nsettings x" + worker, 2},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			_, err := fidelity.Parse(test.name, []byte(test.text))
			bad, ok := errors.AsType[*script.Error](err)
			if !ok || bad.Pos.Line != test.line || bad.Hint == "" {
				t.Errorf("got %v, want a script.Error in line %d with a hint", err, test.line)
			}
		})
	}
}

// TestScripts: the scripts cover every group, and are as many as was asked for.
func TestScripts(t *testing.T) {
	scripts, err := fidelity.Load(os.DirFS("testdata/scripts"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[native.Dialect]int{}
	groups := map[string]bool{}
	for _, s := range scripts {
		groups[s.Group()] = true
		for _, d := range dialects {
			if len(s.Cases(d)) > 0 {
				counts[d]++
			}
		}
	}
	for d, n := range counts {
		if n < 60 {
			t.Errorf("%s: got %d scripts, want 60 or more", d, n)
		}
	}
	recordings, err := os.ReadDir("../../../fakepi/native/testdata/recordings/1.6.0/rpc")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recordings {
		if !groups[r.Name()[:2]] {
			t.Errorf("no script shows the group of the recording %s", r.Name())
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("modes rpc\nclient on agent_end x2\n send {\"type\":\"x\"}\n0s prompt \"x\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := fidelity.Parse("01a-x.txt", []byte(text)); err != nil {
			if _, ok := errors.AsType[*script.Error](err); !ok {
				t.Errorf("got %v, want a script.Error", err)
			}
		}
	})
}
