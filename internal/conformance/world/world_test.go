package world_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/watchdog"
)

const begin = `
0s    w1 spawn
+0s   w1 prompt "tidy the imports"
`

// asker is a subject that gives its commands once, at a moment, and remembers all that it is shown.
type asker struct {
	at       time.Duration
	commands []watchdog.Command
	seen     []watchdog.Observation
	steps    []watchdog.Instant
}

func (a *asker) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	a.seen = append(a.seen, seen...)
	a.steps = append(a.steps, now)
	if now.Mono < a.at {
		return watchdog.Decision{Wake: a.at}, nil
	}
	d := watchdog.Decision{Commands: a.commands}
	a.commands = nil
	return d, nil
}

// show plays a timeline to a subject and returns what the world recorded of its commands.
func show(t *testing.T, steps string, a *asker, c world.Config, vector ...int) (*acts, world.Summary) {
	t.Helper()
	c.Steps, c.Policy = timeline(t, steps), watchdog.DefaultPolicy()
	if c.Horizon == 0 {
		c.Horizon = time.Hour
	}
	c.Agents = pi.Agents("")
	w, err := world.New(c)
	if err != nil {
		t.Fatal(err)
	}
	record := &acts{}
	sum, err := w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return a, nil }, world.NewChooser(vector), record)
	if err != nil {
		t.Fatal(err)
	}
	return record, sum
}

// acts is a sink that keeps what became of commands, and faults.
type acts struct {
	results []watchdog.Result
	faults  []trace.FaultKind
	truths  []trace.Truth // of w1 at the last step
}

func (a *acts) Advance(watchdog.Instant) {}
func (a *acts) Step(s *trace.Step)       { a.truths = append(a.truths[:0], s.Truths...) }
func (a *acts) Act(c *trace.Act)         { a.results = append(a.results, c.Result) }
func (a *acts) Fault(f *trace.Fault)     { a.faults = append(a.faults, f.Kind) }
func (a *acts) End(watchdog.Instant)     {}

// bodies lists what was shown of a kind.
func bodies[T watchdog.Body](a *asker) []T {
	var all []T
	for _, o := range a.seen {
		if b, ok := o.Body.(T); ok {
			all = append(all, b)
		}
	}
	return all
}

func probe(what watchdog.What) watchdog.Command {
	return watchdog.Command{Key: "k", Kind: watchdog.CmdProbe, Worker: "w1", What: what}
}

// A step that the world cannot play is refused at its place: passed over, it would let a watchdog pass unjudged.
func TestUnplayable(t *testing.T) {
	tests := []struct{ steps, want, reason string }{
		{begin + "1m world disk full", `a watchdog that only watches sees nothing of "disk"`, "it keeps nothing"},
		{begin + "1m owner yes", `a watchdog that only watches sees nothing of "yes"`, "it proposes nothing"},
		{"0s w1 prompt \"go\"", "w1 does something before it is spawned", "no process is there"},
	}
	for _, tt := range tests {
		_, err := world.New(world.Config{Agents: pi.Agents(""), Steps: timeline(t, tt.steps), Policy: watchdog.DefaultPolicy(), Horizon: time.Hour})
		at, ok := errors.AsType[*script.Error](err)
		if !errors.Is(err, world.ErrScenario) || !ok || !strings.HasPrefix(at.Msg, tt.want) || at.Hint == "" || at.Pos.Line == 0 {
			t.Errorf("%s: got %v, want %q with its place and a remedy", tt.reason, err, tt.want)
		}
	}
}

