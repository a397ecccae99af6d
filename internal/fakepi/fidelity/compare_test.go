package fidelity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/fidelity"
)

// A short run of pi-1.6 as it is printed, with the session file that it leaves.
var (
	stream = []string{
		`{"id":"c1","type":"response","command":"prompt","success":true}`,
		`{"type":"agent_start"}`,
		`{"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input":0},"stopReason":"pending","timestamp":1795970056889}}`,
		`{"type":"message_update","usage":{"input":0},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"Hel"}}`,
		`{"type":"message_update","usage":{"input":9},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"lo"}}`,
		`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Hello"}],"usage":{"input":9},"stopReason":"stop","timestamp":1795970056889,"responseId":"chatcmpl-1","durationMs":12}}`,
		`{"type":"tool_execution_start","toolCallId":"call_1","toolName":"bash","args":{"command":"ls"}}`,
		`{"type":"agent_settled","aborted":false}`,
	}
	entries = []string{
		`{"type":"session","version":3,"id":"01a22828-43aa-7332-9889-61e737d2c15e","timestamp":"2026-11-29T16:34:17.130Z","cwd":"/tmp/a/work"}`,
		`{"type":"model_change","id":"11111111","parentId":null,"timestamp":"2026-11-29T16:34:17.131Z","provider":"fake","modelId":"fake-1"}`,
		`{"type":"message","id":"22222222","parentId":"11111111","timestamp":"2026-11-29T16:34:17.150Z","message":{"role":"user","content":[]}}`,
	}
)

func records(lines []string) []fidelity.Record {
	var all []fidelity.Record
	for _, line := range lines {
		all = append(all, fidelity.NewRecord([]byte(line)))
	}
	return all
}

// run is what is compared of a run in the folders /tmp/NAME.
func parts(name, exit string, stream, entries []string) []fidelity.Part {
	run := fidelity.Run{
		Place: fidelity.Place{Home: "/tmp/" + name + "/home", Work: "/tmp/" + name + "/work"},
		First: 1,
		Pis: []fidelity.Ended{{
			Stdout: records(stream), Exit: exit,
			Sessions: map[string][]fidelity.Record{"sessions/--tmp-" + name + "-work--/x.jsonl": records(entries)},
		}},
	}
	return run.Parts(fidelity.Case{Script: &fidelity.Script{}})
}

// replaced is a copy of lines in which old is new.
func replaced(t *testing.T, lines []string, old, new string) []string {
	t.Helper()
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, old) {
		t.Fatalf("the lines do not hold %s", old)
	}
	return strings.Split(strings.Replace(text, old, new, 1), "\n")
}

func TestCompareSees(t *testing.T) {
	tests := []struct {
		reason, old, new string
		want             string // part, line and path of the first difference
	}{
		{"a changed delta", `"delta":"lo"`, `"delta":"ol"`, "Pi 1: stdout 5 assistantMessageEvent/delta"},
		{"another order of keys", `"type":"text_delta","contentIndex":0`, `"contentIndex":0,"type":"text_delta"`, "Pi 1: stdout 4 assistantMessageEvent/keys()"},
		{"a missing key", `,"responseId":"chatcmpl-1"`, ``, "Pi 1: stdout 6 message/keys()"},
		{"a key more", `"aborted":false`, `"aborted":false,"x":1`, "Pi 1: stdout 8 keys()"},
		{"another number", `"usage":{"input":9},"stopReason":"stop"`, `"usage":{"input":8},"stopReason":"stop"`, "Pi 1: stdout 6 message/usage/input"},
		{"a number as text", `"durationMs":12`, `"durationMs":"12"`, "Pi 1: stdout 6 message/durationMs"},
		{"another record", `"type":"agent_start"`, `"type":"turn_start"`, "Pi 1: stdout 2 lines()"},
		{"a line too few", stream[1] + "\n", ``, "Pi 1: stdout 2 lines()"},
		{"no JSON", `{"type":"agent_start"}`, `{"type":"agent_start"`, "Pi 1: stdout 2 lines()"},
		{"the id of another call", `"toolCallId":"call_1"`, `"toolCallId":"chatcmpl-1"`, "Pi 1: stdout 7 toolCallId"},
		{"the client's id", `"id":"c1"`, `"id":"c2"`, "Pi 1: stdout 1 id"},
		{"a last line too few", "\n" + stream[7], ``, "Pi 1: stdout 8 lines()"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			changed := replaced(t, stream, test.old, test.new)
			first(t, fidelity.Compare(parts("a", "exit 0", stream, entries), parts("b", "exit 0", changed, entriesOf("b"))), test.want)
		})
	}
}

