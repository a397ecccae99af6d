package mutants

import (
	"slices"
	"time"

	"fakepi.example/watchdog"
)

// acting lists the mutants of recovery: they are wrong in what they do.
func acting() []Mutant {
	all := slices.Concat(evidences(), briefs(), ladders(), meddlers(), debris(), cleanups(), budgets(), restarted(), ties(), spawners(), shirkers(), misdoers())
	for i := range all {
		all[i].Acts = true
	}
	return all
}

// evidences act without evidence, or on what is none.
func evidences() []Mutant {
	return []Mutant{
		bad("stopped-without-evidence", "WDC-EVID-001", "A worker is stopped without a snapshot of its worktree. [jwbron/egg#3639]",
			forged(snapshots(false))),
		bad("succeeded-without-evidence", "WDC-EVID-001", "What a worker has left is not saved before its successor starts. [coalesce-labs/catalyst#2989]",
			forged(snapshots(true))),
		bad("commits-behind-the-evidence", "WDC-EVID-001", "What is committed behind a snapshot is not seen, and what commits is stopped.",
			worktrees(headless)),
		bad("failed-snapshot-is-evidence", "WDC-EVID-001", "A snapshot that failed is taken for one that is done.",
			outcomes(good)),
		bad("successor-told-nothing", "WDC-EVID-006", "A successor is told of no snapshot and no session.",
			commands(unbriefed)),
		bad("full-disk-ignored", "WDC-EVID-007", "What cannot be written is held to be written.",
			state(blindToErrors), outcomes(good)),
		bad("death-without-flags", "WDC-DEAD-002", "A dead worker is not said to have left changes, or a call without a result.",
			verdicts(func(_ watchdog.Instant, v *watchdog.Verdict) { v.Flags = nil })),
	}
}

// ladders climb the stop ladder otherwise.
func ladders() []Mutant {
	return []Mutant{
		bad("killed-at-once", "WDC-ACT-001", "SIGKILL stands for every rung of the ladder. [claude-code#90092]",
			swap(watchdog.CmdKill, watchdog.CmdStopTool, watchdog.CmdAbort, watchdog.CmdInterrupt, watchdog.CmdTerminate)),
		bad("rung-skipped", "WDC-ACT-001", "SIGTERM is left out of the ladder.",
			swap(watchdog.CmdKill, watchdog.CmdTerminate)),
		bad("no-grace", "WDC-ACT-001", "A rung is given a third of its grace.",
			policy(func(l *watchdog.Limits) { l.Grace /= 3 })),
		bad("abort-and-forget", "WDC-ACT-002", "Nothing follows an abort without effect. [openclaw#71127]",
			withheld(func(c *watchdog.Command) bool {
				return stopsWorker(c) || is(c, watchdog.CmdEscalate, watchdog.CmdPropose)
			})),
		bad("signals-the-neighbour", "WDC-ACT-003", "A signal goes to the process of another worker. [gastown#3192]",
			decisions(neighbours)),
		bad("acts-on-an-old-verdict", "WDC-ACT-004", "What a worker writes between its verdict and the act is not read. [paperclip#4767]",
			resolved()),
		bad("sent-is-ended", "WDC-ACT-005", "A signal that was sent is taken for the end of the worker.",
			forged(sentIsEnded)),
		bad("starts-two", "WDC-ACT-005", "Two successors are started. [gastown#1752]",
			decisions(repeated(watchdog.CmdRespawn))),
		bad("nudges-instead", "WDC-ACT-006", "A silent worker is prompted where its turn should be aborted. [vanillagreencom/kendex#837]",
			swap(watchdog.CmdInput, watchdog.CmdAbort)),
		bad("descendants-forgotten", "WDC-ACT-007", "What a worker has started is not seen once it has ended. [codex#4337]",
			observations(childless)),
		bad("tool-spared", "WDC-TOOL-006", "The turn is aborted where its tool should be stopped first.",
			withheld(func(c *watchdog.Command) bool { return c.Kind == watchdog.CmdStopTool })),
		bad("signals-by-name", "WDC-FENCE-001", "A signal names no process.",
			commands(untargeted)),
		bad("signals-by-pid", "WDC-FENCE-001", "A signal names a process id, whoever has it now.",
			commands(byPID)),
	}
}

