package mistakes

// These are about acts, and acts that were left undone.
const (
	Unjustified        Mistake = "unjustified_act"
	Unapproved         Mistake = "unapproved"
	ApprovalExpired    Mistake = "approval_expired"
	InputWhileWaiting  Mistake = "input_while_waiting"
	NeedlessInput      Mistake = "needless_input"
	VetoIgnored        Mistake = "veto_ignored"
	OperatorIgnored    Mistake = "operator_ignored"
	SnapshotMissing    Mistake = "snapshot_missing"
	SnapshotOutdated   Mistake = "snapshot_outdated"
	RungSkipped        Mistake = "rung_skipped"
	WorkerBeforeTool   Mistake = "worker_before_tool"
	WrongTarget        Mistake = "wrong_target"
	TwoWorkers         Mistake = "two_workers"
	LeftoversRunning   Mistake = "leftovers_running"
	BudgetExceeded     Mistake = "budget_exceeded"
	BackoffShort       Mistake = "backoff_short"
	EscalatedAgain     Mistake = "escalated_again"
	AskedAgain         Mistake = "asked_again"
	RepeatedBlindly    Mistake = "repeated_blindly"
	WrongKey           Mistake = "wrong_key"
	NoLookAfterRestart Mistake = "no_look_after_restart"
	NotRecorded        Mistake = "not_recorded"
	HeartbeatMissing   Mistake = "heartbeat_missing"
	WrongGeneration    Mistake = "wrong_generation"
	LeaseMissing       Mistake = "lease_missing"
	OutageIgnored      Mistake = "outage_ignored"
	MassDeathUnprobed  Mistake = "mass_death_unprobed"
	TooManyRecoveries  Mistake = "too_many_recoveries"
	DoneUnproven       Mistake = "done_unproven"
	CleanupUnproven    Mistake = "cleanup_unproven"
	RestoreUnproven    Mistake = "restore_unproven"
	BriefIncomplete    Mistake = "brief_incomplete"
	BriefWithoutAdvice Mistake = "brief_without_advice"
	CallUnmentioned    Mistake = "call_unmentioned"
	ResultUnmentioned  Mistake = "result_unmentioned"
	NotDurable         Mistake = "not_durable"
	FutileAttempt      Mistake = "futile_attempt"
	ProposalIncomplete Mistake = "proposal_incomplete"
	RemovedUnasked     Mistake = "removed_unasked"
	ClosedTaskResumed  Mistake = "closed_task_resumed"
	FlagsWrong         Mistake = "flags_wrong"
	TaskBouncing       Mistake = "task_bouncing"
	LeftAlone          Mistake = "left_alone"
	UnknownCommand     Mistake = "unknown_command"
	ReleasedTogether   Mistake = "released_together"
)

