package mistakes

import (
	"slices"

	"fakepi.example/watchdog"
)

// charge says to which requirement a mistake may be charged: one of these, made in one of the phases (none: any), where the
// subject claimed one of said (none: anything).
type charge struct {
	id       string
	mistakes []Mistake
	phases   []watchdog.VerdictName
	said     []watchdog.VerdictName
	facts    Facts // only where the scenario names this requirement, and this holds
	tested   bool  // only where the scenario names this requirement
}

func (c *charge) fits(m Mistake, at *Circumstances) bool {
	return slices.Contains(c.mistakes, m) &&
		(len(c.phases) == 0 || slices.Contains(c.phases, at.Phase)) &&
		(len(c.said) == 0 || slices.Contains(c.said, at.Said)) &&
		at.Facts&c.facts == c.facts
}

// Mistakes that are charged alike.
var (
	verdicts = of(Early, Unjustified, NeedlessNotice, Late, Misnamed, Lingering)
	// deeds are all that a subject can do wrong by acting, or by leaving it.
	deeds = of(Unjustified, Unapproved, InputWhileWaiting, NeedlessInput, VetoIgnored, OperatorIgnored, SnapshotMissing, SnapshotOutdated, RungSkipped,
		WrongTarget, TwoWorkers, LeftoversRunning, BudgetExceeded, BackoffShort, EscalatedAgain, RepeatedBlindly, WrongKey, NoLookAfterRestart,
		WrongGeneration, LeaseMissing, OutageIgnored, MassDeathUnprobed, TooManyRecoveries, DoneUnproven, RestoreUnproven, BriefIncomplete, NotDurable,
		FutileAttempt, RemovedUnasked, FlagsWrong, TaskBouncing, LeftAlone)
)

func of(m ...Mistake) []Mistake { return m }

func both(sets ...[]Mistake) []Mistake { return slices.Concat(sets...) }

func in(phases ...watchdog.VerdictName) []watchdog.VerdictName { return phases }

// Open lists the phases of an unfinished run.
func Open() []watchdog.VerdictName {
	return in(watchdog.VerdictCompacting, watchdog.VerdictBackingOff, watchdog.VerdictRunningTool, watchdog.VerdictStarting,
		watchdog.VerdictAwaitingFirstToken, watchdog.VerdictStreaming, watchdog.VerdictEnding, watchdog.VerdictWorking)
}