func TestCompareSeesWhatIsLeft(t *testing.T) {
	const file = "Pi 1: session 1: sessions/--$CWD--/x.jsonl"
	tests := []struct {
		reason, old, new string
		want             string
	}{
		{"an entry too few", "\n" + entries[2], ``, file + " 3 lines()"},
		{"another parent", `"parentId":"11111111"`, `"parentId":null`, file + " 3 parentId"},
		{"another model", `"modelId":"fake-1"`, `"modelId":"fake-2"`, file + " 2 modelId"},
		{"a time that is none", `"timestamp":"2026-11-29T16:34:17.131Z"`, `"timestamp":"now"`, file + " 2 timestamp"},
		{"another folder", `/work"`, `/home"`, file + " 1 cwd"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			changed := replaced(t, entriesOf("b"), test.old, test.new)
			first(t, fidelity.Compare(parts("a", "exit 0", stream, entries), parts("b", "exit 0", stream, changed)), test.want)
		})
	}
	first(t, fidelity.Compare(parts("a", "exit 0", stream, entries), parts("b", "SIGTERM", stream, entriesOf("b"))), "Pi 1: exit 1 lines()")
	none := parts("b", "exit 0", stream, nil)
	none = none[:len(none)-1] // without the session file
	first(t, fidelity.Compare(parts("a", "exit 0", stream, entries), none), file+" 0 ")
	first(t, fidelity.Compare(none, parts("b", "exit 0", stream, entriesOf("b"))), file+" 0 ")
}

func first(t *testing.T, got []fidelity.Difference, want string) {
	t.Helper()
	if len(got) == 0 {
		t.Fatalf("got no difference, want %q", want)
	}
	d := got[0]
	if at := strings.Join([]string{d.Part, digits(d.Line), d.Path}, " "); at != want {
		t.Errorf("got a difference at %q, want %q: %+v", at, want, d)
	}
}

func digits(n int) string { return string(rune('0' + n)) }

// entriesOf is the session file as it is in the folders of another run.
func entriesOf(name string) []string {
	return strings.Split(strings.ReplaceAll(strings.Join(entries, "\n"), "/tmp/a/", "/tmp/"+name+"/"), "\n")
}

// TestCompareAllows: what varies between two runs of the real Pi is no difference.
func TestCompareAllows(t *testing.T) {
	other := strings.NewReplacer(
		"1795970056889", "1795970059999", "chatcmpl-1", "chatcmpl-x", "call_1", "call_x", `"durationMs":12`, `"durationMs":345`,
		`"usage":{"input":0},"assistant`, `"usage":{"input":9},"assistant`, `"content":[],"usage":{"input":0}`, `"content":[{"type":"text","text":"Hel"}],"usage":{"input":9}`,
		"11111111", "aaaaaaaa", "22222222", "bbbbbbbb", "16:34:17.130Z", "17:00:00.000Z", "01a22828-43aa-7332-9889-61e737d2c15e", "01a22828-0000-7332-9889-61e737d2c15e",
	)
	again := func(lines []string) []string { return strings.Split(other.Replace(strings.Join(lines, "\n")), "\n") }
	got := fidelity.Compare(parts("a", "exit 0", stream, entries), parts("b", "exit 0", again(stream), again(entriesOf("b"))))
	if len(got) > 0 {
		t.Errorf("got differences: %+v", got)
	}
}

