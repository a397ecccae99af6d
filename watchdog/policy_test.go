package watchdog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog"
)

// TestDefaultPolicy pins the defaults of the limits.
func TestDefaultPolicy(t *testing.T) {
	want := map[string]string{
		"stall": "30m0s", "startup": "2m0s", "settle": "1m0s", "declared_grace": "30s", "first_token": "",
		"stream_gap": "", "tool": "2h0m0s", "compaction": "10m0s", "user_wait": "1h0m0s", "attention": "5m0s",
		"confirmations": "2", "confirm_every": "30s", "loop_repeats": "3", "resume_attempts": "2", "restarts": "3",
		"restart_window": "1h0m0s", "stability": "30m0s", "attempts_total": "12", "backoff": "30s",
		"backoff_factor": "2", "backoff_cap": "10m0s", "grace": "10s", "recoveries": "8", "mass_window": "30s",
		"cost_usd": "0", "tokens": "0", "dirty": "ask", "effects.stop_turn": "ask", "effects.stop_worker": "ask",
		"effects.respawn": "ask", "effects.task_state": "ask", "effects.publish": "ask", "effects.remove": "ask",
	}
	got := map[string]string{}
	p := watchdog.DefaultPolicy()
	for _, name := range watchdog.LimitNames() {
		got[name] = p.Get(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestLimitsThatFollowStall(t *testing.T) {
	p := watchdog.DefaultPolicy()
	p.Stall = 7 * time.Minute
	if p.FirstTokenLimit() != p.Stall || p.StreamGapLimit() != p.Stall {
		t.Errorf("first token %v, stream gap %v; want both to follow stall %v", p.FirstTokenLimit(), p.StreamGapLimit(), p.Stall)
	}
	p.FirstToken, p.StreamGap = time.Minute, 2*time.Minute
	if p.FirstTokenLimit() != time.Minute || p.StreamGapLimit() != 2*time.Minute {
		t.Errorf("first token %v, stream gap %v; want their own values", p.FirstTokenLimit(), p.StreamGapLimit())
	}
}

func TestSet(t *testing.T) {
	for _, row := range []struct{ name, value, want, reason string }{
		{"stall", "90s", "1m30s", "a duration"},
		{"declared_grace", "0s", "0s", "a grace may be none"},
		{"confirmations", "0", "0", "no confirmation is a choice"},
		{"backoff_factor", "1.5", "1.5", "a fraction"},
		{"tokens", "9000000000", "9000000000", "more than 32 bits"},
		{"dirty", "commit_wip", "commit_wip", "a word"},
		{"effects.stop_turn", "auto", "auto", "a permission"},
	} {
		p := watchdog.DefaultPolicy()
		if err := p.Set(row.name, row.value); err != nil {
			t.Errorf("Set(%q, %q): %v (%s)", row.name, row.value, err, row.reason)
		}
		if got := p.Get(row.name); got != row.want {
			t.Errorf("Set(%q, %q) gives %q, want %q (%s)", row.name, row.value, got, row.want, row.reason)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, row := range []struct{ name, value, want, reason string }{
		{"stal", "90s", `unknown limit "stal"`, "no such limit"},
		{"stall", "90", `write it like 90s`, "a number without a unit"},
		{"stall", "0s", "the least is 1ns", "a stall limit of zero is always over"},
		{"declared_grace", "-1s", "the least is 0s", "time runs forward"},
		{"confirmations", "-1", "at least 0", "a negative count"},
		{"loop_repeats", "1", "at least 2", "once is no repetition"},
		{"backoff_factor", "NaN", "at least 1", "not a number"},
		{"backoff_factor", "0.5", "at least 1", "a backoff that shrinks"},
		{"cost_usd", "1e300", "at least 0", "absurd"},
		{"dirty", "delete", "known: ask, commit_wip", "not a policy"},
		{"effects.jump", "auto", `unknown effect class "jump"`, "no such class"},
		{"effects.publish", "yes", "none of auto, ask, never", "no such permission"},
		{"effects.remove", "auto", "removal is never automatic", "remove is never auto"},
	} {
		p := watchdog.DefaultPolicy()
		err := p.Set(row.name, row.value)
		if !errors.Is(err, watchdog.ErrPolicy) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("Set(%q, %q): error %v, want ErrPolicy with %q (%s)", row.name, row.value, err, row.want, row.reason)
		}
		if diff := cmp.Diff(watchdog.DefaultPolicy(), p); diff != "" {
			t.Errorf("Set(%q, %q) failed, and changed the policy (-want +got):\n%s", row.name, row.value, diff)
		}
	}
}

func TestOverrides(t *testing.T) {
	p := watchdog.DefaultPolicy()
	p.Overrides = []watchdog.Override{
		{Model: "slow", Set: map[string]string{"first_token": "10m", "stall": "1h"}},
		{Tool: "bash", Set: map[string]string{"tool": "4h"}},
		{Worker: "w1", Model: "slow", Set: map[string]string{"first_token": "20m", "effects.stop_turn": "auto"}},
	}
	for _, row := range []struct {
		worker, model, tool string
		firstToken, toolFor time.Duration
		stopTurn            watchdog.Permission
		reason              string
	}{
		{"w2", "fast", "", 30 * time.Minute, 2 * time.Hour, watchdog.PermitAsk, "no override matches"},
		{"w2", "slow", "", 10 * time.Minute, 2 * time.Hour, watchdog.PermitAsk, "by model"},
		{"w2", "slow", "bash", 10 * time.Minute, 4 * time.Hour, watchdog.PermitAsk, "by model, and by tool"},
		{"w1", "slow", "", 20 * time.Minute, 2 * time.Hour, watchdog.PermitAuto, "the later override wins"},
		{"w1", "fast", "bash", 30 * time.Minute, 4 * time.Hour, watchdog.PermitAsk, "all of an override's names must match"},
	} {
		l := p.For(row.worker, row.model, row.tool)
		if l.FirstTokenLimit() != row.firstToken || l.Tool != row.toolFor || l.Effects[watchdog.EffectStopTurn] != row.stopTurn {
			t.Errorf("For(%q, %q, %q): first token %v, tool %v, stop turn %s; want %v, %v, %s (%s)",
				row.worker, row.model, row.tool, l.FirstTokenLimit(), l.Tool, l.Effects[watchdog.EffectStopTurn],
				row.firstToken, row.toolFor, row.stopTurn, row.reason)
		}
	}
	if p.Effects[watchdog.EffectStopTurn] != watchdog.PermitAsk {
		t.Error("an override changed the policy itself")
	}
}