func TestProbes(t *testing.T) {
	const inTool = begin + `+1s w1 tool bash "make" runs 30m as=make`
	cases := []struct {
		name, steps string
		what        watchdog.What
		want        watchdog.ProbeResult
		source      string
		processes   int
		reason      string
	}{
		{"state", inTool, watchdog.WhatState, watchdog.ProbeOK, "rpc", 0, "an rpc worker answers"},
		{"processes", inTool, watchdog.WhatProcesses, watchdog.ProbeOK, "proc", 3, "the worker, its shell and the tool"},
		{"state of a one-shot", `0s w1 spawn mode=json
			+1s w1 prompt "x"
			+1s w1 stalls`, watchdog.WhatState, watchdog.ProbeFailed, "rpc", 0, "it has no rpc"},
		{"state of a frozen worker", begin + `+1s w1 wedges frozen`, watchdog.WhatState, watchdog.ProbeFailed, "rpc", 0, "it answers nothing"},
		{"state of a dead worker", begin + `+1s w1 killed SIGKILL`, watchdog.WhatState, watchdog.ProbeFailed, "rpc", 0, "nobody is there"},
		{"processes of a dead worker", begin + `+1s w1 killed SIGKILL`, watchdog.WhatProcesses, watchdog.ProbeOK, "proc", 0, "none is a truth"},
		{"a failing probe", inTool + "\n@make+1s world probes w1 fail", watchdog.WhatProcesses, watchdog.ProbeFailed, "proc", 0, "the scenario says so"},
		{"an unknown answer", inTool + "\n@make+1s world probes w1 unknown", watchdog.WhatState, watchdog.ProbeUnknown, "rpc", 0, "the scenario says so"},
		{"gone", inTool + "\n@make+1s world probes w1 gone source=tmux", watchdog.WhatProcesses, watchdog.ProbeOK, "tmux", 0, "a source that lies"},
		{"gone for a while", inTool + "\n@make+1s world probes w1 gone for 1m", watchdog.WhatProcesses, watchdog.ProbeOK, "proc", 3, "the minute is over"},
		{"gone, of another question", inTool + "\n@make+1s world probes w1 gone what=state", watchdog.WhatProcesses, watchdog.ProbeOK, "proc", 3, "only state is asked there"},
		{"healed", inTool + "\n@make+1s world probes w1 fail\n+1s world healed", watchdog.WhatProcesses, watchdog.ProbeOK, "proc", 3, "every fault has ended"},
		{"stale", begin + "+1s world probes w1 stale\n+1s w1 tool bash \"make\" runs 30m", watchdog.WhatProcesses, watchdog.ProbeOK, "proc", 1, "before the tool began"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := &asker{at: 10 * time.Minute, commands: []watchdog.Command{probe(c.what)}}
			show(t, c.steps, a, world.Config{})
			got := bodies[watchdog.Probe](a)
			if len(got) != 1 {
				t.Fatalf("got %d answers, want 1", len(got))
			}
			p := got[0]
			if p.Result != c.want || p.Source != c.source || len(p.Processes) != c.processes || p.What != c.what || p.Key != "k" {
				t.Errorf("got %+v, want %s of %s with %d processes: %s", p, c.want, c.source, c.processes, c.reason)
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	a := &asker{at: 10 * time.Minute, commands: []watchdog.Command{probe(watchdog.WhatState)}}
	show(t, begin+"+1s world probes w1 nothing", a, world.Config{})
	if got := bodies[watchdog.Probe](a); len(got) != 0 {
		t.Errorf("got %+v, want no answer", got)
	}
}

// get_state is a line on stdin and a line on stdout, for everybody to see.
func TestStateIsSeen(t *testing.T) {
	a := &asker{at: 10 * time.Minute, commands: []watchdog.Command{probe(watchdog.WhatState)}}
	show(t, begin+"+1s w1 stalls", a, world.Config{})
	var in, out string
	for _, o := range a.seen {
		if b, ok := o.Body.(watchdog.Bytes); ok && o.At.Mono > 9*time.Minute {
			if b.Stream == watchdog.StreamIn {
				in += string(b.Data)
			} else {
				out += string(b.Data)
			}
		}
	}
	if !strings.Contains(in, `"type":"get_state"`) || !strings.Contains(out, `"command":"get_state"`) {
		t.Errorf("got %q and %q, want the question and the response", in, out)
	}
	if got := bodies[watchdog.Probe](a); len(got) != 1 || got[0].State == nil || !got[0].State.Streaming {
		t.Errorf("got %+v, want a worker that streams", got)
	}
}

func TestInspect(t *testing.T) {
	commands := []watchdog.Command{
		{Key: "out", Kind: watchdog.CmdInspect, Worker: "w1", What: watchdog.WhatStream, Stream: watchdog.StreamOut},
		{Key: "session", Kind: watchdog.CmdInspect, Worker: "w1", What: watchdog.WhatStream, Stream: watchdog.StreamSession},
		{Key: "world", Kind: watchdog.CmdInspect, Worker: "w1", What: watchdog.WhatWorld},
	}
	a := &asker{at: 10 * time.Minute, commands: commands}
	show(t, begin+"+1m world gap w1 out 10\n+1m w1 says \"Let me\"\n+0s w1 stalls", a, world.Config{})
	var size, shown int64
	for _, b := range bodies[watchdog.Bytes](a) {
		if b.Stream == watchdog.StreamOut {
			size, shown = b.Offset+int64(len(b.Data)), shown+int64(len(b.Data))
		}
	}
	got := map[string]watchdog.Inspect{}
	for _, in := range bodies[watchdog.Inspect](a) {
		got[in.Key] = in
	}
	if got["out"].Offset != size || shown != size-10 {
		t.Errorf("got offset %d, want %d; %d bytes were shown, want ten less", got["out"].Offset, size, shown)
	}
	if got["session"].Offset != -1 {
		t.Errorf("got offset %d of a stream that nobody holds, want -1", got["session"].Offset)
	}
	if got["world"].World == "" {
		t.Error("no digest of the worktree")
	}
}

// A wrong command reaches the worker: its harm is real.
func TestActs(t *testing.T) {
	run := begin + "+1s w1 says \"Let me see what there is\" over 30m"
	target := &watchdog.Target{PID: 4210, Start: 1}
	cases := []struct {
		name    string
		command watchdog.Command
		want    watchdog.Result
		phase   watchdog.VerdictName
	}{
		{"abort", watchdog.Command{Kind: watchdog.CmdAbort}, watchdog.ResultDone, watchdog.VerdictSettledUnproven},
		{"kill", watchdog.Command{Kind: watchdog.CmdKill}, watchdog.ResultDone, watchdog.VerdictDead},
		{"terminate", watchdog.Command{Kind: watchdog.CmdTerminate}, watchdog.ResultDone, watchdog.VerdictDead},
		{"steer", watchdog.Command{Kind: watchdog.CmdSteer, Input: []byte("go on")}, watchdog.ResultDone, watchdog.VerdictStreaming},
		{"null on stdin", watchdog.Command{Kind: watchdog.CmdInput, Input: []byte("null")}, watchdog.ResultDone, watchdog.VerdictDead},
		{"a snapshot", watchdog.Command{Kind: watchdog.CmdSnapshot}, watchdog.ResultDone, watchdog.VerdictStreaming},
		{"another generation", watchdog.Command{Kind: watchdog.CmdKill, IfGen: 2}, watchdog.ResultRefused, watchdog.VerdictStreaming},
		{"another process", watchdog.Command{Kind: watchdog.CmdKill, Target: target}, watchdog.ResultRefused, watchdog.VerdictStreaming},
		{"too late", watchdog.Command{Kind: watchdog.CmdKill, NotAfter: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}, watchdog.ResultRefused, watchdog.VerdictStreaming},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.command.Key, c.command.Worker = "k", "w1"
			a := &asker{at: 10 * time.Minute, commands: []watchdog.Command{c.command}}
			got, _ := show(t, run, a, world.Config{Horizon: 11 * time.Minute})
			if len(got.results) != 1 || got.results[0] != c.want {
				t.Errorf("got %v, want %s", got.results, c.want)
			}
			outcomes := bodies[watchdog.Outcome](a)
			if len(outcomes) != 1 || outcomes[0].Result != c.want || outcomes[0].Key != "k" {
				t.Errorf("told %+v, want %s", outcomes, c.want)
			}
			if got.truths[0].Phase != c.phase {
				t.Errorf("the worker is in %s, want %s", got.truths[0].Phase, c.phase)
			}
		})
	}
}

// What a source carries.
func TestSources(t *testing.T) {
	streams := func(spawn string) string {
		a := &asker{}
		show(t, "0s w1 spawn "+spawn+"\n+1s w1 prompt \"x\"\n+1s w1 says \"Done.\"\n+0s w1 settles\n+1m w1 exits 0", a, world.Config{})
		found := map[watchdog.Stream]bool{}
		for _, b := range bodies[watchdog.Bytes](a) {
			found[b.Stream] = true
		}
		var words []string
		for _, s := range []watchdog.Stream{watchdog.StreamIn, watchdog.StreamOut, watchdog.StreamSession, watchdog.StreamPTY} {
			if found[s] {
				words = append(words, string(s))
			}
		}
		if len(bodies[watchdog.Exited](a)) > 0 {
			words = append(words, "exit")
		}
		return strings.Join(words, " ")
	}
	cases := []struct{ spawn, want string }{
		{"", "in out exit"},
		{"parent=no", "in out"},
		{"source=followed", "out exit"},
		{"mode=json", "out exit"},
		{"mode=json source=followed parent=no", "out"},
		{"mode=print", "out session exit"},
		{"mode=tui", "session pty exit"},
		{"mode=tui source=followed parent=no", "session"},
	}
	for _, c := range cases {
		if got := streams(c.spawn); got != c.want {
			t.Errorf("spawn %s: got %q, want %q", c.spawn, got, c.want)
		}
	}
}

// In a suspend the script stands still, and so does Mono; the other clocks go on, and a jump moves the civil one alone.
func TestClocks(t *testing.T) {
	a := &asker{}
	show(t, begin+`+1m world suspend 9h
		+1m world clock jumps -2h
		+0s world clock zone +05:30
		+1m w1 says "Done."
		+0s w1 settles
		+1m world reboots`, a, world.Config{})
	type clocks struct {
		Mono, Boot, Wall time.Duration
		BootID, Zone     string
	}
	epoch := time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)
	var got []clocks
	for _, now := range a.steps {
		c := clocks{now.Mono, now.Boot, now.Wall.Sub(epoch), now.BootID, now.Wall.Format("-07:00")}
		if n := len(got); n == 0 || got[n-1] != c {
			got = append(got, c)
		}
	}
	want := []clocks{
		{0, 0, 0, "boot-1", "+00:00"},
		{3 * time.Minute, 9*time.Hour + 3*time.Minute, 7*time.Hour + 3*time.Minute, "boot-1", "+05:30"},
		{4 * time.Minute, 9*time.Hour + 4*time.Minute, 7*time.Hour + 4*time.Minute, "boot-2", "+05:30"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the clocks of the steps (-want +got):\n%s", diff)
	}
}

// Events of different sources on one instant come in every order that a vector of choices can say.
func TestOrders(t *testing.T) {
	const steps = `0s w1 spawn
		+0s w2 spawn
		+0s w3 spawn
		+1m w1 prompt "a"
		+0s w2 prompt "b"
		+0s w3 prompt "c"`
	first := func(vector ...int) string {
		a := &asker{}
		show(t, steps, a, world.Config{}, vector...)
		var order []string
		for _, o := range a.seen {
			if o.At.Mono == time.Minute && (len(order) == 0 || order[len(order)-1] != o.Worker) {
				order = append(order, o.Worker)
			}
		}
		return strings.Join(order, " ")
	}
	found := map[string]bool{}
	for i := range 3 {
		for j := range 2 {
			found[first(0, 0, i, j)] = true
		}
	}
	if len(found) != 6 || !found["w3 w2 w1"] {
		t.Errorf("got %v, want all six orders", found)
	}
	_, sum := show(t, steps, &asker{}, world.Config{}, 0, 0, 7)
	if sum.Fits {
		t.Error("a choice that there is not was taken without a word")
	}
}

// One seed, subject and vector of choices make one history; another seed makes other ids.
func TestDeterminism(t *testing.T) {
	digest := func(steps string, seed uint64, vector []int) string {
		w, err := world.New(world.Config{Agents: pi.Agents(""), Steps: timeline(t, steps), Policy: watchdog.DefaultPolicy(), Seed: seed, Horizon: 2 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		d := trace.NewDigest()
		a := &asker{at: 30 * time.Second, commands: []watchdog.Command{probe(watchdog.WhatState), probe(watchdog.WhatProcesses)}}
		if _, err := w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return a, nil }, world.NewChooser(vector), d); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", d.Sum())
	}
	acts := []string{`says "Let me see"`, `thinks 4s`, `tool bash "ls" runs 3s`, `says "Now." over 2s`, `notifies status "busy"`}
	rapid.Check(t, func(rt *rapid.T) {
		steps := begin
		for range rapid.IntRange(0, 6).Draw(rt, "steps") {
			steps += "+5s w1 " + rapid.SampledFrom(acts).Draw(rt, "act") + "\n"
		}
		steps += "+10s w1 settles"
		seed := rapid.Uint64Range(0, 1<<32).Draw(rt, "seed")
		vector := rapid.SliceOfN(rapid.IntRange(0, 1), 0, 4).Draw(rt, "vector")
		if a, b := digest(steps, seed, vector), digest(steps, seed, vector); a != b {
			rt.Fatalf("the same history twice: %s and %s", a, b)
		}
		if a, b := digest(steps, seed, vector), digest(steps, seed+1, vector); a == b {
			rt.Fatalf("two seeds, one history: %s", a)
		}
	})
}

// A subject that polls is stepped at the multiples of its poll, whatever it wishes.
func TestPoll(t *testing.T) {
	a := &asker{at: 90 * time.Second}
	show(t, "0s w1 spawn", a, world.Config{Poll: time.Minute, Horizon: 5*time.Minute + time.Second})
	var got []time.Duration
	for _, now := range a.steps {
		got = append(got, now.Mono)
	}
	want := []time.Duration{0, 0, time.Minute, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestRestless(t *testing.T) {
	for _, wake := range []time.Duration{0, -time.Second} {
		w, err := world.New(world.Config{Agents: pi.Agents(""), Steps: timeline(t, begin), Policy: watchdog.DefaultPolicy(), Horizon: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		record := &acts{}
		_, err = w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return restless{wake}, nil }, world.NewChooser(nil), record)
		if err != nil || len(record.faults) != 1 || record.faults[0] != trace.FaultSpin {
			t.Errorf("wake %s from now: got %v %v, want a spin that is ended", wake, record.faults, err)
		}
	}
}

// A subject that answers each outcome with more commands is stopped before it fills the memory.
func TestFlood(t *testing.T) {
	w, err := world.New(world.Config{Agents: pi.Agents(""), Steps: timeline(t, begin), Policy: watchdog.DefaultPolicy(), Horizon: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	record := &acts{}
	flood := &flooding{}
	_, err = w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return flood, nil }, world.NewChooser(nil), record)
	if err != nil || len(record.faults) != 1 || record.faults[0] != trace.FaultSpin || flood.commands > 100_000 {
		t.Errorf("got %v %v after %d commands, want a spin that is ended early", record.faults, err, flood.commands)
	}
}

// flooding sends a thousand notices in every step.
type flooding struct{ commands int }

func (f *flooding) Step(watchdog.Instant, []watchdog.Observation) (watchdog.Decision, error) {
	var d watchdog.Decision
	for range 1000 {
		f.commands++
		d.Commands = append(d.Commands, watchdog.Command{Key: strconv.Itoa(f.commands), Kind: watchdog.CmdNotify, Worker: "w1"})
	}
	return d, nil
}

// restless always wants to be stepped now, or before.
type restless struct{ ahead time.Duration }

func (r restless) Step(now watchdog.Instant, _ []watchdog.Observation) (watchdog.Decision, error) {
	return watchdog.Decision{Wake: max(now.Mono+r.ahead, 1)}, nil
}
