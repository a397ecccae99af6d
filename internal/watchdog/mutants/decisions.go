package mutants

import (
	"slices"
	"time"

	"fakepi.example/watchdog"
)

// speech changes what the watchdog says after a step, given what it was shown in it.
type speech func(now watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision)

// decisions misquotes the watchdog.
func decisions(fresh func(boot watchdog.Boot) speech) lie {
	return around(func(boot watchdog.Boot, next watchdog.Watchdog) stepper {
		say := fresh(boot)
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			d, err := next.Step(now, seen)
			if err == nil {
				say(now, seen, &d)
			}
			return d, err
		}
	})
}

// verdicts changes verdicts one by one.
func verdicts(change func(now watchdog.Instant, v *watchdog.Verdict)) lie {
	return decisions(func(watchdog.Boot) speech {
		return func(now watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
			for i := range d.Verdicts {
				change(now, &d.Verdicts[i])
			}
		}
	})
}

// alarming reports whether a verdict is one past a limit, or one of those that override it.
func alarming(v *watchdog.Verdict) bool {
	return v.Status != watchdog.StatusOK && v.Name != watchdog.VerdictDead && v.Name != watchdog.VerdictSettledUnproven
}

// pastName is what a phase is called past its limit.
func pastName(phase watchdog.VerdictName) watchdog.VerdictName {
	switch phase {
	case watchdog.VerdictCompacting:
		return watchdog.VerdictStalledCompaction
	case watchdog.VerdictRunningTool:
		return watchdog.VerdictStalledTool
	case watchdog.VerdictStarting:
		return watchdog.VerdictNeverStarted
	case watchdog.VerdictAwaitingFirstToken:
		return watchdog.VerdictSlowFirstToken
	case watchdog.VerdictStreaming:
		return watchdog.VerdictStalledStream
	case watchdog.VerdictEnding:
		return watchdog.VerdictStalledEnding
	}
	return watchdog.VerdictStalled
}

// tells reports whether a command is a notice of a verdict: neither attention nor a reminder, nor that of a credential.
func tells(c *watchdog.Command) bool {
	return c.Kind == watchdog.CmdNotify && c.Cause.Limit != watchdog.LimitAttention && c.Cause.Limit != watchdog.LimitUserWait &&
		c.Cause.Name != watchdog.VerdictAwaitingAuth
}

// dropVerdicts and dropCommands take out what the predicate picks.
func dropVerdicts(d *watchdog.Decision, drop func(*watchdog.Verdict) bool) {
	d.Verdicts = slices.DeleteFunc(d.Verdicts, func(v watchdog.Verdict) bool { return drop(&v) })
}

func dropCommands(d *watchdog.Decision, drop func(*watchdog.Command) bool) {
	d.Commands = slices.DeleteFunc(d.Commands, func(c watchdog.Command) bool { return drop(&c) })
}

// wakeBy asks to be woken at a moment at the latest.
func wakeBy(d *watchdog.Decision, at time.Duration) {
	if d.Wake == 0 || d.Wake > at {
		d.Wake = at
	}
}
