package mutants

import (
	"bytes"
	"strings"
	"unicode"

	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// The speeches of this file suppress, repeat or add.

// saidEnough gives no alarm of a worker whose owner was already told of its silence, until it is healthy again.
func saidEnough(watchdog.Boot) speech {
	told := map[string]bool{}
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Verdicts {
			if !alarming(&d.Verdicts[i]) {
				told[d.Verdicts[i].Worker] = false
			}
		}
		dropVerdicts(d, func(v *watchdog.Verdict) bool { return told[v.Worker] })
		dropCommands(d, func(c *watchdog.Command) bool { return told[c.Worker] && tells(c) })
		for i := range d.Commands {
			if c := &d.Commands[i]; c.Kind == watchdog.CmdNotify {
				told[c.Worker] = true
			}
		}
	}
}

// exitPraised takes a worker that exited with status 0 for one that has settled well.
func exitPraised(watchdog.Boot) speech {
	good := map[source]bool{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			if x, ok := seen[i].Body.(watchdog.Exited); ok && x.Code == 0 {
				good[sourceOf(&seen[i])] = true
			}
		}
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			if v.Name == watchdog.VerdictSettledUnproven && good[source{v.Worker, v.Generation}] {
				v.Name, v.Status, v.Cause.Name, v.Detail.Reason = watchdog.VerdictSettled, watchdog.StatusOK, watchdog.VerdictSettled, ""
			}
		}
		dropCommands(d, func(c *watchdog.Command) bool {
			return c.Cause.Name == watchdog.VerdictSettledUnproven && good[source{c.Worker, c.Generation}]
		})
	}
}

// silentWhile withholds alarms, and what would be told of them, of a worker while its row in the tracker excuses it.
func silentWhile(excused func(watchdog.Task, watchdog.Instant) bool) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		rows := map[string]watchdog.Task{}
		return func(now watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
			for i := range seen {
				if t, ok := seen[i].Body.(watchdog.Task); ok {
					rows[seen[i].Worker] = t
				}
			}
			dropVerdicts(d, func(v *watchdog.Verdict) bool { return alarming(v) && excused(rows[v.Worker], now) })
			dropCommands(d, func(c *watchdog.Command) bool { return tells(c) && excused(rows[c.Worker], now) })
		}
	}
}

// hasPullRequest and heartsAhead are excuses.
func hasPullRequest(t watchdog.Task, _ watchdog.Instant) bool { return t.PullRequest }
func heartsAhead(t watchdog.Task, now watchdog.Instant) bool  { return t.Heartbeat.After(now.Wall) }

// unending keeps an alarm up although the worker makes progress again.
func unending(watchdog.Boot) speech {
	alarmed := map[string]bool{}
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		dropVerdicts(d, func(v *watchdog.Verdict) bool {
			atWork := v.Status == watchdog.StatusOK && v.Name != watchdog.VerdictSettled && v.Name != watchdog.VerdictIdle
			if !atWork {
				alarmed[v.Worker] = alarming(v)
			}
			return atWork && alarmed[v.Worker]
		})
	}
}

// undecided never comes to the end of finding out whether a worker is dead.
func undecided(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Verdicts {
			if v := &d.Verdicts[i]; v.Name == watchdog.VerdictDead {
				v.Name, v.Status, v.Cause.Name = watchdog.VerdictInconclusive, watchdog.StatusSuspected, watchdog.VerdictInconclusive
				v.Flags, v.Detail.Reason = nil, "conflict"
			}
		}
		dropCommands(d, func(c *watchdog.Command) bool { return c.Cause.Name == watchdog.VerdictDead })
	}
}

// certain names what seems to be, where the watchdog says that it cannot tell for this reason.
func certain(reason string) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		dim := map[string]bool{} // workers whose last verdict was such a one
		return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
			for i := range d.Verdicts {
				v := &d.Verdicts[i]
				dim[v.Worker] = v.Name == watchdog.VerdictInconclusive && v.Detail.Reason == reason
				if dim[v.Worker] {
					v.Name = pastName(v.Cause.Phase)
					v.Cause.Name, v.Detail.Reason = v.Name, ""
				}
			}
			for i := range d.Commands {
				if c := &d.Commands[i]; tells(c) && dim[c.Worker] {
					c.Text = strings.ReplaceAll(c.Text, string(c.Cause.Name), string(pastName(c.Cause.Phase)))
					c.Cause.Name = pastName(c.Cause.Phase)
				}
			}
		}
	}
}

