package oracle

import "fakepi.example/watchdog"

func in(phases ...watchdog.VerdictName) []watchdog.VerdictName { return phases }

// open lists the phases of an unfinished run.
func open() []watchdog.VerdictName {
	return in(watchdog.VerdictCompacting, watchdog.VerdictBackingOff, watchdog.VerdictRunningTool, watchdog.VerdictStarting,
		watchdog.VerdictAwaitingFirstToken, watchdog.VerdictStreaming, watchdog.VerdictEnding, watchdog.VerdictWorking)
}

// charges maps kinds of mistakes in true phases to requirements, the most specific rows first.
func charges() []charge {
	rows := sourceCharges()
	for _, part := range [][]charge{waitCharges(), pauseCharges(), workCharges(), endCharges(), ownerCharges(), deedCharges(), testedCharges(), formCharges()} {
		rows = append(rows, part...)
	}
	return rows
}

// sourceCharges are about what the subject was shown, in whatever phase.
func sourceCharges() []charge {
	return []charge{
		{id: "WDC-OBS-001", sorts: verdicts | crash, tested: true},
		{id: "WDC-OBS-002", sorts: verdicts, tested: true},
		{id: "WDC-OBS-002", sorts: crash | stray},
		{id: "WDC-OBS-003", sorts: verdicts, tested: true},
		{id: "WDC-OBS-003", sorts: unfounded},
		{id: "WDC-OBS-004", sorts: verdicts | repeated | inattentive, fact: (*worker).chattered},
		{id: "WDC-OBS-005", sorts: verdicts | falseDeath, fact: (*worker).misprobed},
		{id: "WDC-OBS-006", sorts: verdicts | hasty, fact: (*worker).refiled},
		{id: "WDC-OBS-007", sorts: verdicts | hasty, fact: (*worker).gapped},
		{id: "WDC-OBS-008", sorts: verdicts | hasty | untold, fact: (*worker).dim},
		{id: "WDC-CLOCK-001", sorts: verdicts | forward | inattentive | pressing, fact: (*worker).leapt},
		{id: "WDC-CLOCK-001", sorts: awake},
		{id: "WDC-CLOCK-002", sorts: verdicts, fact: (*worker).tracked},
		{id: "WDC-PAUSE-005", sorts: verdicts | hasty | forward, fact: (*worker).slept},
		{id: "WDC-ALERT-001", sorts: late, fact: (*worker).toldBefore},
		{id: "WDC-STALL-004", sorts: verdicts | untold, fact: (*worker).recovered},
		{id: "WDC-STALL-004", sorts: lingering},
		{id: "WDC-STALL-003", sorts: hasty},
		{id: "WDC-LOOP-001", sorts: missedLoop},
		{id: "WDC-LOOP-002", sorts: falseLoop},
	}
}

// waitCharges are about waits for a person.
func waitCharges() []charge {
	return []charge{
		{id: "WDC-WAIT-001", sorts: verdicts, phases: in(watchdog.VerdictAwaitingUser)},
		{id: "WDC-WAIT-002", sorts: verdicts, fact: (*worker).chattered},
		{id: "WDC-WAIT-003", sorts: verdicts, fact: (*worker).asked},
		{id: "WDC-WAIT-007", sorts: misnamed | late, said: in(watchdog.VerdictAwaitingUser), tested: true},
		{id: "WDC-WAIT-005", sorts: verdicts, phases: in(watchdog.VerdictIdle)},
		{id: "WDC-WAIT-005", sorts: verdicts, phases: in(watchdog.VerdictSettled, watchdog.VerdictSettledUnproven), tested: true},
		{id: "WDC-WAIT-006", sorts: unreminded | pressing},
	}
}

// pauseCharges are about delays that are declared or excused.
func pauseCharges() []charge {
	return []charge{
		{id: "WDC-PAUSE-001", sorts: verdicts | forward, phases: in(watchdog.VerdictBackingOff)},
		{id: "WDC-PAUSE-001", sorts: verdicts, fact: (*worker).delayed},
		{id: "WDC-PAUSE-002", sorts: verdicts | forward, phases: in(watchdog.VerdictCompacting)},
		{id: "WDC-PAUSE-002", sorts: verdicts, fact: (*worker).compacted},
		{id: "WDC-PAUSE-003", sorts: verdicts | untold, phases: in(watchdog.VerdictAwaitingQuota)},
		{id: "WDC-PAUSE-003", sorts: verdicts, fact: (*worker).refused},
		{id: "WDC-PAUSE-003", sorts: invented},
		{id: "WDC-PAUSE-004", sorts: verdicts, phases: in(watchdog.VerdictAwaitingAuth)},
		{id: "WDC-PAUSE-004", sorts: verdicts, fact: (*worker).refused},
		{id: "WDC-PAUSE-004", sorts: authNotice},
	}
}

