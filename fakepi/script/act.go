package script

import "fmt"

// act checks a step against what the worker is doing, and follows it.
func (l *life) act(s *Step) (msg, hint string) {
	switch a := s.Action.(type) {
	case Prompt:
		return l.prompt(s, a)
	case Opens, Says, Thinks, Calls, Reports:
		return l.speaks(s)
	case Tool:
		return l.tool(s)
	case Does:
		return l.does(s)
	case Asks:
		return l.asks(s, a)
	case Closes:
		return l.closes(s, a)
	case Ends:
		return l.ends(s, a)
	case Refused:
		return l.refused(s, a)
	case Retries:
		return l.retries(s, a)
	case Compacts:
		return l.compacts(s, a)
	case Settles:
		return l.settles()
	case Lingers:
		return l.linger(s)
	case Stalls, Wedges:
		return l.sticks(s)
	}
	return "", ""
}

const promptFirst = `write first: prompt "..."`

func (l *life) prompt(s *Step, a Prompt) (msg, hint string) {
	switch {
	case l.run:
		return "a run is open", "write steer or follow_up, or end the run first by settles"
	case l.ended != nil:
		return "the last run has not settled", "add settles before this line"
	case l.mode.OneShot() && l.prompted:
		return "a one-shot has one prompt", "spawn it with mode=rpc"
	case l.mode.OneShot() && (a.Handled || a.ResponseOnly || a.Twice):
		return "a one-shot gives no responses", "leave the word out, or spawn it with mode=rpc"
	}
	l.prompted = true
	if a.Takes.Given() || a.ResponseOnly {
		l.activity = s
	}
	l.run = !a.Handled && !a.ResponseOnly && !a.Takes.Never
	l.final, l.message = false, false
	return "", ""
}

// speaks follows what opens or goes on with an assistant message.
func (l *life) speaks(s *Step) (msg, hint string) {
	if !l.run {
		return l.notRunning(s)
	}
	if l.final {
		return "the run's last message has closed", "leave closes out to go on, or write steer before it"
	}
	if l.owes != nil {
		return fmt.Sprintf("the message closed in line %d has calls to run", l.owes.Pos.Line), "run them by tool @label, or say that it stalls"
	}
	thinks, _ := s.Action.(Thinks)
	switch verb := s.Action.Verb(); {
	case verb == "opens" && l.message:
		return "a message is open already", "leave this out"
	case verb == "reports" && !l.message:
		return noMessage, openFirst
	case thinks.Keepalive.Given() && !l.message:
		return keptAlone, openFirst
	}
	if !thinks.For.Given() {
		if !l.message && len(l.tools) > 0 {
			l.queue.deliverSteer() // one that came while they ran
		}
		l.message = true
	}
	if _, ok := s.Action.(Calls); ok {
		l.calls = true
	}
	if s.HasDur {
		l.activity = s
	}
	return "", ""
}

const (
	noMessage = "no message is open"
	keptAlone = "a keepalive belongs to an open message"
	openFirst = "write opens before it"
)

func (l *life) notRunning(s *Step) (msg, hint string) {
	if l.ended != nil {
		return fmt.Sprintf("the run ended in line %d", l.ended.Pos.Line), "let it go on by retries or compacts overflow, or leave that end out"
	}
	return fmt.Sprintf("%s comes outside a run", s.Action.Verb()), promptFirst
}

func (l *life) tool(s *Step) (msg, hint string) {
	if !l.run {
		return l.notRunning(s)
	}
	if l.final {
		return "the run's last message has closed", "leave closes out: the tool closes its message"
	}
	l.message, l.calls, l.owes = false, false, nil
	l.tools = append(l.tools, s)
	l.queue.deliverSteer()
	return "", ""
}

// orphan reports whether a step is of a tool that lives on when its worker was killed.
func (l *life) orphan(s *Step) bool {
	_, killed := l.gone.Action.(Killed)
	_, does := s.Action.(Does)
	return killed && does
}

// does checks that a tool runs that can act.
func (l *life) does(s *Step) (msg, hint string) {
	for _, t := range l.tools {
		if t.lasts(s.At) {
			return "", ""
		}
	}
	return "no tool runs here that could do it", "count from the start of one: tool ... as=t, then @t+1s does ..."
}

func (l *life) asks(s *Step, a Asks) (msg, hint string) {
	switch menu := a.Method == AskTrust || a.Method == AskResume; {
	case l.mode.OneShot():
		return "a one-shot has no user interface", "spawn it with mode=rpc or mode=tui"
	case menu && l.mode != ModeTUI:
		return fmt.Sprintf("only a TUI shows a %s menu", a.Method), "spawn it with mode=tui"
	case l.dialog.lasts(s.At):
		return fmt.Sprintf("the dialog of line %d is still open", l.dialog.Pos.Line), "let the user answer it first"
	}
	l.dialog = s
	return "", ""
}

func (l *life) closes(s *Step, a Closes) (msg, hint string) {
	if !l.message {
		return noMessage, `open one by opens, says, thinks "..." or calls`
	}
	if a.Stop == StopToolUse || a.Stop != StopAborted && l.calls {
		l.owes = s
	} else {
		l.final = !l.queue.deliver()
	}
	l.message, l.calls = false, false
	return "", ""
}

