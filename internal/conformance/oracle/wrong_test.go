package oracle_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

const (
	inMidMessage = begin + `+1s w1 says "Let me"
		+0s w1 stalls`
	goodEnd = begin + `+1s w1 says "Done."
		+0s w1 settles`
	slowToken = begin + `+9m59s w1 says "Done."
		+0s w1 settles`
	longTool = begin + `+1s w1 tool bash "make" runs 50m
		+1s w1 says "Done."
		+0s w1 settles`
	hungTool = begin + `+1s w1 tool bash "make" runs never`
	twoTools = begin + `+1s w1 tool bash "make" runs never
		+1s w1 tool bash "make serve" runs 3h bursts 10s`
	holds = begin + `+1s w1 tool bash "make serve &" runs never holds
		+1s w1 tool bash "make" runs 3h busy`
	dialog = begin + `+1s w1 tool bash "rm" runs 1s as=rm
		@rm w1 asks confirm "Remove?"
		+0s user answers "yes" after 90m
		+5s w1 says "Done."
		+0s w1 settles`
	compacts = begin + `+1s w1 says "Done."
		+0s w1 closes
		+0s w1 compacts manual runs 9m
		+0s w1 settles`
	retry = begin + `+1s w1 refused transient
		+0s w1 retries 8s
		+1s w1 says "Done."
		+0s w1 settles`
	refused = begin + `+1s w1 refused auth
		+0s w1 settles`
	empty = begin + `+1s w1 opens
		+0s w1 settles`
	heals = begin + `+1s w1 says "Let me"
		+20m w1 says " see."
		+9m w1 settles`
	death = begin + `+1s w1 says "Let me"
		+1s w1 killed SIGKILL`
	suspend = begin + `+1s w1 says "Let me"
		+5m world suspend 9h
		+4m w1 says " see."
		+0s w1 settles`
)

// silent says nothing whatever happens.
func silent(k *knowing) {
	k.step = func(watchdog.Instant) (watchdog.Decision, error) { return watchdog.Decision{}, nil }
}

// always gives one verdict and keeps it.
func always(name watchdog.VerdictName, status watchdog.Status) func(*knowing) {
	return believes(func(t *trace.Truth) {}, func(v *watchdog.Verdict) {
		v.Name, v.Status, v.Cause.Name = name, status, name
	})
}

// believes spoils what the subject takes for true, and the verdicts that it gives.
func believes(see func(*trace.Truth), say func(*watchdog.Verdict)) func(*knowing) {
	return func(k *knowing) {
		k.see = see
		k.decide = func(k *knowing, _ watchdog.Instant) {
			for i := range k.out.Verdicts {
				say(&k.out.Verdicts[i])
			}
		}
	}
}

// takes mistakes one phase for another.
func takes(was, is watchdog.VerdictName) func(*knowing) {
	return func(k *knowing) {
		k.see = func(t *trace.Truth) {
			if t.Phase == was {
				t.Phase = is
			}
		}
	}
}

// says spoils every verdict.
func says(f func(*watchdog.Verdict)) func(*knowing) { return believes(func(*trace.Truth) {}, f) }

// commands spoils every command, and may add to them.
func commands(f func(k *knowing, now watchdog.Instant)) func(*knowing) {
	return func(k *knowing) { k.decide = f }
}

func limits(f func(*watchdog.Limits)) func(*knowing) {
	return func(k *knowing) { k.limits = f }
}

// act is a command against w1 that names the standing verdict.
func act(k *knowing, kind watchdog.CommandKind, limit watchdog.Limit) {
	w := k.workers[0]
	k.out.Commands = append(k.out.Commands, watchdog.Command{
		Key: "act", Kind: kind, Worker: w.id, Generation: w.generation, Evidence: []int{w.phaseN},
		Cause: watchdog.Cause{Name: w.name, Phase: w.phase, Limit: limit},
	})
}