// charges are those to other requirements than the table's, the most specific first.
var charges = []charge{
	// About what the subject was shown, in whatever phase.
	{id: "WDC-OBS-001", mistakes: both(verdicts, of(Crash)), tested: true},
	{id: "WDC-OBS-002", mistakes: verdicts, tested: true},
	{id: "WDC-OBS-003", mistakes: verdicts, tested: true},
	{id: "WDC-OBS-004", mistakes: both(verdicts, of(NoticeRepeated, AttentionMissing)), facts: OutputWithoutProgress},
	{id: "WDC-OBS-005", mistakes: both(verdicts, of(FalseDeath)), facts: ProbesFailed},
	{id: "WDC-OBS-006", mistakes: both(verdicts, of(ConfirmedEarly)), facts: FileReplaced},
	{id: "WDC-OBS-007", mistakes: both(verdicts, of(ConfirmedEarly)), facts: BytesMissing},
	{id: "WDC-OBS-008", mistakes: both(verdicts, of(ConfirmedEarly, NoticeMissing)), facts: FinishedMessagesOnly},
	{id: "WDC-CLOCK-001", mistakes: both(verdicts, of(AttentionEarly, AttentionMissing, ReminderEarly)), facts: ClockLeapt},
	{id: "WDC-CLOCK-002", mistakes: verdicts, facts: TrackerShown},
	{id: "WDC-PAUSE-005", mistakes: both(verdicts, of(ConfirmedEarly, AttentionEarly)), facts: HostSlept},
	{id: "WDC-ALERT-001", mistakes: of(Late), facts: OwnerTold},
	{id: "WDC-STALL-004", mistakes: both(verdicts, of(NoticeMissing)), facts: Recovered},
	{id: "WDC-STALL-004", mistakes: of(Lingering)},

	// About waits for a person.
	{id: "WDC-WAIT-001", mistakes: verdicts, phases: in(watchdog.VerdictAwaitingUser)},
	{id: "WDC-WAIT-002", mistakes: verdicts, facts: OutputWithoutProgress},
	{id: "WDC-WAIT-003", mistakes: verdicts, facts: DialogOpened},
	{id: "WDC-WAIT-007", mistakes: of(Misnamed, Late), said: in(watchdog.VerdictAwaitingUser), tested: true},
	{id: "WDC-WAIT-005", mistakes: verdicts, phases: in(watchdog.VerdictIdle)},
	{id: "WDC-WAIT-005", mistakes: verdicts, phases: in(watchdog.VerdictSettled, watchdog.VerdictSettledUnproven), tested: true},

	// About delays that are declared or excused.
	{id: "WDC-PAUSE-001", mistakes: both(verdicts, of(AttentionEarly)), phases: in(watchdog.VerdictBackingOff)},
	{id: "WDC-PAUSE-001", mistakes: verdicts, facts: Delayed},
	{id: "WDC-PAUSE-002", mistakes: both(verdicts, of(AttentionEarly)), phases: in(watchdog.VerdictCompacting)},
	{id: "WDC-PAUSE-002", mistakes: verdicts, facts: Compacted},
	{id: "WDC-PAUSE-003", mistakes: both(verdicts, of(NoticeMissing)), phases: in(watchdog.VerdictAwaitingQuota)},
	{id: "WDC-PAUSE-003", mistakes: verdicts, facts: Refused},
	{id: "WDC-PAUSE-004", mistakes: verdicts, phases: in(watchdog.VerdictAwaitingAuth)},
	{id: "WDC-PAUSE-004", mistakes: verdicts, facts: Refused},

	// About a worker that owes progress.
	{id: "WDC-ALERT-004", mistakes: of(Unjustified), facts: BeforeLimit},
	{id: "WDC-TOOL-007", mistakes: of(Late, Misnamed), phases: in(watchdog.VerdictRunningTool), facts: ProcessesGone},
	{id: "WDC-TOOL-004", mistakes: verdicts, facts: ParallelCalls},
	{id: "WDC-TOOL-003", mistakes: verdicts, phases: in(watchdog.VerdictRunningTool), tested: true},
	{id: "WDC-TOOL-002", mistakes: of(Late), phases: in(watchdog.VerdictRunningTool)},
	{id: "WDC-TOOL-001", mistakes: both(verdicts, of(AttentionEarly)), phases: in(watchdog.VerdictRunningTool)},
	{id: "WDC-LIFE-001", mistakes: verdicts, phases: in(watchdog.VerdictStarting)},
	{id: "WDC-LIFE-002", mistakes: of(Misnamed, NeedlessNotice), phases: Open(), said: in(watchdog.VerdictSettled, watchdog.VerdictSettledUnproven, watchdog.VerdictIdle)},
	{id: "WDC-TTFT-004", mistakes: verdicts, phases: in(watchdog.VerdictAwaitingFirstToken), facts: LimitsOverridden},
	{id: "WDC-TTFT-001", mistakes: verdicts, phases: in(watchdog.VerdictAwaitingFirstToken), tested: true},
	{id: "WDC-TTFT-001", mistakes: of(Misnamed), phases: in(watchdog.VerdictAwaitingFirstToken)},
	{id: "WDC-TTFT-003", mistakes: of(Late), phases: in(watchdog.VerdictAwaitingFirstToken)},
	{id: "WDC-TTFT-002", mistakes: verdicts, phases: in(watchdog.VerdictAwaitingFirstToken)},
	{id: "WDC-STALL-002", mistakes: of(Late, Misnamed), tested: true},
	{id: "WDC-STALL-001", mistakes: verdicts, phases: in(watchdog.VerdictStreaming)},
	{id: "WDC-STALL-005", mistakes: verdicts, phases: in(watchdog.VerdictWorking)},
	{id: "WDC-STALL-002", mistakes: of(Late), phases: in(watchdog.VerdictEnding)},
	{id: "WDC-LIFE-002", mistakes: verdicts, phases: in(watchdog.VerdictEnding)},

	// About ends, good and bad.
	{id: "WDC-LIFE-003", mistakes: verdicts, phases: in(watchdog.VerdictSettled)},
	{id: "WDC-LIFE-006", mistakes: verdicts, phases: in(watchdog.VerdictSettledUnproven, watchdog.VerdictDead), facts: ExitedWithZero},
	{id: "WDC-LIFE-004", mistakes: both(verdicts, of(NoticeMissing)), phases: in(watchdog.VerdictSettledUnproven)},
	{id: "WDC-DEAD-001", mistakes: of(DeathUnconfirmed), tested: true},
	{id: "WDC-DEAD-004", mistakes: verdicts, phases: in(watchdog.VerdictDead)},

	// About what the owner is told.
	{id: "WDC-ALERT-002", mistakes: of(NoticeMissing), facts: Recovered},

	{id: "WDC-BUDG-004", mistakes: of(ReleasedTogether), tested: true},

	// What a scenario is about where the same deed breaks several requirements.
	{id: "WDC-RACE-001", mistakes: both(deeds, verdicts), tested: true},
	{id: "WDC-RACE-002", mistakes: both(deeds, verdicts), tested: true},
	{id: "WDC-REST-001", mistakes: both(deeds, verdicts, of(NoticeMissing, NoticeRepeated)), tested: true},
	{id: "WDC-REST-004", mistakes: both(verdicts, of(BudgetExceeded, WrongGeneration)), tested: true},
	{id: "WDC-ACT-003", mistakes: of(WrongTarget), tested: true},
	{id: "WDC-ACT-004", mistakes: of(Unjustified, InputWhileWaiting, NeedlessInput), tested: true},
	{id: "WDC-ACT-002", mistakes: of(LeftAlone, RungSkipped), tested: true},
	{id: "WDC-ACT-008", mistakes: of(RungSkipped, LeftAlone), tested: true},
	{id: "WDC-WAIT-001", mistakes: of(Unjustified, InputWhileWaiting), tested: true},
	{id: "WDC-PAUSE-003", mistakes: of(Unjustified, BudgetExceeded), tested: true},
	{id: "WDC-PAUSE-004", mistakes: of(Unjustified, BudgetExceeded), tested: true},
	{id: "WDC-LIFE-001", mistakes: of(BudgetExceeded, LeftAlone), tested: true},
	{id: "WDC-LIFE-003", mistakes: of(Unjustified, LeftAlone), tested: true},
	{id: "WDC-EVID-007", mistakes: of(SnapshotMissing, SnapshotOutdated, LeftAlone), tested: true},
	{id: "WDC-WORK-001", mistakes: of(DoneUnproven, Unjustified, SnapshotOutdated, LeftAlone), tested: true},
	{id: "WDC-WORK-004", mistakes: of(BudgetExceeded, BackoffShort, Unapproved, LeftAlone), tested: true},
	{id: "WDC-WORK-005", mistakes: of(Unjustified, TwoWorkers), tested: true},
	{id: "WDC-WORK-008", mistakes: of(LeaseMissing, TwoWorkers), tested: true},
	{id: "WDC-SIDE-003", mistakes: of(RepeatedBlindly, TwoWorkers, LeaseMissing, LeftAlone), tested: true},
	{id: "WDC-SIDE-004", mistakes: of(RepeatedBlindly, TwoWorkers), tested: true},
	{id: "WDC-GATE-002", mistakes: of(Unapproved, RemovedUnasked, Unjustified), tested: true},
	{id: "WDC-GATE-003", mistakes: of(Unapproved, RemovedUnasked), tested: true},
	{id: "WDC-GATE-004", mistakes: of(LeftAlone), tested: true},
	{id: "WDC-GATE-007", mistakes: of(Unapproved, RemovedUnasked, OperatorIgnored, BudgetExceeded, BackoffShort, Unjustified, Late, NoticeMissing, AttentionMissing, LeftAlone), tested: true},
	{id: "WDC-BUDG-002", mistakes: of(LeftAlone, BudgetExceeded), tested: true},
	{id: "WDC-BUDG-003", mistakes: of(BudgetExceeded), tested: true},
	{id: "WDC-BUDG-005", mistakes: of(LeftAlone), tested: true},
	{id: "WDC-QUEUE-001", mistakes: of(LeftAlone), tested: true},
	{id: "WDC-QUEUE-002", mistakes: of(Unjustified, TwoWorkers), tested: true},
	{id: "WDC-QUEUE-003", mistakes: of(TwoWorkers, OutageIgnored, RepeatedBlindly), tested: true},
	{id: "WDC-FENCE-003", mistakes: of(TwoWorkers), tested: true},
	{id: "WDC-FENCE-004", mistakes: of(TwoWorkers, VetoIgnored), tested: true},
	{id: "WDC-FLEET-001", mistakes: both(deeds, verdicts), tested: true},
	{id: "WDC-FLEET-005", mistakes: of(Late, NoticeMissing, LeftAlone), tested: true},
	{id: "WDC-ALERT-001", mistakes: of(LeftAlone), tested: true},
	{id: "WDC-ALERT-002", mistakes: of(NoticeRepeated, NoticeMissing), tested: true},
}
