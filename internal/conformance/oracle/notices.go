package oracle

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// kinds of notices that are no verdict's.
const (
	kindAttention = "attention"
	kindReminder  = "reminder"
	kindBudget    = "budget"
)

// notices is what the owner was told in the standing episode.
type notices struct {
	told     []told
	waiting  bool
	waitFrom time.Duration // when the standing wait began
	reminded time.Duration // the last reminder of it, or its beginning
}

type told struct {
	kind  string
	at    time.Duration
	again bool // it may come once more
}

func (n *notices) has(kind string) bool {
	for _, t := range n.told {
		if t.kind == kind {
			return true
		}
	}
	return false
}

// first reports whether a kind was not told yet, but for what came again behind a crash.
func (n *notices) first(kind string) bool {
	for _, t := range n.told {
		if t.kind == kind && !t.again {
			return false
		}
	}
	return true
}

// doubt lets what was told come once more: what is lost may have ended the silence that it was about.
func (n *notices) doubt() {
	for i := range n.told {
		n.told[i].again = true
	}
}

func (n *notices) add(kind string, at time.Duration) {
	n.told = append(n.told, told{kind: kind, at: at})
}

// rearm forgets what was told: progress has ended the episode. A livelock is one in spite of all progress.
func (n *notices) rearm(standing watchdog.VerdictName) {
	n.told = slices.DeleteFunc(n.told, func(t told) bool {
		return standing != watchdog.VerdictLivelock || t.kind != string(standing)
	})
}

// phase notes a change of phase: a wait begins or ends, and with a wait the episode, unless the
// subject cannot know.
func (n *notices) phase(name, standing watchdog.VerdictName, now time.Duration, blind bool) {
	waits := name == watchdog.VerdictAwaitingUser || name == watchdog.VerdictAwaitingAuth || name == watchdog.VerdictAwaitingQuota
	if (waits || n.waiting) && !blind {
		n.rearm(standing)
	}
	n.waiting, n.waitFrom, n.reminded = waits, now, now
}

// notice judges a notice to the owner.
func (w *worker) notice(c *watchdog.Command) {
	if w.o.cfg.Recovery && (w.o.ofItself(c) || w.undesired(c)) {
		return
	}
	kind := w.kindOf(c)
	now := w.o.now.Mono
	if w.o.cfg.Recovery && w.o.resent(c) {
		if w.notices.first(kind) {
			w.notices.told = append(w.notices.told, told{kind, now, true})
		}
		return
	}
	switch kind {
	case kindBudget:
		w.judgeBudget(c)
		kind = string(c.Cause.Limit)
	case kindAttention:
		w.judgeAttention(c)
	case kindReminder:
		w.judgeReminder(c)
		return
	case string(watchdog.VerdictAwaitingAuth):
		w.judgeAuth(c)
		w.notices.add(kind, now)
		return
	default:
		w.judgeAlert(c)
	}
	if !w.notices.first(kind) {
		w.blame(mistakes.NoticeRepeated, finding{
			said:     c.Cause.Name,
			expected: "one notice of a kind in an episode",
			actual:   fmt.Sprintf("%s was told again", kind),
		})
	}
	w.notices.add(kind, now)
	w.facts.told = true
}

// ofItself reports whether a notice says that the watchdog can keep nothing (WDC-EVID-007).
func (o *Oracle) ofItself(c *watchdog.Command) bool {
	return o.world.full && c.Kind == watchdog.CmdNotify && c.Cause == (watchdog.Cause{})
}

// resent reports whether a notice is one that was sent before a crash: under the same key it may come once more, since
// nobody can know whether it has arrived (WDC-ALERT-002).
func (o *Oracle) resent(c *watchdog.Command) bool {
	sent, ok := o.sent[c.Key]
	if ok && sent < o.world.boots {
		o.sent[c.Key] = o.world.boots
		return true
	}
	if !ok {
		o.sent[c.Key] = o.world.boots
	}
	return false
}

// undesired: of a worker that the operator has stopped there is no alarm (WDC-LIFE-005).
func (w *worker) undesired(c *watchdog.Command) bool {
	if w.acts.intent == "" || w.kindOf(c) == kindReminder {
		return false
	}
	w.blame(mistakes.OperatorIgnored, finding{said: c.Cause.Name, expected: fmt.Sprintf("no alarm: an operator wants a %s", w.acts.intent), actual: describe(c)})
	return true
}

// excused reports whether nobody has to be told anything of a worker.
func (w *worker) excused() bool { return w.acts.intent != "" }

