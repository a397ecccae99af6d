package episode

import (
	"fmt"
	"strconv"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// This file holds what the owner hears of a task beside the verdicts of its worker, each thing once: a budget that has
// passed, whoever spent it, and a task that stays open while its worker rests.

// remarks says what there is to say.
func (t *turn) remarks() {
	if t.t.Operator != "" {
		return // no alarm is wanted (WDC-LIFE-005)
	}
	for _, b := range t.passed() {
		t.remark(string(b.limit), strconv.Itoa(t.t.Rearmed), b.limit, fmt.Sprintf("%s has passed: %s of %s", b.limit, b.spent, b.bound))
	}
	if t.restsInOpenTask() {
		text := fmt.Sprintf("the task is %q and nobody works on it: its worker is %s for %s", t.w.row.Status, t.w.Phase(), t.w.Limits.UserWait)
		t.remark("open_task", strconv.Itoa(t.w.Generation)+"."+strconv.Itoa(t.w.Since().N), watchdog.LimitUserWait, text)
	}
}

// overspent is a budget that has passed.
type overspent struct {
	limit        watchdog.Limit
	spent, bound string
}

// passed lists the budgets that have passed, with what the worker has spent since its last episode (WDC-BUDG-001,
// WDC-BUDG-006).
func (t *turn) passed() []overspent {
	var list []overspent
	l := t.w.Limits
	if n := t.spentNow(journal.BudgetAttempt, t.w.Retries); n > l.AttemptsTotal {
		list = append(list, overspent{watchdog.LimitAttempts, strconv.Itoa(n), strconv.Itoa(l.AttemptsTotal)})
	}
	if n := t.spentNow(journal.BudgetTokens, int(t.w.Run.Tokens)); l.Tokens > 0 && int64(n) > l.Tokens {
		list = append(list, overspent{watchdog.LimitTokens, strconv.Itoa(n), strconv.FormatInt(l.Tokens, 10)})
	}
	if n := t.spentNow(journal.BudgetCost, int(t.w.Run.Cost*1e6)); l.CostUSD > 0 && float64(n) > l.CostUSD*1e6 {
		list = append(list, overspent{watchdog.LimitCost, fmt.Sprintf("%.2f", float64(n)/1e6), fmt.Sprintf("%.2f", l.CostUSD)})
	}
	return list
}

// spentNow sums what was spent on a budget, with all that the present generation has used by itself.
func (t *turn) spentNow(b journal.Budget, used int) int {
	key := t.usedKey(t.w.Generation)
	for i := range t.t.Spent {
		if s := &t.t.Spent[i]; s.Budget == b && s.Key != key {
			used += s.Amount
		}
	}
	return used
}

// restsInOpenTask reports whether the worker has come to a good end or idles, and its task has been open all the same for
// as long as a person may be waited for.
func (t *turn) restsInOpenTask() bool {
	w := t.w
	switch status := debris.StatusOf(w.row.Status); {
	case w.rowN == 0 || status != debris.Waiting && status != debris.Working || w.row.PullRequest:
		return false
	case w.Phase() != watchdog.VerdictSettled && w.Phase() != watchdog.VerdictIdle:
		return false
	}
	due := max(w.Since().At, w.rowAt) + w.Limits.UserWait
	t.wakeAt(due)
	return t.e.Now.Mono >= due
}

// remark tells the owner one thing, under a key that names it: it is journalled before it is sent, and sent again after a
// restart only if nobody knows that it was (WDC-ALERT-002).
func (t *turn) remark(about, which string, limit watchdog.Limit, text string) {
	key := t.w.ID + "/" + about + "/" + which
	n := t.e.memory.Notices[key]
	if n != nil && n.Sent || t.e.raised[key] {
		return
	}
	cause := watchdog.Cause{Name: t.w.Phase(), Phase: t.w.Phase(), Limit: limit}
	text = debris.Printable(t.w.ID + ": " + text)
	if n == nil {
		t.e.add(journal.Notice{
			Key: key, Worker: t.w.ID, Generation: t.w.Generation, About: about, Cause: cause, Text: text, Anchor: t.w.Since().N,
		})
	}
	t.e.raised[key] = true
	c := watchdog.Command{Key: key, Kind: watchdog.CmdNotify, Worker: t.w.ID, Generation: t.w.Generation, Cause: cause, Text: text}
	for _, ev := range t.w.Evidence(t.e.Now.Mono, t.f) {
		c.Evidence = append(c.Evidence, ev.N)
	}
	t.e.Decision.Commands = append(t.e.Decision.Commands, c)
}

// isRemark reports whether a notice is about a task, whatever generation it was sent in.
func isRemark(about string) bool {
	switch watchdog.Limit(about) {
	case watchdog.LimitAttempts, watchdog.LimitTokens, watchdog.LimitCost:
		return true
	}
	return false
}
