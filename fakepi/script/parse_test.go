package script_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi/script"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func parse(t *testing.T, src string) *script.Script {
	t.Helper()
	s, err := script.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseActions(t *testing.T) {
	span := script.SpanOf
	limit := func(name string, minus time.Duration) script.Span {
		return script.Span{Terms: []script.Term{{Limit: name}, {Minus: true, D: minus}}, D: -minus}
	}
	tests := []struct {
		line   string
		want   script.Action
		reason string
	}{
		{`spawn`, script.Spawn{Mode: "rpc", Source: "held", Parent: true, Autonomous: true}, "defaults"},
		{`spawn mode=json parent=no model=demo-1`, script.Spawn{Mode: "json", Source: "held", Autonomous: true, Model: "demo-1"}, "options"},
		{`spawn model="a b"`, script.Spawn{Mode: "rpc", Source: "held", Parent: true, Autonomous: true, Model: "a b"}, "a value in quotes"},
		{`says "a\nb\x00\u{2028}\e"`, script.Says{Text: script.Text{Value: "a\nb\x00\u2028\x1b"}}, "escapes"},
		{`says "\u{d83d}\ud83d"`, script.Says{Text: script.Text{Value: "\xed\xa0\xbd\xed\xa0\xbd"}}, "lone surrogates are WTF-8"},
		{`says notes.txt over 3s chunks 7`, script.Says{Text: script.Text{Value: "one\ntwo\n", File: "notes.txt"}, Over: span(3 * time.Second), Chunks: 7}, "a payload file"},
		{`thinks 4m59s`, script.Thinks{For: span(299 * time.Second)}, "silence"},
		{`thinks "hm" over 1s`, script.Thinks{Text: script.Text{Value: "hm"}, Over: span(time.Second)}, "a thinking block"},
		{`tool bash "ls" runs never busy for 1h`, script.Tool{Name: "bash", Command: script.Text{Value: "ls"}, Runs: script.Span{Never: true}, Child: "busy", For: span(time.Hour)}, "never ends"},
		{`tool bash "ls" fails runs tool-1s writes`, script.Tool{Name: "bash", Command: script.Text{Value: "ls"}, Runs: limit("tool", time.Second), Fails: true, Writes: true}, "words in any order; a limit in a duration"},
		{`tool @w runs 20ms`, script.Tool{Call: "w", Runs: span(20 * time.Millisecond)}, "an earlier call"},
		{`asks select "Go?" "Yes" "No" timeout=5m`, script.Asks{Method: "select", Title: "Go?", Options: []string{"Yes", "No"}, Timeout: span(5 * time.Minute)}, "options"},
		{`ends`, script.Ends{}, "the run"},
		{`ends @tool`, script.Ends{Of: "tool"}, "a tool"},
		{`ends aborted`, script.Ends{Stop: "aborted"}, "a stop reason"},
		{`refused quota "limit reached" reset=2h`, script.Refused{Class: "quota", Message: script.Text{Value: "limit reached"}, Reset: span(2 * time.Hour)}, "a class and its text"},
		{`refused transient "Slow down" status=429 type=rate_limit_error retry_after=5s`, script.Refused{Class: "transient", Message: script.Text{Value: "Slow down"}, Status: 429, Type: "rate_limit_error", RetryAfter: span(5 * time.Second)}, "the words of HTTP"},
		{`refused transient by=close`, script.Refused{Class: "transient", By: "close"}, "no status"},
		{`opens headers`, script.Opens{Headers: true}, "no chunk yet"},
		{`thinks 30s keepalive=1s`, script.Thinks{For: span(30 * time.Second), Keepalive: span(time.Second)}, "silence that is none on the wire"},
		{`stalls keepalive=1s`, script.Stalls{Keepalive: span(time.Second)}, "for ever"},
		{`reports input 1 output 0 cached 1`, script.Reports{Input: 1, Cached: 1}, "counts; zero is given, not left out"},
		{`calls bash args "{\"comm" chunks 2`, script.Calls{Name: "bash", Args: script.Text{Value: `{"comm`}, Chunks: 2}, "arguments that break off"},
		{`calls bash`, script.Calls{Name: "bash"}, "no arguments"},
		{`tool bash args "{}" runs 1s`, script.Tool{Name: "bash", Args: script.Text{Value: "{}"}, Runs: span(time.Second)}, "arguments as they are"},
		{`does write sub/a.txt notes.txt`, script.Does{Kind: "write", Target: "sub/a.txt", Text: script.Text{Value: "one\ntwo\n", File: "notes.txt"}}, "a file of the script in a file of the tree"},
		{`does write a.txt`, script.Does{Kind: "write", Target: "a.txt"}, "an empty file"},
		{`does edit a.txt "old" "new"`, script.Does{Kind: "edit", Target: "a.txt", Text: script.Text{Value: "old"}, New: script.Text{Value: "new"}}, "two texts"},
		{`does edit a.txt "old"`, script.Does{Kind: "edit", Target: "a.txt", Text: script.Text{Value: "old"}}, "taken out"},
		{`does commit "all"`, script.Does{Kind: "commit", Text: script.Text{Value: "all"}}, "a message"},
		{`does write "a b.txt" "x"`, script.Does{Kind: "write", Target: "a b.txt", Text: script.Text{Value: "x"}}, "a name with a space"},
		{`does write "a b.txt" ""`, script.Does{Kind: "write", Target: "a b.txt"}, "and an empty file of it"},
		{`does write "@a" notes.txt`, script.Does{Kind: "write", Target: "@a", Text: script.Text{Value: "one\ntwo\n", File: "notes.txt"}}, "a name like a label"},
		{`does append "a\"b" "x"`, script.Does{Kind: "append", Target: `a"b`, Text: script.Text{Value: "x"}}, "a name with a quote"},
		{`does edit "a b" "old" ""`, script.Does{Kind: "edit", Target: "a b", Text: script.Text{Value: "old"}}, "three strings"},
		{`does push "my backup"`, script.Does{Kind: "push", Target: "my backup"}, "a remote's name"},
		{`does push`, script.Does{Kind: "push"}, "the usual remote"},
		{`does push backup`, script.Does{Kind: "push", Target: "backup"}, "another remote"},
		{`does run "make test"`, script.Does{Kind: "run", Text: script.Text{Value: "make test"}}, "a command"},
		{`exits 0`, script.Exits{}, "a status of zero is given, not left out"},
		{`raw stream=err "x" times 3`, script.Raw{Stream: "err", Data: script.Text{Value: "x"}, Times: 3}, "another stream"},
	}
	for _, tt := range tests {
		src := "0s " + tt.line + "\n"
		if strings.Contains(tt.line, "notes.txt") {
			src += "-- notes.txt --\none\ntwo\n"
		}
		s, err := script.Parse("test", []byte(src))
		if err != nil {
			t.Errorf("%s (%s): %v", tt.line, tt.reason, err)
			continue
		}
		if diff := cmp.Diff(tt.want, s.Steps[0].Action); diff != "" {
			t.Errorf("%s (%s): -want +got\n%s", tt.line, tt.reason, diff)
		}
	}
}

