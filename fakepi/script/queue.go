package script

// queue counts the messages that wait while a run is open.
type queue struct{ steers, followUps int }

func (q *queue) add(a Action) {
	if _, ok := a.(Steer); ok {
		q.steers++
	} else {
		q.followUps++
	}
}

// deliverSteer delivers a steer, as Pi does after the tools of a message.
func (q *queue) deliverSteer() bool {
	if q.steers == 0 {
		return false
	}
	q.steers--
	return true
}

// deliver delivers one message where the agent would stop, and reports whether there was one.
func (q *queue) deliver() bool {
	if q.deliverSteer() {
		return true
	}
	if q.followUps == 0 {
		return false
	}
	q.followUps--
	return true
}