var ofDeeds = []Row{
	{Unjustified, "WDC-OBS-002",
		"It gave a destructive command that nothing calls for.",
		"Compare the command with the truth: is the worker past a limit, or gone?"},
	{Unapproved, "WDC-GATE-002",
		"It did what the policy or the owner does not permit.",
		"Look up the effect class in the policy; where it says ask, look for the proposal and the owner's yes to it."},
	{ApprovalExpired, "WDC-GATE-002",
		"A command took effect after the end of the approval that it rests on.",
		"Compare the time of the act with not_after of the owner's decision."},
	{InputWhileWaiting, "WDC-WAIT-004",
		"It put words into a worker that waits for a person.",
		"Look for an open dialog, or a process at a terminal, when the command was given."},
	{NeedlessInput, "WDC-ACT-006",
		"It put words into a worker that it had not aborted, or did so again.",
		"Look for its own abort before the words; one nudge may follow it."},
	{VetoIgnored, "WDC-GATE-005",
		"It acted in spite of a veto: of the tracker, of a person in the session, or of a forked session.",
		"Look at the vetoes of the task's row, and at \"autonomous\" of the spawn."},
	{OperatorIgnored, "WDC-LIFE-005",
		"It acted or raised an alarm although the operator had stopped or paused the worker.",
		"Look for the operator's last word on the worker."},
	{SnapshotMissing, "WDC-EVID-001",
		"It stopped a worker without a snapshot that was begun after its last progress.",
		"Compare the start of the last finished snapshot with the last progress or commit."},
	{SnapshotOutdated, "WDC-EVID-001",
		"It acted on a worktree without a snapshot that was begun after the last write.",
		"Compare the start of the last finished snapshot with the last write."},
	{RungSkipped, "WDC-ACT-001",
		"It climbed the ladder of stops without the rung below, or without the grace between two rungs.",
		"Compare the order and the times of abort, interrupt, terminate and kill."},
	{WorkerBeforeTool, "WDC-TOOL-006",
		"It stopped the worker, though only a tool stalls, before it had stopped the tool.",
		"Look for a stop_tool before the first stop of the worker."},
	{WrongTarget, "WDC-FENCE-001",
		"It sent a signal to no process in particular, or to one that is not the worker's.",
		"Compare pid and start time of the command with the processes of the probes."},
	{TwoWorkers, "WDC-ACT-005",
		"Two workers live on one task, session or worktree by its doing.",
		"Look for the end of the predecessor before the respawn."},
	{LeftoversRunning, "WDC-ACT-007",
		"It started a successor while processes of the predecessor still run.",
		"Look at the process tree when the respawn took effect."},
	{BudgetExceeded, "WDC-BUDG-001",
		"It made an attempt beyond a budget.",
		"Count the respawns, steers and inputs, and the worker's own retries, against the limits of the policy."},
	{BackoffShort, "WDC-BUDG-004",
		"It made an attempt before its backoff was over.",
		"Compare the gap between two attempts with backoff_base times backoff_factor for each attempt before."},
	{EscalatedAgain, "WDC-BUDG-002",
		"It escalated what it had escalated already.",
		"Compare the keys of the escalations."},
	{AskedAgain, "WDC-GATE-004",
		"It asks the owner again for what they have approved.",
		"Compare the two proposals: the same act on the same evidence."},
	{RepeatedBlindly, "WDC-SIDE-002",
		"It repeated an act whose outcome it did not know, without a look at what became of it.",
		"Look for a probe and an inspection between the two commands."},
	{WrongKey, "WDC-SIDE-004",
		"A command has no key, or the key of another one, or another key than before the restart.",
		"Compare the keys of the two commands."},
	{NoLookAfterRestart, "WDC-REST-003",
		"It acted after its own restart before a fresh probe of each live worker.",
		"Look for definite answers to probes between the boot and the command."},
	{NotRecorded, "WDC-REST-002",
		"It acted on a decision that is not safe in its journal.",
		"Look for what was stored and synced before the command."},
	{HeartbeatMissing, "WDC-REST-005",
		"It did not show for too long that it still turns.",
		"Look for heartbeat commands: one at least in each span of the limit attention."},
	{WrongGeneration, "WDC-FENCE-002",
		"It acted on another generation of the worker than the one that runs.",
		"Compare the generation of the command with the last spawn that was shown."},
	{LeaseMissing, "WDC-FENCE-003",
		"It started a successor without the dispatch lease, or in spite of another's.",
		"Look for acquire_lease, the token of its outcome, and the lease in the task's row."},
	{OutageIgnored, "WDC-QUEUE-001",
		"It tried again what an outage blocks.",
		"Look for \"link down\" before the command and \"link up\" after it."},
	{MassDeathUnprobed, "WDC-FLEET-002",
		"It acted on one of many deaths without a probe of that worker.",
		"Count the deaths within mass_window, and look for a probe of the worker after the last of them."},
	{TooManyRecoveries, "WDC-FLEET-003",
		"It recovers more workers at one time than the policy allows.",
		"Count the workers between their first snapshot and their recovery."},
	{DoneUnproven, "WDC-WORK-006",
		"It published work whose gates do not prove that it is done.",
		"Look at the gates: each passed, on this commit, by another's word than the worker's."},
	{CleanupUnproven, "WDC-WORK-007",
		"It proposed to remove a worktree that is in use, or whose work is not proven done.",
		"Look at the worktree, the task's row, the gates, and who works there."},
	{RestoreUnproven, "WDC-EVID-005",
		"It removes something without a proof that its last snapshot restores.",
		"Look for prove_restore after the last snapshot."},
	{BriefIncomplete, "WDC-EVID-006",
		"The successor is not told of the snapshot and the session.",
		"Compare snapshot and session of the respawn with the last snapshot and the spawn."},
	{BriefWithoutAdvice, "WDC-WORK-003",
		"The brief does not tell the successor to look at git, to verify and to commit.",
		"Read the text of the respawn."},
	{CallUnmentioned, "WDC-SIDE-001",
		"The brief does not name a call whose effect nobody knows.",
		"Compare the text of the respawn with the calls that were open at the end."},
	{ResultUnmentioned, "WDC-SIDE-005",
		"The brief does not name a call that has happened and whose result was not saved.",
		"Compare the text of the respawn with the calls that ended without a message of their result."},
	{NotDurable, "WDC-EVID-007",
		"It acted while nothing could be made durable.",
		"Look for \"disk full\" before the command."},
	{FutileAttempt, "WDC-LOOP-003",
		"It made another attempt after two that came to their stop at the same place.",
		"Compare phase, call and commit at which the last two generations stopped."},
	{ProposalIncomplete, "WDC-GATE-001",
		"A proposal does not say what is to be decided, on which evidence, or why.",
		"Look at act, if_digest and text of the proposal."},
	{RemovedUnasked, "WDC-WORK-002",
		"It removes something without the owner's yes.",
		"Look for the proposal, and for the owner's yes to the same evidence."},
	{ClosedTaskResumed, "WDC-WORK-006",
		"It started a successor unasked for a task that the tracker does not have as open.",
		"Look at the word in the task's row, and for the owner's yes to the respawn."},
	{FlagsWrong, "WDC-DEAD-002",
		"The flags of a dead worker do not say what it has left.",
		"Compare the flags of the verdict with the worktree and with the calls that were open."},
	{TaskBouncing, "WDC-LOOP-004",
		"It made an attempt at a task that goes to and fro without a new commit.",
		"Look at the last six states of the task's row."},
	{LeftAlone, "WDC-ACT-002",
		"It left a worker to itself that needs help, and asked nobody.",
		"Look at the end of the history: the worker is not well, and there is no escalation, proposal or notice."},
	{UnknownCommand, "WDC-ACT-001",
		"It gave a command that the contract does not have.",
		"Look at the kind of the command."},
	{ReleasedTogether, "WDC-FLEET-004",
		"It started the successors of several workers at one and the same moment.",
		"Compare the times of the respawns."},
}
