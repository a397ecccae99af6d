package episode

import (
	"strconv"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// nudge is what a worker is told whose turn was aborted.
func (t *turn) nudge() string {
	switch t.ep.Cause.Name {
	case watchdog.VerdictLivelock:
		return "Your last turn was stopped because it repeated the same calls with the same results. Look at what you have, and go on another way."
	case watchdog.VerdictStalledTool:
		return "Your last turn was stopped because a tool did not come back. Look whether it has had its effect before you repeat it, then go on."
	}
	return "Your last turn was stopped because nothing came of it any more. Look at git log and git status, and go on from there."
}

// brief is what the successor is told (WDC-WORK-003).
func (t *turn) brief() string {
	b := debris.Brief{Recreated: t.w.facts.Missing, Digest: t.digest(), Session: t.w.Spawn.Session}
	for _, c := range t.t.Calls {
		if c.Generation != t.ep.Generation {
			continue
		}
		call := debris.Call{ID: c.ID, Tool: c.Tool}
		if c.State == journal.CallConfirmed {
			call.Effect = debris.EffectHappened
		}
		b.Calls = append(b.Calls, call)
	}
	return b.Text()
}

// ledger journals the calls whose effect is not known, or whose result the session file may lack, when their worker comes
// to its stop (WDC-SIDE-001, WDC-SIDE-005).
func (t *turn) ledger() {
	for i := range t.w.Run.Calls {
		t.enter(t.w.Run.Calls[i].ID, t.w.Run.Calls[i].Tool, journal.CallUnknown)
	}
	for _, c := range t.w.Exit.Calls {
		t.enter(c.ID, c.Tool, journal.CallUnknown)
	}
	for _, c := range t.w.Run.Unsaved {
		t.enter(c.ID, c.Tool, journal.CallConfirmed)
	}
}

// account journals what the generation has used by itself: Pi's retries count as attempts of the task (WDC-BUDG-001), and
// the usage in its stream as cost (WDC-BUDG-006).
func (t *turn) account() {
	t.use(journal.BudgetAttempt, t.w.Retries)
	t.use(journal.BudgetTokens, int(t.w.Run.Tokens))
	t.use(journal.BudgetCost, int(t.w.Run.Cost*1e6))
}

// use brings what is recorded of a budget for this generation up to a sum.
func (t *turn) use(b journal.Budget, sum int) {
	key := t.usedKey(t.ep.Generation)
	for _, s := range t.t.Spent {
		if s.Key == key && s.Budget == b {
			sum -= s.Amount
		}
	}
	if sum > 0 {
		t.e.add(journal.Spending{Task: t.w.ID, Budget: b, Amount: sum, Key: key})
	}
}

// usedKey is the key of what a generation has used by itself.
func (t *turn) usedKey(generation int) string {
	return t.w.ID + "/" + strconv.Itoa(generation) + "/used"
}

func (t *turn) enter(id, tool string, s journal.CallState) {
	if debris.OnlyReads(tool) {
		return
	}
	for _, c := range t.t.Calls {
		if c.ID == id && c.Generation == t.ep.Generation {
			return
		}
	}
	t.e.add(journal.Call{Worker: t.w.ID, Generation: t.ep.Generation, ID: id, Tool: tool, State: s})
}
