package episode

import (
	"fmt"
	"strconv"

	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// NoticeKey implements run.Partner. The key names the silence or wait that a notice is about by the observation that this
// counts from, so that it is the same after a restart. It is journalled before it is sent (WDC-ALERT-002), and an operator's
// stop needs no alarm (WDC-LIFE-005).
func (e *Episodes) NoticeKey(w *run.Worker, n *run.Notice) (key string, send bool) {
	key = fmt.Sprintf("%s/%d/%s/%d", w.ID, w.Generation, n.Kind, n.Anchor)
	if n.Verdict == watchdog.VerdictAwaitingAuth && w.Spawn.Credential != "" {
		if key = "credential/" + w.Spawn.Credential + "/" + n.Kind; n.Mended > 0 {
			key += "/" + strconv.Itoa(n.Mended)
		}
	}
	t := e.memory.byWorker[w.ID]
	if e.memory.Notices[key] != nil || t != nil && t.Operator != "" {
		return key, false
	}
	b := journal.Notice{Key: key, Worker: w.ID, Generation: w.Generation, About: n.Kind, Cause: n.Cause, Text: n.Text, Anchor: n.Anchor}
	if t != nil && t.Episode != nil {
		b.Episode = t.Episode.ID
	}
	e.add(b)
	return key, true
}

// retell sends the notices again, under their keys, that the last watchdog may not have sent, as far as what they are
// about still stands.
func (e *Episodes) retell() {
	r := e
	for _, key := range r.unsent {
		n := r.memory.Notices[key]
		w := e.byID[n.Worker]
		if t := r.memory.byWorker[n.Worker]; t != nil && t.Operator != "" {
			continue // no alarm is wanted any more (WDC-LIFE-005)
		}
		if w == nil || n.Sent || w.Anchor(n.About) != n.Anchor || !w.stands(n) {
			continue // nor of a silence that is over, or of another generation's
		}
		e.Decision.Commands = append(e.Decision.Commands, watchdog.Command{
			Key: key, Kind: watchdog.CmdNotify, Worker: w.ID, Generation: n.Generation, Cause: n.Cause,
			Text: n.Text, Evidence: []int{n.Anchor},
		})
	}
	r.unsent = nil
}

// stands reports whether the verdict that a notice is about may still hold.
func (w *worker) stands(n *notice) bool {
	return n.About == "attention" || w.Found.Name == n.Cause.Name
}