// meddlers do what a person is to do, or against a person's word.
func meddlers() []Mutant {
	return []Mutant{
		bad("stops-a-waiting-worker", "WDC-WAIT-001", "A worker that waits for a person is stopped.",
			decisions(answering(watchdog.CmdInterrupt, ""))),
		bad("answers-dialogs", "WDC-WAIT-004", "A dialog is answered by the watchdog. [grandamenium/cortextos#647]",
			decisions(answering(watchdog.CmdAnswer, `{"type":"extension_ui_response","id":"","confirmed":true}`))),
		bad("operator-ignored", "WDC-LIFE-005", "An operator's stop is not heard. [codev#1322]",
			unseen(watchdog.KindOperator)),
		bad("vetoes-ignored", "WDC-GATE-005", "Vetoes in the tracker are not read.",
			tasks(func(t *watchdog.Task) { t.Vetoes = nil })),
		bad("everybody-is-autonomous", "WDC-GATE-005", "A session in which a person works is treated like any other.",
			spawned(func(s *watchdog.Spawned) { s.Autonomous = true })),
		bad("plan-without-evidence", "WDC-GATE-001", "A proposal shows neither evidence nor reason.",
			commands(bare)),
		bad("asks-nobody", "WDC-GATE-002", "What the policy has the owner asked is done without.",
			policy(permissive)),
		bad("approved-for-an-hour-more", "WDC-GATE-002", "What was approved until a moment may be carried out an hour behind it.",
			commands(anHourMore)),
		bad("approval-used-again", "WDC-GATE-002", "The owner's yes to one proposal counts for the next, whatever its evidence.",
			forged(reconsents)),
		bad("silence-is-consent", "WDC-GATE-003", "A proposal is carried out before the owner has answered.",
			forged(consents)),
		bad("anybody-is-the-owner", "WDC-GATE-007", "Whoever approves or arms again is taken for the owner, a worker too.",
			bodies(gullible)),
		bad("signed-is-said", "WDC-GATE-007", "What the owner has signed counts as often as it is shown, whatever they have said since.",
			undated()),
		bad("tidies-up", "WDC-WORK-002", "The worktree of a dead worker is removed. [AO#5074]",
			decisions(tidies)),
		bad("gates-believed", "WDC-WORK-006", "Work is published whatever its gates say.",
			worktrees(praised)),
	}
}

// debris misread what a worker has left, and what became of their own commands.
func debris() []Mutant {
	return []Mutant{
		bad("half-done-is-clean", "WDC-WORK-001", "Uncommitted changes are not seen, so that a successor finds them unasked.",
			worktrees(func(_ source, w *watchdog.Worktree) { w.Dirty = false })),
		bad("merge-is-no-matter", "WDC-WORK-004", "A successor is started in the middle of a merge.",
			worktrees(func(_ source, w *watchdog.Worktree) { w.Midway = false })),
		bad("wrong-row-left", "WDC-WORK-005", "A row that is wrong stays so, and nobody is told.",
			withheld(func(c *watchdog.Command) bool { return is(c, watchdog.CmdRepairRow, watchdog.CmdEscalate) })),
		bad("lease-of-others-ignored", "WDC-WORK-008", "A lease that somebody else has renewed is not seen.",
			tasks(func(t *watchdog.Task) { t.Lease = "" })),
		bad("unknown-is-failed", "WDC-SIDE-003", "A command of which nobody knows what became is held to have failed.",
			settledOutcome(watchdog.ResultUnknown, watchdog.ResultFailed)),
		bad("unknown-is-done", "WDC-SIDE-003", "A command of which nobody knows what became is held to be done.",
			settledOutcome(watchdog.ResultUnknown, watchdog.ResultDone)),
		bad("repeats-unheard", "WDC-SIDE-002", "A start of which nobody knows what became is given again, and nobody looks. [laurigates/claude-plugins#1868]",
			decisions(repeatsUnknown(watchdog.CmdRespawn))),
		bad("removes-on-a-word", "WDC-EVID-005", "A worktree is removed on the owner's yes, and nobody knows whether its evidence restores.",
			decisions(clears)),
	}
}

// shirkers do not do what they could.
func shirkers() []Mutant {
	return []Mutant{
		bad("alarms-at-boot", "WDC-REST-001", "Behind a restart the owner is told that each worker stalls.",
			decisions(alarmedAtBoot)),
		bad("unsure-where-asked", "WDC-GATE-006", "Where the owner is to be asked no alarm is confirmed.",
			decisions(unsureWhereAsked)),
		bad("term-is-the-last-rung", "WDC-ACT-008", "A worker that does not heed SIGTERM is left alone.",
			withheld(func(c *watchdog.Command) bool { return is(c, watchdog.CmdKill, watchdog.CmdEscalate) })),
	}
}

