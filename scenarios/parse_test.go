package scenarios_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/scenarios"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const example = `id       stall/silent-after-tool
title    The tool ends and the model never speaks again
requires WDC-STALL-002 WDC-EXPL-002
policy   first_token=90s confirmations=2

0s       w1 spawn
+0s      w1 prompt "tidy the imports"
+2s      w1 says "Reading the file."
+100ms   w1 tool bash "ls" runs 400ms            as=tool
+0s      w1 stalls
expect   slow_first_token w1 within @tool.end+first_token..+2m
expect   snapshot|told w1
race     @abort w1 says "late token"
crash    every
twin     from tool
         @tool.end+first_token-1s  w1 says "Done."
         +0s                       w1 settles
`

// replace returns the example with one part changed.
func replace(t *testing.T, old, with string) string {
	t.Helper()
	if !strings.Contains(example, old) {
		t.Fatalf("the example lacks %q", old)
	}
	return strings.Replace(example, old, with, 1)
}

func TestParse(t *testing.T) {
	s, err := scenarios.Parse("test", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{s.ID, s.Title, s.Family, s.Profile}; !cmp.Equal(got, []string{"stall/silent-after-tool", "The tool ends and the model never speaks again", "STALL", "core"}) {
		t.Errorf("the header is read as %q", got)
	}
	if s.Policy.FirstToken != 90*time.Second || s.Limits["first_token"] != 90*time.Second || s.Limits["tool"] != 2*time.Hour {
		t.Errorf("the policy is read as %v, %v", s.Policy, s.Limits)
	}
	wantExpects := []scenarios.Expect{
		{Alts: []string{"slow_first_token"}, Worker: "w1", HasWindow: true, From: 92500 * time.Millisecond, To: 212500 * time.Millisecond},
		{Alts: []string{"snapshot", "told"}, Worker: "w1", To: s.Horizon},
	}
	if diff := cmp.Diff(wantExpects, s.Expects, cmpopts.IgnoreTypes(script.Pos{}), cmpopts.IgnoreUnexported(scenarios.Expect{})); diff != "" {
		t.Errorf("expects: -want +got\n%s", diff)
	}
	if want := 2500*time.Millisecond + 2*time.Hour + time.Minute + 5*time.Minute; s.Horizon != want {
		t.Errorf("the horizon is %v, want %v: the last step, the tool limit, two confirmations, the rest", s.Horizon, want)
	}
	if len(s.Races) != 1 || s.Races[0].Anchor != "abort" || !s.Races[0].OnAct || !s.Crash.Every {
		t.Errorf("race and crash are read as %+v, %+v", s.Races, s.Crash)
	}
	if diff := cmp.Diff([]string{"0s spawn", "0s prompt", "2s says", "2.1s tool", "2.5s stalls"}, story(s.Timeline)); diff != "" {
		t.Errorf("timeline: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0s spawn", "0s prompt", "2s says", "2.1s tool", "91.5s says", "91.5s settles"}, story(s.Twin.Timeline)); diff != "" {
		t.Errorf("twin: -want +got\n%s", diff)
	}
}

// story says what happens when.
func story(steps []script.Step) []string {
	var lines []string
	for _, s := range steps {
		lines = append(lines, script.FormatDuration(s.At)+" "+s.Action.Verb())
	}
	return lines
}

func TestParseHeader(t *testing.T) {
	src := replace(t, "policy   first_token=90s confirmations=2", `policy   first_token=90s first_token[model=slow/1.5]=10m tool[tool=bash]=5m effects.stop_turn=auto
family   MASK
profile  explain
features pty
dialects pi-1.6 "pi-0.73 has no terminal event"
renames  agent_end=run_end turn_end=turn_over
note     Two lines, with "quotes
note     and # signs.`)
	s, err := scenarios.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if s.Family != "MASK" || s.Profile != "explain" || s.Note != "Two lines, with \"quotes\nand # signs." {
		t.Errorf("got %q, %q, %q", s.Family, s.Profile, s.Note)
	}
	if diff := cmp.Diff([][]string{{"pty"}, {"pi-1.6"}, {"pi-0.73 has no terminal event"}}, [][]string{s.Features, s.Dialects, {s.Why}}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]scenarios.Rename{{From: "agent_end", To: "run_end"}, {From: "turn_end", To: "turn_over"}}, s.Renames); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	slow, bash := s.Policy.For("w1", "slow/1.5", ""), s.Policy.For("w1", "", "bash")
	if slow.FirstToken != 10*time.Minute || bash.Tool != 5*time.Minute || s.Policy.Tool != 2*time.Hour || s.Limits["first_token"] != 90*time.Second {
		t.Errorf("the policy is read as %+v", s.Policy)
	}
}

