package mutants

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"regexp"
	"slices"

	"fakepi.example/watchdog"
)

// state puts another durable state before the watchdog.
func state(change func(watchdog.State) watchdog.State) lie {
	return func(inner start) start {
		return func(boot watchdog.Boot) (watchdog.Watchdog, error) {
			if boot.State != nil {
				boot.State = change(boot.State)
			}
			return inner(boot)
		}
	}
}

// unread is a state of which a restart reads nothing.
type unread struct{ own []byte }

func (u *unread) Read() ([]byte, error)     { return slices.Clone(u.own), nil }
func (u *unread) Append(p []byte) error     { u.own = append(u.own, p...); return nil }
func (u *unread) Sync() error               { return nil }
func (u *unread) Truncate(size int64) error { u.own = u.own[:size]; return nil }

func forgetful(watchdog.State) watchdog.State { return new(unread) }

// unsynced is a state that is written and never made safe.
type unsynced struct{ watchdog.State }

func (unsynced) Sync() error { return nil }

func careless(s watchdog.State) watchdog.State { return unsynced{s} }

// owing is a state in which what was written becomes safe before the next is written: behind the act.
type owing struct {
	watchdog.State
	owes bool
}

func (o *owing) Append(p []byte) error {
	if o.owes {
		o.owes = false
		if err := o.State.Sync(); err != nil {
			return err
		}
	}
	return o.State.Append(p)
}

func (o *owing) Sync() error { o.owes = true; return nil }

func late(s watchdog.State) watchdog.State { return &owing{State: s} }

// anonymous is a state in which no approval says what was approved.
type anonymous struct{ watchdog.State }

func (a anonymous) Append(p []byte) error { return a.State.Append(anonymized(p)) }

// roomy is a state that takes what there is no room for. It is gone with the process.
type roomy struct {
	watchdog.State
	lost bool
}

func (r *roomy) Append(p []byte) error {
	if r.lost {
		return nil
	}
	r.lost = r.State.Append(p) != nil
	return nil
}

func (r *roomy) Sync() error {
	if r.lost {
		return nil
	}
	return r.State.Sync()
}

func unnamed(s watchdog.State) watchdog.State { return anonymous{s} }

var (
	item       = regexp.MustCompile(`"item":"[^"]*"`)
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// anonymized gives the approvals among the lines of a journal another item, of the same length, and their sums anew.
func anonymized(journal []byte) []byte {
	var out []byte
	for line := range bytes.Lines(journal) {
		text, _, ok := bytes.Cut(line, []byte(`,"sum":"`))
		if ok && bytes.Contains(text, []byte(`"kind":"approval"`)) {
			text = item.ReplaceAllFunc(text, func(m []byte) []byte {
				return fmt.Appendf(nil, `"item":"%s"`, bytes.Repeat([]byte("?"), len(m)-len(`"item":""`)))
			})
			line = fmt.Appendf(nil, "%s,\"sum\":\"%08x\"}\n", text, crc32.Checksum(text, castagnoli))
		}
		out = append(out, line...)
	}
	return out
}

func blindToErrors(s watchdog.State) watchdog.State { return &roomy{State: s} }

// firstBoot takes every start for the first one.
func firstBoot(inner start) start {
	return func(boot watchdog.Boot) (watchdog.Watchdog, error) {
		boot.Incarnation = 1
		return inner(boot)
	}
}

// acknowledged counts everything as read that was shown.
func acknowledged(watchdog.Boot) speech {
	last := 0
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			last = max(last, seen[i].N)
		}
		d.Ack = last
	}
}

// onceBeating gives no heartbeat behind a restart.
func onceBeating(boot watchdog.Boot) speech {
	return func(_ watchdog.Instant, _ []watchdog.Observation, d *watchdog.Decision) {
		dropCommands(d, func(c *watchdog.Command) bool { return boot.Incarnation > 1 && c.Kind == watchdog.CmdHeartbeat })
	}
}

// rearmed takes a restart of its own for the owner's word that every task may begin afresh.
func rearmed() lie {
	return around(func(boot watchdog.Boot, next watchdog.Watchdog) stepper {
		armed := map[string]bool{}
		return func(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
			var shown []watchdog.Observation
			for _, o := range seen {
				shown = append(shown, o)
				// What happened before the restart comes again first.
				if fresh := o.At.Mono >= boot.Now.Mono; boot.Incarnation > 1 && fresh && o.Worker != "" && !armed[o.Worker] {
					armed[o.Worker] = true
					o.Body = watchdog.Operator{Intent: watchdog.IntentRearm, Proof: outside()}
					shown = append(shown, o)
				}
			}
			return next.Step(now, shown)
		}
	})
}
