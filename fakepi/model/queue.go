package model

import (
	"sync"

	"fakepi.example/fakepi/provider"
)

// queue hands out the replies, to each request the one that fits.
type queue struct {
	mu      sync.Mutex
	replies []Reply
	next    int
	asked   int    // requests so far
	last    *Reply // that was handed out
	summary *Reply // of the summaries that are being asked for
	busy    int    // replies under way
	played  chan struct{}
	over    bool // played is closed
}

func newQueue(replies []Reply) queue {
	return queue{replies: replies, played: make(chan struct{})}
}

// take returns the number of a request and its reply. again says that a client library repeats it. done must be called
// when the reply was sent.
func (q *queue) take(r *Request, again bool) (n int, reply Reply, done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	q.busy++
	switch {
	case r.IsSummary():
		reply = q.takeSummary()
	case again && q.last != nil && q.last.Again:
		reply = *q.last
	default:
		reply = q.takeTurn(r)
	}
	return q.asked, reply, q.done
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
	return plain("unscripted summary", provider.Summary)
}

// takeTurn goes on in order, but forward to the replies of the prompt with which the request ends.
func (q *queue) takeTurn(r *Request) Reply {
	q.summary = nil
	q.skipSummaries()
	if text, ok := r.Prompt(); ok && (q.next == len(q.replies) || q.replies[q.next].Prompt != text) {
		q.skipTo(text)
	}
	if q.next == len(q.replies) {
		q.last = nil
		return plain("unscripted", provider.Unscripted)
	}
	return *q.serve()
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

// skipTo leaves out what was left of prompts that were aborted before this one.
func (q *queue) skipTo(prompt string) {
	for i := q.next; i < len(q.replies); i++ {
		if q.replies[i].Prompt == prompt && prompt != "" {
			q.next = i
			return
		}
	}
}

// plain is a reply with a text.
func plain(source, text string) Reply {
	return Reply{Source: source, Ops: []Op{Role{}, Text{text}, Finish{ReasonStop}, Usage{Output: provider.Tokens(len(text))}, Done{}}}
}
