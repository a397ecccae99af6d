// Package episode is the acting half of the engine: what becomes of a worker whose verdict is past a limit, or that has
// ended. What it must remember is a fold of its journal (memory.go, episodes.go), with checkpoints of workers at rest
// (checkpoint.go). Each worker's episode is one state machine, given as a table (episode.go, docs/episode.md), which moves
// once a step (turn.go): up to the end of the worker (stop.go), over what it left (leftover.go) to its successor or a person
// (successor.go), as the policy, the owner (permit.go, authority.go) and the budgets (budget.go) allow.
//
// It is pure: the journal's state is an argument.
package episode

import (
	"fmt"
	"slices"
	"strings"

	"fakepi.example/watchdog"
)

// State is a state of an episode: the time from the first verdict past a limit on a generation until its worker is
// healthy, ended or handed to a person.
type State string

// The states of an episode, in the order in which the longest one goes through them.
const (
	Verdict     State = "verdict"
	Evidence    State = "evidence"
	Plan        State = "plan"
	Approval    State = "approval"
	StopTool    State = "stop_tool"
	Abort       State = "abort"
	Interrupt   State = "interrupt"
	Terminate   State = "terminate"
	Kill        State = "kill"
	Verify      State = "verify"
	Steer       State = "steer"
	Descendants State = "descendants"
	Reap        State = "reap"
	Again       State = "evidence_again"
	Classify    State = "classify"
	CommitWIP   State = "commit_wip"
	Publish     State = "publish"
	Lease       State = "lease"
	Successor   State = "successor"
	Repair      State = "repair_row"
	Prove       State = "prove_restore"
	Remove      State = "remove_worktree"
	Keep        State = "keep"
	Watch       State = "watch"
	Human       State = "human"
	Healed      State = "healed"
	Over        State = "over"
)

// Aim stands in the table for the state that a plan was made for; Any for every state in which an episode is open.
const (
	Aim State = "aim"
	Any State = "any"
)

// StateRow tells of one state: what the episode does in it, and what is journalled before the commands that it gives.
type StateRow struct {
	State    State
	About    string
	Commands []watchdog.CommandKind
	run      func(*turn) event
}

// Transition is one row of the machine: what leads from one state to the next. Each one is journalled, as an `episode`
// record, before anything that rests on it is done.
type Transition struct {
	From  State
	On    event
	To    State
	Means string
}

// event is what moves an episode; the empty one leaves it where it is.
type event string

// states says what an episode does in each state. The commands of a state come after their `intent` record, those of
// steer and successor after their `spending` records too.
func states() []StateRow {
	return []StateRow{
		{Verdict, "a verdict is past a limit: wait for its confirmations, vetoes and a free place", nil, (*turn).verdict},
		{Evidence, "take a snapshot that starts after the last progress", kinds(watchdog.CmdSnapshot), (*turn).evidence},
		{Plan, "look up what the policy permits, and what the budgets leave; where the owner is to be asked, propose", kinds(watchdog.CmdPropose), (*turn).plan},
		{Approval, "wait for the owner; silence is no yes", nil, (*turn).approval},
		{StopTool, "look afresh, then stop the tool call", kinds(watchdog.CmdStopTool), (*turn).rung},
		{Abort, "look afresh, then abort the turn", kinds(watchdog.CmdAbort), (*turn).rung},
		{Interrupt, "look afresh, then send SIGINT", kinds(watchdog.CmdInterrupt), (*turn).rung},
		{Terminate, "look afresh, then send SIGTERM", kinds(watchdog.CmdTerminate), (*turn).rung},
		{Kill, "look afresh, then send SIGKILL", kinds(watchdog.CmdKill), (*turn).rung},
		{Verify, "see for a grace whether the rung had its effect", nil, (*turn).verify},
		{Steer, "a turn that our abort has ended is taken up once more by a prompt", kinds(watchdog.CmdInput), (*turn).steer},
		{Descendants, "wait until what the worker started has ended; where it does not, take a snapshot before it is ended", kinds(watchdog.CmdSnapshot), (*turn).descendants},
		{Reap, "end what is left of it, process by process", kinds(watchdog.CmdTerminate, watchdog.CmdKill), (*turn).reap},
		{Again, "take a snapshot after the last write", kinds(watchdog.CmdSnapshot), (*turn).again},
		{Classify, "look at the worktree: orphaned, half-done, publishable, resumable or empty", nil, (*turn).classify},
		{CommitWIP, "commit the half-done work", kinds(watchdog.CmdCommitWIP), (*turn).commit},
		{Publish, "publish, and see it at the remote", kinds(watchdog.CmdPublish), (*turn).publish},
		{Lease, "wait for the backoff and the spawner, then take the dispatch lease", kinds(watchdog.CmdAcquireLease), (*turn).lease},
		{Successor, "look afresh, then start the successor", kinds(watchdog.CmdRespawn), (*turn).successor},
		{Repair, "set the tracker's row right", kinds(watchdog.CmdRepairRow), (*turn).repair},
		{Prove, "see whether the snapshot restores", kinds(watchdog.CmdProveRestore), (*turn).prove},
		{Remove, "look afresh, then remove the worktree", kinds(watchdog.CmdRemoveWorktree), (*turn).remove},
		{Keep, "the owner keeps the worktree; nothing is done until they arm again, or it has new commits", nil, (*turn).keep},
		{Watch, "wait for the first progress", nil, (*turn).watch},
		{Human, "told once; nothing is done until the owner arms again, or the worktree has new commits", kinds(watchdog.CmdEscalate), (*turn).human},
		{Healed, "closed: the worker goes on", nil, nil},
		{Over, "closed: nothing is left to do", nil, nil},
	}
}

