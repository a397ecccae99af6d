package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// finish resolves the times and checks what only the whole file can show.
func (f *file) finish() {
	f.required()
	f.limited()
	if f.Family == "" {
		f.Family = familyOf(f.ID)
		if f.ID != "" && !knownFamily(f.Family) { // a missing id is said already
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
		f.outcomes(steps)
	}
	return len(f.errs) == before
}

// outcomes checks that what is said to become of commands is said of a kind that there is.
func (f *file) outcomes(steps []script.Step) {
	for i := range steps {
		if o, ok := steps[i].Action.(script.Outcome); ok && !slices.Contains(commandWords(), o.Command) {
			f.fail(steps[i].Pos, o.Command+" is no kind of command", "known: "+strings.Join(commandWords(), ", "))
		}
	}
}

// durations returns the limits that are durations, by name.
func durations(p *watchdog.Policy) map[string]time.Duration {
	limits := map[string]time.Duration{}
	for _, name := range watchdog.LimitNames() {
		value := p.Get(name)
		if d, err := time.ParseDuration(value); err == nil && value != "0" {
			limits[name] = d
		}
	}
	limits["first_token"], limits["stream_gap"] = p.FirstTokenLimit(), p.StreamGapLimit()
	return limits
}

// convergence is how long after the last limit a history goes on, so that what must settle can.
const convergence = 5 * time.Minute

// lastOf is the last moment of steps.
func lastOf(steps []script.Step) time.Duration {
	var last time.Duration
	for i := range steps {
		last = max(last, steps[i].End())
		if tool, ok := steps[i].Action.(script.Tool); ok {
			last = max(last, steps[i].At+tool.For.D)
		}
	}
	return last
}

// horizon is until when a timeline is played: its last moment, the largest limit that may still pass behind it, the
// confirmations, and some time to converge.
func (f *file) horizon(steps []script.Step) time.Duration {
	var longest time.Duration
	for _, name := range []string{"stall", "startup", "settle", "declared_grace", "first_token", "stream_gap", "tool", "compaction", "user_wait", "attention"} {
		longest = max(longest, f.Limits[name])
		for _, o := range f.Policy.Overrides {
			if d, err := time.ParseDuration(o.Set[name]); err == nil {
				longest = max(longest, d)
			}
		}
	}
	end := lastOf(steps) + longest + f.confirming() + convergence
	if f.Acts() {
		end += f.recovering()
	}
	return end
}

// recovering is how long a watchdog may need to recover a worker twice, once the faults have ended: the rungs of the
// ladder, a snapshot on both sides of it, the backoff, and a silence of the successor.
func (f *file) recovering() time.Duration {
	silence := max(f.Limits["startup"], f.Limits["first_token"], f.Limits["stream_gap"], f.Limits["settle"])
	return 2*(silence+f.confirming()+6*f.Policy.Grace) + f.Policy.BackoffCap
}

// confirming is how long the confirmations of a verdict take at least.
func (f *file) confirming() time.Duration {
	return time.Duration(f.Policy.Confirmations) * f.Policy.ConfirmEvery
}
