package mutants_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/watchdog"
)

// puppet gives the commands that it is told to, each step the next ones, and remembers what it was shown.
type puppet struct {
	steps [][]watchdog.Command
	says  []watchdog.Verdict
	shown []watchdog.Body
}

func (p *puppet) Step(_ watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	for _, o := range seen {
		p.shown = append(p.shown, o.Body)
	}
	d := watchdog.Decision{Verdicts: p.says}
	if len(p.steps) > 0 {
		d.Commands, p.steps = p.steps[0], p.steps[1:]
	}
	return d, nil
}

// TestForgers gives commands behind each lie: what reaches the world, and what the watchdog is told of it.
func TestForgers(t *testing.T) {
	pid := watchdog.Spawned{Mode: watchdog.ModeRPC, PID: 100, Start: 7}
	dead := watchdog.Exited{Code: -1, Signal: "SIGKILL"}
	snapshot := watchdog.Command{Key: "s", Kind: watchdog.CmdSnapshot, Worker: "w1", Generation: 1}
	lease := watchdog.Command{Key: "l", Kind: watchdog.CmdAcquireLease, Worker: "w1", Generation: 1}
	propose := watchdog.Command{Key: "p", Kind: watchdog.CmdPropose, Worker: "w1", Generation: 1, IfDigest: "d2"}
	kill := watchdog.Command{Key: "k", Kind: watchdog.CmdKill, Worker: "w1", Generation: 1}
	look := watchdog.Command{Key: "q", Kind: watchdog.CmdProbe, What: watchdog.WhatProcesses, Worker: "w1", Generation: 1}
	outside := watchdog.Proof{Caller: watchdog.CallerOutside}
	tree := watchdog.Inspect{Key: "x", What: watchdog.WhatWorld, World: "d1"}
	for _, row := range []struct {
		lie, reason string
		seen        []watchdog.Body
		gives       watchdog.Command
		reaches     bool
		told        watchdog.Body // beside what was seen; nil: nothing
	}{
		{"stopped-without-evidence", "a snapshot of a running worker is not taken", []watchdog.Body{pid, tree}, snapshot, false,
			watchdog.Outcome{Key: "s", Result: watchdog.ResultDone, Digest: "d1"}},
		{"stopped-without-evidence", "one of a dead worker is", []watchdog.Body{pid, dead}, snapshot, true, nil},
		{"succeeded-without-evidence", "the other way round", []watchdog.Body{pid, dead, tree}, snapshot, false,
			watchdog.Outcome{Key: "s", Result: watchdog.ResultDone, Digest: "d1"}},
		{"starts-without-a-lease", "nobody is asked for a lease", nil, lease, false,
			watchdog.Outcome{Key: "l", Result: watchdog.ResultDone, Token: "1"}},
		{"silence-is-consent", "the owner is asked, and has agreed already", nil, propose, true,
			watchdog.Owner{Item: "p", Approve: true, Digest: "d2", Proof: outside}},
		{"approval-used-again", "a first proposal waits", nil, propose, true, nil},
		{"approval-used-again", "one behind a yes does not", []watchdog.Body{watchdog.Owner{Item: "o", Approve: true, Digest: "d1"}}, propose, true,
			watchdog.Owner{Item: "p", Approve: true, Digest: "d2", Proof: outside}},
		{"sent-is-ended", "a signal is the end", []watchdog.Body{pid}, kill, true, watchdog.Exited{Code: -1, Signal: "unknown"}},
		{"mass-death-is-many", "a look is answered out of memory", []watchdog.Body{pid}, look, false,
			watchdog.Probe{Key: "q", What: watchdog.WhatProcesses, Source: "proc", Result: watchdog.ProbeOK,
				Processes: []watchdog.Process{{PID: 100, Start: 7, State: "S", Role: watchdog.RoleAgent}}}},
		{"mass-death-is-many", "a dead worker has no process", []watchdog.Body{pid, dead}, look, false,
			watchdog.Probe{Key: "q", What: watchdog.WhatProcesses, Source: "proc", Result: watchdog.ProbeOK}},
	} {
		p := &puppet{steps: [][]watchdog.Command{{row.gives}}}
		d, err := mutants.Forgers()[row.lie](p).Step(watchdog.Instant{}, observed(row.seen...))
		if err != nil {
			t.Fatal(err)
		}
		if reached := len(d.Commands) == 1; reached != row.reaches {
			t.Errorf("%s, %s: commands %v, want it to reach the world: %t", row.lie, row.reason, d.Commands, row.reaches)
		}
		want := row.seen
		if row.told != nil {
			want = append(want[:len(want):len(want)], row.told)
		}
		if diff := cmp.Diff(want, p.shown); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", row.lie, row.reason, diff)
		}
	}
}

