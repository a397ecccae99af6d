package oracle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/watchdog"
)

// timeline reads the steps of a scenario.
func timeline(tb testing.TB, src string) []script.Step {
	tb.Helper()
	var steps []script.Step
	for i, text := range strings.Split(strings.TrimSpace(src), "\n") {
		line, err := script.LexLine(script.Pos{File: "test", Line: i + 1, Col: 1}, strings.TrimSpace(text))
		if err != nil {
			tb.Fatal(err)
		}
		step, err := script.ParseStep(line.Tokens, script.Everyone, script.NewPayload("test", &txtar.Archive{}))
		if err != nil {
			tb.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := script.Resolve(steps, nil); err != nil {
		tb.Fatal(err)
	}
	return steps
}

// policy is short, so that a test is about seconds and minutes.
func policy() watchdog.Policy {
	p := watchdog.DefaultPolicy()
	p.Stall, p.Attention, p.Tool, p.UserWait, p.Compaction = 10*time.Minute, 5*time.Minute, time.Hour, time.Hour, 10*time.Minute
	return p
}

// game is a history to be played.
type game struct {
	steps    string
	requires []string
	policy   func(*watchdog.Policy)
	poll     time.Duration
	horizon  time.Duration
	vector   []int
	dialect  native.Dialect
	renames  []world.Rename
	recovery *world.Recovery // the subject acts
}

// judge plays a history with the knowing subject, made wrong by spoil, and returns what the oracle found.
func judge(tb testing.TB, g game, spoil func(*knowing)) []oracle.Violation {
	found, _ := play(tb, g, spoil)
	return found
}

// play is judge, and tells the choices of the history.
func play(tb testing.TB, g game, spoil func(*knowing)) ([]oracle.Violation, []world.Choice) {
	tb.Helper()
	p := policy()
	if g.policy != nil {
		g.policy(&p)
	}
	if g.horizon == 0 {
		g.horizon = 3 * time.Hour
	}
	w, err := world.New(world.Config{
		Steps: timeline(tb, g.steps), Policy: p, Poll: g.poll, Horizon: g.horizon, Agents: pi.Agents(g.dialect), Renames: g.renames,
		Recovery: g.recovery,
	})
	if err != nil {
		tb.Fatal(err)
	}
	o := oracle.New(oracle.Config{
		Policy: p, Workers: w.Workers(), Poll: g.poll, Requires: g.requires, Explain: true, Facts: w,
		Recovery: g.recovery != nil,
	})
	k := newKnowing(w, p)
	if spoil != nil {
		spoil(k)
	}
	sum, err := w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return k, nil }, world.NewChooser(g.vector), o)
	if err != nil {
		tb.Fatal(err)
	}
	return o.Violations(), sum.Choices
}

// knowing is a watchdog that is right because it cheats: it reads the script's truth. A spoilt one is wrong in one way.
type knowing struct {
	facts   trace.Facts
	policy  watchdog.Policy
	workers []*known
	out     watchdog.Decision

	see     func(*trace.Truth)                                // spoils what it believes
	limits  func(*watchdog.Limits)                            // spoils its limits
	decide  func(*knowing, watchdog.Instant)                  // spoils what it decided
	step    func(watchdog.Instant) (watchdog.Decision, error) // takes its place
	clock   func(watchdog.Instant) time.Duration              // spoils the clock that it measures on
	seen    []watchdog.Observation
	now     watchdog.Instant
	newest  int // observation seen
	refused map[string]bool
}

// known is what it keeps of one worker.
type known struct {
	id, credential      string
	generation          int
	phase               watchdog.VerdictName
	phaseN, lastN       int
	at                  map[int]time.Duration
	name                watchdog.VerdictName
	status              watchdog.Status
	exited              bool
	suspected           time.Duration
	reminded            time.Duration
	attention, alert    time.Duration // the count of silence that was told of; -1 = none
	progress, waitEnded time.Duration
}

func newKnowing(w *world.World, p watchdog.Policy) *knowing {
	k := &knowing{facts: w, policy: p, refused: map[string]bool{}}
	for _, id := range w.Workers() {
		k.workers = append(k.workers, &known{id: id, at: map[int]time.Duration{}, attention: -1, alert: -1})
	}
	return k
}

// Step implements watchdog.Watchdog.
func (k *knowing) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	if k.step != nil {
		return k.step(now)
	}
	for len(seen) > 0 && seen[0].N <= k.newest { // a crash forgets nothing of what it knows
		seen = seen[1:]
	}
	if len(seen) > 0 {
		k.newest = seen[len(seen)-1].N
	}
	k.out, k.seen, k.now = watchdog.Decision{}, seen, now
	for i, w := range k.workers {
		for j := range seen {
			if seen[j].Worker == w.id {
				w.observe(&seen[j])
			}
		}
		t := k.facts.Truth(i)
		if k.see != nil {
			k.see(&t)
		}
		if t.Generation > 0 {
			k.judge(w, &t, now)
		}
	}
	if k.decide != nil {
		k.decide(k, now)
	}
	return k.out, nil
}

func (w *known) observe(o *watchdog.Observation) {
	w.lastN, w.at[o.N] = o.N, o.At.Mono
	if s, ok := o.Body.(watchdog.Spawned); ok {
		w.credential = s.Credential
		w.name, w.phaseN, w.attention, w.alert = "", o.N, -1, -1
	}
}

