package mutants

import (
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// classics are the twenty that a first suite must kill.
func classics() []Mutant {
	return []Mutant{
		bad("one-timer", "WDC-TOOL-001", "One timer, stall, stands for every limit. [jwbron/egg#3639]",
			policy(func(l *watchdog.Limits) {
				l.Startup, l.Settle, l.FirstToken, l.StreamGap, l.Tool, l.Compaction = l.Stall, l.Stall, l.Stall, l.Stall, l.Stall, l.Stall
			})),
		bad("any-byte-is-progress", "WDC-STALL-001", "Whatever the worker writes counts as progress. [aaif-goose/goose#11678]",
			restarts(anyByte)),
		bad("notify-is-a-wait", "WDC-WAIT-002", "A notification is taken for a dialog.",
			lines(watchdog.StreamOut, always(on(native.KindUIRequest, blockingNotify)))),
		bad("tool-ignored", "WDC-TOOL-001", "Tools are not seen, so that their quiet is the model's. [claude-code#90092]",
			lines(watchdog.StreamOut, always(drop(native.KindToolStart, native.KindToolUpdate, native.KindToolEnd)))),
		bad("tool-never-ends", "WDC-TOOL-002", "A running tool is waited for without a limit. [earendil-works/pi#2579]",
			policy(func(l *watchdog.Limits) { l.Tool = forever })),
		bad("compaction-is-a-stall", "WDC-PAUSE-002", "A compaction is not seen, so that its quiet is a stall. [riba2534/happyclaw#623]",
			lines(watchdog.StreamOut, always(drop(native.KindCompactionStart)))),
		bad("compaction-for-ever", "WDC-PAUSE-002", "A compaction is waited for without a limit. [swt-labs/vibe-better-with-claude-code-vbw#215]",
			policy(func(l *watchdog.Limits) { l.Compaction = forever })),
		bad("wall-clock", "WDC-CLOCK-001", "Silence is measured on the civil clock, jumps included.",
			instants(civil)),
		bad("delay-ignored", "WDC-PAUSE-001", "An announced retry delay is not discounted. [earendil-works/pi#4314]",
			lines(watchdog.StreamOut, always(member(native.KindRetryStart, `"delayMs":0`)))),
		bad("alert-suppresses-verdict", "WDC-ALERT-001", "Once the owner was told of a silence, no verdict on it follows. [openclaw#71127]",
			decisions(saidEnough)),
		bad("early-start-is-a-token", "WDC-TTFT-001", "An assistant's message_start is taken for its first token. [earendil-works/pi#6581]",
			lines(watchdog.StreamOut, always(on(native.KindMessageStart, earlyToken)))),
		bad("agent-end-is-the-end", "WDC-LIFE-002", "The event agent_end is taken for the end of the work. [earendil-works/pi#4314]",
			lines(watchdog.StreamOut, always(on(native.KindAgentEnd, func(line []byte, _ *native.Skimmed) []byte { return after(line, settledRecord) })))),
		bad("exit-0-is-success", "WDC-LIFE-006", "Exit status 0 is taken for success, whatever came before it.",
			decisions(exitPraised)),
		bad("unicode-line-ends", "WDC-OBS-001", "U+2028 and U+2029 end a line.",
			lines(watchdog.StreamOut, always(unicodeLines))),
		bad("parallel-tools-merged", "WDC-TOOL-004", "Parallel calls are one, which ends when the first of them does.",
			lines(watchdog.StreamOut, oneCall)),
		bad("dialog-timeout-ignored", "WDC-WAIT-003", "A dialog's own timeout is not read.",
			lines(watchdog.StreamOut, always(member(native.KindUIRequest, `"timeout":0`)))),
		bad("repeated-partial-is-progress", "WDC-TOOL-003", "An accumulated result that comes again unchanged counts as progress. [dam-agents/dam#3770]",
			lines(watchdog.StreamOut, freshPartials)),
		bad("polling-is-livelock", "WDC-LOOP-002", "The same call again is a livelock, whatever its result and the worktree.",
			lines(watchdog.StreamOut, always(member(native.KindToolEnd, `"result":{}`))), worlds(sameWorld)),
		bad("suspend-counted", "WDC-PAUSE-005", "The time that the host slept counts as silence. [NousResearch/hermes-agent#109736]",
			instants(sleepless)),
		bad("right-verdict-wrong-cause", "WDC-EXPL-002", "An alarm is right, and names another phase and limit. [claude-code#90092]",
			decisions(wrongCause)),
	}
}

// sources misread what the watchdog is shown.
func sources() []Mutant {
	return []Mutant{
		bad("long-line-lost", "WDC-OBS-001", "Lines of 64 KiB and more are lost, as with a scanner's default buffer.",
			lines(watchdog.StreamOut, always(shortLines))),
		bad("malformed-line-deafens", "WDC-OBS-002", "Nothing is read behind a line that is no JSON object.",
			lines(watchdog.StreamOut, deafened)),
		bad("unknown-event-is-progress", "WDC-OBS-002", "An event of an unknown type counts as progress.",
			lines(watchdog.StreamOut, always(on(native.KindUnknown, func([]byte, *native.Skimmed) []byte { return []byte(idleRecord) })))),
		only(native.Pi16, "pi-0.73 is that dialect",
			bad("old-dialect-assumed", "WDC-OBS-003", "Every stream is read as one of a dialect without a terminal event.",
				lines(watchdog.StreamOut, always(on(native.KindMessageUpdate, cumulative))))),
		bad("own-look-is-activity", "WDC-OBS-004", "Answers to the watchdog's own probes count as activity. [gastownhall/gascity-packs#399]",
			restarts(ownLooks)),
		bad("probe-failure-is-death", "WDC-OBS-005", "A probe that failed is taken for a dead worker.",
			bodies(deadIfFailed)),
		bad("truncation-is-silence", "WDC-OBS-006", "A file that shrank is read on behind its old end.",
			observations(stuckFollower)),
		bad("gap-is-silence", "WDC-OBS-007", "Bytes that were not shown are bytes that were not written.",
			bodies(noGaps)),
		bad("session-file-is-certain", "WDC-OBS-008", "Silence of a session file is called a stall, though it may be a user wait.",
			decisions(certain("source"))),
		bad("terminal-is-a-print-run", "WDC-OBS-008", "A terminal's session file is read as if it showed when a token is due.",
			spawned(func(s *watchdog.Spawned) {
				if s.Mode == watchdog.ModeTUI {
					s.Mode = watchdog.ModePrint
				}
			})),
		bad("foreign-dialect-is-known", "WDC-OBS-003", "Records that no known dialect has are nothing, whatever they stand for.",
			decisions(certain("dialect"))),
		only(native.Pi073, "the updates of pi-1.6 hold their deltas alone",
			bad("new-dialect-assumed", "WDC-OBS-003", "Every stream is read as one of a dialect with a terminal event.",
				lines(watchdog.StreamOut, always(on(native.KindMessageUpdate, deltaAlone))))),
		only(native.Pi073, "the updates of pi-1.6 say nothing of a stop reason",
			bad("stop-in-the-stream-is-the-end", "WDC-STALL-001", "The stop reason of a message that still streams is taken for its end.",
				lines(watchdog.StreamOut, always(on(native.KindMessageUpdate, stopsInStream))))),
		only(native.Pi073, "get_state of pi-1.6 calls a delay streaming",
			bad("idle-by-state", "WDC-PAUSE-001", "A worker that calls itself idle has no run, be it in a delay.",
				observations(idleByState))),
		bad("gap-is-an-excuse", "WDC-STALL-001", "Once bytes were lost, every alarm about that worker is inconclusive, for ever.",
			decisions(doubting(gapped))),
		bad("failed-probe-is-an-excuse", "WDC-STALL-001", "Once a probe has failed, every alarm about that worker is inconclusive, for ever.",
			decisions(doubting(failedProbe))),
		bad("exit-missed", "WDC-DEAD-001", "An exit is not noticed. [agent-tools-org/ai-dispatch#116]",
			observations(immortal)),
		bad("one-gone-probe-is-death", "WDC-DEAD-003", "One look that does not find the worker is proof of its death, whoever looked. [eltmon/overdeck#2787]",
			observations(deadIfMissing)),
		bad("detecting-for-ever", "WDC-DEAD-004", "Proof of a death leaves it undecided. [AO#2025]",
			decisions(undecided)),
		bad("future-stamp-believed", "WDC-CLOCK-002", "A heartbeat from the future vouches for the worker until then. [ryaker/zora#179]",
			decisions(silentWhile(heartsAhead))),
	}
}

// ends misjudge how runs start, end and wait for a person.
func ends() []Mutant {
	return []Mutant{
		bad("never-started-is-a-stall", "WDC-LIFE-001", "A worker that never starts is judged by stall. [coalesce-labs/catalyst#1615]",
			policy(func(l *watchdog.Limits) { l.Startup = l.Stall }),
			decisions(renamed(watchdog.VerdictNeverStarted, watchdog.VerdictStalled, watchdog.LimitStall))),
		only(native.Pi16, "pi-0.73 has no terminal event",
			bad("settled-in-the-run", "WDC-LIFE-002", "A terminal event inside an open run is taken for its end, and the rest of the run for nothing.",
				lines(watchdog.StreamOut, settledInRun))),
		bad("settled-is-a-stall", "WDC-LIFE-003", "The end of a run is not seen, so that a settled worker stalls. [multica-ai/multica#3251]",
			lines(watchdog.StreamOut, always(finalEnds))),
		bad("empty-message-accepted", "WDC-LIFE-004", "An empty final message is taken for a good end. [earendil-works/pi#8462]",
			lines(watchdog.StreamOut, always(on(native.KindMessageEnd, filledMessages)))),
		bad("dialog-ignored", "WDC-WAIT-001", "A dialog is not seen, so that the wait for its answer is the worker's silence. [claude-code#62292]",
			lines(watchdog.StreamOut, always(noDialogs))),
		bad("idle-is-a-stall", "WDC-WAIT-005", "An rpc worker that nobody has prompted is held to have been.",
			observations(promptAtStart)),
		bad("decoration-is-a-request", "WDC-WAIT-007", "Words that look like a request are taken for one. [ingo-eichhorst/Irrlicht#53]",
			lines(watchdog.StreamOut, always(wordyDialogs))),
	}
}

// limits misjudge silence.
func limits() []Mutant {
	return []Mutant{
		bad("first-token-hurried", "WDC-TTFT-002", "A first token is given nine tenths of its limit. [claude-code#85265]",
			policy(func(l *watchdog.Limits) { l.FirstToken = l.FirstTokenLimit() / 10 * 9 })),
		bad("first-token-never-judged", "WDC-TTFT-003", "A first token is waited for without a limit. [earendil-works/pi#6581]",
			policy(func(l *watchdog.Limits) { l.FirstToken = forever })),
		bad("tool-end-missed", "WDC-STALL-002", "The end of a tool is not seen before the next message, so that silence behind it is the tool's.",
			lines(watchdog.StreamOut, lateToolEnd)),
		bad("confirmations-too-close", "WDC-STALL-003", "Checks that are to agree are a tenth of confirm_every apart.",
			policy(func(l *watchdog.Limits) { l.ConfirmEvery /= 10 })),
		bad("followed-step-confirms", "WDC-STALL-003", "A step without news of a followed file confirms its silence.",
			spawned(func(s *watchdog.Spawned) { s.Source = watchdog.SourceHeld })),
		bad("alarm-never-closes", "WDC-STALL-004", "Progress does not end an alarm.",
			decisions(unending)),
		only(native.Pi16, "without a terminal event every silence has a limit of its own",
			bad("catch-all-missing", "WDC-STALL-005", "Silence that no limit of a phase governs is not judged.",
				policy(func(l *watchdog.Limits) {
					l.FirstToken, l.StreamGap, l.Stall = l.FirstTokenLimit(), l.StreamGapLimit(), forever
				}))),
		only(native.Pi16, "without a terminal event no silence is left to the catch-all limit",
			bad("pull-request-ignored", "WDC-STALL-005", "An open pull request does not veto the catch-all.",
				bodies(noPullRequests))),
		bad("pull-request-vetoes-all", "WDC-STALL-005", "An open pull request vetoes every limit.",
			decisions(silentWhile(hasPullRequest))),
	}
}

// tools misjudge tools and loops.
func tools() []Mutant {
	return []Mutant{
		bad("call-not-named", "WDC-TOOL-002", "A stalled tool is reported without its call.",
			decisions(nameless)),
		bad("children-ignored", "WDC-TOOL-003", "The CPU and I/O of a tool's processes are no progress.",
			processes(atRest)),
		bad("dead-chain-missed", "WDC-TOOL-007", "A call whose processes have all ended is held to run.",
			processes(haunted)),
		bad("cycle-of-two-missed", "WDC-LOOP-001", "A-A-A is a livelock and A-B-A-B-A-B is none. [opencode#43673]",
			lines(watchdog.StreamOut, runsOnly)),
		bad("durations-compared", "WDC-LOOP-001", "Results that differ in a duration or a temporary path differ.",
			lines(watchdog.StreamOut, always(on(native.KindToolEnd, rawResults)))),
		only(native.Pi16, "pi-0.73 does not tell the size behind a compaction",
			bad("compaction-spiral-missed", "WDC-LOOP-001", "Compaction that repeats without shrinking is no livelock. [codex#13279]",
				decisions(spiralUnseen))),
		bad("unread-world-is-the-same", "WDC-LOOP-001", "A livelock is confirmed although the worktree could not be read.",
			worlds(func(digest string) string { return digest + "." })),
		bad("changing-world-ignored", "WDC-LOOP-002", "The same call with the same result is a livelock, although the worktree changes.",
			worlds(sameWorld)),
	}
}

// pauses misjudge delays that are declared or excused.
func pauses() []Mutant {
	return []Mutant{
		bad("retry-never-judged", "WDC-PAUSE-001", "An announced retry that never comes is waited for without a limit.",
			lines(watchdog.StreamOut, always(member(native.KindRetryStart, `"delayMs":315360000000`)))),
		bad("compaction-markers-extend", "WDC-PAUSE-002", "Each start marker gives a compaction its whole limit again. [agent-of-empires/agent-of-empires#2898]",
			lines(watchdog.StreamOut, endlessCompaction)),
		bad("quota-time-invented", "WDC-PAUSE-003", "A quota that says nothing of its reset is said to reset in an hour. [claude-code#76791]",
			verdicts(func(now watchdog.Instant, v *watchdog.Verdict) {
				if v.Name == watchdog.VerdictAwaitingQuota && v.Detail.Until.IsZero() {
					v.Detail.Until = now.Wall.Add(time.Hour)
				}
			})),
		bad("quota-is-an-error", "WDC-PAUSE-003", "The text of a quota is one error among others. [kendex#285]",
			lines(watchdog.StreamOut, always(on(native.KindMessageEnd, plainErrors)))),
		bad("auth-notice-per-worker", "WDC-PAUSE-004", "Every worker's refused credential is told, though it is the same one.",
			spawned(func(s *watchdog.Spawned) { s.Credential = "" })),
	}
}

// owners tell the owner too much, too little or too late, or fall to hostile input.
func owners() []Mutant {
	return []Mutant{
		bad("told-twice", "WDC-ALERT-002", "Every verdict is told twice.", decisions(twice)),
		bad("told-once-for-all", "WDC-ALERT-002", "What was told once of a worker is not told again when it happens again.", decisions(onceForAll)),
		bad("detection-swallowed", "WDC-ALERT-003", "Confirmed verdicts are told to nobody. [smabe/end-of-line#104]", decisions(untold)),
		bad("no-attention", "WDC-ALERT-004", "The owner is not told of a silence before its limit.",
			policy(func(l *watchdog.Limits) { l.Attention = forever })),
		bad("abort-at-attention", "WDC-ALERT-004", "The turn is aborted where the owner is only to be told.", decisions(abortAtAttention)),
		bad("transcript-kept", "WDC-SAFE-001", "Every line that a worker writes is kept for ever. [claude-code#4953]", lines(watchdog.StreamOut, hoard)),
		bad("control-characters-pass", "WDC-SAFE-002", "Notices repeat what the worker wrote, control characters and all.", decisions(parrot)),
	}
}

// reasons give none, or wrong ones.
func reasons() []Mutant {
	return []Mutant{
		bad("no-evidence", "WDC-EXPL-001", "Verdicts come without evidence.",
			verdicts(func(_ watchdog.Instant, v *watchdog.Verdict) { v.Evidence = nil })),
		bad("no-next-check", "WDC-EXPL-001", "Verdicts do not say when the watchdog looks again.",
			verdicts(func(_ watchdog.Instant, v *watchdog.Verdict) { v.Next = 0 })),
		bad("evidence-of-an-older-generation", "WDC-EXPL-002", "An alarm rests on what its worker's predecessor did. [openclaw#87310]",
			decisions(alsoBecauseOf(latest, predecessor))),
		bad("evidence-of-another-turn", "WDC-EXPL-002", "An alarm rests on the worker's start, though this turn began later.",
			decisions(alsoBecauseOf(first, itself))),
	}
}

// benigns differ from the reference and are right.
func benigns() []Mutant {
	return []Mutant{
		benign("polls-every-second", "It asks to be woken every second.", decisions(poll(time.Second))),
		benign("polls-every-seven-seconds", "It asks to be woken every seven seconds, at moments that no limit has.", decisions(poll(7*time.Second))),
		benign("confirms-late", "Its checks are a little further apart, so that it confirms later.", policy(later)),
		benign("says-more", "Its alarms name more evidence and its notices more words.", decisions(alsoBecauseOf(latest, itself)), decisions(wordy)),
		benign("other-words", "It says everything in other words.", commands(dictated)),
		benign("other-keys", "Its keys have other names.", renaming()),
		benign("looks-more", "It looks at the processes of every worker every 45 seconds, whatever it finds.", extra(glancing(45*time.Second))),
		benign("saves-more", "It takes every snapshot twice.", extra(repeated(watchdog.CmdSnapshot))),
		benign("acknowledges-nothing", "It has everything told again after a restart.", decisions(unacknowledged)),
		benign("patient", "It gives every rung of the ladder a fifth of a grace more.", policy(patient)),
	}
}
