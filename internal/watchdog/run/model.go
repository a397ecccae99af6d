package run

import "fakepi.example/internal/watchdog/agents"

// Model is what the streams say of a worker's run. It is fed by stdout records (records.go), by session entries
// (session.go) or by a terminal's program status (status.go), whichever the source has.
type Model struct {
	Open     bool // agent_start without agent_end
	Ran      bool // a run was open once
	End      Mark // the last agent_end or what followed it without opening a run
	Ended    bool // agent_end seen, terminal event not yet
	unsure   bool // the source cannot tell whether the failed run is retried
	retrying bool // agent_end announced a retry that has not been announced with its delay yet
	terminal bool // this dialect has a terminal event after agent_end (WDC-OBS-003)
	settled  bool // the terminal event came outside a run
	quit     bool // the process ended with status 0 before the run did
	idle     bool // the source itself says that nothing runs

	Prompted bool // a prompt was sent while idle and neither answered nor followed by agent_start
	Prompt   Mark
	presumed bool // the answer to a prompt does not say whether a run follows

	due       bool // a request is due and nothing of its message has come
	dueCount  Mark // where its count stands: each boundary restarts it
	message   bool // an assistant message is open
	streaming bool // an update of it has come
	called    bool // a toolUse message closed and none of its calls has started
	Calls     []Call
	lastCall  string   // id of the call last started
	lastKey   uint64   // of its tool and arguments
	Unsaved   []Effect // calls that ended and whose result was not shown in a message yet, so that it may not be saved
	anonymous int      // calls that a session file shows without their start and end
	dialogs   []dialog
	final     final

	Compacting bool
	compaction Mark
	backingOff bool
	backoff    Mark // end of the announced delay and its grace

	trouble agents.Trouble
	refused bool // the trouble stands: Pi gave up on it
	quota   agents.Quota

	Tokens int64   // of all messages
	Cost   float64 // of these, in US dollars

	revision int // of the open calls and dialogs, as far as a verdict names them

	modelName string
	head      string
}

// Bounds on what a hostile stream can make the engine keep (WDC-SAFE-001).
const (
	maxCalls   = 64
	maxDialogs = 8
)

// final is the last finished assistant message of a run.
type final struct {
	seen    bool
	stop    agents.Stop
	empty   bool // neither text nor calls
	calls   int
	aborted bool // the terminal event said so
}

// dialog is a request to the user that blocks the worker.
type dialog struct {
	id       string
	call     string // the call that it stands in, if any
	since    Mark
	deadline Mark // its own timeout; at never if it has none
}

// model is the model in use: what the messages name, else what the spawner said.
func (r *Model) model(spawned string) string {
	if r.modelName != "" {
		return r.modelName
	}
	return spawned
}

// owe starts or restarts the wait for a first token.
func (r *Model) owe(m Mark) {
	r.due, r.dueCount = true, m
}

// start opens a run. What was open before it is lost.
func (r *Model) start(m Mark) {
	r.Open, r.Ran = true, true
	r.Ended, r.retrying, r.unsure, r.settled, r.quit, r.idle = false, false, false, false, false, false
	r.Prompted, r.presumed, r.backingOff, r.Compacting = false, false, false, false
	r.closeTurn()
	r.Unsaved = nil
	r.final = final{}
	r.owe(m)
}

// within takes a record that only stands in a run: one whose start was lost is open from here.
func (r *Model) within(m Mark) {
	if !r.Open {
		r.start(m)
	}
}

// stop closes a run at its agent_end. A retry that is to come keeps the worker at work.
func (r *Model) stop(m Mark, retry bool) {
	r.Open, r.Ended, r.retrying = false, true, retry
	r.End = m
	r.refused = r.trouble != agents.TroubleNone && !retry
	r.due = false
	r.closeTurn()
}

// swallowed opens a run whose beginning a gap has swallowed: nothing more is known of it.
func (r *Model) swallowed() {
	r.rest()
	r.Open, r.Ran = true, true
	r.settled, r.quit, r.idle, r.refused, r.Prompted = false, false, false, false, false
	r.final, r.trouble, r.quota = final{}, agents.TroubleNone, agents.Quota{}
}

