package mutants

import (
	"fmt"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// The speeches of this file change what the watchdog does.

// commands changes commands one by one.
func commands(change func(c *watchdog.Command)) lie {
	return decisions(func(watchdog.Boot) speech {
		return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
			for i := range d.Commands {
				change(&d.Commands[i])
			}
		}
	})
}

// withheld keeps commands to itself.
func withheld(drop func(c *watchdog.Command) bool) lie {
	return decisions(func(watchdog.Boot) speech {
		return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) { dropCommands(d, drop) }
	})
}

// repeated gives commands of a kind a second time, under a key of their own and whatever the first did.
func repeated(kind watchdog.CommandKind) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
			for _, c := range d.Commands {
				if c.Kind == kind {
					c.Key += again
					c.IfGen, c.IfDigest = 0, ""
					d.Commands = append(d.Commands, c)
				}
			}
		}
	}
}

// repeatsUnknown gives a command of a kind again as soon as nobody knows what became of it.
func repeatsUnknown(kind watchdog.CommandKind) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		given := map[string]watchdog.Command{}
		return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
			for i := range seen {
				b, ok := seen[i].Body.(watchdog.Outcome)
				if c, mine := given[b.Key]; ok && mine && b.Result == watchdog.ResultUnknown {
					delete(given, b.Key)
					c.Key += again
					d.Commands = append(d.Commands, c)
				}
			}
			for i := range d.Commands {
				if c := &d.Commands[i]; c.Kind == kind {
					given[c.Key] = *c
				}
			}
		}
	}
}

// again ends the keys of what is given a second time.
const again = "/again"

// swap gives one kind of command in the place of others.
func swap(to watchdog.CommandKind, from ...watchdog.CommandKind) lie {
	return commands(func(c *watchdog.Command) {
		if is(c, from...) {
			c.Kind, c.ToolCall = to, ""
		}
	})
}

func is(c *watchdog.Command, kinds ...watchdog.CommandKind) bool {
	for _, k := range kinds {
		if c.Kind == k {
			return true
		}
	}
	return false
}

// stopsWorker reports whether a command is a signal.
func stopsWorker(c *watchdog.Command) bool { return c.Kind.Effect() == watchdog.EffectStopWorker }

// untargeted sends a signal to whatever runs under the worker's name.
func untargeted(c *watchdog.Command) {
	if stopsWorker(c) {
		c.Target = nil
	}
}

// byPID sends a signal to a process id, whoever has it now.
func byPID(c *watchdog.Command) {
	if stopsWorker(c) && c.Target != nil {
		c.Target = &watchdog.Target{PID: c.Target.PID}
	}
}

// neighbours sends signals to the process of another worker, if there is one.
func neighbours(watchdog.Boot) speech {
	workers := spawns{}
	var order []source
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			if _, ok := seen[i].Body.(watchdog.Spawned); ok {
				workers.note(&seen[i])
				order = append(order, sourceOf(&seen[i]))
			}
		}
		for i := range d.Commands {
			c := &d.Commands[i]
			if !stopsWorker(c) {
				continue
			}
			for _, at := range order {
				if s := workers[at]; at.worker != c.Worker {
					c.Target = &watchdog.Target{PID: s.PID, Start: s.Start}
				}
			}
		}
	}
}

// unbriefed starts successors that are told nothing of their predecessors.
func unbriefed(c *watchdog.Command) {
	if c.Kind == watchdog.CmdRespawn {
		c.Session, c.Snapshot = "", ""
	}
}

// bare proposes without evidence or reason.
func bare(c *watchdog.Command) {
	if c.Kind == watchdog.CmdPropose {
		c.IfDigest, c.Text = "", ""
	}
}

// oneKey names every rung of the ladder alike.
func oneKey(c *watchdog.Command) {
	if c.Kind == watchdog.CmdAbort || stopsWorker(c) {
		c.Key = c.Worker + "/stop"
	}
}

// keyOfBoot puts the incarnation into the keys of what changes something.
func keyOfBoot(boot watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Commands {
			if c := &d.Commands[i]; boot.Incarnation > 1 && c.Kind.Destructive() {
				c.Key += fmt.Sprintf("/boot%d", boot.Incarnation)
			}
		}
	}
}

// anHourMore lets what an approval permits be carried out for another hour.
func anHourMore(c *watchdog.Command) {
	if c.Item != "" && !c.NotAfter.IsZero() {
		c.NotAfter = c.NotAfter.Add(time.Hour)
	}
}

// oneItem names every proposal of an act by the number of the first.
func oneItem(c *watchdog.Command) {
	if end := strings.LastIndexByte(c.Key, '/'); c.Kind == watchdog.CmdPropose && end > 0 {
		c.Key = c.Key[:end] + "/1"
	}
}

