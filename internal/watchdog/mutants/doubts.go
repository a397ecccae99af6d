package mutants

import "fakepi.example/watchdog"

// The speeches of this file hide behind what a watchdog may not know.

// doubting calls every alarm inconclusive, and does nothing, about a worker of whom something once was not seen.
func doubting(unseen func(watchdog.Body) bool) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		doubts := map[string]bool{}
		return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
			for i := range seen {
				if unseen(seen[i].Body) {
					doubts[seen[i].Worker] = true
				}
			}
			for i := range d.Verdicts {
				if v := &d.Verdicts[i]; doubts[v.Worker] && alarming(v) {
					v.Name, v.Status = watchdog.VerdictInconclusive, watchdog.StatusSuspected
				}
			}
			dropCommands(d, func(c *watchdog.Command) bool {
				return doubts[c.Worker] && (tells(c) || c.Kind.Destructive() || is(c, watchdog.CmdPropose, watchdog.CmdEscalate))
			})
		}
	}
}

func gapped(b watchdog.Body) bool { return b.Kind() == watchdog.KindGap }

func failedProbe(b watchdog.Body) bool {
	p, ok := b.(watchdog.Probe)
	return ok && p.Result != watchdog.ProbeOK
}

// alarmedAtBoot tells the owner behind a restart of a stall of each worker that it finds.
func alarmedAtBoot(boot watchdog.Boot) speech {
	told := boot.Incarnation == 1
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		if told {
			return
		}
		told = true
		last := 0
		for i := range seen {
			last = max(last, seen[i].N)
		}
		for _, w := range boot.Roster {
			d.Commands = append(d.Commands, watchdog.Command{
				Key: w.ID + "/boot" + again, Kind: watchdog.CmdNotify, Worker: w.ID, Generation: w.Generation,
				Cause:    watchdog.Cause{Name: watchdog.VerdictStalled, Phase: watchdog.VerdictWorking, Limit: watchdog.LimitStall},
				Evidence: []int{last}, Text: "it has done nothing for as long as anybody can tell",
			})
		}
	}
}

// reminded reminds the owner behind a restart of each worker of which bytes were lost before, whatever it has told since.
func reminded(boot watchdog.Boot) speech {
	lost := map[string]bool{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			o := &seen[i]
			switch o.Body.(type) {
			case watchdog.Gap:
				lost[o.Worker] = true
			case watchdog.Bytes:
				if boot.Incarnation == 1 || !lost[o.Worker] {
					continue
				}
				lost[o.Worker] = false
				d.Commands = append(d.Commands, watchdog.Command{
					Key: o.Worker + "/wait" + again, Kind: watchdog.CmdNotify, Worker: o.Worker, Generation: o.Generation,
					Cause:    watchdog.Cause{Name: watchdog.VerdictAwaitingUser, Phase: watchdog.VerdictAwaitingUser, Limit: watchdog.LimitUserWait},
					Evidence: []int{o.N}, Text: "it may wait for somebody",
				})
			}
		}
	}
}

// excused gives every attempt a cause for which there is a budget of its own.
func excused(c *watchdog.Command) {
	if c.Kind == watchdog.CmdRespawn {
		c.Cause.Name = watchdog.VerdictNeverStarted
	}
}

// unsureWhereAsked confirms nothing where the owner is to be asked.
func unsureWhereAsked(boot watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			l := boot.Policy.For(v.Worker, "", "")
			if l.Effects[watchdog.EffectStopTurn] == watchdog.PermitAsk && v.Status == watchdog.StatusConfirmed && alarming(v) {
				v.Status = watchdog.StatusSuspected
			}
		}
	}
}