// bound is the limit of a phase and its name past it.
func bound(phase watchdog.VerdictName, l *watchdog.Limits) (watchdog.VerdictName, watchdog.Limit, time.Duration) {
	switch phase {
	case watchdog.VerdictCompacting:
		return watchdog.VerdictStalledCompaction, watchdog.LimitCompaction, l.Compaction
	case watchdog.VerdictRunningTool:
		return watchdog.VerdictStalledTool, watchdog.LimitTool, l.Tool
	case watchdog.VerdictStarting:
		return watchdog.VerdictNeverStarted, watchdog.LimitStartup, l.Startup
	case watchdog.VerdictAwaitingFirstToken:
		return watchdog.VerdictSlowFirstToken, watchdog.LimitFirstToken, l.FirstTokenLimit()
	case watchdog.VerdictStreaming:
		return watchdog.VerdictStalledStream, watchdog.LimitStreamGap, l.StreamGapLimit()
	case watchdog.VerdictEnding:
		return watchdog.VerdictStalledEnding, watchdog.LimitSettle, l.Settle
	case watchdog.VerdictWorking:
		return watchdog.VerdictStalled, watchdog.LimitStall, l.Stall
	}
	return "", "", 0
}

func (k *knowing) judge(w *known, t *trace.Truth, now watchdog.Instant) {
	l := k.policy.For(w.id, "", "")
	if k.limits != nil {
		k.limits(&l)
	}
	mono := now.Mono
	if k.clock != nil {
		mono = k.clock(now)
	}
	if w.phase != t.Phase || w.generation != t.Generation {
		w.phase, w.generation, w.phaseN, w.reminded, w.waitEnded = t.Phase, t.Generation, w.lastN, mono, mono
	}
	w.progress = max(w.progress, t.LastProgress)
	past, limit, d := bound(t.Phase, &l)
	name, status := t.Phase, watchdog.StatusOK
	if t.Phase == watchdog.VerdictDead || t.Phase == watchdog.VerdictSettledUnproven {
		status = watchdog.StatusConfirmed
	}
	deadline := t.Since + d
	if past != "" && mono >= deadline {
		name, status = past, watchdog.StatusSuspected
		if w.name != past {
			w.suspected = mono
		}
		agreed := w.suspected + time.Duration(l.Confirmations)*l.ConfirmEvery
		if mono >= agreed {
			status = watchdog.StatusConfirmed
		}
		k.wake(agreed, now)
	} else if past != "" {
		k.wake(deadline, now)
	}
	k.say(w, t, watchdog.Cause{Name: name, Phase: t.Phase, Limit: limit}, status, now)
	k.tell(w, t, &l, past != "" && mono < deadline, now, mono)
}

// say gives the verdict if it has changed.
func (k *knowing) say(w *known, t *trace.Truth, c watchdog.Cause, s watchdog.Status, now watchdog.Instant) {
	if w.name == c.Name && w.status == s && w.exited == t.Exited {
		return
	}
	w.name, w.status, w.exited = c.Name, s, t.Exited
	v := watchdog.Verdict{
		Worker: w.id, Generation: t.Generation, Name: c.Name, Status: s, Since: t.Since, Cause: c,
		Evidence: k.evidence(w, now), Next: k.out.Wake, Detail: watchdog.Detail{Calls: t.Calls, Dialog: t.Dialog},
	}
	if t.Exited {
		v.Flags = []watchdog.Flag{watchdog.FlagExited}
	}
	k.out.Verdicts = append(k.out.Verdicts, v)
}

func (k *knowing) evidence(w *known, now watchdog.Instant) []watchdog.Evidence {
	return []watchdog.Evidence{{N: w.phaseN, Age: now.Mono - w.at[w.phaseN], Generation: w.generation}}
}

// tell gives the notices that are due.
func (k *knowing) tell(w *known, t *trace.Truth, l *watchdog.Limits, inside bool, now watchdog.Instant, mono time.Duration) {
	cause := watchdog.Cause{Name: w.name, Phase: t.Phase}
	switch t.Phase {
	case watchdog.VerdictAwaitingUser:
		k.wake(w.reminded+l.UserWait, now)
		if mono >= w.reminded+l.UserWait {
			w.reminded = mono
			cause.Limit = watchdog.LimitUserWait
			k.notify(w, cause)
			k.wake(w.reminded+l.UserWait, now)
		}
	case watchdog.VerdictAwaitingAuth:
		if !k.refused[w.credential] {
			k.refused[w.credential] = true
			k.notify(w, cause)
		}
	}
	if w.status == watchdog.StatusConfirmed && w.alert != t.Since {
		w.alert = t.Since
		_, cause.Limit, _ = bound(t.Phase, l)
		k.notify(w, cause)
	}
	calm := t.Phase == watchdog.VerdictRunningTool || t.Phase == watchdog.VerdictCompacting
	count := max(t.Since, w.progress)
	if inside && !calm && w.attention != count {
		k.wake(count+l.Attention, now)
		if mono >= count+l.Attention {
			w.attention = count
			cause.Limit = watchdog.LimitAttention
			k.notify(w, cause)
		}
	}
}

func (k *knowing) notify(w *known, c watchdog.Cause) {
	k.out.Commands = append(k.out.Commands, watchdog.Command{
		Key: fmt.Sprintf("%s/%s/%s", w.id, c.Name, k.now.Mono), Kind: watchdog.CmdNotify, Worker: w.id, Generation: w.generation, Cause: c, Evidence: []int{w.phaseN},
		Text: "look at " + w.id,
	})
}

func (k *knowing) wake(at time.Duration, now watchdog.Instant) {
	if at > now.Mono && (k.out.Wake == 0 || at < k.out.Wake) {
		k.out.Wake = at
	}
}
