package oracle_test

import (
	"testing"
	"time"

	"fakepi.example/watchdog"
)

const begin = `
0s    w1 spawn
+0s   w1 prompt "tidy the imports"
`

// A right subject passes whatever happens to a worker.
func TestRight(t *testing.T) {
	cases := []struct {
		name, steps string
		policy      func(*watchdog.Policy)
	}{
		{name: "a good end", steps: begin + `+2s w1 says "Done."
			+0s w1 settles`},
		{name: "a first token just in time", steps: begin + `+9m59s w1 says "Done."
			+0s w1 settles`},
		{name: "no first token", steps: begin + `+1s w1 stalls`},
		{name: "a stall in mid-message", steps: begin + `+1s w1 says "Let me"
			+0s w1 stalls`},
		{name: "a stall that heals", steps: begin + `+1s w1 says "Let me"
			+20m w1 says " see."
			+1s w1 settles`},
		{name: "two stalls", steps: begin + `+1s w1 says "Let me"
			+20m w1 says " see."
			+20m w1 settles`},
		{name: "a run that stalls between two records", steps: begin + `+1s w1 says "Done."
			+0s w1 closes
			+0s w1 stalls`},
		{name: "a run that does not settle", steps: begin + `+1s w1 says "Done."
			+0s w1 ends
			+0s w1 stalls`},
		{name: "a prompt without an answer", steps: `0s w1 spawn
			+1s w1 prompt "tidy the imports" takes never`},
		{name: "a tool that hangs", steps: begin + `+1s w1 tool bash "make" runs never
			+0s w1 stalls`},
		{name: "a tool that hangs beside one that prints", steps: begin + `+1s w1 tool bash "make" runs never
			+1s w1 tool bash "make serve" runs 3h bursts 10s`},
		{name: "a tool that hangs behind a dialog", steps: begin + `+1s w1 tool bash "make" runs never as=make
			@make+1s w1 asks confirm "Go on?" timeout=10m`},
		{name: "a tool that works in silence", steps: begin + `+1s w1 tool bash "make" runs 90m busy
			+1s w1 says "Done."
			+0s w1 settles`},
		{name: "a dialog", steps: begin + `+1s w1 tool bash "rm" runs 1s as=rm
			@rm w1 asks confirm "Remove?"
			+0s user answers "yes" after 90m
			+5s w1 says "Done."
			+0s w1 settles`},
		{name: "a compaction that hangs", steps: begin + `+1s w1 says "Done."
			+0s w1 closes
			+0s w1 compacts manual runs never`},
		{name: "a retry that comes", steps: begin + `+1s w1 refused transient
			+0s w1 retries 8s
			+1s w1 says "Done."
			+0s w1 settles`},
		{name: "a refused credential", steps: begin + `+1s w1 refused auth
			+0s w1 settles`},
		{name: "a quota", steps: begin + `+1s w1 refused quota
			+0s w1 settles`},
		{name: "an empty reply", steps: begin + `+1s w1 opens
			+0s w1 settles`},
		{name: "a death", steps: begin + `+1s w1 says "Let me"
			+1s w1 killed SIGKILL`},
		{name: "an exit with status 0 before the end", steps: begin + `+1s w1 says "Let me"
			+1s w1 exits 0`},
		{name: "an exit after the end", steps: begin + `+1s w1 says "Done."
			+0s w1 settles
			+1m w1 exits 0`},
		{name: "a suspend in a silence", steps: begin + `+1s w1 says "Let me"
			+5m world suspend 9h
			+4m w1 says " see."
			+0s w1 settles`},
		{name: "chatter in a stall", steps: begin + `+1s w1 stalls
			+0s w1 chatter state every 1m over 30m
			+0s w1 notifies status "Waiting for approval" every 1m over 30m`},
		{name: "no confirmations", steps: begin + `+1s w1 stalls`, policy: func(p *watchdog.Policy) { p.Confirmations = 0 }},
	}
	for _, c := range cases {
		for _, poll := range []time.Duration{0, 7 * time.Second, time.Minute} {
			t.Run(c.name+"/"+poll.String(), func(t *testing.T) {
				for _, v := range judge(t, game{steps: c.steps, policy: c.policy, poll: poll}, nil) {
					t.Errorf("%s %s at %s: want %s, got %s", v.Requirement, v.Mistake, v.At, v.Expected, v.Actual)
				}
			})
		}
	}
}

// A quota resets at a time of day: what the host sleeps counts, and before it the wait holds.
func TestQuotaResetsInCivilTime(t *testing.T) {
	const asleep = begin + `+0s w1 refused quota reset=2h
		+0s w1 settles
		+30m world suspend 3h`
	over := func(k *knowing) {
		k.out.Verdicts = append(k.out.Verdicts, watchdog.Verdict{
			Worker: "w1", Generation: 1, Name: watchdog.VerdictSettledUnproven, Status: watchdog.StatusConfirmed,
			Cause: watchdog.Cause{Name: watchdog.VerdictSettledUnproven, Phase: watchdog.VerdictSettledUnproven}, Evidence: k.evidence(k.workers[0], k.now),
		})
		k.notify(k.workers[0], watchdog.Cause{Name: watchdog.VerdictSettledUnproven})
	}
	if got := judge(t, game{steps: asleep}, on(31*time.Minute, over)); len(got) > 0 {
		t.Errorf("over behind the suspend: got %v", got)
	}
	if got := judge(t, game{steps: asleep}, on(29*time.Minute, over)); len(got) != 1 || got[0].Requirement != "WDC-PAUSE-003" {
		t.Errorf("over before it: got %v, want WDC-PAUSE-003", got)
	}
}

// A call may be named without what its id would do to a terminal.
func TestNeutralisedName(t *testing.T) {
	const steps = begin + `+1s w1 tool bash "make" runs never call="\e]0;x\a7"`
	for name, findings := range map[string]int{"\x1b]0;x\a7": 0, "]0;x7": 0, "\ufffd]0;x\ufffd7": 0, "]0;x8": 2} {
		got := judge(t, game{steps: steps}, says(func(v *watchdog.Verdict) { v.Detail.Calls = []string{name} }))
		if len(got) != findings {
			t.Errorf("named %q: got %v, want %d findings", name, got, findings)
		}
	}
}
