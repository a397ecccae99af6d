package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// finish resolves the times and checks what only the whole file can show.
func (f *file) finish() {
	f.required()
	if f.Family == "" {
		f.Family = familyOf(f.ID)
		if !knownFamily(f.Family) {
			f.fail(f.Pos, fmt.Sprintf("%s is no family", f.Family), "name one in the header: family CODE")
		}
	}
	f.Limits = durations(&f.Policy)
	if len(f.Timeline) == 0 || len(f.errs) > 0 || !f.play(f.Timeline) {
		return
	}
	f.Horizon = f.horizon(f.Timeline)
	f.Expects = f.resolveAll(f.claims, f.Timeline, f.Horizon)
	f.anchors()
	f.silences()
	f.makeTwin()
}

// required checks that the parts that every scenario has are there.
func (f *file) required() {
	for _, key := range []string{"id", "title", "requires"} {
		if !f.seen[key] {
			f.fail(f.Pos, "the header has no "+key, "add the line: "+key+" ...")
		}
	}
	if len(f.Timeline) == 0 {
		f.fail(f.Pos, "nothing happens", "add steps: 0s w1 spawn")
	}
	if len(f.claims) == 0 {
		f.fail(f.Pos, "nothing is expected", "add for example: expect stalled_stream w1 within @label+stream_gap..+2m")
	}
}

// play resolves and vets a timeline, and reports whether it can be played.
func (f *file) play(steps []script.Step) bool {
	before := len(f.errs)
	var errs script.Errors
	if err := script.Resolve(steps, f.Limits); errors.As(err, &errs) {
		f.errs = append(f.errs, errs...)
	} else {
		f.errs = append(f.errs, script.Vet(steps, script.Everyone)...)
	}
	return len(f.errs) == before
}

// durations returns the limits that are durations, by name.
func durations(p *watchdog.Policy) map[string]time.Duration {
	limits := map[string]time.Duration{}
	for _, name := range watchdog.LimitNames() {
		if d, err := time.ParseDuration(p.Get(name)); err == nil && p.Get(name) != "0" {
			limits[name] = d
		}
	}
	limits["first_token"], limits["stream_gap"] = p.FirstTokenLimit(), p.StreamGapLimit()
	return limits
}

// convergence is how long after the last limit a history goes on, so that what must settle can.
const convergence = 5 * time.Minute

// horizon is until when a timeline is played: its last moment, the largest limit that may still pass behind it, the
// confirmations, and some time to converge.
func (f *file) horizon(steps []script.Step) time.Duration {
	var last time.Duration
	for i := range steps {
		last = max(last, steps[i].End())
		if tool, ok := steps[i].Action.(script.Tool); ok {
			last = max(last, steps[i].At+tool.For.D)
		}
	}
	var longest time.Duration
	for _, name := range []string{"stall", "startup", "settle", "declared_grace", "first_token", "stream_gap", "tool", "compaction", "user_wait", "attention"} {
		longest = max(longest, f.Limits[name])
		for _, o := range f.Policy.Overrides {
			if d, err := time.ParseDuration(o.Set[name]); err == nil {
				longest = max(longest, d)
			}
		}
	}
	return last + longest + f.confirming() + convergence
}

// confirming is how long the confirmations of a verdict take at least.
func (f *file) confirming() time.Duration {
	return time.Duration(f.Policy.Confirmations) * f.Policy.ConfirmEvery
}

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
	case watchdog.Dead, watchdog.SettledUnproven:
		return s == watchdog.Confirmed
	case watchdog.StalledCompaction, watchdog.StalledTool, watchdog.NeverStarted, watchdog.SlowFirstToken,
		watchdog.StalledStream, watchdog.StalledEnding, watchdog.Stalled, watchdog.Livelock, watchdog.Inconclusive:
		return s != watchdog.OK
	}
	return isVerdict(name) && s == watchdog.OK
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

// silences checks that a silence which the script itself ends lasts long enough for the verdict that is expected.
func (f *file) silences() {
	stuck := map[string]*script.Step{}
	for i := range f.Timeline {
		s := &f.Timeline[i]
		switch s.Action.(type) {
		case script.Stalls, script.Wedges:
			stuck[s.Actor] = s
		case script.Exits, script.Killed:
			if from := stuck[s.Actor]; from != nil {
				f.silence(from, s)
			}
			delete(stuck, s.Actor)
		}
	}
}

// silence checks one silence against the verdicts that are expected of its worker.
func (f *file) silence(from, to *script.Step) {
	for i := range f.claims {
		c := &f.claims[i]
		if c.Never || c.Worker != "" && c.Worker != from.Actor {
			continue
		}
		need := f.least(c.Alts)
		if need > to.At-from.At {
			f.fail(to.Pos, fmt.Sprintf("the silence of %s since line %d is too short for the verdict of line %d", script.FormatDuration(to.At-from.At), from.Pos.Line, c.Pos.Line),
				fmt.Sprintf("let it last %s, the limit and its confirmations", script.FormatDuration(need)))
		}
	}
}

// least is the shortest silence after which one of the alternatives can be confirmed; 0 where one needs none.
func (f *file) least(alts []string) time.Duration {
	least := time.Duration(-1)
	for _, alt := range alts {
		limit, ok := limitOf[watchdog.VerdictName(alt)]
		if !ok {
			return 0
		}
		if need := f.Limits[string(limit)] + f.confirming(); least < 0 || need < least {
			least = need
		}
	}
	return least
}

// limitOf names the limit behind each verdict that silence alone brings about.
var limitOf = map[watchdog.VerdictName]watchdog.Limit{
	watchdog.NeverStarted:      watchdog.LimitStartup,
	watchdog.SlowFirstToken:    watchdog.LimitFirstToken,
	watchdog.StalledStream:     watchdog.LimitStreamGap,
	watchdog.StalledTool:       watchdog.LimitTool,
	watchdog.StalledCompaction: watchdog.LimitCompaction,
	watchdog.StalledEnding:     watchdog.LimitSettle,
	watchdog.Stalled:           watchdog.LimitStall,
}