func kinds(k ...watchdog.CommandKind) []watchdog.CommandKind { return k }

// The events.
const (
	onHealed      event = "healed"
	onOperator    event = "operator"
	onSuperseded  event = "superseded"
	onConfirmed   event = "confirmed"
	onRowWrong    event = "row_wrong"
	onUnclear     event = "unclear"
	onLingers     event = "lingers"
	onEnded       event = "ended"
	onSaved       event = "saved"
	onStale       event = "stale"
	onPermitted   event = "permitted"
	onAsked       event = "asked"
	onForbidden   event = "forbidden"
	onExhausted   event = "exhausted"
	onApproved    event = "approved"
	onRefused     event = "refused"
	onChanged     event = "changed"
	onExpired     event = "expired"
	onGiven       event = "given"
	onLost        event = "lost"
	onIneffective event = "ineffective"
	onStopped     event = "stopped"
	onImmovable   event = "immovable"
	onRemain      event = "remain"
	onClear       event = "clear"
	onReaped      event = "reaped"
	onDone        event = "done"
	onManual      event = "manual"
	onSameplace   event = "same_place"
	onHalfDone    event = "half_done"
	onPublishable event = "publishable"
	onResumable   event = "resumable"
	onLeased      event = "leased"
	onFailed      event = "failed"
	onSpawned     event = "spawned"
	onHealthy     event = "healthy"
	onWorse       event = "worse"
	onRearmed     event = "rearmed"
	onRenewed     event = "renewed"
	onNever       event = "never"
	onFinished    event = "finished"
	onKept        event = "kept"
	onProven      event = "proven"
	onDeclined    event = "declined"
)

// Machine returns the transitions of an episode. Rows of Any come before those of the state.
func Machine() []Transition { return slices.Clone(transitions) }

