package scenarios

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// resolveAll resolves the windows of claims and checks each.
func (f *file) resolveAll(claims []claim, steps []script.Step, horizon time.Duration) []Expect {
	var expects []Expect
	for i := range claims {
		c := &claims[i]
		if c.HasWindow && !f.window(c, steps) {
			continue
		}
		if !c.HasWindow {
			c.To = horizon
		}
		f.check(c, claims[:i], steps, horizon)
		expects = append(expects, c.Expect)
	}
	return expects
}

func (f *file) window(c *claim, steps []script.Step) bool {
	var err *script.Error
	if c.From, err = script.Instant(c.fromPos, c.from, steps, 0, f.Limits); err == nil {
		c.To, err = script.Instant(c.toPos, c.to, steps, c.From, f.Limits)
	}
	f.add(err)
	return err == nil
}

// check looks for what makes a claim one that nothing can violate, or nothing can satisfy.
func (f *file) check(c *claim, above []claim, steps []script.Step, horizon time.Duration) {
	born, spawned := birth(c.Worker, steps)
	switch {
	case !spawned:
		f.fail(c.Pos, "no worker "+c.Worker+" is spawned", "expect something of a worker of the timeline")
	case c.To < c.From:
		f.fail(c.fromPos, fmt.Sprintf("the window ends (%s) before it begins (%s)", script.FormatDuration(c.To), script.FormatDuration(c.From)), "write FROM..TO")
	case c.From > horizon || !c.Never && c.To > horizon:
		f.fail(c.Pos, fmt.Sprintf("the window reaches past the end of the history, %s", script.FormatDuration(horizon)), "expect it earlier")
	case c.Never && c.HasWindow && c.To < born:
		f.fail(c.Pos, "nothing can violate this: the worker is spawned later", "expect it of a time when the worker lives")
	case !c.Never && len(c.Alts) >= len(watchdog.VerdictNames()):
		f.fail(c.Pos, "nothing can violate this: any verdict will do", "name fewer alternatives")
	case c.Status != "" && !slices.ContainsFunc(c.Alts, isVerdict):
		f.fail(c.Pos, "only a verdict has a status", "leave status= out, or name a verdict")
	case c.Status != "" && !slices.ContainsFunc(c.Alts, func(alt string) bool { return canHave(alt, c.Status) }):
		f.fail(c.Pos, fmt.Sprintf("none of these verdicts can be %s", c.Status), "a phase within its limit is ok, one past it suspected, then confirmed")
	}
	for i := range above {
		f.compare(c, &above[i])
	}
}

func isVerdict(alt string) bool { return slices.Contains(verdictWords(), alt) }

// canHave reports whether a verdict of that name can have that status.
func canHave(name string, s watchdog.Status) bool {
	switch watchdog.VerdictName(name) {
	case watchdog.VerdictDead, watchdog.VerdictSettledUnproven:
		return s == watchdog.StatusConfirmed
	case watchdog.VerdictLivelock, watchdog.VerdictInconclusive:
		return s != watchdog.StatusOK
	}
	if _, past := watchdog.VerdictName(name).LimitPast(); past {
		return s != watchdog.StatusOK
	}
	return isVerdict(name) && s == watchdog.StatusOK
}

// birth is when a worker is spawned first; of no worker in particular, the start.
func birth(worker string, steps []script.Step) (time.Duration, bool) {
	if worker == "" {
		return 0, true
	}
	for i := range steps {
		if _, ok := steps[i].Action.(script.Spawn); ok && steps[i].Actor == worker {
			return steps[i].At, true
		}
	}
	return 0, false
}

// compare finds a claim that says what one above it says, or the contrary.
func (f *file) compare(c, above *claim) {
	line := above.Pos.Line
	switch {
	case c.String() == above.String():
		f.fail(c.Pos, fmt.Sprintf("line %d expects the same", line), "leave one of them out")
	case c.Never == above.Never:
	case c.Never && forbids(c, above), above.Never && forbids(above, c):
		f.fail(c.Pos, fmt.Sprintf("this contradicts line %d", line), "no subject can satisfy both")
	}
}

// forbids reports whether what never allows leaves no way to satisfy e.
func forbids(never, e *claim) bool {
	all := !slices.ContainsFunc(e.Alts, func(alt string) bool { return !slices.Contains(never.Alts, alt) })
	return all && never.Cause == "" && never.Status == "" &&
		(never.Worker == "" || never.Worker == e.Worker) && never.From <= e.From && e.To <= never.To
}
