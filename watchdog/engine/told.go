package engine

import (
	"fmt"
	"strconv"
	"strings"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// noticeKey returns the key of a notice and whether it is to be sent. Without durable state every notice is new. With it
// the key names the silence or wait that it is about by the observation that this counts from, so that it is the same
// after a restart; it is journalled before it is sent (WDC-ALERT-002), and an operator's stop needs no alarm
// (WDC-LIFE-005).
func (w *worker) noticeKey(e *Engine, f *finding, kind string, cause watchdog.Cause, text string) (key string, send bool) {
	r := e.recovery
	if r == nil {
		return w.key(kind), true
	}
	anchor := w.anchor(f, kind)
	key = fmt.Sprintf("%s/%d/%s/%d", w.id, w.generation, kind, anchor)
	if f.name == watchdog.VerdictAwaitingAuth && w.spawn.Credential != "" {
		key = "credential/" + w.spawn.Credential + "/" + kind
	}
	t := r.memory.byWorker[w.id]
	if r.memory.Notices[key] != nil || t != nil && t.Operator != "" {
		return key, false
	}
	b := journal.Notice{Key: key, Worker: w.id, Generation: w.generation, About: kind, Cause: cause, Text: text, Anchor: anchor}
	if t != nil && t.Episode != nil {
		b.Episode = t.Episode.ID
	}
	e.add(b)
	return key, true
}

// anchor is the number of the observation that a notice's silence or wait counts from.
func (w *worker) anchor(f *finding, kind string) int {
	switch {
	case kind == "attention":
		return w.silence(f).n
	case f.name == watchdog.VerdictDead:
		return w.exit.n
	case f.name == watchdog.VerdictLivelock:
		return w.loop.first().n
	case kind == string(f.name):
		return f.count.n
	}
	return w.stand.since.n
}

// retell sends the notices again, under their keys, that the last watchdog may not have sent, as far as what they are
// about still stands.
func (e *Engine) retell() {
	r := e.recovery
	for _, key := range r.retell {
		n := r.memory.Notices[key]
		w := e.byID[n.Worker]
		if t := r.memory.byWorker[n.Worker]; t != nil && t.Operator != "" {
			continue // no alarm is wanted any more (WDC-LIFE-005)
		}
		if w == nil || n.Sent || w.anchor(&w.found, n.About) != n.Anchor || !w.stands(n) {
			continue // nor of a silence that is over, or of another generation's
		}
		e.decision.Commands = append(e.decision.Commands, watchdog.Command{
			Key: key, Kind: watchdog.CmdNotify, Worker: w.id, Generation: n.Generation, Cause: n.Cause,
			Text: n.Text, Evidence: []int{n.Anchor},
		})
	}
	r.retell = nil
}

// stands reports whether the verdict that a notice is about may still hold.
func (w *worker) stands(n *told) bool {
	return n.About == "attention" || w.found.name == n.Cause.Name
}

// lookKey makes the key of a look one of this incarnation: each look is a new one.
func (e *Engine) lookKey(key string) string {
	if e.recovery == nil {
		return key
	}
	i := strings.LastIndexByte(key, '/')
	return key[:i] + "/" + strconv.Itoa(e.recovery.memory.Incarnation) + key[i:]
}