var transitions = []Transition{
	{Any, onOperator, Over, "an operator wants the worker stopped or paused"},
	{Any, onSuperseded, Over, "a newer generation runs"},

	{Verdict, onHealed, Healed, "progress, a wait, or a good end"},
	{Verdict, onConfirmed, Evidence, "the verdict is confirmed, and nothing vetoes"},
	{Verdict, onLingers, Evidence, "a one-shot worker has settled and does not exit"},
	{Verdict, onEnded, Descendants, "the worker has ended, with proof"},
	{Verdict, onUnclear, Human, "inconclusive, and confirmed: a person has to look"},
	{Verdict, onRowWrong, Evidence, "the tracker's row is wrong, and the worker is fine"},
	{Verdict, onFinished, Again, "the work is proven done, and nobody needs the worktree"},
	{Verdict, onKept, Over, "the worktree is needed, or its work is not proven done"},

	{Evidence, onHealed, Healed, "progress, a wait, or a good end"},
	{Evidence, onEnded, Descendants, "the worker has ended"},
	{Evidence, onSaved, Plan, "the snapshot is done; the aim is the lowest rung that fits"},

	{Plan, onHealed, Healed, "progress, a wait, or a good end"},
	{Plan, onEnded, Descendants, "the worker has ended, and the plan was to stop it"},
	{Plan, onPermitted, Aim, "the policy says auto, or the owner's approval still holds"},
	{Plan, onAsked, Approval, "the policy says ask"},
	{Plan, onForbidden, Human, "the policy says never"},
	{Plan, onExhausted, Human, "a budget is spent"},
	{Plan, onSameplace, Human, "two attempts came to their stop at the same place"},

	{Approval, onHealed, Healed, "progress, a wait, or a good end"},
	{Approval, onEnded, Descendants, "the worker has ended, and the plan was to stop it"},
	{Approval, onClear, Descendants, "what was to be ended has ended by itself"},
	{Approval, onApproved, Aim, "the owner approved this item on this evidence"},
	{Approval, onExpired, Plan, "the approval came too late to be used"},
	{Approval, onRefused, Human, "the owner said no"},
	{Approval, onRearmed, Verdict, "the owner said no, and has armed again since"},
	{Approval, onDeclined, Keep, "the owner said no to a cleanup"},
	{Approval, onKept, Over, "the worktree is needed, or its work is not proven done any more"},
	{Approval, onStale, Evidence, "the worktree is not what the owner was shown, before the stop"},
	{Approval, onChanged, Again, "the worktree is not what the owner was shown, after the end"},

	{StopTool, onHealed, Healed, "progress, a wait, or a good end: stand down"},
	{StopTool, onEnded, Descendants, "the worker has ended"},
	{StopTool, onExpired, Plan, "the approval holds no longer"},
	{StopTool, onGiven, Verify, "a fresh look agrees: the call is stopped"},

	{Abort, onHealed, Healed, "progress, a wait, or a good end: stand down"},
	{Abort, onEnded, Descendants, "the worker has ended"},
	{Abort, onExpired, Plan, "the approval holds no longer"},
	{Abort, onGiven, Verify, "a fresh look agrees: the turn is aborted"},

	{Interrupt, onHealed, Healed, "progress, a wait, or a good end: stand down"},
	{Interrupt, onEnded, Descendants, "the worker has ended"},
	{Interrupt, onExpired, Plan, "the approval holds no longer"},
	{Interrupt, onGiven, Verify, "a fresh look agrees"},

	{Terminate, onHealed, Healed, "progress, a wait, or a good end: stand down"},
	{Terminate, onEnded, Descendants, "the worker has ended"},
	{Terminate, onExpired, Plan, "the approval holds no longer"},
	{Terminate, onGiven, Verify, "a fresh look agrees"},

	{Kill, onHealed, Healed, "progress, a wait, or a good end: stand down"},
	{Kill, onEnded, Descendants, "the worker has ended"},
	{Kill, onExpired, Plan, "the approval holds no longer"},
	{Kill, onGiven, Verify, "a fresh look agrees"},

	{Verify, onHealed, Healed, "the worker goes on by itself"},
	{Verify, onEnded, Descendants, "the worker has ended"},
	{Verify, onStopped, Plan, "the turn has ended by our act; the aim is steer, or interrupt where nobody can prompt"},
	{Verify, onIneffective, Plan, "the grace is over without effect; the aim is the next rung"},
	{Verify, onRefused, Verdict, "a precondition was false: look at all of it again"},
	{Verify, onLost, Aim, "the watchdog ended before the outcome came: look, and give the rung again under its key"},
	{Verify, onImmovable, Human, "SIGKILL has had no effect"},

	{Steer, onHealed, Healed, "the worker goes on by itself"},
	{Steer, onEnded, Descendants, "the worker has ended"},
	{Steer, onExpired, Plan, "the approval holds no longer"},
	{Steer, onFailed, Human, "the prompt could not be sent"},
	{Steer, onGiven, Watch, "prompted"},

	{Descendants, onRemain, Plan, "they do not end; the aim is reap"},
	{Descendants, onReaped, Over, "a worker that had settled has exited, or it runs after all"},
	{Descendants, onClear, Again, "nothing of the worker runs"},

	{Reap, onExpired, Plan, "the approval holds no longer"},
	{Reap, onClear, Descendants, "they have ended"},
	{Reap, onStale, Descendants, "they have committed since the snapshot"},
	{Reap, onImmovable, Human, "SIGKILL has had no effect"},

	{Again, onSaved, Classify, "the snapshot is done"},

	{Classify, onChanged, Again, "the worktree has changed since the snapshot"},
	{Classify, onDone, Over, "the tracker has the task as done"},
	{Classify, onManual, Human, "what is left needs a person: a merge under way, a task that goes round in circles"},
	{Classify, onHalfDone, Plan, "dirty: the aim is commit_wip, or lease if the owner is to say"},
	{Classify, onPublishable, Plan, "clean, ahead, and its gates have passed; the aim is publish"},
	{Classify, onResumable, Plan, "orphaned, resumable or empty; the aim is lease"},
	{Classify, onFinished, Prove, "done, and nobody needs the worktree"},
	{Classify, onKept, Over, "the worktree is needed, or its work is not proven done any more"},

	{CommitWIP, onExpired, Plan, "the approval holds no longer"},
	{CommitWIP, onDone, Again, "committed"},
	{CommitWIP, onChanged, Again, "the worktree has changed since the snapshot"},
	{CommitWIP, onFailed, Human, "it cannot be committed"},

	{Publish, onExpired, Plan, "the approval holds no longer"},
	{Publish, onDone, Over, "the remote has it"},
	{Publish, onChanged, Again, "the worktree has changed since the snapshot"},
	{Publish, onFailed, Human, "it cannot be published"},

	{Lease, onExpired, Plan, "the approval holds no longer"},
	{Lease, onRenewed, Descendants, "somebody else has renewed the lease: look at all of it again"},
	{Lease, onChanged, Classify, "the lease was refused"},
	{Lease, onRefused, Human, "it was refused for as long as a person may be waited for"},
	{Lease, onLeased, Successor, "the lease is ours"},

	{Successor, onExpired, Plan, "the approval holds no longer"},
	{Successor, onRenewed, Descendants, "somebody else has renewed the lease, or something of the predecessor runs: look at all of it again"},
	{Successor, onExhausted, Human, "a budget is spent"},
	{Successor, onChanged, Again, "a precondition was false; what was spent is given back"},
	{Successor, onFailed, Lease, "the spawner failed: once more, after the next backoff"},
	{Successor, onRefused, Human, "refused again and again, or another worker has the session or the worktree"},
	{Successor, onNever, Human, "asked for twice, and no successor came"},
	{Successor, onSpawned, Watch, "the successor runs"},

	{Repair, onHealed, Healed, "the row is right"},
	{Repair, onExpired, Plan, "the approval holds no longer"},
	{Repair, onFailed, Human, "it cannot be set right"},

	{Prove, onProven, Plan, "it does; the aim is remove_worktree"},
	{Prove, onFailed, Again, "it does not, or nobody can tell"},
	{Prove, onKept, Over, "the worktree is needed, or its work is not proven done any more"},

	{Remove, onExpired, Plan, "the approval holds no longer"},
	{Remove, onChanged, Again, "the worktree has changed since the snapshot"},
	{Remove, onKept, Over, "the worktree is needed, or its work is not proven done any more"},
	{Remove, onDone, Over, "it is gone; the branch stays"},
	{Remove, onFailed, Human, "it cannot be removed"},

	{Keep, onRearmed, Verdict, "the owner has armed again, or the worktree has new commits"},

	{Watch, onHealthy, Healed, "the first progress"},
	{Watch, onFailed, Human, "the prompt had no effect"},
	{Watch, onWorse, Over, "it is past a limit again, or has ended: another episode"},

	{Human, onHealed, Healed, "the worker goes on by itself"},
	{Human, onRearmed, Verdict, "the owner has armed again, or the worktree has new commits"},
}

// States lists the states.
func States() []State {
	var list []State
	for _, s := range machine {
		list = append(list, s.State)
	}
	return list
}

// follow returns the row that an event takes an episode along.
func follow(from State, on event) (Transition, bool) {
	for _, tr := range transitions {
		if (tr.From == from || tr.From == Any) && tr.On == on {
			return tr, true
		}
	}
	return Transition{}, false
}

// Explain writes the machine as the tables of docs/episode.md.
func Explain() string {
	var b strings.Builder
	b.WriteString("## States\n\n| state | what is done in it | commands |\n|---|---|---|\n")
	for _, s := range machine {
		var given []string
		for _, k := range s.Commands {
			given = append(given, "`"+string(k)+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.State, s.About, strings.Join(given, ", "))
	}
	b.WriteString("\n## Transitions\n\n| from | on | to | means |\n|---|---|---|---|\n")
	for _, tr := range transitions {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", tr.From, tr.On, tr.To, tr.Means)
	}
	return b.String()
}