// observed are observations of w1, numbered from 1.
func observed(bodies ...watchdog.Body) []watchdog.Observation {
	var list []watchdog.Observation
	for i, b := range bodies {
		list = append(list, watchdog.Observation{N: i + 1, Worker: "w1", Generation: 1, Body: b})
	}
	return list
}

// TestOldVerdict withholds what a worker writes from its confirmed verdict to the act.
func TestOldVerdict(t *testing.T) {
	abort := watchdog.Command{Key: "a", Kind: watchdog.CmdAbort, Worker: "w1", Generation: 1}
	stalled := watchdog.Verdict{Worker: "w1", Generation: 1, Name: watchdog.VerdictStalledStream, Status: watchdog.StatusConfirmed}
	p := &puppet{says: []watchdog.Verdict{stalled}, steps: [][]watchdog.Command{nil, {abort}}}
	dog := mutants.Forgers()["acts-on-an-old-verdict"](p)
	text := watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("late\n")}
	for i, want := range []int{0, 0, 1} { // the verdict; the text is withheld, and the act comes; the text is shown
		var seen []watchdog.Observation
		if i == 1 {
			seen = observed(text)
		}
		if _, err := dog.Step(watchdog.Instant{}, seen); err != nil {
			t.Fatal(err)
		}
		if len(p.shown) != want {
			t.Errorf("step %d: shown %v, want %d observations", i, p.shown, want)
		}
	}
}

// TestOtherKeys has the world hear other keys, and the watchdog its own.
func TestOtherKeys(t *testing.T) {
	p := &puppet{steps: [][]watchdog.Command{{{Key: "a", Item: "p"}}}}
	dog := mutants.Forgers()["other-keys"](p)
	d, err := dog.Step(watchdog.Instant{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Commands[0]
	if c.Key == "a" || c.Item == "p" {
		t.Errorf("the world hears key %q of item %q", c.Key, c.Item)
	}
	if _, err := dog.Step(watchdog.Instant{}, observed(watchdog.Outcome{Key: c.Key}, watchdog.Owner{Item: c.Item})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]watchdog.Body{watchdog.Outcome{Key: "a"}, watchdog.Owner{Item: "p"}}, p.shown); diff != "" {
		t.Errorf("the watchdog is told (-want +got):\n%s", diff)
	}
}

// TestLooksMore looks every 45 seconds, and keeps the answers from the watchdog.
func TestLooksMore(t *testing.T) {
	p := &puppet{}
	dog := mutants.Forgers()["looks-more"](p)
	looks := 0
	for at := time.Duration(0); at <= 2*time.Minute; at += 5 * time.Second {
		var seen []watchdog.Observation
		if at == 0 {
			seen = observed(watchdog.Spawned{PID: 1})
		}
		d, err := dog.Step(watchdog.Instant{Mono: at}, seen)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Commands {
			looks++
			if _, err := dog.Step(watchdog.Instant{Mono: at}, observed(watchdog.Probe{Key: c.Key})); err != nil {
				t.Fatal(err)
			}
		}
	}
	if looks != 2 || len(p.shown) != 1 {
		t.Errorf("got %d looks and %v shown, want 2 looks and the spawn alone", looks, p.shown)
	}
}