// TestCompareMadeUp: the duration of a reply that Pi makes up is there by chance; of another one it is not.
func TestCompareMadeUp(t *testing.T) {
	const begins, ends = `{"type":"message_end","message":{"role":"assistant","content":`, `,"thinkingLevel":"off"}}`
	tests := []struct{ message, duration, want, reason string }{
		{`[],"stopReason":"aborted","errorMessage":"e","timestamp":1`, `,"durationMs":3`, "", "made up"},
		{`[],"stopReason":"error","errorMessage":"e","timestamp":1`, `,"durationMs":3`, "", "made up, since the model could not be asked (25s)"},
		{`[],"stopReason":"error","timestamp":1,"errorMessage":"e"`, `,"durationMs":3`, "Pi 1: stdout 1 message/keys()", "the model's"},
		{`[],"stopReason":"aborted","errorMessage":"e","timestamp":1`, `,"durationMs":"3"`, "Pi 1: stdout 1 message/keys()", "no number"},
		{`[],"stopReason":"aborted","timestamp":1,"errorMessage":"e"`, `,"durationMs":3`, "Pi 1: stdout 1 message/keys()", "begun"},
		{`[{"type":"text","text":"x"}],"stopReason":"aborted","errorMessage":"e","timestamp":1`, `,"durationMs":3`, "Pi 1: stdout 1 message/keys()", "it has a text"},
	}
	for _, tt := range tests {
		got := fidelity.Compare(
			parts("a", "exit 0", []string{begins + tt.message + tt.duration + ends}, nil),
			parts("b", "exit 0", []string{begins + tt.message + ends}, nil))
		if tt.want != "" {
			first(t, got, tt.want)
		} else if len(got) > 0 {
			t.Errorf("%s: got differences: %+v", tt.reason, got)
		}
	}
}