// twice tells the owner everything again.
func twice(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for _, c := range d.Commands {
			if tells(&c) {
				c.Key += "/again"
				d.Commands = append(d.Commands, c)
			}
		}
	}
}

// onceForAll tells the owner one thing of a kind about a worker, and never again.
func onceForAll(watchdog.Boot) speech {
	type kind struct{ worker, name string }
	told := map[kind]bool{}
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		dropCommands(d, func(c *watchdog.Command) bool {
			k := kind{c.Worker, string(c.Cause.Name)}
			switch {
			case c.Kind != watchdog.CmdNotify || c.Cause.Limit == watchdog.LimitUserWait:
				return false
			case c.Cause.Limit == watchdog.LimitAttention:
				k.name = string(c.Cause.Limit)
			}
			again := told[k]
			told[k] = true
			return again
		})
	}
}

// untold keeps confirmed verdicts from the owner.
func untold(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) { dropCommands(d, tells) }
}

// abortAtAttention stops the turn where the owner is only to be told.
func abortAtAttention(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for _, c := range d.Commands {
			if c.Cause.Limit == watchdog.LimitAttention {
				c.Key += "/abort"
				c.Kind, c.Text = watchdog.CmdAbort, ""
				d.Commands = append(d.Commands, c)
			}
		}
	}
}

// insistent takes no prompt of its own for heard that it finds behind a restart: it gives it again.
func insistent(boot watchdog.Boot) speech {
	sent := map[string][]byte{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			o := &seen[i]
			switch b := o.Body.(type) {
			case watchdog.Bytes:
				if b.Stream == watchdog.StreamIn && bytes.Contains(b.Data, []byte("/steer/")) {
					sent[o.Worker] = bytes.Clone(b.Data)
				}
			case watchdog.Probe:
				if line := sent[o.Worker]; boot.Incarnation > 1 && line != nil {
					delete(sent, o.Worker)
					d.Commands = append(d.Commands, watchdog.Command{
						Key: o.Worker + "/steer" + again, Kind: watchdog.CmdInput, Worker: o.Worker, Generation: o.Generation, Input: line,
						Cause: watchdog.Cause{Name: watchdog.VerdictSettledUnproven, Phase: watchdog.VerdictSettledUnproven}, Evidence: []int{o.N},
						Text: "nobody knows whether it was heard",
					})
				}
			}
		}
	}
}

// parrot repeats in a notice what the worker wrote last, control characters and all.
func parrot(watchdog.Boot) speech {
	heard := map[string]string{}
	hear := func(s *native.Skimmed, worker string) {
		for _, raw := range [][]byte{s.ToolCallID, s.ToolName, s.Error, s.Text} {
			if words := native.Unescape(raw); strings.ContainsFunc(words, unicode.IsControl) {
				heard[worker] = words
			}
		}
	}
	readers := map[source]*native.Splitter{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			o := &seen[i]
			b, ok := o.Body.(watchdog.Bytes)
			if !ok || b.Stream != watchdog.StreamOut {
				continue
			}
			if readers[sourceOf(o)] == nil {
				readers[sourceOf(o)] = new(native.Splitter)
			}
			eachRecord(readers[sourceOf(o)], b.Data, func(s *native.Skimmed) { hear(s, o.Worker) })
		}
		for i := range d.Commands {
			if c := &d.Commands[i]; c.Kind == watchdog.CmdNotify && heard[c.Worker] != "" {
				c.Text += ": " + heard[c.Worker]
			}
		}
	}
}

func eachRecord(lines *native.Splitter, chunk []byte, take func(*native.Skimmed)) {
	var s native.Skimmed
	lines.Feed(chunk)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		native.Skim(line.Data, &s)
		take(&s)
	}
}
