package run

import (
	"fmt"
	"strconv"
	"time"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// notices is what the owner has heard of the standing silence or wait.
type notices struct {
	attention time.Duration // the beginning of the silence that attention was called to; -1 = none
	reminded  int           // reminders given in the standing wait
	wait      time.Duration // when that wait began
}

// tell lets the owner know: of a confirmed verdict, of a silence that draws attention, of a wait that grows long, of a
// refused credential. Each once per episode and kind (WDC-ALERT-002); none of them changes a verdict (WDC-ALERT-001).
func (w *Worker) tell(watch *Watch, f *Finding) {
	now := watch.Now.Mono
	if f.Status == watchdog.StatusConfirmed && !w.alarm.noticed {
		w.alarm.noticed = true
		w.notify(watch, f, string(f.Name), w.Cause(f), w.describe(f, now))
	}
	if silence := w.silence(f); w.attentive(f) && now >= silence.Until(w.Limits.Attention).At && now >= watch.judges() {
		w.notes.attention = silence.At
		cause := watchdog.Cause{Name: f.Name, Phase: table[w.stand.row].phase, Limit: watchdog.LimitAttention}
		w.notify(watch, f, "attention", cause, fmt.Sprintf("no progress for %s while %s", round(now-silence.At), f.Name))
	}
	if table[w.stand.row].kind == waiting {
		w.remind(watch, f)
	}
}

// silence is what attention counts from: the last progress, or the end of what excused its absence. A limit may count
// from earlier: the opening of a message is progress and no token.
func (w *Worker) silence(f *Finding) Mark { return later(f.count, w.sinceProgress()) }

// attentive reports whether attention is still due for the standing silence. The quiet that makes the end where there is
// no terminal event is none.
func (w *Worker) attentive(f *Finding) bool {
	r := &table[w.stand.row]
	if w.goesQuietly() && !f.Past {
		return false
	}
	return r.kind == labouring && w.silence(f).At != w.notes.attention && !w.alarm.noticed
}

// remind tells of a refused credential once for all that use it, and reminds once per user_wait of any wait.
func (w *Worker) remind(watch *Watch, f *Finding) {
	since := w.stand.since.At
	if w.notes.wait != since {
		w.notes.wait, w.notes.reminded = since, 0
	}
	cause := watchdog.Cause{Name: f.Name, Phase: f.Name, Limit: watchdog.LimitNone}
	auth := f.Name == watchdog.VerdictAwaitingAuth
	credential := w.credential() + "@" + strconv.Itoa(watch.mended(w))
	if auth && watch.firstOf(credential) {
		w.notify(watch, f, string(f.Name), cause, "the credential was refused; waiting for a new one")
	}
	due := int((watch.Now.Mono - since) / w.Limits.UserWait)
	if due <= w.notes.reminded {
		return
	}
	w.notes.reminded = due
	if auth && !watch.firstOf(credential+"#"+strconv.Itoa(due)) {
		return
	}
	cause.Limit = watchdog.LimitUserWait
	w.notify(watch, f, "reminder-"+strconv.Itoa(due), cause, fmt.Sprintf("%s for %s", f.Name, round(watch.Now.Mono-since)))
}

// credential names what an auth wait is told once for; a worker whose credential is not known stands for itself.
func (w *Worker) credential() string {
	if w.Spawn.Credential != "" {
		return w.Spawn.Credential
	}
	return w.ID + "/" + strconv.Itoa(w.Generation)
}

// anchor is the number of the observation that a notice's silence or wait counts from.
func (w *Worker) anchor(f *Finding, kind string) int {
	switch {
	case kind == "attention":
		return w.silence(f).N
	case f.Name == watchdog.VerdictDead:
		return w.Exit.N
	case f.Name == watchdog.VerdictLivelock:
		return w.loop.first().N
	case kind == string(f.Name):
		return f.count.N
	}
	return w.stand.since.N
}

// Anchor is what a notice of a kind would count from now.
func (w *Worker) Anchor(kind string) int { return w.anchor(&w.Found, kind) }

// notify adds a notice to the decision.
func (w *Worker) notify(watch *Watch, f *Finding, kind string, cause watchdog.Cause, text string) {
	text = debris.Printable(w.ID + ": " + text)
	key, send := watch.noticeKey(w, &Notice{Kind: kind, Cause: cause, Text: text, Anchor: w.anchor(f, kind), Verdict: f.Name, Mended: watch.mended(w)})
	if !send {
		return
	}
	var numbers []int
	for _, ev := range w.Evidence(watch.Now.Mono, f) {
		numbers = append(numbers, ev.N)
	}
	watch.Decision.Commands = append(watch.Decision.Commands, watchdog.Command{
		Key:        key,
		Kind:       watchdog.CmdNotify,
		Worker:     w.ID,
		Generation: w.Generation,
		Cause:      cause,
		Evidence:   numbers,
		Text:       text,
	})
}

// key names one attempt of a command.
func (w *Worker) key(what string) string {
	w.keys++
	return fmt.Sprintf("%s/%d/%d/%s", w.ID, w.Generation, w.keys, what)
}

// describe says a verdict to a person.
func (w *Worker) describe(f *Finding, now time.Duration) string {
	switch {
	case f.Name == watchdog.VerdictDead && w.Exit.signal != "":
		return fmt.Sprintf("ended by %s while %s", w.Exit.signal, w.Exit.Before)
	case f.Name == watchdog.VerdictDead:
		return fmt.Sprintf("exited with status %d while %s", w.Exit.code, w.Exit.Before)
	case f.Name == watchdog.VerdictSettledUnproven:
		return "settled, but its end proves nothing: " + f.Reason
	case f.Name == watchdog.VerdictLivelock:
		if w.loop.standing() != &w.loop.calls {
			return "compaction after compaction, and nothing comes of them"
		}
		return "the same calls with the same results over and over"
	}
	text := fmt.Sprintf("%s: no progress for %s (limit %s)", f.Name, round(now-f.count.At), w.Cause(f).Limit)
	if f.Reason == "dialect" {
		text += ", and it wrote records that no known dialect has"
	}
	if f.Name == watchdog.VerdictStalledTool && len(w.Run.Calls) > 0 {
		c, _, _ := w.FirstPast()
		text += ", call " + debris.Printable(c.ID) + " of " + debris.Printable(c.Tool)
	}
	return text
}

// noticeDue is when the owner is next to be told something if nothing happens.
func (w *Worker) noticeDue(watch *Watch, f *Finding) time.Duration {
	at := never
	if w.attentive(f) {
		at = max(w.silence(f).Until(w.Limits.Attention).At, watch.judges())
	}
	if table[w.stand.row].kind == waiting {
		at = min(at, w.stand.since.At+time.Duration(w.notes.reminded+1)*w.Limits.UserWait)
	}
	return at
}

func round(d time.Duration) time.Duration { return d.Round(time.Second) }