func TestParseStep(t *testing.T) {
	s := parse(t, "# a comment\n\n  @tool.end+first_token-1s   user answers \"a # b\" as=yes # why\r\n")
	want := script.Step{
		Pos:    script.Pos{File: "test", Line: 3, Col: 3},
		Time:   script.Time{Label: "tool", End: true, Terms: []script.Term{{Limit: "first_token"}, {Minus: true, D: time.Second}}},
		Actor:  "user",
		Action: script.Answers{Value: "a # b"},
		Label:  "yes",
	}
	if diff := cmp.Diff([]script.Step{want}, s.Steps); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// What editors of Windows write is read, and written as it is elsewhere.
func TestWindowsFiles(t *testing.T) {
	const unix = "0s       prompt \"x\"\n+100ms   says a.txt\n-- a.txt --\nhi\n"
	src := "\ufeff" + strings.ReplaceAll(unix, "\n", "\r\n")
	if s := parse(t, src); s.Steps[0].Pos != (script.Pos{File: "test", Line: 1, Col: 1}) {
		t.Errorf("the first step is at %v", s.Steps[0].Pos)
	}
	got, err := script.Format("test", []byte(src))
	if err != nil || !strings.HasPrefix(string(got), unix[:strings.Index(unix, "-- a.txt")]) {
		t.Errorf("formatted: %q, %v", got, err)
	}
}

// An error names its place and what to do.
func TestParseErrors(t *testing.T) {
	tests := []struct{ src, want, reason string }{
		{`0s saya "x"`, `test:1:4: unknown verb "saya"; did you mean says?`, "a misspelt verb"},
		{`0s frobnicate`, `test:1:4: unknown verb "frobnicate"; known: spawn, prompt`, "nothing is near"},
		{`0s`, "test:1:1: the line has no verb", "only a time"},
		{`says "x"`, "test:1:1: says is no time; a line begins with a time", "no time"},
		{`+1 stalls`, `test:1:2: "1" is no duration`, "a number without a unit"},
		{`+99999h stalls`, "test:1:2: 99999h is too long", "an overflow"},
		{`@tool.start stalls`, "test:1:1: @tool.start names no label", "only .end exists"},
		{`+2s-x.y stalls`, `test:1:5: "x.y" is no duration`, "the second term"},
		{"0s stalls\n\n+1s \u00e9\u00e9 now", "test:3:5: unknown verb", "line and column count runes"},
		{`0s says "éé\q"`, `test:1:12: unknown escape; known are`, "an escape"},
		{`0s says "x`, `test:1:9: the string has no end; close it with "`, "an open string"},
		{`0s says "\u{110000}"`, `test:1:10: this escape is cut short or out of range`, "no such character"},
		{"0s says \"\xff\"", `test:1:10: the byte 0xff is no UTF-8; write it as \xff`, "raw bytes"},
		{`0s says "x"over 1s`, "test:1:12: a space is missing here", "words run together"},
		{`0s says x`, `test:1:9: x is no payload file; put the text in quotes`, "an unknown file"},
		{`0s says "x" ovre 3s`, `test:1:13: ovre does not belong here; did you mean over D?; usage: says`, "a misspelt word"},
		{`0s says "x" over`, "test:1:13: over needs a value; write over D", "a word without its value"},
		{`0s says "x" over 1s over 2s`, "test:1:21: over is given twice", "twice"},
		{`0s says "x" over never`, "test:1:18: never has no meaning here", "what cannot last for ever"},
		{`0s says "x" chunks 0`, "test:1:20: 0 is no fit number; write a whole number from 1 to 1000000", "a number too small"},
		{`0s says "x" chunks 999999999`, "test:1:20: 999999999 is no fit number; write a whole number from 1 to 1000000", "a number that fills the memory"},
		{`0s says`, `test:1:4: says needs "text"|FILE; usage: says "text"|FILE [over D] [chunks N]`, "nothing said"},
		{`0s stalls now`, "test:1:11: now does not belong here; usage: stalls [keepalive=D] [again] [as=LABEL]", "too much"},
		{`0s spawn mod=rpc`, "test:1:10: mod=rpc does not belong here; did you mean mode=rpc|json|print|tui?", "a misspelt option"},
		{`0s spawn mode=jsn`, `test:1:15: "jsn" is no mode; did you mean json?`, "a misspelt value"},
		{`0s spawn mode= source=held`, "test:1:15: mode has no value", "an option without value"},
		{`0s tool bash "ls" runs 1s busy tty`, "test:1:32: tty contradicts busy", "two kinds of child"},
		{`0s tool runs 1s`, "test:1:4: the tool needs a name", "no name"},
		{`0s tool bash "x" runs 1s for 3s`, "test:1:4: for says how long output or CPU lasts, and there is none", "for what"},
		{`0s does wirte a.txt "x"`, `test:1:9: "wirte" is no kind; did you mean write?`, "a misspelt kind"},
		{`0s does write "x"`, `test:1:15: "x" is the file or the text?; write does write PATH "text"; a PATH with spaces is in quotes too, and all texts follow it`, "no file"},
		{`0s does edit "x" "y"`, `test:1:14: "x" is the file or the text?; write does edit PATH "old" "new"`, "no file to edit"},
		{`0s does append`, `test:1:4: which file?; write does append PATH "text"`, "nothing at all"},
		{`0s does write "a\x00b" "x"`, `test:1:4: a NUL is in the file's name`, "what no system has"},
		{`0s does write "../a b" "x"`, `test:1:4: ../a b is outside the working directory`, "a way out in quotes"},
		{`0s does write ../a.txt "x"`, "test:1:4: ../a.txt is outside the working directory", "a way out"},
		{`0s does append /a.txt "x"`, "test:1:4: /a.txt is outside the working directory", "another way out"},
		{`0s does append a.txt`, `test:1:4: an empty text changes nothing; write does append PATH "text"`, "nothing to append"},
		{`0s does edit a.txt "" "x"`, "test:1:4: an empty text changes nothing", "nothing to replace"},
		{`0s does write a.txt "x" "y"`, "test:1:4: only an edit has two texts", "one too many"},
		{`0s does commit`, `test:1:4: a commit has one text, in quotes; write does commit "message"`, "no message"},
		{`0s does commit a.txt "x"`, "test:1:4: a commit has one text, in quotes", "all is committed"},
		{`0s does push origin "x"`, "test:1:4: a push has no text; write does push [REMOTE]", "a text"},
		{`0s does run`, `test:1:4: a run has one text, in quotes; write does run "command"`, "no command"},
		{`0s thinks`, "test:1:4: thinks needs a duration or a text", "neither"},
		{`0s asks input "Go?" "a" "b"`, "test:1:4: an input has one placeholder", "options are of a select"},
		{`0s asks confirm "Go?" "a"`, "test:1:4: only a select, trust or resume has options", "a confirm has its own"},
		{`0s asks select "Go?"`, "test:1:4: a select needs options", "nothing to select"},
		{`0s raw "x" every 1s`, "test:1:4: every and over belong together", "without end"},
		{`0s refused transient status=200`, `test:1:22: status=200 is no fit number; write a whole number from 400 to 599`, "no error"},
		{`0s refused transient status=503 by=reset`, "test:1:4: what comes by reset has no status of its own", "one way at a time"},
		{`0s refused transient "x" by=close`, "test:1:4: what comes by close has no message", "nobody says it"},
		{`0s reports input 9 output 3 cached 10`, "test:1:4: a part is more than the whole", "counts that cannot be"},
		{`0s reports input 0 output 3`, "test:1:18: 0 is no fit number; write a whole number from 1 to 2147483647", "a request that has nothing"},
		{`0s raw "x" times 9999999999`, "test:1:18: 9999999999 is no fit number; write a whole number from 1 to 1000000", "beyond 32 bits"},
		{`0s raw "x" times 99999999999999999999`, "test:1:18: 99999999999999999999 is no fit number; write a whole number from 1 to 1000000", "beyond 64 bits"},
		{`0s exits 256`, "test:1:10: 256 is no fit number; write a whole number from 0 to 255", "no status of a process"},
		{`0s exits -1`, "test:1:10: -1 is no fit number; write a whole number from 0 to 255", "nor this"},
		{`0s refused transient status=9999999999999999999`, `test:1:22: status=9999999999999999999 is no fit number; write a whole number from 400 to 599`, "an option beyond 64 bits"},
		{`0s thinks 9999999999h`, "test:1:11: 9999999999h is too long; write a duration from 0s to 10000h", "longer than a clock can tell"},
		{`0s tool bash "x" runs 10001h`, "test:1:23: 10001h is too long; write a duration from 0s to 10000h", "longer than is allowed"},
		{`0s reports input 9`, "test:1:4: reports needs output N", "half a report"},
		{`0s calls bash "x" args "{}"`, "test:1:4: the call has a command and arguments", "twice"},
		{`0s thinks "hm" keepalive=1s`, "test:1:4: a keepalive fills silence", "no silence"},
		{`0s closes stopp`, `test:1:11: "stopp" is no stop reason; did you mean stop?`, "a misspelt reason"},
		{`0s stalls as=A`, "test:1:11: as=A is no fit label", "a label's form"},
		{`0s w1 stalls`, "test:1:4: w1 is no actor here: a plain script is for one worker", "an actor of scenarios"},
		{`0s link down`, "test:1:4: link is a verb of the world, not of worker", "another's verb"},
		{"0s stalls\n-- x --\ny\n", "test:2:1: no line uses this payload file", "an unused file"},
		{"0s says x\n-- x --\ny\n-- x --\nz\n", "test:4:1: a payload file of this name stands above", "two of one name"},
	}
	for _, tt := range tests {
		_, err := script.Parse("test", []byte(tt.src))
		var e *script.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %q gives %v, want a *script.Error", tt.reason, tt.src, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %q gives\n%v, want\n%s", tt.reason, tt.src, err, tt.want)
		}
	}
}