func TestParseTwin(t *testing.T) {
	src := replace(t, "         +0s                       w1 settles\n", "         +0s                       w1 settles\n         expect never told w1\n         expect settled w1 within @tool..+2m\n")
	s, err := scenarios.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Expects) != 2 || len(s.Twin.Expects) != 2 || !s.Twin.Expects[0].Never || s.Twin.Expects[1].To != 2100*time.Millisecond+2*time.Minute {
		t.Errorf("the twin expects %+v", s.Twin.Expects)
	}
	head, _, _ := strings.Cut(example, "twin ")
	s, err = scenarios.Parse("test", []byte(head+"twin     none \"nothing differs\"\n"))
	if err != nil || s.Twin != nil || s.NoTwin != "nothing differs" {
		t.Errorf("no twin: got %v, %q, %v", s.Twin, s.NoTwin, err)
	}
}

// A scenario without an id is told once so, and nothing follows from it.
func TestNoID(t *testing.T) {
	_, err := scenarios.Parse("test", []byte(strings.Replace(example, "id       stall/silent-after-tool\n", "", 1)))
	if want := "test:1:1: the header has no id; add the line: id ..."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s alone", err, want)
	}
}

// An error names its place and what to do.
func TestParseErrors(t *testing.T) {
	tests := []struct{ old, with, want, reason string }{
		{"id       stall/silent", "id       Stall/silent", "test:1:10: Stall/silent-after-tool is no id", "an id's form"},
		{"id       stall/", "id       stll/", "test:1:1: STLL is no family; name one in the header", "an unknown family"},
		{"title    The", "tilte    The", "test:2:1: tilte begins no line; did you mean title?", "a misspelt key"},
		{"title    The tool ends and the model never speaks again\n", "", "test:1:1: the header has no title", "no title"},
		{"title    The", "title    One\ntitle    The", "test:3:1: title is given twice", "two titles"},
		{"WDC-STALL-002", "WDC-STALL-2", "test:3:10: WDC-STALL-2 is no id of a requirement; write WDC-AREA-NNN", "a requirement's form"},
		{"WDC-EXPL-002", "WDC-STALL-002", "test:3:24: WDC-STALL-002 is given twice", "a requirement twice"},
		{"first_token=90s", "first_tokn=90s", `test:4:10: policy: unknown limit "first_tokn"`, "an unknown limit"},
		{"first_token=90s", "first_token=90", `test:4:10: policy: first_token: "90" is no duration`, "a limit's value"},
		{"first_token=90s", "first_token", "test:4:10: first_token sets no limit", "no value"},
		{"first_token=90s", "first_token=90s first_token=91s", "test:4:26: first_token=91s is set twice", "a limit twice"},
		{"first_token=90s", "first_token[modl=x]=90s", "test:4:10: first_token[modl=x]=90s names no worker, model or tool", "an unknown scope"},
		{"policy ", "profile  cor\npolicy ", `test:4:10: "cor" is no profile; did you mean core?`, "an unknown profile"},
		{"policy ", "family   STAL\npolicy ", `test:4:10: "STAL" is no family; did you mean STALL?`, "an unknown family in the header"},
		{"policy ", "dialects pi-1.6\npolicy ", "test:4:1: the dialects line names no dialect, or gives no reason", "a dialect without a reason"},
		{"policy ", "dialects \"no\"\npolicy ", "test:4:1: the dialects line names no dialect, or gives no reason", "a reason without a dialect"},
		{"policy ", "dialects pi-1.6 pi-0.73 \"no\"\npolicy ", "test:4:1: every dialect shows it; leave", "all dialects"},
		{"policy ", "dialects pi-1.7 \"no\"\npolicy ", `test:4:10: "pi-1.7" is no dialect; did you mean pi-1.6?`, "an unknown dialect"},
		{"policy ", "dialects pi-1.6 \"no\" pi-0.73\npolicy ", "test:4:22: pi-0.73 stands behind the reason", "a dialect behind the reason"},
		{"policy ", "renames  agent_end\npolicy ", "test:4:10: agent_end renames nothing; write OLD=NEW", "half a rename"},
		{"policy ", "renames  agent_stop=run_end\npolicy ", "test:4:10: agent_stop=run_end renames what is no type of a record on stdout", "an unknown type"},
		{"policy ", "renames  prompt=ask\npolicy ", "test:4:10: prompt=ask renames what is no type of a record on stdout", "a command"},
		{"policy ", "renames  agent_end=turn_end\npolicy ", "test:4:10: agent_end=turn_end gives a name that Pi has already", "a name of Pi"},
		{"policy ", "renames  agent_end=a turn_end=a\npolicy ", "test:4:22: turn_end=a renames twice", "one name for two"},
		{"\n0s       w1 spawn", "", "test:6:1: w1 was not spawned", "no spawn"},
		{"w1 says \"Reading", "w1 sayz \"Reading", `test:8:13: unknown verb "sayz"; did you mean says?`, "an unknown verb"},
		{"+2s      w1 says", "+2s      says", "test:8:10: says is no actor; after the time write w1", "no actor"},
		{"+100ms   w1 tool", "+0s world outcome w1 resnap failed\n+100ms w1 tool", "test:9:1: resnap is no kind of command; known: notify", "an unknown command"},
		{"+100ms   w1 tool", "+0s world outcome w1 respawn lost\n+100ms w1 tool", `test:9:30: "lost" is no fate`, "an unknown fate"},
		{"w1 says \"Reading the file.\"", "w1 says text.txt", "test:8:18: text.txt is no payload file", "an unknown file"},
		{"@tool.end+first_token..+2m", "@tol.end+first_token..+2m", "test:11:37: unknown label @tol; did you mean @tool?", "an unknown label"},
		{"@tool.end+first_token..+2m", "@tool.end+first_token..+2x", `test:11:61: "2x" is no duration`, "the end of a window"},
		{"@tool.end+first_token..+2m", "@tool.end+first_token", "test:11:37: @tool.end+first_token is no window", "half a window"},
		{"@tool.end+first_token..+2m", "+90s..+2m", "test:11:37: +90s counts from nothing", "a window without an anchor"},
		{"..+2m", "..-1m", "test:11:37: the window ends (32.5s) before it begins (92.5s)", "a window that is turned round"},
		{"..+2m", "..+9h", "test:11:1: the window reaches past the end of the history, 2h6m2.5s", "a window behind the end"},
		{"..+2m", "..+2m after", "test:11:64: after does not belong here; the form is", "a word too many"},
		{"expect   slow_first_token w1", "expect   slow_first_tokn w1", `test:11:10: "slow_first_tokn" is no verdict, command or told; did you mean slow_first_token?`, "an unknown verdict"},
		{"snapshot|told w1", "snapshot|tld w1", `test:12:19: "tld" is no verdict, command or told; did you mean told?`, "an unknown alternative"},
		{"snapshot|told w1", "told|told w1", "test:12:15: told is given twice", "an alternative twice"},
		{"snapshot|told w1", "told w2", "test:12:1: no worker w2 is spawned", "an unknown worker"},
		{"snapshot|told w1", "told w1 cause=sloth", `test:12:24: "sloth" is no verdict, phase or limit`, "an unknown cause"},
		{"snapshot|told w1", "told w1 status=ok", "test:12:1: only a verdict has a status", "the status of a command"},
		{"snapshot|told w1", "idle w1 status=suspected", "test:12:1: none of these verdicts can be suspected", "an impossible status"},
		{"snapshot|told w1", "slow_first_token w1 within @tool.end+first_token..+2m", "test:12:1: line 11 expects the same", "the same twice"},
		{"snapshot|told w1", "never slow_first_token|stalled", "test:12:1: this contradicts line 11", "a contradiction"},
		{"expect   snapshot|told w1\n", "expect   never dead w2 within 0s..+1s\n", "test:12:1: no worker w2 is spawned", "a worker that never lives"},
		{"expect   snapshot|told w1", "expect", "test:12:1: nothing is expected", "an empty expect"},
		{"expect   snapshot|told w1", "expect   " + everyVerdict, "test:12:1: nothing can violate this: any verdict will do", "all alternatives"},
		{"@abort w1", "@abrt w1", "test:13:10: @abrt is neither a label nor a kind of command", "a race with nothing"},
		{"@abort w1", "@abort+1s w1", "test:13:10: the anchor of a race is one moment", "a race at an offset"},
		{"@abort w1 says \"late token\"", "@abort w1 ends @tol", "test:13:10: unknown label @tol", "a race with a wrong label"},
		{"@abort w1 says \"late token\"", "@tool w1 says \"x\" over tokn", `test:13:10: unknown limit "tokn"`, "a race with an unknown limit"},
		{"@abort w1 says \"late token\"", "@tool w1 ends @tool", "test:13:10: @tool has ended already", "a race that ends what ends"},
		{"@abort w1", "w1", "test:13:1: race needs an anchor", "a race without an anchor"},
		{"crash    every", "crash    sometimes", "test:14:10: sometimes is no place of a crash", "a crash somewhere"},
		{"crash    every", "crash    @tol", "test:14:1: @tol is neither a label nor a kind of command", "a crash at nothing"},
		{"as=tool", "as=abort", "test:9:1: the label abort is also a kind of command", "an ambiguous label"},
		{"twin     from tool", "twin     from tol", "test:15:1: unknown label tol", "a twin from nowhere"},
		{"twin     from tool", "twin     tool", "test:15:1: twin names no label and gives no reason", "a twin's form"},
		{"twin     from tool\n         @tool.end+first_token-1s  w1 says \"Done.\"\n         +0s                       w1 settles\n", "", "test:1:1: the scenario has no twin", "no twin"},
		{"first_token-1s", "first_token-1m", "test:16:10: the twin comes 1m before its limit; let it come at most 1s before it", "a twin that proves little"},
		{"w1 settles", "w1 stalls", "test:15:1: the twin leaves w1 stuck; let it end well", "a stuck twin"},
		{"w1 settles", "w1 exits 1", "test:15:1: the twin leaves w1 failed", "a failed twin"},
		{"         @tool.end+first_token-1s  w1 says \"Done.\"\n         +0s                       w1 settles\n", "", "test:15:1: the twin replaces nothing", "an empty twin"},
		{"         @tool.end+first_token-1s  w1 says \"Done.\"\n         +0s                       w1 settles\n", "         +0s w1 stalls\n", "test:15:1: the twin replaces nothing", "a twin that is the same"},
		{"         +0s                       w1 settles", "+0s      w1 settles", "test:17:1: this line is not indented, yet it stands below twin", "an indent left out"},
		{"+0s      w1 stalls", " +0s      w1 stalls", "test:10:2: only the lines of a twin are indented", "an indent too many"},
		{"crash    every", "crash    every\n+0s      w1 stalls", "test:15:1: a step stands below the first expect, race or crash", "a step too low"},
		{"+0s      w1 stalls\n", "+0s      w1 stalls\npolicy   tool=1h\n", "test:11:1: policy stands below the first step", "a header line too low"},
		{"+0s      w1 stalls\n", "+0s      w1 stalls\n+2m      w1 killed SIGKILL\n", "test:11:1: the silence of 2m since line 10 is too short for the verdict of line 12; let it last 2m30s", "a short silence"},
		{"w1 settles\n", "w1 settles\n-- x --\n", "test:18:1: no line uses this payload file", "an unused file"},
	}
	for _, tt := range tests {
		src := replace(t, tt.old, tt.with)
		_, err := scenarios.Parse("test", []byte(src))
		var e *script.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a *script.Error", tt.reason, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got\n%v, want\n%s", tt.reason, err, tt.want)
		}
	}
}

const everyVerdict = "dead|awaiting_user|awaiting_auth|awaiting_quota|compacting|backing_off|running_tool|starting|awaiting_first_token|" +
	"streaming|ending|settled|settled_unproven|working|idle|stalled_compaction|stalled_tool|never_started|slow_first_token|" +
	"stalled_stream|stalled_ending|stalled|livelock|inconclusive"

// A silence that is long enough for the verdict may have an end.
func TestLongSilence(t *testing.T) {
	src := replace(t, "+0s      w1 stalls\n", "+0s      w1 stalls\n+2m30s   w1 killed SIGKILL\n")
	src = strings.Replace(src, "expect   snapshot|told w1\n", "", 1)
	if _, err := scenarios.Parse("test", []byte(src)); err != nil {
		t.Error(err)
	}
}

func TestIs(t *testing.T) {
	tests := map[string]bool{example: true, "# c\n\n  id x\n": true, "0s stalls\n": false, "": false, "-- id --\n": false}
	for src, want := range tests {
		if got := scenarios.Is([]byte(src)); got != want {
			t.Errorf("Is(%q) = %v, want %v", src, got, want)
		}
	}
}
