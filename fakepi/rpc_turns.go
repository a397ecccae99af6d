package fakepi

import (
	"cmp"
	"slices"

	"fakepi.example/fakepi/native"
)

// turns says when a command of several that came in one read acts and is answered: 0 is in the place of its line, n
// behind that many turns of Pi's queue of promises, as each await takes one. All lines are heard before the first turn;
// of one turn the earlier line goes first (docs/pi-formats.md, section 6).
type turns struct {
	acts    int
	answers int
	fails   int // when it is answered by an error
}

// turnDelay is when the delay before a retry hears that it was cut short.
const turnDelay = 1

// When an abort has ended the work that waited for a retry; a worker that calls itself idle meanwhile has less to end.
const (
	turnUndelayed     = 5
	turnUndelayedIdle = 2
)

// turnCompactsIdle is when an idle worker begins with a compaction, and who leaves the session stops listening to it.
const turnCompactsIdle = 2

// The turns behind the queue, in which nothing is left to be heard: some wait for a file, a process or the end of a run.
const (
	turnModel    = 11 + iota
	turnCrash    // of the process
	turnDrops    // where a compaction forgets the run
	turnLeaves   // where a command that leaves the session does
	turnAborts   // the run
	turnCompacts // where the run has ended for it
	turnAborted  // the run is known to have ended
	turnWaits
	turnsMost
)

// atOnce is what most commands are.
var atOnce = turns{answers: 1, fails: 1}

var turns16 = map[string]turns{
	native.CmdPrompt:        {answers: 10, fails: 1},
	native.CmdSteer:         {acts: 1, answers: 7, fails: 6},
	native.CmdFollowUp:      {acts: 1, answers: 7, fails: 6},
	native.CmdAbort:         {answers: 3},
	native.CmdSetModel:      {answers: turnModel, fails: 1},
	native.CmdCycleModel:    {answers: 4},
	native.CmdExportHTML:    {answers: 3, fails: 3},
	native.CmdCompact:       {answers: 7, fails: 7},
	native.CmdBash:          {acts: 1, answers: turnWaits, fails: turnWaits},
	native.CmdNewSession:    {answers: turnWaits, fails: turnWaits},
	native.CmdSwitchSession: {answers: turnWaits, fails: 3},
	native.CmdFork:          {answers: turnWaits, fails: 3},
	native.CmdClone:         {answers: turnWaits, fails: 3},
}

var turns073 = map[string]turns{
	native.CmdPrompt:             {answers: 2, fails: 1},
	native.CmdSteer:              {answers: 3, fails: 2},
	native.CmdFollowUp:           {answers: 3, fails: 2},
	native.CmdAbort:              {answers: 3},
	native.CmdGetAvailableModels: {answers: 2},
	native.CmdSetModel:           {answers: 5, fails: 2},
	native.CmdCycleModel:         {answers: 5},
	native.CmdExportHTML:         {answers: 3, fails: 3},
	native.CmdCompact:            {answers: 5, fails: 5},
	native.CmdBash:               {answers: turnWaits, fails: turnWaits},
	native.CmdNewSession:         {answers: turnWaits, fails: turnWaits},
	native.CmdSwitchSession:      {answers: turnWaits, fails: 3},
	native.CmdFork:               {answers: turnWaits, fails: 3},
	native.CmdClone:              {answers: turnWaits, fails: 3},
}

// leaves is the turn in which a command leaves the session.
func (r *rules) leaves() int {
	if r.settlesFirst {
		return turnWaits
	}
	return turnLeaves
}

// compacts is the turn in which a compaction begins.
func (r *rules) compacts(busy bool) int {
	switch {
	case !busy:
		return turnCompactsIdle
	case r.settlesFirst:
		return turnCompacts
	}
	return turnDrops
}

// turnsOf is when a command acts and is answered.
func (r *rules) turnsOf(command string) turns {
	if t, ok := r.turns[command]; ok {
		return t
	}
	return atOnce
}

// turnQueue is what waits for its turn while the lines of one read are heard and done.
type turnQueue struct {
	line int // that is heard or done
	turn int // that has come

	leaves   bool // one of the lines leaves the session, and listens to it no more
	compacts bool // one has begun with a compaction

	waiting [turnsMost][]deferred
}

// deferred is what a line has left to do.
type deferred struct {
	line int
	do   func(*Worker)
}

// receiveTogether answers the lines of one read. A worker whose client is the script's takes those of another client one by one.
func (w *Worker) receiveTogether(lines [][]byte) {
	if len(lines) == 1 || !w.driven {
		for _, line := range lines {
			if w.alive() {
				w.receive(line)
			}
		}
		return
	}
	w.hearTogether(lines, turnsMost-1)
}

// hearTogether hears lines, and does what is theirs up to a turn.
func (w *Worker) hearTogether(lines [][]byte, last int) {
	q := &turnQueue{}
	w.heard = q
	for q.line = range lines {
		w.receive(lines[q.line])
	}
	for ; q.turn <= last; q.turn++ {
		slices.SortStableFunc(q.waiting[q.turn], func(a, b deferred) int { return cmp.Compare(a.line, b.line) })
		for i := 0; i < len(q.waiting[q.turn]) && w.alive(); i++ { // it may grow
			d := q.waiting[q.turn][i]
			q.line = d.line
			d.do(w)
		}
	}
	w.heard = nil
}

// inTurn does something in a turn, or now if that has come or the line was alone.
func (w *Worker) inTurn(turn int, do func(*Worker)) {
	q := w.heard
	if q == nil || turn == 0 {
		do(w)
		return
	}
	turn = max(turn, q.turn)
	q.waiting[turn] = append(q.waiting[turn], deferred{line: q.line, do: do})
}

// printInTurn prints a response when its command is answered.
func (w *Worker) printInTurn(r *native.Response) {
	t := w.rules.turnsOf(r.Command.V)
	if w.heard != nil && r.Command.V == native.CmdPrompt && !w.hasReply() {
		t.answers-- // there is no reply that could call for a compaction
	}
	w.printIn(t, r)
}

func (w *Worker) printIn(t turns, r *native.Response) {
	turn := t.answers
	if !r.Success {
		turn = t.fails
	}
	if q := w.heard; q != nil && r.Command.V == native.CmdAbort && q.turn >= turnUndelayed {
		turn = turnAborted
	}
	w.inTurn(turn, func(w *Worker) { w.print(r, false) })
}

// leaveInTurn leaves the session.
func (w *Worker) leaveInTurn(do func(*Worker)) {
	if q := w.heard; q != nil {
		w.inTurn(turnCompactsIdle, func(*Worker) { q.leaves = true })
	}
	w.inTurn(w.rules.leaves(), do)
}

// hasReply reports whether the model has said anything in the session.
func (w *Worker) hasReply() bool {
	return slices.ContainsFunc(w.transcript(), func(m native.Message) bool { return m.Role() == "assistant" })
}