// workCharges are about a worker that owes progress.
func workCharges() []charge {
	return []charge{
		{id: "WDC-ALERT-004", sorts: harm, fact: (*worker).beforeLimit},
		{id: "WDC-TOOL-007", sorts: late | misnamed, phases: in(watchdog.VerdictRunningTool), fact: (*worker).chainDied},
		{id: "WDC-TOOL-004", sorts: verdicts, fact: (*worker).parallel},
		{id: "WDC-TOOL-003", sorts: verdicts, phases: in(watchdog.VerdictRunningTool), tested: true},
		{id: "WDC-TOOL-002", sorts: late, phases: in(watchdog.VerdictRunningTool)},
		{id: "WDC-TOOL-001", sorts: verdicts | forward, phases: in(watchdog.VerdictRunningTool)},
		{id: "WDC-TOOL-002", sorts: unnamedCall},
		{id: "WDC-TOOL-004", sorts: otherCall},
		{id: "WDC-TOOL-005", sorts: unseenPipe},
		{id: "WDC-LIFE-001", sorts: verdicts, phases: in(watchdog.VerdictStarting)},
		{id: "WDC-LIFE-002", sorts: misnamed | uncalled, phases: open(), said: in(watchdog.VerdictSettled, watchdog.VerdictSettledUnproven, watchdog.VerdictIdle)},
		{id: "WDC-TTFT-004", sorts: verdicts, phases: in(watchdog.VerdictAwaitingFirstToken), fact: (*worker).overridden},
		{id: "WDC-TTFT-001", sorts: verdicts, phases: in(watchdog.VerdictAwaitingFirstToken), tested: true},
		{id: "WDC-TTFT-001", sorts: misnamed, phases: in(watchdog.VerdictAwaitingFirstToken)},
		{id: "WDC-TTFT-003", sorts: late, phases: in(watchdog.VerdictAwaitingFirstToken)},
		{id: "WDC-TTFT-002", sorts: verdicts, phases: in(watchdog.VerdictAwaitingFirstToken)},
		{id: "WDC-STALL-002", sorts: late | misnamed, tested: true},
		{id: "WDC-STALL-001", sorts: verdicts, phases: in(watchdog.VerdictStreaming)},
		{id: "WDC-STALL-005", sorts: verdicts, phases: in(watchdog.VerdictWorking)},
		{id: "WDC-STALL-002", sorts: late, phases: in(watchdog.VerdictEnding)},
		{id: "WDC-LIFE-002", sorts: verdicts, phases: in(watchdog.VerdictEnding)},
	}
}

// endCharges are about ends, good and bad.
func endCharges() []charge {
	return []charge{
		{id: "WDC-LIFE-003", sorts: verdicts, phases: in(watchdog.VerdictSettled)},
		{id: "WDC-LIFE-006", sorts: verdicts, phases: in(watchdog.VerdictSettledUnproven, watchdog.VerdictDead), fact: (*worker).exited},
		{id: "WDC-LIFE-004", sorts: verdicts | untold, phases: in(watchdog.VerdictSettledUnproven)},
		{id: "WDC-DEAD-001", sorts: softDeath, tested: true},
		{id: "WDC-DEAD-004", sorts: verdicts, phases: in(watchdog.VerdictDead)},
		{id: "WDC-DEAD-004", sorts: softDeath},
		{id: "WDC-DEAD-001", sorts: missedDeath},
		{id: "WDC-DEAD-003", sorts: falseDeath},
	}
}

// ownerCharges are about what the owner is told.
func ownerCharges() []charge {
	return []charge{
		{id: "WDC-ALERT-002", sorts: untold, fact: (*worker).recovered},
		{id: "WDC-ALERT-002", sorts: repeated},
		{id: "WDC-ALERT-003", sorts: untold},
		{id: "WDC-ALERT-004", sorts: inattentive | forward | uncalled},
		{id: "WDC-GATE-002", sorts: unapproved},
		{id: "WDC-SAFE-002", sorts: control},
	}
}

// formCharges are about reasons.
func formCharges() []charge {
	return []charge{
		{id: "WDC-EXPL-001", sorts: unexplained},
		{id: "WDC-EXPL-002", sorts: misreasoned},
	}
}
