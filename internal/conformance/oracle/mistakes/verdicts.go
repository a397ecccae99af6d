package mistakes

// These are about verdicts.
const (
	Early             Mistake = "early"
	Late              Mistake = "late"
	Misnamed          Mistake = "misnamed"
	Lingering         Mistake = "lingering"
	ConfirmedEarly    Mistake = "confirmed_early"
	ResetInvented     Mistake = "reset_invented"
	CallUnnamed       Mistake = "call_unnamed"
	WrongCall         Mistake = "wrong_call"
	ProcessUnnamed    Mistake = "process_unnamed"
	FalseDeath        Mistake = "false_death"
	MissedDeath       Mistake = "missed_death"
	DeathUnconfirmed  Mistake = "death_unconfirmed"
	FalseLoop         Mistake = "false_loop"
	MissedLoop        Mistake = "missed_loop"
	Unfounded         Mistake = "unfounded"
	UnknownWorker     Mistake = "unknown_worker"
	BadWake           Mistake = "bad_wake"
	Crash             Mistake = "crash"
	UnknownVerdict    Mistake = "unknown_verdict"
	EndMisread        Mistake = "end_misread"
	CredentialUnnamed Mistake = "credential_unnamed"
	AskedTooOften     Mistake = "asked_too_often"
)

var ofVerdicts = []Row{
	{Early, "WDC-OBS-002",
		"It gave a verdict past a limit before that limit had passed.",
		"Compare the time of the verdict with the truth: the phase, since when it holds, and its limit in the policy."},
	{Late, "WDC-OBS-002",
		"A limit passed, and the verdict was not confirmed in time.",
		"Add the limit to the moment at which the phase began, then the confirmations; no confirmed verdict stands there."},
	{Misnamed, "WDC-OBS-002",
		"Its standing verdict names another phase than the one that holds.",
		"Compare the last verdict with the last truth of the worker."},
	{Lingering, "WDC-STALL-004",
		"An alarm that was right still stands after the progress that ends it.",
		"Look for progress after the alarm, and for the verdict that should follow it at once."},
	{ConfirmedEarly, "WDC-STALL-003",
		"It confirmed a verdict, or told the owner of it, without the fresh checks that must agree first.",
		"Count the checks between \"suspected\" and \"confirmed\": confirmations many, confirm_every apart, each answered."},
	{ResetInvented, "WDC-PAUSE-003",
		"It names an end of a quota wait that the provider did not give.",
		"Compare detail.until of the verdict with the text of the refusal."},
	{CallUnnamed, "WDC-TOOL-002",
		"A stalled tool was reported without the call that stalls.",
		"Compare detail.calls of the verdict with the calls that have begun and not ended."},
	{WrongCall, "WDC-TOOL-004",
		"A stalled tool was reported with a call that is not open.",
		"Look for the end of the call that the verdict names."},
	{ProcessUnnamed, "WDC-TOOL-005",
		"It did not name the process that holds the pipe or waits at a terminal, or named one that does not.",
		"Compare detail.holder and detail.terminal with the process tree of the last probe."},
	{FalseDeath, "WDC-DEAD-003",
		"It called a worker dead, or done, whose end was not proven.",
		"Look for the proof: a wait status, another boot id or start time, or as many empty probes as confirmations asks for."},
	{MissedDeath, "WDC-DEAD-001",
		"A worker ended, and no verdict noticed it in time.",
		"Look for \"exited\", or for probes without the process, and for the verdict after it."},
	{DeathUnconfirmed, "WDC-DEAD-004",
		"The end of a worker was proven, and the verdict does not say so.",
		"Count the probes that found no process; after the last of them the verdict must be dead."},
	{FalseLoop, "WDC-LOOP-002",
		"It reported a livelock where calls, results or the worktree change.",
		"Compare the calls before the verdict, their results, and the digest of the worktree."},
	{MissedLoop, "WDC-LOOP-001",
		"The same calls came back with the same results, and no livelock was reported.",
		"Count the calls that repeat while the worktree stands still."},
	{Unfounded, "WDC-OBS-003",
		"A verdict past a limit, or an end, rests on records that no known dialect has.",
		"Look for record types that no dialect has; until a known one follows, only inconclusive may be said."},
	{UnknownWorker, "WDC-OBS-002",
		"It spoke of a worker that does not exist, or had a command for one.",
		"Compare the worker of the verdict or command with those that were spawned."},
	{BadWake, "WDC-CLOCK-001",
		"It asked to be woken in the past, or wakes and commands without end while nothing happens.",
		"Look at the wake-up time of the decision, and at the steps at one instant."},
	{Crash, "WDC-OBS-002",
		"It answered with an error or a panic instead of a decision.",
		"The report says where it panicked; the observation right before it is what it could not take."},
	{UnknownVerdict, "WDC-EXPL-001",
		"It gave a verdict whose name or status the contract does not have.",
		"Compare name and status of the verdict with docs/verdicts.md."},
	{EndMisread, "WDC-LIFE-004",
		"It gave another reason or stop reason for an end than the last message shows.",
		"Compare detail.reason and detail.stop_reason of the verdict with the stop reason of the last message."},
	{CredentialUnnamed, "WDC-PAUSE-004",
		"A wait for a credential does not say which.",
		"Compare detail.credential of the verdict with the credential of the spawn."},
	{AskedTooOften, "WDC-PAUSE-003",
		"It asks a worker that waits for its quota again and again, and not less and less often.",
		"Compare the gaps between the probes of the state in the wait."},
}
