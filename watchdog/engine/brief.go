package engine

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
	b := debris.Brief{Recreated: t.w.hands.facts.Missing, Digest: t.digest(), Session: t.w.spawn.Session}
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
	for i := range t.w.run.calls {
		t.enter(t.w.run.calls[i].id, t.w.run.calls[i].tool, journal.CallUnknown)
	}
	for _, c := range t.w.exit.calls {
		t.enter(c.id, c.tool, journal.CallUnknown)
	}
	for _, c := range t.w.run.unsaved {
		t.enter(c.id, c.tool, journal.CallConfirmed)
	}
}

// account journals what the generation has used by itself: Pi's retries count as attempts of the task (WDC-BUDG-001), and
// the usage in its stream as cost (WDC-BUDG-006).
func (t *turn) account() {
	t.use(journal.BudgetAttempt, t.w.retries)
	t.use(journal.BudgetTokens, int(t.w.run.tokens))
	t.use(journal.BudgetCost, int(t.w.run.cost*1e6))
}

// use brings what is recorded of a budget for this generation up to a sum.
func (t *turn) use(b journal.Budget, sum int) {
	key := t.w.id + "/" + strconv.Itoa(t.ep.Generation) + "/used"
	for _, s := range t.t.Spent {
		if s.Key == key && s.Budget == b {
			sum -= s.Amount
		}
	}
	if sum > 0 {
		t.e.add(journal.Spending{Task: t.w.id, Budget: b, Amount: sum, Key: key})
	}
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
	t.e.add(journal.Call{Worker: t.w.id, Generation: t.ep.Generation, ID: id, Tool: tool, State: s})
}