func (w *worker) kindOf(c *watchdog.Command) string {
	switch c.Cause.Limit {
	case watchdog.LimitAttention:
		return kindAttention
	case watchdog.LimitUserWait:
		return kindReminder
	case watchdog.LimitAttempts, watchdog.LimitTokens, watchdog.LimitCost:
		return kindBudget
	}
	return string(c.Cause.Name)
}

// judgeAlert judges a notice of a verdict: it must be the standing one, and confirmed.
func (w *worker) judgeAlert(c *watchdog.Command) {
	v := &w.verdict
	f := finding{said: c.Cause.Name, actual: describe(c)}
	switch {
	case c.Cause.Name == v.Name && v.Status == watchdog.StatusConfirmed:
	case c.Cause.Name == v.Name && v.Name == watchdog.VerdictAwaitingQuota:
	case c.Cause.Name == v.Name && v.Status == watchdog.StatusSuspected && (v.Name == watchdog.VerdictInconclusive || v.Name == watchdog.VerdictLivelock):
		// its source may never be able to confirm these
	case w.agreedBefore(c.Cause.Name):
	case c.Cause.Name == v.Name && v.Status == watchdog.StatusSuspected && w.said.right:
		f.expected = "a notice once the verdict is confirmed"
		w.blame(mistakes.ConfirmedEarly, f)
	case pastLimit(c.Cause.Name) && !w.situation.past(w.o.now.Mono):
		f.expected = "no alarm: " + w.expected()
		w.blame(mistakes.Early, f)
	default:
		f.expected = fmt.Sprintf("no notice but of a confirmed verdict, attention or a reminder; it stands by %s", spell(v))
		w.blame(mistakes.NeedlessNotice, f)
	}
}

// agreedBefore reports whether the confirmations of a verdict that still holds may have agreed before a crash that has made
// the subject forget them: its notice may come before they are made again.
func (w *worker) agreedBefore(name watchdog.VerdictName) bool {
	if w.o.world.boots == 0 || !pastLimit(name) {
		return false
	}
	return name == w.situation.rule.past && w.o.now.Mono >= after(w.situation.deadline, w.agreement())
}

// lost reports whether a crash has taken what would tell the phase: until a record tells it the silence can be judged by
// the catch-all limit only, and a refusal that was lost is not known until the worker goes on.
func (w *worker) lost() bool { return w.looks.blind || w.unseen }

// judgeAttention judges a notice of silence.
func (w *worker) judgeAttention(c *watchdog.Command) {
	s, now := &w.situation, w.o.now.Mono
	from, _ := w.attentionWindow()
	f := finding{said: c.Cause.Name, actual: describe(c)}
	switch {
	case w.foreign.opaque || w.dim() || w.looks.broken || w.lost():
	case s.rule.wait:
		f.expected = fmt.Sprintf("no attention in %s", w.truth.Phase)
		w.blame(mistakes.AttentionEarly, f)
	case s.rule.calm && !s.past(now):
		f.expected = fmt.Sprintf("no attention in %s inside its limit", w.truth.Phase)
		w.blame(mistakes.AttentionEarly, f)
	case now < from:
		f.expected = fmt.Sprintf("attention after %s of silence, at %s", w.limits.Attention, from)
		w.blame(mistakes.AttentionEarly, f)
	}
}

// attentionDue is when the owner must know of the silence. A notice of the verdict tells as much.
func (w *worker) attentionDue() time.Duration {
	s := &w.situation
	if w.truth.Generation == 0 || s.rule.wait || s.rule.calm || s.deadline == never || w.truth.Exited ||
		w.foreign.opaque || w.dim() || w.looks.broken || len(w.notices.told) > 0 || w.excused() {
		return never
	}
	_, by := w.attentionWindow()
	if w.lost() {
		by = max(by, w.o.world.back+w.limits.Attention+w.patience())
	}
	return w.pardon(by)
}

func (w *worker) overdueAttention(now time.Duration) {
	if now <= w.attentionDue() {
		return
	}
	w.blame(mistakes.AttentionMissing, finding{
		expected: fmt.Sprintf("the owner told after %s of silence", w.limits.Attention),
		actual:   fmt.Sprintf("nothing said for %s", now-max(w.truth.Since, w.truth.LastProgress)),
	})
	w.notices.add(kindAttention, now)
}