// compactsUnseen notes a compaction whose start was not read: it counts from where it is known of. No run is open beside it.
func (r *Model) compactsUnseen(m Mark) {
	if !r.Compacting {
		r.rest()
		r.Compacting, r.compaction = true, m
	}
}

// rest notes that the source says that no run is open.
func (r *Model) rest() {
	r.Open, r.Ended, r.retrying, r.due, r.presumed, r.Compacting = false, false, false, false, false, false
	r.closeTurn()
}

// drop forgets a run that Pi has aborted without a record of its end.
func (r *Model) drop() {
	r.rest()
	r.settled, r.final = true, final{seen: true, aborted: true}
}

// Effect is a call that may have changed something.
type Effect struct{ ID, Tool string }

// owesResult notes that the message with a call's result is still to come.
func (r *Model) owesResult(id, tool string) {
	if len(r.Unsaved) < maxCalls {
		r.Unsaved = append(r.Unsaved, Effect{id, tool})
	}
}

// saved forgets a call whose result came as a message.
func (r *Model) saved(id string) {
	for i := range r.Unsaved {
		if r.Unsaved[i].ID == id {
			r.Unsaved = append(r.Unsaved[:i], r.Unsaved[i+1:]...)
			break
		}
	}
}

// closeTurn forgets what cannot be open across a turn's end.
func (r *Model) closeTurn() {
	r.message, r.streaming, r.called = false, false, false
	if len(r.Calls) > 0 {
		r.revision++
	}
	r.Calls, r.anonymous = nil, 0
}

// working reports whether the worker owes progress that no more special phase covers.
func (r *Model) working() bool { return r.Open || r.retrying }

// finish takes a finished message of the model.
func (r *Model) finish(reply *agents.Reply) {
	r.message, r.streaming, r.due = false, false, false
	r.called = reply.Stop == agents.StopToolUse && reply.Calls > 0
	r.final = final{seen: true, stop: reply.Stop, empty: reply.Empty, calls: reply.Calls}
	r.Tokens += reply.Tokens
	r.Cost += reply.Cost
	r.trouble, r.quota = reply.Trouble, reply.Quota
	r.refused = r.refused && r.trouble != agents.TroubleNone
}

// ask opens a dialog. One that is asked again under its id is the same.
func (r *Model) ask(d dialog) {
	for i := range r.dialogs {
		if r.dialogs[i].id == d.id {
			return
		}
	}
	if len(r.dialogs) == maxDialogs {
		r.dialogs = r.dialogs[:copy(r.dialogs, r.dialogs[1:])]
	}
	r.dialogs = append(r.dialogs, d)
	r.revision++
}

// answer closes the dialogs that the predicate picks and reports whether there were any.
func (r *Model) answer(closes func(*dialog) bool) bool {
	kept := r.dialogs[:0]
	for i := range r.dialogs {
		if !closes(&r.dialogs[i]) {
			kept = append(kept, r.dialogs[i])
		}
	}
	closed := len(kept) < len(r.dialogs)
	r.dialogs = kept
	if closed {
		r.revision++
	}
	return closed
}

// CutShort reports whether the last message, or the run, was ended by an abort.
func (r *Model) CutShort() bool { return r.final.aborted || r.final.stop == agents.StopAborted }

// unproven says why a settled worker's end proves nothing, or "" for a good end (WDC-LIFE-004).
func (r *Model) unproven() string {
	switch f := r.final; {
	case r.quit:
		return "exit_0"
	case f.aborted || f.stop == agents.StopAborted:
		return "aborted"
	case !f.seen:
		return "" // nothing ran: a command without a run settled
	case f.stop == agents.StopError:
		return "error"
	case f.stop == agents.StopLength:
		return "cut_off"
	case f.stop == agents.StopToolUse, f.calls > 0, f.stop == agents.StopPending:
		return "contradiction"
	case f.empty:
		return "empty"
	}
	return ""
}
