package conformance_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/watchdog"

	"github.com/google/go-cmp/cmp"
)

// talker says what it was told to say, at the times given, whatever happens.
type talker struct{ lines []line }

type line struct {
	at      time.Duration
	verdict watchdog.Verdict
	command watchdog.CommandKind
}

func (talker) Name() string { return "talker" }

func (s talker) Start(watchdog.Boot) (watchdog.Watchdog, error) { return &talking{left: s.lines}, nil }

type talking struct{ left []line }

func (s *talking) Step(now watchdog.Instant, _ []watchdog.Observation) (watchdog.Decision, error) {
	var d watchdog.Decision
	for len(s.left) > 0 && s.left[0].at <= now.Mono {
		l := s.left[0]
		s.left = s.left[1:]
		l.verdict.Worker, l.verdict.Generation = "w1", 1
		if l.command != "" {
			d.Commands = append(d.Commands, watchdog.Command{Key: "k", Kind: l.command, Worker: "w1", Cause: l.verdict.Cause})
			continue
		}
		d.Verdicts = append(d.Verdicts, l.verdict)
	}
	if len(s.left) > 0 {
		d.Wake = s.left[0].at
	}
	return d, nil
}

// What an expectation asks for, and what does not meet it.
func TestExpectations(t *testing.T) {
	const scenario = `id       stall/mid-message
title    The stream stops in the middle of a message
requires WDC-STALL-001 WDC-EXPL-002 WDC-ALERT-003
policy   stream_gap=2m

0s       w1 spawn
+0s      w1 prompt "tidy the imports"
+1s      w1 says "Let me"                        as=said
+0s      w1 stalls
%s
twin     from said
         +1s  w1 says "see."
         +0s  w1 settles
`
	stalled := func(s watchdog.Status) watchdog.Verdict {
		return watchdog.Verdict{
			Name: watchdog.VerdictStalledStream, Status: s,
			Cause: watchdog.Cause{Name: watchdog.VerdictStalledStream, Phase: watchdog.VerdictStreaming, Limit: watchdog.LimitStreamGap},
		}
	}
	subject := talker{[]line{
		{at: time.Second, verdict: watchdog.Verdict{Name: watchdog.VerdictStreaming, Status: watchdog.StatusOK}},
		{at: 121 * time.Second, verdict: stalled(watchdog.StatusSuspected)},
		{at: 181 * time.Second, verdict: stalled(watchdog.StatusConfirmed)},
		{at: 181 * time.Second, verdict: stalled(watchdog.StatusConfirmed), command: watchdog.CmdNotify},
	}}
	cases := []struct {
		expect, charged, reason string
	}{
		{"expect stalled_stream w1", "", "it was said"},
		{"expect stalled_stream w1 within @said+2m..+10s", "", "suspected in time"},
		{"expect stalled_stream w1 within @said+5m..+10s", "", "it still stands"},
		{"expect stalled_stream w1 within @said+2m..+70s status=confirmed", "", "confirmed in time"},
		{"expect stalled_stream w1 within @said+2m..+59s status=confirmed", "WDC-STALL-001", "confirmed a second later"},
		{"expect slow_first_token|stalled_stream w1 within @said+2m..+10s", "", "one of two"},
		{"expect stalled_stream w1 within @said+2m..+10s cause=stream_gap", "", "for the right limit"},
		{"expect stalled_stream w1 within @said+2m..+10s cause=stall", "WDC-EXPL-002", "for another limit"},
		{"expect never stalled_stream w1 within @said..@said+2m-1ms", "", "not before the limit"},
		{"expect never stalled_stream w1 within @said..@said+2m", "WDC-STALL-001", "at the limit"},
		{"expect never slow_first_token w1", "", "it never was"},
		{"expect told w1 within @said+2m..+2m", "", "the owner was told"},
		{"expect notify w1 within @said+2m..+2m", "", "by that command"},
		{"expect told w1 within @said+2m..+59s", "WDC-ALERT-003", "a second later"},
		{"expect never told w1 within @said..@said+2m", "", "not so early"},
		{"expect never told w1", "WDC-ALERT-003", "it was"},
		{"expect snapshot|told w1", "", "one of two"},
		{"expect settled w1 within @said+2m..+2m", "WDC-STALL-001", "it did not"},
	}
	for _, c := range cases {
		t.Run(c.expect, func(t *testing.T) {
			all := matrix(t, fmt.Sprintf(scenario, c.expect))
			r := run(t, subject, all, conformance.Options{CaseGlob: "stall/mid-message"})
			got := ""
			for _, f := range r.Cases[0].Failures {
				if f.Mistake == "expectation" {
					got = f.Requirement
				}
			}
			if got != c.charged {
				t.Errorf("got %q, want %q: %s", got, c.charged, c.reason)
			}
		})
	}
}

