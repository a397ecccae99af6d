package world

import (
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// The watchdog crashes at a boundary: so many bytes of its state survive, and so many commands of its decision have reached
// the world. A command that has reached the world implies that all survives that was synced when Step returned. Ack and
// Wake count only with the whole decision. Answers in flight are lost, commands in flight are not.
//
// After the boot whatever is numbered above the last Ack that counted is shown again, with its original instant, in front
// of what came while the watchdog was down; the state of the link is told afresh.

// boundary is a place at which to crash.
type boundary struct {
	kept  int  // bytes of the state that survive
	sent  int  // commands of the decision that reach the world
	whole bool // the decision arrived as a whole
}

// boundaries lists those of the step that was just made. Where neither the state has changed nor anything was done there
// is none; where the subject only looked there is one, since the answer will not come. A heartbeat has none.
func (w *World) boundaries(d *watchdog.Decision) []boundary {
	s, n := &w.store, len(d.Commands)
	size := s.memory.Size()
	all := w.ways[:0]
	if s.synced < s.start {
		all = append(all, boundary{kept: s.synced})
	}
	if size > s.start {
		all = append(all, boundary{kept: s.start})
		from := s.start
		for _, end := range s.ends {
			if end-from > 1 {
				all = append(all, boundary{kept: from + (end-from)/2})
			}
			if end > from {
				all = append(all, boundary{kept: end})
			}
			from = max(from, end)
		}
	}
	if acts(d.Commands) {
		for sent := 1; sent <= n; sent++ {
			all = append(all, boundary{kept: s.memory.Synced(), sent: sent})
			if size > s.memory.Synced() {
				all = append(all, boundary{kept: size, sent: sent})
			}
		}
	}
	if size > s.start || len(d.Verdicts) > 0 || slices.ContainsFunc(d.Commands, awaitsAnswer) {
		all = append(all, boundary{kept: size, sent: n, whole: true})
	}
	w.ways = all
	return all
}

// awaitsAnswer reports whether something comes of a command.
func awaitsAnswer(c watchdog.Command) bool { return c.Kind != watchdog.CmdHeartbeat }

// acts reports whether one of some commands is more than a look.
func acts(commands []watchdog.Command) bool {
	return slices.ContainsFunc(commands, func(c watchdog.Command) bool {
		return c.Kind != watchdog.CmdProbe && c.Kind != watchdog.CmdInspect && c.Kind != watchdog.CmdHeartbeat
	})
}

// The kinds of downtime, in the order of the choice.
const (
	downNot     = iota // it is back at once
	downSpooled        // what happens meanwhile is shown later
	downLost           // what the workers write meanwhile is lost
	downGone           // the workers die with the watchdog
	downtimes
)

// downtime is how long the watchdog is away: longer than the confirmations of the default policy.
const downtime = 90 * time.Second

// cut asks whether the watchdog crashes in the step that was just made, and where.
func (w *World) cut(d *watchdog.Decision) (boundary, bool) {
	if !w.open(PointCrash) || w.crashes >= w.cfg.Recovery.Crashes {
		return boundary{}, false
	}
	named := w.anchored(d)
	all := w.boundaries(d)
	pick := w.chooser.Choose(Choice{Point: PointCrash, N: 1 + len(all), At: w.clocks.mono, Named: named})
	if pick == 0 {
		return boundary{}, false
	}
	return all[pick-1], true
}

// anchored reports whether the scenario names this step as one to crash in.
func (w *World) anchored(d *watchdog.Decision) bool {
	anchors := w.cfg.Recovery.CrashAt
	if anchors == nil {
		return true
	}
	for i, a := range anchors {
		if a.Command != "" {
			if slices.ContainsFunc(d.Commands, func(c watchdog.Command) bool { return c.Kind == a.Command }) {
				return true
			}
		} else if w.clocks.mono >= a.At && !w.passed[i] {
			w.passed[i] = true
			return true
		}
	}
	return false
}

// crash ends the subject at a boundary and decides when it is back.
func (w *World) crash(b boundary) {
	w.crashes++
	w.store.memory.Crash(b.kept)
	w.subject, w.wake, w.down = nil, never, downNot
	if w.open(PointDowntime) {
		w.down = w.chooser.Choose(Choice{Point: PointDowntime, N: downtimes, At: w.clocks.mono})
	}
	span := downtime
	if w.down == downNot {
		span = 0
	}
	w.incarnation++
	w.away = true
	w.fault(trace.FaultCrash, -1, span)
	w.lengthen(w.clocks.mono + span)
	if w.down == downGone {
		w.killAll()
	}
	w.queue.push(event{at: w.clocks.mono + span, priority: prioBoot, source: sourceSubject, kind: evBoot})
}

// killAll ends every worker; what they had started goes on.
func (w *World) killAll() {
	for _, k := range w.workers {
		if k.generation > 0 && k.exit == nil {
			k.life.signal(w, k.pid, "SIGKILL")
			k.reveal(w)
		}
	}
}

// loses reports whether what workers write now is lost.
func (w *World) loses() bool { return w.away && w.down == downLost }

// boot starts the subject again.
func (w *World) boot() {
	if w.down == downLost {
		for _, k := range w.workers {
			if k.generation > 0 {
				k.holed = k.holed || k.exit == nil // nobody attests that nothing was lost
				k.ownUp(w)
			}
		}
		w.fault(trace.FaultDrop, -1, 0)
	}
	w.observe(watchdog.Link{Up: !w.linkDown}, nil)
	w.seen = append(w.unacked, w.seen...)
	again := len(w.unacked)
	w.unacked = nil
	w.away = false
	if err := w.begin(); err != nil {
		w.failed(err)
		return
	}
	w.again = again
	w.stepSubject(trace.WhyBoot)
}

// begin starts the next incarnation of the subject.
func (w *World) begin() error {
	boot := watchdog.Boot{
		Policy: policyOf(w.cfg.Policy), Incarnation: w.incarnation, Now: w.clocks.now(), Spawner: w.spawner(), OwnerKey: OwnerKey(), Poll: w.cfg.Poll,
	}
	if w.cfg.Recovery != nil {
		if err := w.store.open(boot.Now); err != nil {
			return err
		}
		boot.State, boot.Roster = &w.store, w.roster()
	}
	subject, err := w.start(boot)
	w.subject = subject
	return err
}

// roster lists the workers that run as far as the spawner knows.
func (w *World) roster() []watchdog.Worker {
	var list []watchdog.Worker
	for _, k := range w.workers {
		if k.generation > 0 && k.exit == nil {
			list = append(list, watchdog.Worker{ID: k.id, Generation: k.generation, Task: task(k.spawn, k.id)})
		}
	}
	return list
}

func task(s script.Spawn, id string) string {
	if s.Task != "" {
		return s.Task
	}
	return id
}

// remember keeps what was shown until the subject has taken it into account durably.
func (w *World) remember(seen []watchdog.Observation, ack int) {
	if w.cfg.Recovery == nil {
		return
	}
	w.unacked = append(w.unacked, seen...)
	w.acked = max(w.acked, ack)
	keep := 0
	for keep < len(w.unacked) && w.unacked[keep].N <= w.acked {
		keep++
	}
	if keep > 0 {
		w.unacked = slices.Delete(w.unacked, 0, keep)
	}
}

// failed ends the history of a subject that would not start again.
func (w *World) failed(err error) {
	w.over = true
	w.step = trace.Step{Event: w.record(), Now: w.clocks.now(), Why: trace.WhyBoot, Seen: w.seen, Truths: w.known(trace.WhyBoot), Err: err}
	for _, s := range w.sinks {
		s.Step(&w.step)
	}
}
