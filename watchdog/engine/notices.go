package engine

import (
	"fmt"
	"strconv"
	"time"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// notices is what the owner was told of the standing silence or wait.
type notices struct {
	attention time.Duration // the beginning of the silence that attention was called to; -1 = none
	reminded  int           // reminders given in the standing wait
	wait      time.Duration // when that wait began
}

// tell lets the owner know: of a confirmed verdict, of a silence that draws attention, of a wait that grows long, of a
// refused credential. Each once per episode and kind (WDC-ALERT-002); none of them changes a verdict (WDC-ALERT-001).
func (w *worker) tell(e *Engine, f *finding) {
	now := e.now.Mono
	if f.status == watchdog.StatusConfirmed && !w.epi.told {
		w.epi.told = true
		w.notify(e, f, string(f.name), w.cause(f), w.describe(f, now))
	}
	if silence := w.silence(f); w.attentive(f) && now >= silence.until(w.limits.Attention).at && now >= e.judges() {
		w.notes.attention = silence.at
		cause := watchdog.Cause{Name: f.name, Phase: table[w.stand.row].phase, Limit: watchdog.LimitAttention}
		w.notify(e, f, "attention", cause, fmt.Sprintf("no progress for %s while %s", round(now-silence.at), f.name))
	}
	if table[w.stand.row].kind == waiting {
		w.remind(e, f)
	}
}

// judges is from when on silence may be judged: a while after the last suspend.
func (e *Engine) judges() time.Duration { return e.woke + afterWake }

// silence is what attention counts from: the last progress, or the end of what excused its absence. A limit may count
// from earlier: the opening of a message is progress and no token.
func (w *worker) silence(f *finding) mark { return later(f.count, w.sinceProgress()) }

// attentive reports whether attention is still due for the standing silence. The quiet that makes the end where there is
// no terminal event is none.
func (w *worker) attentive(f *finding) bool {
	r := &table[w.stand.row]
	if w.goesQuietly() && !f.past {
		return false
	}
	return r.kind == labouring && w.silence(f).at != w.notes.attention && !w.epi.told
}

// remind tells of a refused credential once for all that use it, and reminds once per user_wait of any wait.
func (w *worker) remind(e *Engine, f *finding) {
	since := w.stand.since.at
	if w.notes.wait != since {
		w.notes.wait, w.notes.reminded = since, 0
	}
	cause := watchdog.Cause{Name: f.name, Phase: f.name, Limit: watchdog.LimitNone}
	auth := f.name == watchdog.VerdictAwaitingAuth
	if auth && e.firstOf(w.credential()) {
		w.notify(e, f, string(f.name), cause, "the credential was refused; waiting for a new one")
	}
	due := int((e.now.Mono - since) / w.limits.UserWait)
	if due <= w.notes.reminded {
		return
	}
	w.notes.reminded = due
	if auth && !e.firstOf(w.credential()+"#"+strconv.Itoa(due)) {
		return
	}
	cause.Limit = watchdog.LimitUserWait
	w.notify(e, f, "reminder-"+strconv.Itoa(due), cause, fmt.Sprintf("%s for %s", f.name, round(e.now.Mono-since)))
}

// credential names what an auth wait is told once for; a worker whose credential is not known stands for itself.
func (w *worker) credential() string {
	if w.spawn.Credential != "" {
		return w.spawn.Credential
	}
	return w.id + "/" + strconv.Itoa(w.generation)
}

// firstOf reports whether a thing is told for the first time, and remembers it.
func (e *Engine) firstOf(key string) bool {
	if e.recovery != nil {
		return true // the memory knows (told.go)
	}
	if e.notified[key] {
		return false
	}
	e.notified[key] = true
	return true
}

// notify adds a notice to the decision.
func (w *worker) notify(e *Engine, f *finding, kind string, cause watchdog.Cause, text string) {
	text = debris.Printable(w.id + ": " + text)
	key, first := w.noticeKey(e, f, kind, cause, text)
	if !first {
		return
	}
	var numbers []int
	for _, ev := range w.evidence(e.now.Mono, f) {
		numbers = append(numbers, ev.N)
	}
	e.decision.Commands = append(e.decision.Commands, watchdog.Command{
		Key:        key,
		Kind:       watchdog.CmdNotify,
		Worker:     w.id,
		Generation: w.generation,
		Cause:      cause,
		Evidence:   numbers,
		Text:       text,
	})
}

// key names one attempt of a command.
func (w *worker) key(what string) string {
	w.keys++
	return fmt.Sprintf("%s/%d/%d/%s", w.id, w.generation, w.keys, what)
}

// describe says a verdict to a person.
func (w *worker) describe(f *finding, now time.Duration) string {
	switch {
	case f.name == watchdog.VerdictDead && w.exit.signal != "":
		return fmt.Sprintf("ended by %s while %s", w.exit.signal, w.exit.before)
	case f.name == watchdog.VerdictDead:
		return fmt.Sprintf("exited with status %d while %s", w.exit.code, w.exit.before)
	case f.name == watchdog.VerdictSettledUnproven:
		return "settled, but its end proves nothing: " + f.reason
	case f.name == watchdog.VerdictLivelock:
		return "the same calls with the same results over and over"
	}
	text := fmt.Sprintf("%s: no progress for %s (limit %s)", f.name, round(now-f.count.at), w.cause(f).Limit)
	if f.reason == "dialect" {
		text += ", and it wrote records that no known dialect has"
	}
	if f.name == watchdog.VerdictStalledTool && len(w.run.calls) > 0 {
		c, _, _ := w.firstPast()
		text += ", call " + debris.Printable(c.id) + " of " + debris.Printable(c.tool)
	}
	return text
}

// noticeDue is when the owner is next to be told something if nothing happens.
func (w *worker) noticeDue(e *Engine, f *finding) time.Duration {
	at := never
	if w.attentive(f) {
		at = max(w.silence(f).until(w.limits.Attention).at, e.judges())
	}
	if table[w.stand.row].kind == waiting {
		at = min(at, w.stand.since.at+time.Duration(w.notes.reminded+1)*w.limits.UserWait)
	}
	return at
}

func round(d time.Duration) time.Duration { return d.Round(time.Second) }