// Every line with an error is reported, not only the first.
func TestParseReportsAll(t *testing.T) {
	_, err := script.Parse("test", []byte("0s saya\n+1s stalls\n+1x stalls\n"))
	var errs script.Errors
	if !errors.As(err, &errs) || len(errs) != 2 || errs[0].Pos.Line != 1 || errs[1].Pos.Line != 3 {
		t.Errorf("got %v, want errors in lines 1 and 3", err)
	}
}

func TestFormatDuration(t *testing.T) {
	tests := map[time.Duration]string{
		0: "0s", time.Millisecond: "1ms", 1500 * time.Microsecond: "1.5ms", time.Second: "1s", 1050 * time.Millisecond: "1.05s",
		59 * time.Second: "59s", time.Minute: "1m", 90 * time.Second: "90s", 2 * time.Minute: "2m", 150 * time.Second: "2m30s",
		time.Hour: "1h", 90 * time.Minute: "1h30m", time.Hour + time.Second: "1h0m1s", 2*time.Hour + 500*time.Millisecond: "2h0m0.5s",
		-90 * time.Second: "-90s", 119*time.Second + time.Nanosecond: "119.000000001s",
	}
	for d, want := range tests {
		got := script.FormatDuration(d)
		if back, err := time.ParseDuration(got); got != want || err != nil || back != d {
			t.Errorf("FormatDuration(%d) = %s (read back as %d), want %s", d, got, back, want)
		}
	}
}

// ignorePos compares scripts that stand in different places.
var ignorePos = cmp.Options{cmpopts.IgnoreTypes(script.Pos{}), cmpopts.EquateEmpty()}

// TestManyErrors: a file that is no script at all is told by its first errors.
func TestManyErrors(t *testing.T) {
	_, err := script.Parse("garbage", []byte(strings.Repeat("garbage\n", 3000)))
	var all script.Errors
	if !errors.As(err, &all) || len(all) < 3000 {
		t.Fatalf("%d errors, want one a line at least", len(all))
	}
	lines := strings.Split(err.Error(), "\n")
	if want := fmt.Sprintf("... and %d more", len(all)-50); len(lines) != 51 || lines[50] != want {
		t.Errorf("%d lines, the last %q, want 51 and %q", len(lines), lines[len(lines)-1], want)
	}
}