// on lets a subject do something once, at the first step from a moment on.
func on(at time.Duration, f func(*knowing)) func(*knowing) {
	done := false
	return commands(func(k *knowing, now watchdog.Instant) {
		switch {
		case done:
		case now.Mono >= at:
			done = true
			f(k)
		default:
			k.wake(at, now)
		}
	})
}

// Each subject is wrong in one way, and the oracle says in which.
func TestWrong(t *testing.T) {
	cases := []struct {
		name, steps string
		requires    []string
		spoil       func(*knowing)
		want        string
		reason      string
	}{
		{"always well", inMidMessage, nil, always(watchdog.VerdictStreaming, watchdog.StatusOK), "WDC-STALL-001", "the stream stopped and nobody said so"},
		{"always stalled", goodEnd, nil, always(watchdog.VerdictStalledStream, watchdog.StatusConfirmed), "WDC-TTFT-002", "nothing was past its limit"},
		{"silent", goodEnd, nil, silent, "WDC-LIFE-003", "a settled worker was not called so"},
		{"silent in a stall", begin + "+1s w1 stalls", nil, silent, "WDC-TTFT-003", "no token came and nobody said so"},
		{"early", slowToken, nil, limits(func(l *watchdog.Limits) { l.Stall = 9 * time.Minute }), "WDC-TTFT-002", "the token came inside the limit"},
		{"late", inMidMessage, nil, limits(func(l *watchdog.Limits) { l.Stall = 12 * time.Minute }), "WDC-STALL-001", "two minutes late"},
		{"one timer for all", longTool, nil, limits(func(l *watchdog.Limits) { l.Tool = l.Stall }), "WDC-TOOL-001", "a tool may be quiet"},
		{"a tool for ever", hungTool, nil, limits(func(l *watchdog.Limits) { l.Tool = 100 * time.Hour }), "WDC-TOOL-002", "the tool passed its limit"},
		{"compaction is a stall", compacts, nil, limits(func(l *watchdog.Limits) { l.Compaction = time.Minute }), "WDC-PAUSE-002", "compaction has its own limit"},
		{"a dialog is a tool", dialog, nil, takes(watchdog.VerdictAwaitingUser, watchdog.VerdictRunningTool), "WDC-WAIT-001", "a dialog is a wait"},
		{"the end of the run is the end", begin + "+1s w1 says \"Done.\"\n+0s w1 ends\n+0s w1 stalls", nil, takes(watchdog.VerdictEnding, watchdog.VerdictSettled), "WDC-LIFE-002", "the terminal event is missing"},
		{"a delay is the end", retry, nil, takes(watchdog.VerdictBackingOff, watchdog.VerdictSettled), "WDC-PAUSE-001", "a retry was announced"},
		{"a delay is the end, where that is tested", retry, []string{"WDC-LIFE-002"}, takes(watchdog.VerdictBackingOff, watchdog.VerdictSettled), "WDC-LIFE-002", "the scenario's requirement comes first"},
		{"an empty reply is a good end", empty, nil, takes(watchdog.VerdictSettledUnproven, watchdog.VerdictSettled), "WDC-LIFE-004", "nothing was said"},
		{"a good end proves nothing", goodEnd, nil, takes(watchdog.VerdictSettled, watchdog.VerdictSettledUnproven), "WDC-LIFE-003", "the end was good"},
		{"a death is an end", death, nil, takes(watchdog.VerdictDead, watchdog.VerdictSettled), "WDC-DEAD-004", "SIGKILL in mid-message"},
		{"a good end is a death", goodEnd, nil, takes(watchdog.VerdictSettled, watchdog.VerdictDead), "WDC-DEAD-003", "the process lives"},
		{"status 0 is success", begin + "+1s w1 says \"Let me\"\n+1s w1 exits 0", []string{"WDC-LIFE-006"}, takes(watchdog.VerdictSettledUnproven, watchdog.VerdictSettled), "WDC-LIFE-006", "it ended before the terminal event"},
		{"an exit unseen", goodEnd + "\n+1m w1 exits 0", nil, believes(func(t *trace.Truth) { t.Exited = false }, func(*watchdog.Verdict) {}), "WDC-DEAD-001", "a parent knows at once"},
		{"a quota is the end", begin + "+1s w1 refused quota\n+0s w1 settles", nil, takes(watchdog.VerdictAwaitingQuota, watchdog.VerdictSettled), "WDC-PAUSE-003", "a quota is waited for"},
		{"an invented reset", begin + "+1s w1 refused quota\n+0s w1 settles", nil, says(func(v *watchdog.Verdict) {
			v.Detail.Until = time.Date(2026, 1, 5, 18, 0, 0, 0, time.UTC)
		}), "WDC-PAUSE-003", "the provider named no time"},
		{"a wait outlives its stall", heals, nil, says(func(v *watchdog.Verdict) {
			if v.Name == watchdog.VerdictSettled {
				*v = watchdog.Verdict{Worker: "w1", Generation: 1, Name: watchdog.VerdictStalledStream, Status: watchdog.StatusConfirmed}
			}
		}), "WDC-LIFE-003", "it has settled since"},
		{"progress closes nothing", begin + "+1s w1 says \"Let me\"\n+20m w1 says \" see\" over 5m chunks 3\n+9m w1 settles", nil, lingers, "WDC-STALL-004", "a delta came"},
		{"hasty", inMidMessage, nil, limits(func(l *watchdog.Limits) { l.Confirmations = 0 }), "WDC-STALL-003", "confirmed without a fresh look"},
		{"told before it is sure", inMidMessage, nil, commands(func(k *knowing, _ watchdog.Instant) {
			if w := k.workers[0]; w.status == watchdog.StatusSuspected {
				act(k, watchdog.CmdNotify, watchdog.LimitStreamGap)
			}
		}), "WDC-STALL-003", "only suspected"},
		{"nobody told", inMidMessage, nil, commands(func(k *knowing, _ watchdog.Instant) { k.out.Commands = nil }), "WDC-ALERT-003", "confirmed and kept to itself"},
		{"no second alarm", begin + "+1s w1 says \"Let me\"\n+20m w1 says \" see\"\n+0s w1 stalls", []string{"WDC-ALERT-002"}, commands(func(k *knowing, now watchdog.Instant) {
			if now.Mono > 21*time.Minute {
				k.out.Commands = nil
			}
		}), "WDC-ALERT-002", "the alarm is armed again by progress"},
		{"told again and again", inMidMessage, nil, commands(func(k *knowing, now watchdog.Instant) {
			if w := k.workers[0]; w.status == watchdog.StatusConfirmed && now.Mono < 20*time.Minute {
				act(k, watchdog.CmdNotify, watchdog.LimitStreamGap)
				k.wake(now.Mono+time.Minute, now)
			}
		}), "WDC-ALERT-002", "once an episode"},
		{"told of nothing", goodEnd, nil, commands(func(k *knowing, _ watchdog.Instant) { act(k, watchdog.CmdNotify, "") }), "WDC-TTFT-002", "a first token was awaited"},
		{"no attention", inMidMessage, nil, limits(func(l *watchdog.Limits) { l.Attention = time.Hour }), "WDC-ALERT-004", "five minutes of silence"},
		{"attention too early", inMidMessage, nil, limits(func(l *watchdog.Limits) { l.Attention = time.Minute }), "WDC-ALERT-004", "one minute of silence"},
		{"attention in a tool", longTool, nil, on(10*time.Minute, func(k *knowing) { act(k, watchdog.CmdNotify, watchdog.LimitAttention) }), "WDC-TOOL-001", "a tool inside its limit is excused"},
		{"kills on attention", inMidMessage, []string{"WDC-ALERT-004"}, on(5*time.Minute+2*time.Second, func(k *knowing) { act(k, watchdog.CmdAbort, watchdog.LimitAttention) }), "WDC-ALERT-004", "attention tells, and does nothing else"},
		{"kills in a dialog", dialog, nil, on(10*time.Minute, func(k *knowing) { act(k, watchdog.CmdTerminate, "") }), "WDC-WAIT-001", "it waits for a person"},
		{"kills a compaction", compacts, nil, on(5*time.Minute, func(k *knowing) { act(k, watchdog.CmdAbort, "") }), "WDC-PAUSE-002", "inside its limit"},
		{"kills without leave", inMidMessage, nil, on(30*time.Minute, func(k *knowing) { act(k, watchdog.CmdKill, "") }), "WDC-GATE-002", "the policy says ask"},
		{"attention suppresses the verdict", inMidMessage, []string{"WDC-ALERT-001"}, func(k *knowing) {
			k.limits = func(l *watchdog.Limits) { l.Stall = 100 * time.Hour }
		}, "WDC-ALERT-001", "told at five minutes, and then silent"},
		{"no reminder", dialog, nil, limits(func(l *watchdog.Limits) { l.UserWait = 100 * time.Hour }), "WDC-WAIT-006", "an hour without an answer"},
		{"reminders too often", dialog, nil, limits(func(l *watchdog.Limits) { l.UserWait = time.Minute }), "WDC-WAIT-006", "once an hour"},
		{"auth told twice", refused, nil, on(10*time.Minute, func(k *knowing) { act(k, watchdog.CmdNotify, "") }), "WDC-PAUSE-004", "one notice for a credential"},
		{"auth not told", refused, nil, commands(func(k *knowing, _ watchdog.Instant) { k.out.Commands = nil }), "WDC-PAUSE-004", "the owner must act"},
		{"counts suspend", suspend, []string{"WDC-PAUSE-005"}, func(k *knowing) {
			k.clock = func(now watchdog.Instant) time.Duration { return now.Boot }
		}, "WDC-PAUSE-005", "the host slept"},
		{"looks at the wall", suspend, []string{"WDC-CLOCK-001"}, func(k *knowing) {
			k.clock = func(now watchdog.Instant) time.Duration {
				return now.Wall.Sub(time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC))
			}
		}, "WDC-CLOCK-001", "civil time is no measure of silence"},
		{"a livelock of nothing", inMidMessage, nil, says(func(v *watchdog.Verdict) { v.Name = watchdog.VerdictLivelock }), "WDC-LOOP-002", "nothing repeats"},
		{"inconclusive without a reason", inMidMessage, nil, always(watchdog.VerdictInconclusive, watchdog.StatusSuspected), "WDC-STALL-001", "a held stream tells"},
		{"wrong limit", inMidMessage, nil, says(func(v *watchdog.Verdict) { v.Cause.Limit = watchdog.LimitTool }), "WDC-EXPL-002", "the right verdict for a wrong cause"},
		{"wrong phase", inMidMessage, nil, says(func(v *watchdog.Verdict) { v.Cause.Phase = watchdog.VerdictWorking }), "WDC-EXPL-002", "the right verdict for a wrong cause"},
		{"no evidence", inMidMessage, nil, says(func(v *watchdog.Verdict) { v.Evidence = nil }), "WDC-EXPL-001", "nothing to rest on"},
		{"evidence unseen", inMidMessage, nil, says(func(v *watchdog.Verdict) { v.Evidence[0].N = 999 }), "WDC-EXPL-002", "there is no such observation"},
		{"evidence of another turn", inMidMessage, nil, says(func(v *watchdog.Verdict) {
			if v.Status != watchdog.StatusOK {
				v.Evidence[0].N = 1
			}
		}), "WDC-EXPL-002", "observation 1 is the link's"},
		{"evidence of a wrong age", inMidMessage, nil, says(func(v *watchdog.Verdict) { v.Evidence[0].Age += time.Second }), "WDC-EXPL-002", "a second too old"},
		{"no next check", inMidMessage, nil, says(func(v *watchdog.Verdict) { v.Next = 0 }), "WDC-EXPL-001", "suspected, and not looked at again"},
		{"a command without a cause", inMidMessage, nil, commands(func(k *knowing, _ watchdog.Instant) {
			for i := range k.out.Commands {
				k.out.Commands[i].Evidence = nil
			}
		}), "WDC-EXPL-001", "why?"},
		{"the call unnamed", hungTool, nil, says(func(v *watchdog.Verdict) { v.Detail.Calls = nil }), "WDC-TOOL-002", "which call?"},
		{"another call named", hungTool, nil, says(func(v *watchdog.Verdict) { v.Detail.Calls = []string{"call_0"} }), "WDC-TOOL-004", "it is not open"},
		{"the call beside it named", twoTools, nil, says(func(v *watchdog.Verdict) {
			if len(v.Detail.Calls) > 1 {
				v.Detail.Calls = v.Detail.Calls[1:]
			}
		}), "WDC-TOOL-002", "it prints on"},
		{"the holder unnamed", holds, nil, says(func(*watchdog.Verdict) {}), "WDC-TOOL-005", "the shell has gone"},
		{"a holder of nothing", hungTool, nil, says(func(v *watchdog.Verdict) { v.Detail.Holder = 1 }), "WDC-TOOL-005", "the shell lives"},
		{"control sequences", inMidMessage, nil, commands(func(k *knowing, _ watchdog.Instant) {
			for i := range k.out.Commands {
				k.out.Commands[i].Text = "\x1b[2Jall is well"
			}
		}), "WDC-SAFE-002", "it clears the owner's screen"},
		{"wakes in the past", goodEnd, nil, commands(func(k *knowing, now watchdog.Instant) { k.out.Wake = now.Mono - 1 }), "WDC-CLOCK-001", "time does not run backwards"},
		{"spins", goodEnd, nil, commands(func(k *knowing, now watchdog.Instant) { k.out.Wake = now.Mono }), "WDC-CLOCK-001", "no time passes"},
		{"panics", goodEnd, nil, func(k *knowing) {
			k.step = func(watchdog.Instant) (watchdog.Decision, error) {
				return watchdog.Decision{}, &trace.Panic{Value: "index out of range"}
			}
		}, "WDC-OBS-002", "never a crash"},
		{"fails", goodEnd, nil, func(k *knowing) {
			k.step = func(watchdog.Instant) (watchdog.Decision, error) {
				return watchdog.Decision{}, errors.New("bad line")
			}
		}, "WDC-OBS-002", "a worker cannot misbehave so badly"},
		{"a stranger", goodEnd, nil, says(func(v *watchdog.Verdict) { v.Worker = "w9" }), "WDC-OBS-002", "there is no w9"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := judge(t, game{steps: c.steps, requires: c.requires}, c.spoil)
			var got []string
			for _, v := range found {
				got = append(got, v.Requirement)
			}
			if !slices.Contains(got, c.want) {
				t.Errorf("got %v, want %s: %s", got, c.want, c.reason)
				for _, v := range found {
					t.Logf("%s %s at %s: want %s, got %s", v.Requirement, v.Mistake, v.At, v.Expected, v.Actual)
				}
			}
		})
	}
}

// lingers is a subject that stands by an alarm until the worker settles.
func lingers(k *knowing) {
	k.decide = func(k *knowing, _ watchdog.Instant) {
		kept := k.out.Verdicts[:0]
		for _, v := range k.out.Verdicts {
			if v.Name != watchdog.VerdictStreaming || v.Since < time.Minute {
				kept = append(kept, v)
			}
		}
		k.out.Verdicts = kept
	}
}

// A wrong subject is found by the first event that should have been otherwise.
func TestFirstDivergence(t *testing.T) {
	found := judge(t, game{steps: slowToken}, limits(func(l *watchdog.Limits) { l.Stall = 9 * time.Minute }))
	if len(found) == 0 {
		t.Fatal("nothing found")
	}
	v := found[0]
	if v.At != 9*time.Minute || v.Worker != "w1" || v.Event == 0 {
		t.Errorf("got %s of %s at %s, event %d; want w1 at 9m0s", v.Requirement, v.Worker, v.At, v.Event)
	}
}
