package fakepi

import (
	"time"

	"fakepi.example/fakepi/native"
)

// queued is a message for the model, now or later. Its stamp is that of its arrival.
type queued struct {
	text      string
	images    []native.Block
	notes     []string // about images, behind the text
	at        time.Duration
	fromOther bool // it came by Send: the script may have no reply to it
}

// nextTurn starts the turn that a queued message asks for. A follow-up comes only where the agent would stop.
func (w *Worker) nextTurn(stopping bool) bool {
	if len(w.steering) == 0 && !(stopping && len(w.followUp) > 0) {
		return false
	}
	w.startTurn()
	w.deliver()
	w.request()
	return true
}

// waiting reports whether a message waits in a queue.
func (w *Worker) waiting() bool { return len(w.steering)+len(w.followUp) > 0 }

// deliver gives the model what waits: of the steering messages, or else of the follow-ups, the first or all, by the
// queue's mode.
func (w *Worker) deliver() {
	queue, mode := &w.steering, w.steeringMode
	if len(w.steering) == 0 {
		queue, mode = &w.followUp, w.followUpMode
	}
	n := min(1, len(*queue))
	if mode == native.Value(native.String("all")) {
		n = len(*queue)
	}
	heeded := false
	for range n {
		next := (*queue)[0]
		*queue = (*queue)[1:]
		w.printQueue()
		w.sayUser(next)
		heeded = w.heed(next.text) || heeded
	}
	w.fromOther = w.fromOther && !heeded
}

// enqueue takes a message for later.
func (w *Worker) enqueue(queue *[]queued, m queued) {
	*queue = append((*queue)[:len(*queue):len(*queue)], m)
	w.printQueue()
}

func (w *Worker) printQueue() {
	w.print(&native.QueueUpdate{Steering: textsOf(w.steering), FollowUp: textsOf(w.followUp)}, false)
}

func textsOf(q []queued) []string {
	texts := make([]string, len(q))
	for i, m := range q {
		texts[i] = m.text
	}
	return texts
}

// startQueued starts a run with what waits.
func (w *Worker) startQueued() {
	w.openRun()
	w.deliver()
	w.request()
}
