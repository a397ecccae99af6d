package conformance_test

import (
	"errors"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// A small matrix: a stall behind a tool, a slow first token, a dialog.
const (
	silentAfterTool = `id       stall/silent-after-tool
title    The tool ends and the model never speaks again
requires WDC-STALL-002 WDC-EXPL-002
policy   first_token=90s

0s       w1 spawn
+0s      w1 prompt "tidy the imports"
+2s      w1 tool bash "ls" runs 400ms            as=tool
+0s      w1 stalls
expect   slow_first_token w1 within @tool.end+first_token..+2m
expect   told w1
twin     from tool
         @tool.end+first_token-1s  w1 says "Done."
         +0s                       w1 settles
`
	slowToken = `id       ttft/just-in-time
title    The first token comes at the limit
requires WDC-TTFT-002
policy   first_token=90s

0s       w1 spawn
+0s      w1 prompt "tidy the imports"            as=prompt
+90s     w1 says "Done."
+0s      w1 settles
expect   settled w1 within @prompt+90s..+1s
expect   never slow_first_token w1 status=confirmed
twin     from prompt
         @prompt+89s  w1 says "Done."
         +0s          w1 settles
`
	dialog = `id       wait/dialog
title    A dialog waits for a person
requires WDC-WAIT-001 WDC-WAIT-006
policy   tool=10m

0s       w1 spawn
+0s      w1 prompt "clean up"
+1s      w1 tool bash "rm -r build" runs 1s      as=rm
@rm      w1 asks confirm "Remove build?"         as=ask
+0s      user answers "yes" after 90m
+5s      w1 says "Done."
+0s      w1 settles
expect   awaiting_user w1 within @ask..+1s status=ok
expect   never stalled_tool w1
expect   told w1 within @ask+user_wait..+2m cause=user_wait
twin     from ask
         +0s  user answers "yes" after 1m
         +5s  w1 says "Done."
         +0s  w1 settles
`
)

// matrix parses scenarios.
func matrix(tb testing.TB, sources ...string) []scenarios.Scenario {
	tb.Helper()
	var all []scenarios.Scenario
	for i, src := range sources {
		s, err := scenarios.Parse("scenario-"+string(rune('a'+i)), []byte(src))
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func small(tb testing.TB) []scenarios.Scenario {
	return matrix(tb, silentAfterTool, slowToken, dialog)
}

// reference is the right subject.
type reference struct{}

func (reference) Name() string { return "reference" }

func (reference) Start(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }

// poller is the reference, looked after once in a while.
type poller struct {
	reference
	every time.Duration
}

func (p poller) Poll() time.Duration { return p.every }

// spoilt is the reference with something done to it.
type spoilt struct {
	name   string
	policy func(*watchdog.Policy)
	step   func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error)
}

func (s spoilt) Name() string { return s.name }

func (s spoilt) Start(b watchdog.Boot) (watchdog.Watchdog, error) {
	if s.policy != nil {
		s.policy(&b.Policy)
	}
	w, err := engine.New(b)
	if err != nil || s.step == nil {
		return w, err
	}
	return stepped{w, s.step}, nil
}

type stepped struct {
	watchdog.Watchdog
	step func(watchdog.Watchdog, watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error)
}

func (s stepped) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	return s.step(s.Watchdog, now, seen)
}

// hasty judges at once, before it looks at what it is shown: right in one order of two.
func hasty() conformance.Subject {
	return spoilt{name: "one timer for a first token of 89s", policy: func(p *watchdog.Policy) { p.FirstToken = 89 * time.Second }}
}

func impatientTool() conformance.Subject {
	return spoilt{name: "a dialog is no wait", policy: func(p *watchdog.Policy) { p.UserWait = time.Minute }}
}

var errStart = errors.New("no licence")

// broken does not start.
type broken struct{}

func (broken) Name() string                                   { return "broken" }
func (broken) Start(watchdog.Boot) (watchdog.Watchdog, error) { return nil, errStart }

// nothing starts no watchdog.
type nothing struct{}

func (nothing) Name() string                                   { return "nothing" }
func (nothing) Start(watchdog.Boot) (watchdog.Watchdog, error) { return nil, nil }

// hog keeps whatever it is shown.
type hog struct{ kept [][]byte }

func (*hog) Name() string { return "hog" }

func (*hog) Start(watchdog.Boot) (watchdog.Watchdog, error) { return &hog{}, nil }

func (h *hog) Step(_ watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	for _, o := range seen {
		if b, ok := o.Body.(watchdog.Bytes); ok {
			h.kept = append(h.kept, append([]byte(nil), b.Data...))
		}
	}
	return watchdog.Decision{}, nil
}

// atOnce alarms the owner as soon as it suspects: wrong only where the alarm comes before the token that heals it.
func atOnce() conformance.Subject {
	return spoilt{name: "tells at once", step: func(w watchdog.Watchdog, now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
		d, err := w.Step(now, seen)
		for _, v := range d.Verdicts {
			if v.Status == watchdog.StatusSuspected {
				d.Commands = append(d.Commands, watchdog.Command{
					Key: "now", Kind: watchdog.CmdNotify, Worker: v.Worker, Generation: v.Generation, Cause: v.Cause, Evidence: []int{v.Evidence[0].N},
				})
			}
		}
		return d, err
	}}
}
