package mutants

import (
	"bytes"
	"math"
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// misspeakers say the right verdict with a wrong word beside it.
func misspeakers() []Mutant {
	each := func(change func(now watchdog.Instant, v *watchdog.Verdict)) lie { return verdicts(change) }
	return []Mutant{
		bad("dialog-of-nobody", "WDC-EXPL-001", "A wait for a person names a dialog that does not exist.",
			each(func(_ watchdog.Instant, v *watchdog.Verdict) {
				if v.Name == watchdog.VerdictAwaitingUser {
					v.Detail.Dialog = "dialog-0"
				}
			})),
		bad("next-check-tomorrow", "WDC-EXPL-001", "Every verdict says that the next check is a day away.",
			each(func(now watchdog.Instant, v *watchdog.Verdict) { v.Next = now.Mono + 24*time.Hour })),
		bad("since-for-ever", "WDC-EXPL-001", "Every verdict says that it holds since a time that never was.",
			each(func(_ watchdog.Instant, v *watchdog.Verdict) { v.Since = math.MinInt64 })),
		bad("status-of-its-own", "WDC-EXPL-001", "A suspicion has a status that the contract does not have.",
			each(func(_ watchdog.Instant, v *watchdog.Verdict) {
				if v.Status == watchdog.StatusSuspected {
					v.Status = "probable"
				}
			})),
		bad("credential-not-named", "WDC-PAUSE-004", "A wait for a credential does not say which.",
			each(func(_ watchdog.Instant, v *watchdog.Verdict) { v.Detail.Credential = "" })),
		bad("every-unproven-end-is-an-error", "WDC-LIFE-004", "Every end that proves nothing is said to be an error.",
			each(func(_ watchdog.Instant, v *watchdog.Verdict) {
				if v.Name == watchdog.VerdictSettledUnproven {
					v.Detail.Reason = "error"
				}
			})),
		bad("stop-reason-swapped", "WDC-LIFE-004", "The stop reason of the last message is given wrong.",
			each(func(_ watchdog.Instant, v *watchdog.Verdict) {
				if v.Detail.StopReason != "" {
					v.Detail.StopReason = "toolUse"
				}
			})),
		bad("dead-first", "WDC-DEAD-003", "In each step with a verdict it first says dead of the worker, and then what is right.",
			decisions(firstSays(watchdog.VerdictDead))),
		bad("stalled-first", "WDC-STALL-001", "In each step with a verdict it first says that the stream stalls, and then what is right.",
			decisions(firstSays(watchdog.VerdictStalledStream))),
		bad("spawn-is-all-the-evidence", "WDC-EXPL-001", "Every command names the worker's spawn as its only evidence.",
			decisions(bySpawn)),
	}
}

// keepers keep for ever what they have read.
func keepers() []Mutant {
	kept := func(id, doc string, from watchdog.Stream, kinds ...native.Kind) Mutant {
		return bad(id, "WDC-SAFE-001", doc, lines(from, hoardOf(kinds)))
	}
	return []Mutant{
		kept("stderr-kept", "All that a worker writes to stderr is kept for ever.", watchdog.StreamErr),
		kept("results-kept", "The results of all calls that have ended are kept for ever.", watchdog.StreamOut, native.KindToolEnd),
		kept("answers-kept", "Answers to get_state are kept for ever.", watchdog.StreamOut, native.KindResponse),
		kept("texts-kept", "The texts of all finished messages are kept for ever.", watchdog.StreamOut, native.KindMessageEnd),
	}
}

// hoardOf keeps every line of some kinds; of all, if none is named.
func hoardOf(kinds []native.Kind) func() edit {
	return func() edit {
		var all [][]byte
		return func(line []byte, s *native.Skimmed) []byte {
			if len(kinds) == 0 || slices.Contains(kinds, s.Kind) {
				all = append(all, bytes.Clone(line))
			}
			return line
		}
	}
}

// misdoers give the right command with a wrong word in it, or one that there is not.
func misdoers() []Mutant {
	return []Mutant{
		bad("resets-the-worktree", "WDC-ACT-001", "For every dead worker it gives a command that the contract does not have.",
			decisions(invents)),
		bad("stops-the-call-before", "WDC-TOOL-004", "A stop of a tool names a call that is not open.",
			commands(func(c *watchdog.Command) {
				if is(c, watchdog.CmdStopTool) {
					c.ToolCall = "call_0"
				}
			})),
		bad("brief-of-the-first-snapshot", "WDC-EVID-006", "A successor is told of the first snapshot that was ever taken.",
			decisions(firstSnapshot)),
	}
}

// firstSays puts another verdict, confirmed, before each.
func firstSays(name watchdog.VerdictName) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
			var all []watchdog.Verdict
			for _, v := range d.Verdicts {
				first := v
				first.Name, first.Status = name, watchdog.StatusConfirmed
				all = append(all, first, v)
			}
			d.Verdicts = all
		}
	}
}

// bySpawn gives every command the spawn of its worker as evidence.
func bySpawn(watchdog.Boot) speech {
	spawned := map[string]int{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			if _, ok := seen[i].Body.(watchdog.Spawned); ok {
				spawned[seen[i].Worker] = seen[i].N
			}
		}
		for i := range d.Commands {
			if n := spawned[d.Commands[i].Worker]; n > 0 {
				d.Commands[i].Evidence = []int{n}
			}
		}
	}
}

// invents adds a command of its own to each verdict of a dead worker.
func invents(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for _, v := range d.Verdicts {
			if v.Name == watchdog.VerdictDead {
				d.Commands = append(d.Commands, watchdog.Command{
					Kind: "reset_hard", Worker: v.Worker, Generation: v.Generation, Cause: v.Cause, Evidence: numbers(&v),
					Key: v.Worker + "/reset",
				})
			}
		}
	}
}

// firstSnapshot names the first snapshot of a worker in every brief.
func firstSnapshot(watchdog.Boot) speech {
	first := map[string]string{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			o, ok := seen[i].Body.(watchdog.Outcome)
			if ok && o.Digest != "" && first[seen[i].Worker] == "" {
				first[seen[i].Worker] = o.Digest
			}
		}
		for i := range d.Commands {
			c := &d.Commands[i]
			if digest := first[c.Worker]; is(c, watchdog.CmdRespawn) && digest != "" {
				c.Snapshot = digest
			}
		}
	}
}
