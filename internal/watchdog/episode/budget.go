package episode

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// stableKey is the key of the spending that says that the task was healthy for long enough: resumes and restarts count
// afresh from there (WDC-BUDG-003).
const stableKey = "stable"

// spentOn sums what was spent on a budget, on the boot clock within a window; 0 is for ever.
func (t *task) spentOn(b journal.Budget, now watchdog.Instant, window time.Duration) int {
	sum := 0
	for i := range t.Spent {
		s := &t.Spent[i]
		if s.Budget == b && (window == 0 || s.At.age(now) < window) {
			sum += s.Amount
		}
	}
	return sum
}

// isAttempt reports whether an aim is a step of an attempt, which the budgets bound. A stop is one: it is not begun where no
// successor could follow. A settled worker's end, and what saves its work, cost nothing.
func (t *turn) isAttempt(aim State) bool { return !t.reaping() && (stops(aim) || aim == Lease) }

// exhausted says which budget one more attempt would overdraw, or "".
func (t *turn) exhausted() string {
	l, now := t.w.Limits, t.e.Now
	switch {
	case t.neverStarted() && t.t.spentOn(journal.BudgetStart, now, 0) >= l.ResumeAttempts:
		return "the starts of this worker are spent"
	case !t.neverStarted() && t.t.spentOn(journal.BudgetResume, now, 0) >= l.ResumeAttempts:
		return "resume_attempts is spent"
	case t.t.spentOn(journal.BudgetRestart, now, l.RestartWindow) >= l.Restarts:
		return "restarts is spent"
	case t.attempts() >= l.AttemptsTotal:
		return "attempts_total is spent"
	case l.Tokens > 0 && int64(t.t.spentOn(journal.BudgetTokens, now, 0)) >= l.Tokens:
		return "tokens is spent"
	case l.CostUSD > 0 && float64(t.t.spentOn(journal.BudgetCost, now, 0)) >= l.CostUSD*1e6:
		return "cost_usd is spent"
	}
	return ""
}

// attempts counts the watchdog's and Pi's own retries of the task together.
func (t *turn) attempts() int {
	return t.t.spentOn(journal.BudgetAttempt, t.e.Now, 0)
}

// neverStarted: a worker that never started has a budget of its own (WDC-LIFE-001).
func (t *turn) neverStarted() bool { return t.ep.Cause.Name == watchdog.VerdictNeverStarted }

// spendResume records what a steer costs, before it is given (WDC-BUDG-001).
func (t *turn) spendResume(key string) {
	t.spend(t.resumeBudget(), key)
	t.spend(journal.BudgetAttempt, key)
}

// spendRestart records what a respawn costs.
func (t *turn) spendRestart(key string) {
	t.spendResume(key)
	t.spend(journal.BudgetRestart, key)
}

func (t *turn) resumeBudget() journal.Budget {
	if t.neverStarted() {
		return journal.BudgetStart
	}
	return journal.BudgetResume
}

func (t *turn) spend(b journal.Budget, key string) {
	for _, s := range t.t.Spent {
		if s.Key == key && s.Budget == b {
			t.e.add(journal.Spending{Task: t.w.ID, Budget: b, Key: key}) // the same attempt once more: its time is now
			return
		}
	}
	t.e.add(journal.Spending{Task: t.w.ID, Budget: b, Amount: 1, Key: key})
}

// refund gives back what a command has cost that certainly had no effect.
func (t *turn) refund(key string) {
	for _, s := range slices.Backward(t.t.Spent) {
		if s.Key == key {
			t.e.add(journal.Spending{Task: t.w.ID, Budget: s.Budget, Amount: -s.Amount, Key: key})
		}
	}
}

// stable notes, when an episode opens, whether the task was healthy for long enough since the last attempt.
func (t *turn) stable() {
	var last *spent
	for i := range t.t.Spent {
		switch s := &t.t.Spent[i]; s.Budget {
		case journal.BudgetStart, journal.BudgetResume, journal.BudgetRestart:
			last = s
		}
	}
	if last == nil || last.At.BootID != t.e.Now.BootID {
		return
	}
	if healthy := t.w.Progress.At - last.At.Mono; healthy >= t.w.Limits.Stability {
		t.e.add(journal.Spending{Task: t.w.ID, Budget: journal.BudgetResume, Key: stableKey})
	}
}

// backoff is how long the next attempt waits: longer each time, up to a cap, with a jitter that is the same for the same
// attempt (WDC-BUDG-004).
func (t *turn) backoff() time.Duration {
	l := t.w.Limits
	n := t.t.spentOn(journal.BudgetRestart, t.e.Now, l.RestartWindow) + t.t.spentOn(t.resumeBudget(), t.e.Now, 0)
	if n == 0 && t.ep.State == Steer {
		return 0
	}
	d := float64(l.BackoffBase) * math.Pow(l.BackoffFactor, float64(n/2))
	d *= 0.75 + 0.5*chance(t.w.ID+"/"+strconv.Itoa(t.ep.ID)+"/"+strconv.Itoa(n))
	return time.Duration(min(d, float64(l.BackoffCap)))
}

// chance is a number from 0 to 1 that a text stands for.
func chance(text string) float64 {
	f := fnv.New64a()
	f.Write([]byte(text))
	h := f.Sum64()
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	return float64(h>>11) / (1 << 53)
}

// samePlace reports whether this attempt came to its stop where the last one did (WDC-LOOP-003).
func (t *turn) samePlace() bool {
	last, head, _ := strings.Cut(t.t.Frontier, "@")
	return last == t.ep.Frontier && (head == "" || head == t.w.facts.Head)
}