// A twin ends well: whoever is alarmed by it, or ends alarmed, is wrong.
func TestTwin(t *testing.T) {
	ok := watchdog.Verdict{Name: watchdog.VerdictSettled, Status: watchdog.StatusOK}
	alarmed := watchdog.Verdict{Name: watchdog.VerdictStalled, Status: watchdog.StatusSuspected}
	cases := []struct {
		name  string
		lines []line
		wrong bool
	}{
		{"nothing", nil, false},
		{"a good end", []line{{at: 0, verdict: ok}}, false},
		{"attention", []line{{at: 0, verdict: watchdog.Verdict{Cause: watchdog.Cause{Limit: watchdog.LimitAttention}}, command: watchdog.CmdNotify}}, false},
		{"a reminder", []line{{at: 0, verdict: watchdog.Verdict{Cause: watchdog.Cause{Limit: watchdog.LimitUserWait}}, command: watchdog.CmdEscalate}}, false},
		{"an alarm", []line{{at: 0, verdict: watchdog.Verdict{Cause: watchdog.Cause{Name: watchdog.VerdictStalled}}, command: watchdog.CmdNotify}}, true},
		{"a kill", []line{{at: 0, command: watchdog.CmdKill}}, true},
		{"an alarmed end", []line{{at: 0, verdict: alarmed}}, true},
		{"an alarm that heals", []line{{at: 0, verdict: alarmed}, {at: time.Minute, verdict: ok}}, false},
	}
	for _, c := range cases {
		r := run(t, talker{c.lines}, matrix(t, silentAfterTool), conformance.Options{CaseGlob: "stall/silent-after-tool~twin"})
		wrong := false
		for _, f := range r.Cases[0].Failures {
			wrong = wrong || f.Mistake == "twin_alarm" && f.Requirement == "WDC-STALL-002"
		}
		if wrong != c.wrong {
			t.Errorf("%s: found wrong %t, want %t", c.name, wrong, c.wrong)
		}
	}
}

// TestMarks: the > of a failure's timeline stands at what should have been otherwise, and at nothing else.
func TestMarks(t *testing.T) {
	const scenario = `id       stall/mid-message
title    The stream stops in the middle of a message
requires WDC-STALL-001 WDC-ALERT-003
policy   stream_gap=2m

0s       w1 spawn
+0s      w1 prompt "tidy the imports"
+1s      w1 says "Let me"                        as=said
+0s      w1 stalls
%s
twin     none "the marks alone are looked at"
`
	stalled := watchdog.Verdict{
		Name: watchdog.VerdictStalledStream, Status: watchdog.StatusConfirmed,
		Cause: watchdog.Cause{Name: watchdog.VerdictStalledStream, Phase: watchdog.VerdictStreaming, Limit: watchdog.LimitStreamGap},
	}
	early := talker{[]line{
		{at: 60 * time.Second, verdict: stalled, command: watchdog.CmdNotify},
		{at: 600 * time.Second, verdict: stalled},
	}}
	for _, row := range []struct {
		name    string
		subject conformance.Subject
		expect  string
		marks   []string
	}{
		{"said, and never to be", early, "expect never told w1 within 0s..@said+2m-1ms", []string{"60.000s  w1   command  notify because of stalled_stream stream_gap"}},
		{"not said in time", early, "expect stalled_stream w1 within @said+2m..+1m", []string{"60.010s       step     answer: it says nothing, and asks to be woken at 600.000s"}},
		{"never stepped again", talker{}, "expect stalled_stream w1 within @said+2m..+1m", []string{"1.000s       step     seen: it says nothing, and asks for no wake-up"}},
	} {
		all := matrix(t, fmt.Sprintf(scenario, row.expect))
		r := run(t, row.subject, all, conformance.Options{CaseGlob: "stall/mid-message"})
		var marks []string
		for _, f := range r.Cases[0].Failures {
			if f.Mistake != "expectation" {
				continue
			}
			for l := range strings.Lines(f.Timeline) {
				if marked, ok := strings.CutPrefix(l, ">"); ok {
					marks = append(marks, strings.TrimSpace(marked))
				}
			}
		}
		if diff := cmp.Diff(row.marks, marks); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}
