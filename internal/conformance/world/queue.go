package world

import "time"

// event is one thing that is due. Its order is total: by time, then priority, then the order of scheduling.
type event struct {
	at       time.Duration // on Mono
	priority priority
	seq      uint64
	source   int // whose event it is: events of one source keep their order, those of different ones may meet either way
	kind     eventKind
	worker   int
	life     int // of a worker's own event: the generation, or the section that begins
	ref      int // of a step, answer, effect or decision: its index
}

// priority orders the sources at one instant in the base history: first what is done to the world, last the watchdog's
// own wake-up, so that it finds all that had happened by then.
type priority uint8

const (
	prioFault priority = iota
	prioWorker
	prioPeople
	prioEffect
	prioAnswer
	prioBoot
	prioWake
	prioLate // of a race: behind all else
	prioEnd
)

// eventKind says what to do with an event.
type eventKind uint8

const (
	evStep     eventKind = iota // a scripted step of the world or its people
	evWorker                    // the worker's own script goes on
	evAnswer                    // an answer to a command is ready
	evEffect                    // a command takes effect
	evDecision                  // the owner has decided
	evHeal                      // every fault ends
	evBoot                      // the subject is back
	evWake                      // the subject wants to be stepped
	evEnd                       // the horizon
)

func (e *event) before(f *event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	if e.priority != f.priority {
		return e.priority < f.priority
	}
	return e.seq < f.seq
}

// queue is a binary heap of events.
type queue struct {
	heap []event
	seq  uint64
}

func (q *queue) len() int { return len(q.heap) }

// push schedules an event behind all of its time and priority.
func (q *queue) push(e event) {
	q.seq++
	e.seq = q.seq
	q.insert(e)
}

// insert puts an event back at the place that its number gives it.
func (q *queue) insert(e event) {
	h := append(q.heap, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	q.heap = h
}

// order makes the heap one again behind a change of priorities.
func (q *queue) order() {
	events := q.heap
	q.heap = nil
	for _, e := range events {
		q.insert(e)
	}
}

// pop takes the first event; the queue must not be empty.
func (q *queue) pop() event {
	h := q.heap
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	q.heap = h
	if len(h) > 0 {
		q.sift(last)
	}
	return first
}

// sift lets an event sink from the root to its place.
func (q *queue) sift(e event) {
	h := q.heap
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if right := child + 1; right < len(h) && h[right].before(&h[child]) {
			child = right
		}
		if !h[child].before(&e) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = e
}