// budgets spend without end, or forget.
func budgets() []Mutant {
	return []Mutant{
		bad("attempts-without-end", "WDC-BUDG-001", "A task is taken up again and again. [claude-code#63698]",
			policy(func(l *watchdog.Limits) { l.ResumeAttempts, l.Restarts, l.AttemptsTotal = many, many, many })),
		bad("attempts-total-ignored", "WDC-BUDG-001", "Pi's own retries are no attempts.",
			policy(func(l *watchdog.Limits) { l.AttemptsTotal = many })),
		bad("tokens-are-free", "WDC-BUDG-006", "What a task may use of tokens is not bounded.",
			policy(func(l *watchdog.Limits) { l.Tokens = 0 })),
		bad("money-is-free", "WDC-BUDG-006", "What a task may cost is not bounded.",
			policy(func(l *watchdog.Limits) { l.CostUSD = 0 })),
		bad("every-cause-is-the-start", "WDC-BUDG-001", "A task is taken up again and again, each time as if its worker had not started.",
			policy(func(l *watchdog.Limits) { l.ResumeAttempts, l.Restarts, l.AttemptsTotal = many, many, many }), commands(excused)),
		bad("every-end-is-the-start", "WDC-LIFE-001", "The budget of workers that never started is spent on those that did.",
			policy(func(l *watchdog.Limits) { l.ResumeAttempts = many }), commands(excused)),
		bad("half-done-is-committed", "WDC-WORK-004", "Uncommitted work is committed and taken up where the owner wants to be asked.",
			policy(func(l *watchdog.Limits) { l.Dirty = watchdog.DirtyCommitWIP })),
		bad("failed-start-is-free", "WDC-BUDG-001", "A start that failed is no attempt.",
			outcomes(freeFailures)),
		bad("no-backoff", "WDC-BUDG-004", "The next attempt follows at once.",
			policy(func(l *watchdog.Limits) { l.BackoffBase, l.BackoffCap = time.Second, time.Second })),
		bad("escalates-again", "WDC-BUDG-002", "A person is called twice, under two keys.",
			decisions(repeated(watchdog.CmdEscalate))),
		bad("gives-up-in-silence", "WDC-BUDG-002", "A task whose budget is spent is left, and nobody is told.",
			withheld(func(c *watchdog.Command) bool { return c.Kind == watchdog.CmdEscalate })),
		bad("budgets-forgotten", "WDC-BUDG-003", "Every budget begins afresh with the watchdog.",
			rearmed()),
		bad("parked-for-ever", "WDC-BUDG-005", "A task that was handed to a person is never taken up again.",
			bodies(func(b watchdog.Body) watchdog.Body {
				if o, ok := b.(watchdog.Operator); ok && o.Intent == watchdog.IntentRearm {
					return nil
				}
				return b
			})),
		bad("no-outlives-the-rearm", "WDC-BUDG-005", "Of a no and a word that arms again, heard at once, only the no is heard.",
			deafToRearms()),
		bad("same-place-again", "WDC-LOOP-003", "Attempts that die at the same place are not told apart from others. [paperclip#2358]",
			worktrees(moving)),
		bad("bounces-for-ever", "WDC-LOOP-004", "A task that goes to and fro is taken up each time.",
			tasks(func(t *watchdog.Task) { t.Status = "in_progress" })),
	}
}

