package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// prompt is the line that prompts a worker over rpc.
func prompt(id, text string) []byte {
	line, err := json.Marshal(struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Message string `json:"message"`
	}{id, "prompt", text})
	if err != nil {
		return nil
	}
	return append(line, '\n')
}

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

// brief is what the successor is told (WDC-WORK-003): words of ours alone, so that nothing of the predecessor's output
// speaks through it but the names of tools.
func (t *turn) brief() string {
	var b strings.Builder
	b.WriteString("You take over the task of a worker that ended before it was done, in the same worktree and on the same branch.\n")
	if t.w.hands.facts.Missing {
		b.WriteString("- The worktree was missing and is made again from the branch.\n")
	}
	fmt.Fprintf(&b, "- A snapshot of the worktree as your predecessor left it: %s.\n", t.digest())
	if t.w.spawn.Session != "" {
		fmt.Fprintf(&b, "- Your predecessor's session: %s.\n", clean(t.w.spawn.Session))
	}
	b.WriteString("- Read git log and git status first: they are the memory of what is done.\n")
	b.WriteString("- Verify before you repeat: a step without a result may have happened all the same.\n")
	for _, c := range t.t.Calls {
		switch {
		case c.Generation != t.ep.Generation:
		case c.State == journal.CallConfirmed:
			fmt.Fprintf(&b, "- Call %s of %s has happened, although you will be told that it gave no result.\n", clean(c.ID), clean(c.Tool))
		default:
			fmt.Fprintf(&b, "- Whether call %s of %s had its effect is not known: look before you do it again.\n", clean(c.ID), clean(c.Tool))
		}
	}
	b.WriteString("- Commit work in progress at each milestone.\n")
	return b.String()
}

// readOnly lists Pi's own tools that change nothing.
var readOnly = []string{"read", "grep", "find", "ls"}

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
	if slices.Contains(readOnly, tool) {
		return
	}
	for _, c := range t.t.Calls {
		if c.ID == id && c.Generation == t.ep.Generation {
			return
		}
	}
	t.e.add(journal.Call{Worker: t.w.id, Generation: t.ep.Generation, ID: id, Tool: tool, State: s})
}