// judgeBudget judges a notice that a budget has passed. What a stream reports of money and tokens is not looked at.
func (w *worker) judgeBudget(c *watchdog.Command) {
	f := finding{said: c.Cause.Name, actual: describe(c)}
	switch limit := c.Cause.Limit; {
	case limit == watchdog.LimitTokens && w.limits.Tokens > 0, limit == watchdog.LimitCost && w.limits.CostUSD > 0, w.lost():
	case limit == watchdog.LimitAttempts && w.acts.attempts() > w.limits.AttemptsTotal:
	default:
		f.expected = fmt.Sprintf("no such notice: %s has not passed", limit)
		w.blame(mistakes.NeedlessNotice, f)
	}
}

// restsInOpenTask reports whether the task is open and its worker rests, for as long as a person may be waited for.
func (w *worker) restsInOpenTask() bool {
	status := debris.StatusOf(w.acts.row.Status)
	rests := w.truth.Phase == watchdog.VerdictSettled || w.truth.Phase == watchdog.VerdictIdle
	return rests && (status == debris.Waiting || status == debris.Working) && w.o.now.Mono >= w.truth.Since+w.limits.UserWait-w.o.world.span
}

// judgeReminder judges a reminder of a wait, or of an open task whose worker rests.
func (w *worker) judgeReminder(c *watchdog.Command) {
	now := w.o.now.Mono
	f := finding{said: c.Cause.Name, actual: describe(c)}
	switch {
	case w.restsInOpenTask():
		return
	case w.dim(), w.lost(): // what has begun or ended its wait may not be known
	case !w.notices.waiting:
		f.expected = fmt.Sprintf("no reminder in %s", w.truth.Phase)
		w.blame(mistakes.NeedlessNotice, f)
	case now < w.notices.reminded+w.limits.UserWait-w.o.cfg.Poll-w.o.world.span:
		f.expected = fmt.Sprintf("a reminder once per %s, not before %s", w.limits.UserWait, w.notices.reminded+w.limits.UserWait)
		w.blame(mistakes.ReminderEarly, f)
	}
	w.notices.reminded = now
}

// reminderDue is when the owner is to be reminded of an unanswered dialog (WDC-WAIT-006).
func (w *worker) reminderDue() time.Duration {
	if w.truth.Phase != watchdog.VerdictAwaitingUser || w.truth.Exited || w.foreign.opaque || w.dim() || w.lost() {
		return never
	}
	return w.pardon(w.notices.reminded + w.limits.UserWait + w.patience())
}

func (w *worker) overdueReminder(now time.Duration) {
	if now <= w.reminderDue() {
		return
	}
	w.blame(mistakes.ReminderMissing, finding{
		expected: fmt.Sprintf("a reminder once per %s", w.limits.UserWait),
		actual:   fmt.Sprintf("none for %s", now-w.notices.reminded),
	})
	w.notices.reminded = now
}

// judgeAuth judges a notice of a refused credential: one for each, whoever uses it (WDC-PAUSE-004).
func (w *worker) judgeAuth(c *watchdog.Command) {
	if w.truth.Phase != watchdog.VerdictAwaitingAuth {
		w.judgeAlert(c)
		return
	}
	if _, again := w.o.told[w.credential()]; again {
		w.blame(mistakes.AuthNotice, finding{
			said:     c.Cause.Name,
			expected: "one notice for a credential",
			actual:   fmt.Sprintf("%s was told again", w.credential()),
		})
	}
	w.o.told[w.credential()] = w.o.now.Mono
}

// credential is what a worker's auth waits have in common with others'; without a name it stands for itself.
func (w *worker) credential() string {
	if w.spawn.Credential != "" {
		return "credential " + w.spawn.Credential
	}
	return fmt.Sprintf("the credential of %s/%d", w.id, w.truth.Generation)
}

// authDue is when the owner must know of a refused credential.
func (w *worker) authDue() time.Duration {
	if w.truth.Phase != watchdog.VerdictAwaitingAuth || w.foreign.opaque || w.dim() || w.lost() {
		return never
	}
	if _, ok := w.o.told[w.credential()]; ok {
		return never
	}
	return w.pardon(w.notices.waitFrom + w.patience())
}

func (w *worker) overdueAuth(now time.Duration) {
	if now <= w.authDue() {
		return
	}
	w.blame(mistakes.AuthNotice, finding{
		expected: fmt.Sprintf("one notice that %s was refused", w.credential()),
		actual:   fmt.Sprintf("none for %s", now-w.notices.waitFrom),
	})
	w.o.told[w.credential()] = now
}