// restarted are wrong behind a restart of their own.
func restarted() []Mutant {
	return []Mutant{
		bad("memory-lost", "WDC-REST-001", "A restart forgets everything.",
			state(forgetful)),
		bad("never-synced", "WDC-REST-001", "What is written is not made safe before the act.",
			state(careless)),
		bad("acknowledged-too-early", "WDC-REST-001", "Whatever was shown counts as durably read.",
			decisions(acknowledged)),
		bad("reminds-behind-a-gap", "WDC-OBS-007", "Of a worker of which something was lost the owner is reminded behind a restart, as if it waited.",
			decisions(reminded)),
		bad("prompts-again", "WDC-ACT-006", "A prompt of whose outcome nothing is known is given again, although the worker has it.",
			decisions(insistent)),
		bad("acts-before-it-writes", "WDC-REST-002", "What is written becomes safe behind the act that rests on it.",
			state(late)),
		bad("approvals-unrecorded", "WDC-GATE-004", "It is not written down what the owner has approved.",
			state(unnamed)),
		bad("no-quarantine", "WDC-REST-003", "A restarted watchdog acts before it has looked.",
			firstBoot),
		bad("no-pulse", "WDC-REST-005", "Nothing shows that the watchdog turns.",
			withheld(func(c *watchdog.Command) bool { return c.Kind == watchdog.CmdHeartbeat })),
		bad("pulse-of-the-first-life", "WDC-REST-005", "Behind a restart nothing shows that the watchdog turns.",
			decisions(onceBeating)),
		bad("told-again-after-restart", "WDC-ALERT-002", "What the owner was told is told again behind a restart. [pmcfadin/acmon#29]",
			decisions(retold)),
		bad("notice-is-the-act", "WDC-ALERT-001", "Nothing is done about a worker of which the owner was told. [openclaw#71127]",
			decisions(noticeInstead)),
		bad("predecessor-judged", "WDC-REST-004", "A successor is judged by what its predecessor did last. [jwbron/egg#2097]",
			observations(inherited)),
	}
}

// spawners start what they may not, or fight the spawner.
func spawners() []Mutant {
	return []Mutant{
		bad("starts-without-a-lease", "WDC-FENCE-003", "A successor is started without the dispatch lease.",
			forged(leases)),
		bad("stale-token", "WDC-FENCE-003", "Every successor is started with the token of the first lease.",
			decisions(firstToken)),
		bad("stale-wakeup", "WDC-FENCE-002", "A stop that was meant for a worker reaches its successor. [claude-code#68198]",
			decisions(staleWakeup)),
		bad("one-key-for-all", "WDC-SIDE-004", "Commands of different kinds have one key.",
			commands(oneKey)),
		bad("one-item-for-all", "WDC-SIDE-004", "Whatever is proposed again is the item that the owner has answered.",
			commands(oneItem)),
		bad("key-of-the-boot", "WDC-SIDE-004", "What is done again behind a restart has another key.",
			decisions(keyOfBoot)),
		bad("hammers-the-spawner", "WDC-QUEUE-001", "What an outage blocks is tried all the time.",
			unseen(watchdog.KindLink)),
		bad("outage-for-ever", "WDC-QUEUE-001", "What an outage has blocked is never done. [multica-ai/multica#4336]",
			observations(stillDown)),
		bad("mass-death-is-many", "WDC-FLEET-002", "Many deaths at once are many incidents.",
			policy(func(l *watchdog.Limits) { l.MassWindow = 0 }), forged(remembered)),
		bad("deaths-far-apart-are-one", "WDC-FLEET-002", "Deaths of two windows are one incident.",
			policy(func(l *watchdog.Limits) { l.MassWindow *= 2 })),
		bad("blind-in-the-outage", "WDC-QUEUE-002", "What an outage has blocked is done before anything that happened meanwhile is read.",
			behindTheTimes()),
		bad("starts-at-each-flap", "WDC-QUEUE-003", "A successor is started again each time the spawner is back.",
			decisions(flapping)),
		bad("session-is-its-own", "WDC-FENCE-004", "A session that another worker has open is resumed.",
			unshared()),
		bad("one-fate-for-all", "WDC-FLEET-001", "The end of one worker is that of all.",
			observations(oneFate)),
		bad("waits-for-the-outcome", "WDC-FLEET-005", "Nothing is seen of a worker while what was ordered about another has no outcome.",
			blocking()),
		bad("one-act-at-a-time", "WDC-FLEET-005", "What is to be done about a worker waits for the outcome of what was done about another.",
			decisions(oneAct)),
		bad("recoveries-without-end", "WDC-FLEET-003", "As many workers are recovered at one time as need it.",
			policy(func(l *watchdog.Limits) { l.Recoveries = many })),
	}
}

// many is a bound that is never reached.
const many = 1 << 20

// permissive permits everything.
func permissive(l *watchdog.Limits) {
	effects := map[watchdog.EffectClass]watchdog.Permission{}
	for class, p := range l.Effects {
		if p == watchdog.PermitAsk {
			p = watchdog.PermitAuto
		}
		effects[class] = p
	}
	l.Effects = effects
}
