package model

// Chooser hands out the replies of a script, as a server does.
type Chooser struct{ queue *queue }

// NewChooser makes one of replies.
func NewChooser(replies []Reply) Chooser { return Chooser{newQueue(replies)} }

// Choose answers a request. Pi breaks the reply off, or it is sent to its end.
func (c Chooser) Choose(r *Request, brokenOff bool) Reply {
	a := c.queue.take(r, false)
	defer a.done()
	if !brokenOff {
		a.sent()
	}
	return a.reply
}