func (l *life) ends(s *Step, a Ends) (msg, hint string) {
	if a.Of != "" {
		return "", "" // Resolve has checked it
	}
	if !l.run {
		return l.notRunning(s)
	}
	if msg, hint = l.lastMessage(a.Stop); msg != "" {
		return msg, hint
	}
	l.run, l.message, l.final, l.ended = false, false, false, s
	return "", ""
}

// lastMessage checks that the run has a message to end with, and nothing that Pi would deliver instead of ending.
func (l *life) lastMessage(stop StopReason) (msg, hint string) {
	if l.queue != (queue{}) && stop != StopAborted {
		return "a steer or follow_up waits, which Pi delivers before it ends", "add closes stop, and what the model says to it"
	}
	if l.message || l.final {
		return "", ""
	}
	return "the run has no last message", `add says "...", or opens for an empty one`
}

func (l *life) refused(s *Step, a Refused) (msg, hint string) {
	switch {
	case !l.run:
		return l.notRunning(s)
	case l.message && (a.Status > 0 || a.RetryAfter.Given()):
		return "the open message had its headers", "leave status= and retry_after= out, or the message"
	case !l.message && (a.By == RefusedEnd || a.By == RefusedEvent || a.By == RefusedFilter):
		return "what comes by " + string(a.By) + " belongs to an open message", openFirst
	}
	l.run, l.message, l.ended = false, false, s
	return "", ""
}

func (l *life) retries(s *Step, a Retries) (msg, hint string) {
	if a.Hidden {
		if !l.run {
			return l.notRunning(s)
		}
		l.activity = s
		return "", ""
	}
	if !l.retryable() {
		return "there is nothing to retry", "write refused transient before, or ends will_retry"
	}
	if a.Cancelled.Given() && l.mode.OneShot() {
		return "nobody can write to a one-shot", "spawn it with mode=rpc or mode=tui"
	}
	if a.Cancelled.Given() && a.Cancelled.D >= a.Delay.D {
		return "the delay is over before it is cancelled", "cancel it earlier, or leave cancelled= out"
	}
	l.ended, l.run, l.activity = nil, !a.Cancelled.Given(), s
	return "", ""
}

// retryable reports whether Pi would retry the end that came last.
func (l *life) retryable() bool {
	if l.ended == nil {
		return false
	}
	switch a := l.ended.Action.(type) {
	case Refused:
		return a.Class == RefusedTransient || a.WillRetry
	case Ends:
		return a.WillRetry
	}
	return false
}

func (l *life) compacts(s *Step, a Compacts) (msg, hint string) {
	switch overflowed := l.ended != nil && isOverflow(l.ended.Action); {
	case l.run:
		return "Pi compacts between runs", "end the run first: ends, or refused overflow"
	case a.Reason == "overflow" && !overflowed:
		return "no overflow came", "write before it: refused overflow"
	case a.Reason == "threshold" && l.ended == nil:
		return "Pi compacts by itself only before a run settles", "write before it: ends; or compacts manual"
	case a.Reason == "manual" && l.ended != nil:
		return "the last run has not settled", "add settles before this line"
	}
	l.activity = s
	if a.Reason == "overflow" && !a.Fails {
		l.run, l.ended, l.final = true, nil, false
	}
	return "", ""
}

func isOverflow(a Action) bool {
	r, ok := a.(Refused)
	return ok && r.Class == RefusedOverflow
}

func (l *life) settles() (msg, hint string) {
	switch {
	case !l.run && l.ended == nil:
		return "nothing is open that could settle", promptFirst
	case l.ended != nil && willRetry(l.ended.Action):
		return fmt.Sprintf("line %d says that a retry follows", l.ended.Pos.Line), "add retries D, or say that it stalls"
	case l.run:
		if msg, hint = l.lastMessage(StopStop); msg != "" {
			return msg, hint
		}
	}
	l.run, l.message, l.final, l.ended = false, false, false, nil
	return "", ""
}

// willRetry reports whether an end says of itself that a retry follows.
func willRetry(a Action) bool {
	switch a := a.(type) {
	case Refused:
		return a.WillRetry
	case Ends:
		return a.WillRetry
	}
	return false
}

func (l *life) linger(s *Step) (msg, hint string) {
	if !l.mode.OneShot() || !l.prompted || l.run || l.ended != nil {
		return "only a one-shot that has settled can linger", "leave this out"
	}
	l.lingers = s
	return "", ""
}

func (l *life) sticks(s *Step) (msg, hint string) {
	a, stalls := s.Action.(Stalls)
	if a.Keepalive.Given() && !l.message {
		return keptAlone, openFirst
	}
	busy := l.run || l.ended != nil || l.activity.lasts(s.At) || l.mode.OneShot() && !l.prompted
	if stalls && !busy {
		return l.name + " is idle: there is nothing to stall", "leave this out; an idle worker is silent anyway"
	}
	l.stuck = s
	return "", ""
}
