package model

import (
	"sync"

	"fakepi.example/internal/fakepi/provider"
)

// queue hands out the replies, to each request the one that fits.
type queue struct {
	mu      sync.Mutex
	replies []Reply
	prompts provider.Prompts // by the replies that are the first to one
	next    int
	asked   int    // requests so far
	turn    *turn  // the last one; nil: there was none
	last    *Reply // that was handed out
	summary *Reply // of the summaries that are being asked for
	busy    int    // replies under way
	played  chan struct{}
	over    bool // played is closed
}

func newQueue(replies []Reply) *queue {
	q := &queue{replies: replies, played: make(chan struct{})}
	for i, r := range replies {
		if r.First {
			q.prompts.Add(i, r.Prompt)
		}
	}
	return q
}

// answer is a reply that is handed out. sent must be called before the last of it is sent, and done behind it.
type answer struct {
	n     int // of the request
	reply Reply
	sent  func()
	done  func()
}

// take answers a request. again says that a client library repeats it.
func (q *queue) take(r *Request, again bool) answer {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	q.busy++
	a := answer{n: q.asked, sent: func() {}, done: q.done}
	switch {
	case r.IsSummary():
		a.reply = q.takeSummary()
	case again && q.last != nil && q.last.Again:
		a.reply = *q.last
	default:
		a.reply = q.takeTurn(r)
		turn := q.turn
		a.sent = func() { q.sent(turn) }
	}
	return a
}

// sent notes that Pi has not broken off a turn's reply.
func (q *queue) sent(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.sent = true
}

func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	if q.busy == 0 && q.left() == 0 && !q.over {
		q.over = true
		close(q.played)
	}
}

// takeSummary gives all summaries of one compaction the same reply.
func (q *queue) takeSummary() Reply {
	if q.next < len(q.replies) {
		switch q.replies[q.next].For {
		case ForAny:
			return *q.serve()
		case ForSummary:
			q.summary = q.serve()
		}
	}
	if q.summary != nil {
		return *q.summary
	}
	return plain("unscripted summary", provider.Summary, usageOf(provider.SummaryReport()))
}

// takeTurn goes on in order, but forward to the reply to the prompt with which the request ends, and over what is left of a
// run that was aborted.
func (q *queue) takeTurn(r *Request) Reply {
	q.summary = nil
	q.skipSummaries()
	texts, asks := q.turn.before(r)
	if asks && !q.recorded() {
		if q.turn.aborted(r) {
			q.skipTo(q.prompts.Next(q.next))
		}
		q.next, _ = q.prompts.Find(texts, q.next)
	}
	reply := plain("unscripted", provider.Unscripted, Usage{Output: provider.Tokens(len(provider.Unscripted))})
	if q.next == len(q.replies) {
		q.last = nil
	} else {
		reply = *q.serve()
	}
	q.turn = &turn{texts: r.trailing(), broken: reply.broken()}
	return reply
}

// recorded reports whether the next reply is one for whatever is asked.
func (q *queue) recorded() bool { return q.next < len(q.replies) && q.replies[q.next].For == ForAny }

// skipTo goes on with a reply, or behind the last.
func (q *queue) skipTo(i int, ok bool) {
	if q.next = i; !ok {
		q.next = len(q.replies)
	}
}

// serve hands out the next reply.
func (q *queue) serve() *Reply {
	r := &q.replies[q.next]
	if !r.Rest {
		q.next++
	}
	q.last = r
	return r
}

// left is how many replies are still to be handed out.
func (q *queue) left() int {
	if n := len(q.replies); n > 0 && q.replies[n-1].Rest {
		return n - 1 - q.next
	}
	return len(q.replies) - q.next
}

// skipSummaries leaves out those that Pi does not ask for.
func (q *queue) skipSummaries() {
	for q.next < len(q.replies) && q.replies[q.next].For == ForSummary {
		q.next++
	}
}

// plain is a reply with a text.
func plain(source, text string, usage Usage) Reply {
	return Reply{Source: source, Ops: []Op{Role{}, Text{text}, Finish{ReasonStop}, usage, Done{}}}
}