func TestNormalText(t *testing.T) {
	n := fidelity.NewNormal("/tmp/pi1/home", "/tmp/pi1/work", false)
	tests := []struct{ reason, in, want string }{
		{"folders", "in /tmp/pi1/work and /tmp/pi1/home/x", "in $CWD and $HOME/x"},
		{"session folder and file", "sessions/--tmp-pi1-work--/2026-11-29T16-34-17-130Z_01a22828-43aa-7332-9889-61e737d2c15e.jsonl", "sessions/--$CWD--/TIME_\ufdd001a22828-43aa-7332-9889-61e737d2c15e\ufdd1.jsonl"},
		{"port", "connect ECONNREFUSED 127.0.0.1:18160", "connect ECONNREFUSED 127.0.0.1:PORT"},
		{"long output", "Full output: /tmp/pi-bash-0123456789abcdef.log]", "Full output: /tmp/pi-bash-ID.log]"},
		{"text", "2026-11-29 is a day", "2026-11-29 is a day"},
	}
	for _, test := range tests {
		if got := n.Text(test.in); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestKind(t *testing.T) {
	tests := []struct{ line, want string }{
		{stream[0], "response(prompt)"}, {stream[3], "text_delta"}, {stream[5], "message_end(assistant)"},
		{stream[6], "tool_execution_start(bash)"}, {entries[2], "message(user)"},
		{`{"type":"compaction_end","reason":"manual"}`, "compaction_end(manual)"},
		{`{"type":"extension_ui_request","id":"x","method":"select"}`, "extension_ui_request(select)"},
		{`[1]`, ""}, {`{`, ""}, {`{"type":7}`, ""},
	}
	for _, test := range tests {
		if got := fidelity.NewRecord([]byte(test.line)).Kind; got != test.want {
			t.Errorf("%s: got %q, want %q", test.line, got, test.want)
		}
	}
}

// TestCompareUnordered: rule 5 of ends that came in another order, and of updates.
func TestCompareUnordered(t *testing.T) {
	const start, update, end = `{"type":"tool_execution_start","toolCallId":"a"}`, `{"type":"tool_execution_update","toolCallId":"a"}`, `{"type":"tool_execution_end","toolCallId":"a"}`
	of := func(line, call string) string { return strings.Replace(line, `"a"`, `"`+call+`"`, 1) }
	one := []string{of(start, "a"), of(start, "b"), of(update, "a"), of(end, "a"), of(end, "b"), stream[7]}
	two := []string{of(start, "x"), of(start, "y"), of(end, "y"), of(update, "x"), of(end, "x"), stream[7]}
	compare := func(unordered bool, two []string) []fidelity.Difference {
		c := fidelity.Case{Script: &fidelity.Script{Unordered: unordered}}
		part := func(lines []string) []fidelity.Part {
			return fidelity.Run{First: 1, Pis: []fidelity.Ended{{Stdout: records(lines)}}}.Parts(c)
		}
		return fidelity.Compare(part(one), part(two))
	}
	if got := compare(true, two); len(got) > 0 {
		t.Errorf("got differences: %+v", got)
	}
	if got := compare(false, two); len(got) == 0 {
		t.Errorf("of a script that is ordered: got none")
	}
	if got := compare(true, two[:5]); len(got) != 1 {
		t.Errorf("a missing line: got %+v", got)
	}
}

// TestEven: rule 9 of a record that a race lets out or not.
func TestEven(t *testing.T) {
	const told, other = `{"type":"response","command":"get_state"}`, `{"type":"response","command":"abort"}`
	of := func(lines ...string) []fidelity.Part {
		return []fidelity.Part{{Name: "Pi 1: stdout", Records: records(lines)}, {Name: "Pi 1: exit"}}
	}
	tests := []struct {
		reason   string
		kind     string
		pi, fake []fidelity.Part
		equal    bool
	}{
		{"both have it", "response(get_state)", of(stream[7], told), of(stream[7], told), true},
		{"Pi alone", "response(get_state)", of(stream[7], told), of(stream[7]), true},
		{"the fake alone", "response(get_state)", of(stream[7]), of(stream[7], told), true},
		{"one of two", "response(get_state)", of(told, stream[7]), of(told, stream[7], told), true},
		{"without a kind", "", of(stream[7], told), of(stream[7]), false},
		{"another kind", "response(get_state)", of(stream[7], other), of(stream[7]), false},
		{"both have it, elsewhere", "response(get_state)", of(stream[7], told), of(told, stream[7]), false},
	}
	for _, tt := range tests {
		if got := fidelity.Compare(fidelity.Even(tt.kind, tt.pi, tt.fake)); (len(got) == 0) != tt.equal {
			t.Errorf("%s: equal %v, want %v: %+v", tt.reason, !tt.equal, tt.equal, got)
		}
	}
}

func TestSnapshots(t *testing.T) {
	update := func(delta, message, partial string) string {
		snapshot := func(text string) string {
			return `{"role":"assistant","content":[{"type":"text","text":"` + text + `"}]}`
		}
		return `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"` + delta +
			`","partial":` + snapshot(partial) + `},"message":` + snapshot(message) + `}`
	}
	start := `{"type":"message_start","message":{"role":"assistant","content":[]}}`
	end := `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Hello there"}]}}`
	tests := []struct {
		reason string
		lines  []string
		wrong  int
	}{
		{"right", []string{start, update("Hello", "Hello", "Hello"), update(" there", "Hello there", "Hello there"), end}, 0},
		{"it runs ahead", []string{start, update("Hello", "Hello", "Hello there"), update(" there", "Hello there", "Hello there"), end}, 0},
		{"it lags", []string{start, update("Hello", "Hello", "Hello"), update(" there", "Hello", "Hello there"), end}, 1},
		{"it says something else", []string{start, update("Hello", "Hello", "Hello you"), end}, 1},
		{"cut off", []string{start, update("Hello", "Hello", "Hello")}, 0},
		{"cut off and wrong", []string{start, update("Hello", "Help", "Help")}, 2},
		{"the next reply begins anew", []string{start, update("Hello there", "Hello there", "Hello there"), end, start, update("Hello", "Hello", "Hello"), end}, 0},
		{"no snapshot", []string{start, stream[3]}, 2},
	}
	for _, test := range tests {
		if got := fidelity.Snapshots(records(test.lines)); len(got) != test.wrong {
			t.Errorf("%s: got %q, want %d", test.reason, got, test.wrong)
		}
	}
}

func TestAccepted(t *testing.T) {
	list, err := fidelity.ParseAccepted([]byte(`
- dialect: pi-1.6
  case: 01a-*/rpc
  path: "**/sections/*"
  reason: texts of its own
- dialect: pi-1.6
  part: "*stdout"
  kind: response(get_state)
  path: data/model/name
  reason: a test
- dialect: pi-1.6
  part: "*crash"
  path: lines()
  pi: "file:///**"
  reason: whole lines of one part
- dialect: pi-1.6
  case: 01a-*/rpc
  part: "*stdout"
  path: "**"
  reason: any value, but no whole lines
- dialect: pi-0.73
  path: x
  reason: another dialect
`))
	if err != nil {
		t.Fatal(err)
	}
	c := fidelity.Case{Script: &fidelity.Script{Name: "01a-simple"}, Dialect: "pi-1.6", Mode: "rpc"}
	all := []fidelity.Difference{
		{Part: "Pi 1: stdout", Kind: "message_end(system)", Path: "message/sections/tools"},
		{Part: "Pi 1: stdout", Kind: "message_end(system)", Path: "message/sections/tools/deeper"},
		{Part: "Pi 1: stdout", Kind: "message_end(system)", Path: "message/sections/tools", Broken: true},
		{Part: "Pi 1: stdout", Path: "lines()", Broken: true},
		{Part: "Pi 1: stdout", Path: "lines()", Pi: "file:///x"},
		{Part: "Pi 1: stderr", Kind: "response(get_state)", Path: "data/model/name"},
	}
	accepted, others := list.Sort(c, all)
	if diff := cmp.Diff(all[:2], accepted); diff != "" {
		t.Errorf("accepted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all[2:], others); diff != "" {
		t.Errorf("others (-want +got):\n%s", diff)
	}
	stale := list.Stale("pi-1.6")
	if len(stale) != 2 || stale[0].Path != "data/model/name" {
		t.Errorf("got stale %+v, want the entry of get_state and that of whole lines", stale)
	}
	lines := []fidelity.Difference{
		{Part: "Pi 1: places of a crash", Path: "lines()", Pi: "file:///x.js:1\n", Broken: true},
		{Part: "Pi 1: places of a crash", Path: "lines()", Fake: "file:///x.js:1\n", Broken: true},
		{Part: "Pi 1: stderr", Path: "lines()", Pi: "file:///x.js:1\n", Broken: true},
	}
	accepted, others = list.Sort(c, lines)
	if diff := cmp.Diff(lines[:1], accepted); diff != "" {
		t.Errorf("whole lines accepted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(lines[1:], others); diff != "" {
		t.Errorf("other whole lines (-want +got):\n%s", diff)
	}
	other := c
	other.Mode = "json"
	if accepted, _ := list.Sort(other, all[:1]); len(accepted) > 0 {
		t.Errorf("got %+v accepted in another case", accepted)
	}
	for _, text := range []string{"- dialect: pi-1.6\n  path: x\n", "- dialect: pi-1.6\n  path: lines()\n  part: x\n  reason: y\n", "- dialect: pi-1.6\n  path: lines()\n  part: x\n  pi: \"**\"\n  reason: y\n", "- dialekt: x\n", "- path: x\n  reason: y\n", "{"} {
		if _, err := fidelity.ParseAccepted([]byte(text)); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}