// firstToken keeps to the first lease that it ever got.
func firstToken(watchdog.Boot) speech {
	tokens := map[string]string{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			o := &seen[i]
			if b, ok := o.Body.(watchdog.Outcome); ok && b.Token != "" && tokens[o.Worker] == "" {
				tokens[o.Worker] = b.Token
			}
		}
		for i := range d.Commands {
			if c := &d.Commands[i]; c.Kind == watchdog.CmdRespawn {
				c.Token = tokens[c.Worker]
			}
		}
	}
}

// answering does something about every wait for a person.
func answering(kind watchdog.CommandKind, input string) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
			for i := range d.Verdicts {
				if v := &d.Verdicts[i]; v.Name == watchdog.VerdictAwaitingUser {
					d.Commands = append(d.Commands, watchdog.Command{
						Key: v.Worker + "/dialog/" + v.Detail.Dialog, Kind: kind, Worker: v.Worker, Generation: v.Generation,
						Cause: v.Cause, Evidence: numbers(v), Input: []byte(input), Text: "the dialog has been open for long",
					})
				}
			}
		}
	}
}

func numbers(v *watchdog.Verdict) []int {
	var ns []int
	for _, e := range v.Evidence {
		ns = append(ns, e.N)
	}
	return ns
}

// tidies removes the worktree of a worker that has ended.
func tidies(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Verdicts {
			if v := &d.Verdicts[i]; v.Name == watchdog.VerdictDead {
				d.Commands = append(d.Commands, watchdog.Command{
					Key: v.Worker + "/tidy", Kind: watchdog.CmdRemoveWorktree, Worker: v.Worker, Generation: v.Generation,
					Cause: v.Cause, Evidence: numbers(v), Text: "nobody works here any more",
				})
			}
		}
	}
}

// staleWakeup stops a worker as its predecessor was to be stopped, as soon as it has started.
func staleWakeup(watchdog.Boot) speech {
	stops := map[string]watchdog.Command{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			o := &seen[i]
			if _, ok := o.Body.(watchdog.Spawned); !ok {
				continue
			}
			if c, ok := stops[o.Worker]; ok && c.Generation < o.Generation {
				c.Key += again
				d.Commands = append(d.Commands, c)
				delete(stops, o.Worker)
			}
		}
		for _, c := range d.Commands {
			if stopsWorker(&c) {
				stops[c.Worker] = c
			}
		}
	}
}

// noticeInstead does nothing about a worker of which the owner was told, until that is over.
func noticeInstead(watchdog.Boot) speech {
	told := map[string]bool{}
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Verdicts {
			if v := &d.Verdicts[i]; v.Status == watchdog.StatusOK {
				told[v.Worker] = false
			}
		}
		for i := range d.Commands {
			if c := &d.Commands[i]; tells(c) {
				told[c.Worker] = true
			}
		}
		dropCommands(d, func(c *watchdog.Command) bool {
			return told[c.Worker] && (c.Kind.Destructive() || is(c, watchdog.CmdPropose, watchdog.CmdEscalate))
		})
	}
}

// retold tells the owner after a restart what they were told before it.
func retold(boot watchdog.Boot) speech {
	told := map[string]bool{}
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Commands {
			told[d.Commands[i].Worker] = told[d.Commands[i].Worker] || tells(&d.Commands[i])
		}
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			if boot.Incarnation > 1 && v.Status == watchdog.StatusConfirmed && !told[v.Worker] {
				told[v.Worker] = true
				d.Commands = append(d.Commands, watchdog.Command{
					Key: v.Worker + "/told" + again, Kind: watchdog.CmdNotify, Worker: v.Worker, Generation: v.Generation,
					Cause: watchdog.Cause{Name: v.Name, Phase: v.Cause.Phase, Limit: v.Cause.Limit}, Evidence: numbers(v), Text: string(v.Name),
				})
			}
		}
	}
}

// resolved looks no more at what a worker writes between a verdict and the act that it is for.
func resolved() lie {
	return around(func(_ watchdog.Boot, next watchdog.Watchdog) stepper {
		sure := map[string]bool{}
		var unread []watchdog.Observation
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			var shown, later []watchdog.Observation
			for _, o := range append(unread, seen...) {
				if b, ok := o.Body.(watchdog.Bytes); ok && sure[o.Worker] {
					b.Data = append([]byte(nil), b.Data...)
					o.Body = b
					later = append(later, o)
				} else {
					shown = append(shown, o)
				}
			}
			unread = later
			d, err := next.Step(now, shown)
			for i := range d.Verdicts {
				v := &d.Verdicts[i]
				sure[v.Worker] = v.Status == watchdog.StatusConfirmed && alarming(v)
			}
			for i := range d.Commands {
				if c := &d.Commands[i]; c.Kind.Destructive() {
					sure[c.Worker] = false
				}
			}
			return d, err
		}
	})
}
