package mutants

import (
	"crypto/ed25519"
	"fmt"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// poll asks to be woken at least that often.
func poll(every time.Duration) func(watchdog.Boot) speech {
	return func(watchdog.Boot) speech {
		return func(now watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) { wakeBy(d, now.Mono+every) }
	}
}

// later has the checks that are to agree a little further apart.
func later(l *watchdog.Limits) { l.ConfirmEvery += 300 * time.Millisecond }

// wordy says what rests on what in its notices.
func wordy(watchdog.Boot) speech {
	return func(now watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		for i := range d.Commands {
			if c := &d.Commands[i]; c.Kind == watchdog.CmdNotify {
				c.Text += fmt.Sprintf(" (%s in %s, by observations %d, written at %s)", c.Cause.Name, c.Cause.Phase, c.Evidence, now.Mono)
			}
		}
	}
}

// dictated puts words of its own around all that it says to people.
func dictated(c *watchdog.Command) {
	if is(c, watchdog.CmdNotify, watchdog.CmdPropose, watchdog.CmdEscalate) {
		c.Text = "Dear owner, " + c.Text + " With kind regards."
	}
}

// renaming gives every key another name. What the owner has signed names items as the world knows them: it is checked with
// the owner's key and signed anew, with a key that the watchdog behind takes for the owner's.
func renaming() lie {
	const mark = "watchdog-7:"
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	return func(inner start) start {
		return func(boot watchdog.Boot) (watchdog.Watchdog, error) {
			owner := boot.OwnerKey
			boot.OwnerKey = key.Public().(ed25519.PublicKey)
			next, err := inner(boot)
			if err != nil {
				return nil, err
			}
			return stepper(func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
				shown := make([]watchdog.Observation, 0, len(seen))
				for _, o := range seen {
					o.Body = resigned(o, owner, key, func(key string) string { return strings.TrimPrefix(key, mark) })
					shown = append(shown, o)
				}
				d, err := next.Step(now, shown)
				for i := range d.Commands {
					c := &d.Commands[i]
					c.Key = mark + c.Key
					if c.Item != "" {
						c.Item = mark + c.Item
					}
				}
				return d, err
			}), nil
		}
	}
}

// resigned is a body with other names, signed by another if the owner had signed it.
func resigned(o watchdog.Observation, owner ed25519.PublicKey, by ed25519.PrivateKey, name func(string) string) watchdog.Body {
	switch b := o.Body.(type) {
	case watchdog.Owner:
		if b.Signed(owner, o.Worker) {
			b.Item = name(b.Item)
			return b.Sign(by, o.Worker)
		}
	case watchdog.Operator:
		if b.Signed(owner, o.Worker) {
			return b.Sign(by, o.Worker)
		}
	}
	return rekeyed(o.Body, name)
}

// rekeyed changes the key that an observation answers.
func rekeyed(b watchdog.Body, name func(string) string) watchdog.Body {
	switch b := b.(type) {
	case watchdog.Outcome:
		b.Key = name(b.Key)
		return b
	case watchdog.Probe:
		b.Key = name(b.Key)
		return b
	case watchdog.Inspect:
		b.Key = name(b.Key)
		return b
	case watchdog.Owner:
		b.Item = name(b.Item)
		return b
	}
	return b
}

// extra gives commands beside those of the watchdog, which never hears what came of them.
func extra(more func(boot watchdog.Boot) speech) lie {
	return func(inner start) start {
		return decisions(more)(observations(func() sight {
			return func(o watchdog.Observation, show func(watchdog.Observation)) {
				if !strings.HasSuffix(answered(o.Body), again) {
					show(o)
				}
			}
		})(inner))
	}
}

// answered is the key that an observation answers, or "".
func answered(b watchdog.Body) (key string) {
	rekeyed(b, func(k string) string {
		key = k
		return k
	})
	return key
}

// glancing looks at the processes of every worker that often.
func glancing(every time.Duration) func(watchdog.Boot) speech {
	return func(boot watchdog.Boot) speech {
		said := map[string]watchdog.Verdict{}
		var order []watchdog.Observation // of spawns
		looked := boot.Now.Mono
		return func(now watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
			for i := range seen {
				if _, ok := seen[i].Body.(watchdog.Spawned); ok {
					order = append(order, seen[i])
				}
			}
			for i := range d.Verdicts {
				said[d.Verdicts[i].Worker] = d.Verdicts[i]
			}
			if now.Mono >= looked+every {
				looked = now.Mono
				for i := range order {
					d.Commands = append(d.Commands, glance(boot, now, &order[i], said[order[i].Worker].Cause))
				}
			}
			wakeBy(d, looked+every)
		}
	}
}

// glance asks what runs of a worker.
func glance(boot watchdog.Boot, now watchdog.Instant, spawn *watchdog.Observation, why watchdog.Cause) watchdog.Command {
	if why.Name == "" {
		why.Name = watchdog.VerdictIdle
	}
	return watchdog.Command{
		Key:  fmt.Sprintf("%s/%d/glance/%d/%s%s", spawn.Worker, spawn.Generation, boot.Incarnation, now.Mono, again),
		Kind: watchdog.CmdProbe, What: watchdog.WhatProcesses, Worker: spawn.Worker, Generation: spawn.Generation,
		Cause: why, Evidence: []int{spawn.N},
	}
}

// unacknowledged counts nothing as durably read.
func unacknowledged(watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) { d.Ack = 0 }
}

// patient waits longer before it does more.
func patient(l *watchdog.Limits) { l.Grace += l.Grace / 5 }
