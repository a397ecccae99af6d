package model

import "slices"

// turn is a request of a conversation, and what became of its reply. The next request shows by that whether Pi goes on by
// itself or somebody has asked something, since of a reply that was broken off or has failed Pi sends nothing.
type turn struct {
	texts  []string // of the user, with which the request ended
	broken bool     // the reply is none that Pi keeps
	sent   bool     // it was sent to its end: Pi has not broken it off
}

// before finds the texts of the user that a request has and that of the turn before had not. asks reports whether
// somebody has asked something: by those, or by an empty text, which Pi leaves out.
func (t *turn) before(r *Request) (texts []string, asks bool) {
	texts = r.trailing()
	if len(texts) == 0 {
		return nil, r.Messages[len(r.Messages)-1].Role == "assistant"
	}
	if t == nil || t.sent && !t.broken {
		return texts, true
	}
	for i := 0; i+len(t.texts) <= len(texts); i++ { // a summary may stand before them by now
		if slices.Equal(texts[i:i+len(t.texts)], t.texts) {
			texts = texts[i+len(t.texts):]
			return texts, len(texts) > 0 || !t.sent
		}
	}
	return texts, true
}

// aborted reports whether the run of the turn was aborted, in its reply or in the calls behind it, before the request came.
func (t *turn) aborted(r *Request) bool {
	switch {
	case t == nil:
		return false
	case !t.sent || t.broken: // the results that stand there are of calls before
		return !t.sent
	}
	for _, m := range slices.Backward(r.Messages[:len(r.Messages)-r.ofUser()]) {
		if m.Role != "tool" {
			break
		}
		if m.Stopped {
			return true
		}
	}
	return false
}

// broken reports whether the reply is none that Pi keeps.
func (r *Reply) broken() bool {
	for _, op := range slices.Backward(r.Ops) {
		switch op := op.(type) {
		case Refuse, Reset, Close, Hang:
			return true
		case Finish:
			return op.Reason == ReasonFilter
		}
	}
	return true
}
