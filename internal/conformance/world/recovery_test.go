package world_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// deed is a command at a moment.
type deed struct {
	at      time.Duration
	command watchdog.Command
}

// scripted is a subject that gives its commands at their moments, and remembers through crashes what it is shown: it is
// its own durable memory, unless it writes.
type scripted struct {
	deeds  []deed
	next   int
	shown  []shown
	boots  []watchdog.Boot
	state  watchdog.State
	writes string // to its state at each step with a command
	acks   bool
	errs   []error
}

type shown struct {
	now  time.Duration
	seen []watchdog.Observation
}

func (s *scripted) start(b watchdog.Boot) (watchdog.Watchdog, error) {
	s.boots, s.state = append(s.boots, b), b.State
	return s, nil
}

func (s *scripted) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	s.shown = append(s.shown, shown{now.Mono, slices.Clone(seen)})
	var d watchdog.Decision
	for s.next < len(s.deeds) && s.deeds[s.next].at <= now.Mono {
		d.Commands = append(d.Commands, s.deeds[s.next].command)
		s.next++
	}
	if s.next < len(s.deeds) {
		d.Wake = s.deeds[s.next].at
	}
	if s.writes != "" && len(d.Commands) > 0 {
		if err := errors.Join(s.state.Append([]byte(s.writes)), s.state.Sync()); err != nil {
			s.errs = append(s.errs, err)
		}
	}
	if s.acks && len(seen) > 0 {
		d.Ack = seen[len(seen)-1].N
	}
	return d, nil
}

// all lists what was shown, in its order, for the first time.
func (s *scripted) all() []watchdog.Observation {
	var list []watchdog.Observation
	last := 0
	for _, step := range s.shown {
		for _, o := range step.seen {
			if o.N > last {
				list, last = append(list, o), o.N
			}
		}
	}
	return list
}

func bodiesOf[T watchdog.Body](s *scripted) []T {
	var list []T
	for _, o := range s.all() {
		if b, ok := o.Body.(T); ok {
			list = append(list, b)
		}
	}
	return list
}

func (s *scripted) outcomes() map[string]string {
	found := map[string]string{}
	for _, o := range bodiesOf[watchdog.Outcome](s) {
		found[o.Key] = strings.TrimSpace(string(o.Result) + " " + o.Reason)
	}
	return found
}

func cmd(key string, kind watchdog.CommandKind, changes ...func(*watchdog.Command)) watchdog.Command {
	c := watchdog.Command{Key: key, Kind: kind, Worker: "w1"}
	for _, change := range changes {
		change(&c)
	}
	return c
}

// playScripted plays a timeline to a scripted subject.
func playScripted(t testing.TB, steps string, s *scripted, r world.Recovery, vector ...int) (world.Summary, *world.World) {
	t.Helper()
	w, err := world.New(world.Config{Agents: pi.Agents(""), Steps: timeline(t, steps), Policy: watchdog.DefaultPolicy(), Horizon: time.Hour, Recovery: &r})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := w.Run(s.start, world.NewChooser(vector))
	if err != nil {
		t.Fatal(err)
	}
	return sum, w
}

const (
	stalled = begin + `+1s w1 says "Let me"
		+0s w1 stalls`
	killed = begin + `+1s w1 says "Let me"
		+1s w1 killed SIGKILL`
)

func token(n string) func(*watchdog.Command)   { return func(c *watchdog.Command) { c.Token = n } }
func digest(d string) func(*watchdog.Command)  { return func(c *watchdog.Command) { c.IfDigest = d } }
func generation(n int) func(*watchdog.Command) { return func(c *watchdog.Command) { c.IfGen = n } }
func input(line string) func(*watchdog.Command) {
	return func(c *watchdog.Command) { c.Input = []byte(line) }
}

// What becomes of commands, under every spawner that makes a difference.
func TestOutcomes(t *testing.T) {
	minute := func(commands ...watchdog.Command) []deed {
		var list []deed
		for i, c := range commands {
			list = append(list, deed{time.Duration(i+1) * time.Minute, c})
		}
		return list
	}
	cases := []struct {
		name, steps string
		spawner     watchdog.Spawner
		deeds       []deed
		want        map[string]string
		spawned     int
	}{
		{"a snapshot", stalled, "", minute(cmd("s", watchdog.CmdSnapshot)), map[string]string{"s": "done"}, 1},
		{"a snapshot of what changes", begin + `+59s w1 tool bash "make" runs 2s writes`, "", minute(cmd("s", watchdog.CmdSnapshot)), map[string]string{"s": "failed changed"}, 1},
		{"a snapshot on a full disk", stalled + "\n+1s world disk full", "", minute(cmd("s", watchdog.CmdSnapshot)), map[string]string{"s": "failed no space left on device"}, 1},
		{"a proof of nothing", stalled, "", minute(cmd("p", watchdog.CmdProveRestore)), map[string]string{"p": "failed no such snapshot"}, 1},
		{"other evidence", stalled, "", minute(cmd("a", watchdog.CmdAbort, digest("d"))), map[string]string{"a": "refused the worktree has changed"}, 1},
		{"another generation", killed, "", minute(cmd("r", watchdog.CmdRespawn, generation(2))), map[string]string{"r": "refused another generation runs"}, 1},
		{"no lease", killed, watchdog.SpawnerFenced, minute(cmd("r", watchdog.CmdRespawn)), map[string]string{"r": "refused an old fencing token"}, 1},
		{"an old lease", killed, watchdog.SpawnerFenced, minute(cmd("l", watchdog.CmdAcquireLease), cmd("m", watchdog.CmdAcquireLease), cmd("r", watchdog.CmdRespawn, token("1"))),
			map[string]string{"l": "done", "m": "done", "r": "refused an old fencing token"}, 1},
		{"the lease", killed, watchdog.SpawnerFenced, minute(cmd("l", watchdog.CmdAcquireLease), cmd("r", watchdog.CmdRespawn, token("1"))), map[string]string{"l": "done", "r": "done"}, 2},
		{"another's lease", killed + "\n+1s world task w1 lease=other lease_for=1h", "", minute(cmd("l", watchdog.CmdAcquireLease)), map[string]string{"l": "refused held by other"}, 1},
		{"a repeated key, plain", killed, watchdog.SpawnerPlain, minute(cmd("r", watchdog.CmdRespawn), cmd("r", watchdog.CmdRespawn)), map[string]string{"r": "done"}, 3},
		{"a repeated key, keyed", killed, watchdog.SpawnerKeyed, minute(cmd("r", watchdog.CmdRespawn), cmd("r", watchdog.CmdRespawn)), map[string]string{"r": "done"}, 2},
		{"a dead link", killed + "\n+1s world link down", watchdog.SpawnerPlain, minute(cmd("r", watchdog.CmdRespawn), cmd("l", watchdog.CmdAcquireLease), cmd("p", watchdog.CmdPublish), cmd("i", watchdog.CmdRepairRow)),
			map[string]string{"r": "failed unreachable", "l": "failed unreachable", "p": "failed unreachable", "i": "failed unreachable"}, 1},
		{"a merge under way", stalled + "\n+1s world worktree w1 midway", "", minute(cmd("c", watchdog.CmdCommitWIP)), map[string]string{"c": "failed a merge is under way"}, 1},
		{"no worktree", stalled + "\n+1s world worktree w1 missing", "", minute(cmd("c", watchdog.CmdCommitWIP)), map[string]string{"c": "failed there is no worktree"}, 1},
		{"no tool", stalled, "", minute(cmd("t", watchdog.CmdStopTool)), map[string]string{"t": "failed no process works for this call"}, 1},
		{"a scripted failure, twice", stalled + "\n+1s world outcome w1 snapshot failed times=2", "",
			minute(cmd("s", watchdog.CmdSnapshot), cmd("t", watchdog.CmdSnapshot), cmd("u", watchdog.CmdSnapshot)), map[string]string{"s": "failed it failed", "t": "failed it failed", "u": "done"}, 1},
		{"a scripted refusal", killed + "\n+1s world outcome w1 respawn refused", watchdog.SpawnerPlain, minute(cmd("r", watchdog.CmdRespawn)), map[string]string{"r": "refused the executor refuses"}, 1},
		{"a successor that got lost", killed + "\n+1s world outcome w1 respawn unknown", watchdog.SpawnerPlain, minute(cmd("r", watchdog.CmdRespawn)), map[string]string{"r": "unknown no answer"}, 1},
		{"a successor unheard of", killed + "\n+1s world outcome w1 respawn unheard", watchdog.SpawnerPlain, minute(cmd("r", watchdog.CmdRespawn)), map[string]string{"r": "unknown no answer"}, 2},
		{"a claim", killed + "\n+1s world outcome w1 respawn claimed", watchdog.SpawnerPlain, minute(cmd("r", watchdog.CmdRespawn)), map[string]string{"r": "done"}, 1},
		{"what is said of another kind", stalled + "\n+1s world outcome w1 respawn failed", "", minute(cmd("s", watchdog.CmdSnapshot)), map[string]string{"s": "done"}, 1},
		{"an outcome that is healed", stalled + "\n+1s world outcome w1 snapshot failed times=9\n+1s world healed", "", minute(cmd("s", watchdog.CmdSnapshot)), map[string]string{"s": "done"}, 1},
		{"a prompt", stalled, "", minute(cmd("a", watchdog.CmdAbort), cmd("p", watchdog.CmdInput, input(`{"id":"1","type":"prompt","message":"go on"}`))), map[string]string{"a": "done", "p": "done"}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := &scripted{deeds: c.deeds}
			playScripted(t, c.steps, s, world.Recovery{Spawner: c.spawner})
			if diff := cmp.Diff(c.want, s.outcomes()); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if got := len(bodiesOf[watchdog.Spawned](s)); got != c.spawned {
				t.Errorf("%d generations, want %d", got, c.spawned)
			}
		})
	}
}

// A worktree keeps what each generation has done to it, and its facts stand beside its digest.
func TestWorktree(t *testing.T) {
	s := &scripted{deeds: []deed{
		{time.Minute, cmd("i1", watchdog.CmdInspect, func(c *watchdog.Command) { c.What = watchdog.WhatWorld })},
		{2 * time.Minute, cmd("c", watchdog.CmdCommitWIP)},
		{3 * time.Minute, cmd("r", watchdog.CmdRespawn)},
		{4 * time.Minute, cmd("p", watchdog.CmdPublish)},
		{5 * time.Minute, cmd("i2", watchdog.CmdInspect, func(c *watchdog.Command) { c.What = watchdog.WhatWorld })},
	}}
	playScripted(t, begin+`+1s w1 tool bash "gofmt -w ." runs 1s writes
		+1s w1 killed SIGKILL`, s, world.Recovery{Spawner: watchdog.SpawnerPlain})
	type facts struct {
		dirty bool
		ahead int
		same  bool // local and remote head
	}
	var got []facts
	var last watchdog.Worktree
	for _, b := range bodiesOf[watchdog.Worktree](s) {
		got, last = append(got, facts{b.Dirty, b.Ahead, b.Head == b.Remote}), b
	}
	want := []facts{{true, 0, true}, {false, 1, false}, {false, 0, true}, {false, 0, true}} // seen, committed, published, seen
	if !cmp.Equal(want, got, cmp.AllowUnexported(facts{})) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if in := bodiesOf[watchdog.Inspect](s); len(in) != 2 || in[1].World != last.Digest || in[0].World == in[1].World {
		t.Errorf("got %+v, want the digests of the facts", in)
	}
}

// What a tool started outlives the worker, is found by a probe beside the successor, and can be ended by its own id.
func TestDescendants(t *testing.T) {
	const steps = begin + `+1s w1 tool bash "make" runs 5m writes as=make
		@make+1s w1 killed SIGKILL`
	look := func(c *watchdog.Command) { c.What = watchdog.WhatProcesses }
	s := &scripted{deeds: []deed{
		{time.Minute, cmd("p1", watchdog.CmdProbe, look)},
		{2 * time.Minute, cmd("r", watchdog.CmdRespawn)},
		{3 * time.Minute, cmd("p2", watchdog.CmdProbe, look)},
		{6 * time.Minute, cmd("p3", watchdog.CmdProbe, look)},
	}}
	_, w := playScripted(t, steps, s, world.Recovery{Spawner: watchdog.SpawnerPlain})
	var counts []int
	var child watchdog.Target
	for _, p := range bodiesOf[watchdog.Probe](s) {
		counts = append(counts, len(p.Processes))
		if child.PID == 0 {
			child = watchdog.Target{PID: p.Processes[1].PID, Start: p.Processes[1].Start}
		}
	}
	if want := []int{2, 3, 1}; !slices.Equal(counts, want) {
		t.Errorf("processes: got %v, want %v: the tool's two, those and the successor, the successor alone", counts, want)
	}
	if tree := w.Tree(0); tree.Wrote != 5*time.Minute+time.Second || tree.Ahead != 1 {
		t.Errorf("got %+v, want the tool's write at its end and the successor's commit", tree)
	}
	kill := &scripted{deeds: []deed{{time.Minute, cmd("k", watchdog.CmdKill, func(c *watchdog.Command) { c.Target = &child })}}}
	if _, w = playScripted(t, steps, kill, world.Recovery{}); w.Tree(0).Wrote != 0 || kill.outcomes()["k"] != "done" {
		t.Errorf("got %v and a write at %s, want the tool ended before it writes", kill.outcomes(), w.Tree(0).Wrote)
	}
}

// The section of a respawn is played when that takes effect; one that the script does not have is healthy.
func TestSuccessors(t *testing.T) {
	s := &scripted{deeds: []deed{{10 * time.Minute, cmd("r", watchdog.CmdRespawn)}, {20 * time.Minute, cmd("r2", watchdog.CmdRespawn)}}}
	_, w := playScripted(t, killed+`
		+0s w1 spawn respawned
		+1s w1 prompt "go on"
		+1m w1 says "Let me"
		+1s w1 killed SIGKILL`, s, world.Recovery{Spawner: watchdog.SpawnerPlain})
	var exits []time.Duration
	for _, o := range s.all() {
		if _, ok := o.Body.(watchdog.Exited); ok {
			exits = append(exits, o.At.Mono)
		}
	}
	want := []time.Duration{2 * time.Second, 10*time.Minute + 500*time.Millisecond + 62*time.Second}
	if !slices.Equal(exits, want) {
		t.Errorf("exits at %v, want %v", exits, want)
	}
	if got := w.Truth(0); got.Generation != 3 || got.Phase != watchdog.VerdictSettled || !got.Proven {
		t.Errorf("got %+v, want a third generation that has settled", got)
	}
}

// The owner answers what is proposed, with the digest that they were shown; the last word that fits counts.
func TestOwner(t *testing.T) {
	propose := func(key string, act watchdog.CommandKind) watchdog.Command {
		return cmd(key, watchdog.CmdPropose, func(c *watchdog.Command) { c.Act, c.IfDigest = act, "digest of "+key })
	}
	s := &scripted{deeds: []deed{{time.Minute, propose("a", watchdog.CmdAbort)}, {time.Minute, propose("r", watchdog.CmdRespawn)}, {2 * time.Minute, propose("k", watchdog.CmdKill)}}}
	playScripted(t, stalled+`
		0s owner yes after 10m
		1s owner no respawn
		5m owner no k after 1m`, s, world.Recovery{})
	type word struct {
		at      time.Duration
		item    string
		approve bool
	}
	var got []word
	for _, o := range s.all() {
		if b, ok := o.Body.(watchdog.Owner); ok {
			got = append(got, word{o.At.Mono, b.Item, b.Approve})
			if b.Digest != "digest of "+b.Item {
				t.Errorf("%s was decided on %q", b.Item, b.Digest)
			}
		}
	}
	want := []word{{time.Minute + time.Millisecond, "r", false}, {6 * time.Minute, "k", false}, {11 * time.Minute, "a", true}, {12 * time.Minute, "k", true}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A command that is said to come later does, and so does what is told of it.
func TestLateOutcome(t *testing.T) {
	s := &scripted{deeds: []deed{{time.Minute, cmd("s", watchdog.CmdSnapshot)}}}
	playScripted(t, stalled+"\n+1s world outcome w1 snapshot done after 20m", s, world.Recovery{})
	for _, o := range s.all() {
		if b, ok := o.Body.(watchdog.Outcome); ok && (b.Result != watchdog.ResultDone || o.At.Mono < 21*time.Minute) {
			t.Errorf("got %s at %s, want done 20 minutes behind the command", b.Result, o.At.Mono)
		}
	}
	if got := s.outcomes(); got["s"] != "done" {
		t.Errorf("got the outcomes %v", got)
	}
}

// Every fault ends by itself, the longest limit behind the last one.
func TestHealing(t *testing.T) {
	s := &scripted{writes: "x", deeds: []deed{{time.Minute, cmd("1", watchdog.CmdSnapshot)}, {50 * time.Minute, cmd("2", watchdog.CmdSnapshot)}}}
	w, err := world.New(world.Config{
		Agents: pi.Agents(""), Steps: timeline(t, stalled+"\n+1s world disk full\n+0s world link down"), Policy: watchdog.DefaultPolicy(), Horizon: 10 * time.Hour, Recovery: &world.Recovery{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(s.start, world.NewChooser(nil)); err != nil {
		t.Fatal(err)
	}
	if len(s.errs) != 2 || !errors.Is(s.errs[0], journal.ErrFull) {
		t.Errorf("got %v, want two writes refused: the tool's limit is two hours", s.errs)
	}
	var ups []time.Duration
	for _, o := range s.all() {
		if b, ok := o.Body.(watchdog.Link); ok && b.Up {
			ups = append(ups, o.At.Mono)
		}
	}
	if want := []time.Duration{0, 2*time.Hour + 2*time.Second}; !slices.Equal(ups, want) {
		t.Errorf("the link came up at %v, want %v", ups, want)
	}
}

// A process that ends at the very instant of a line has closed its stdin: in both orders the line is not heard.
func TestLineToTheLeaving(t *testing.T) {
	const steps = begin + `+1s w1 says "Let me"
		+59001ms w1 exits 1`
	results := map[string]bool{}
	base, _ := playScripted(t, steps, &scripted{deeds: []deed{{time.Minute, cmd("a", watchdog.CmdAbort)}}}, world.Recovery{})
	for _, at := range places(base.Choices, world.PointOrder) {
		for pick := range base.Choices[at].N {
			s := &scripted{deeds: []deed{{time.Minute, cmd("a", watchdog.CmdAbort)}}}
			playScripted(t, steps, s, world.Recovery{}, append(make([]int, at), pick)...)
			results[s.outcomes()["a"]] = true
			for _, b := range bodiesOf[watchdog.Bytes](s) {
				if b.Stream == watchdog.StreamIn && strings.Contains(string(b.Data), "abort") {
					t.Errorf("order %d: the worker was shown to hear the abort", pick)
				}
			}
		}
	}
	if want := map[string]bool{"failed the process has ended": true}; !maps.Equal(results, want) {
		t.Errorf("got outcomes %v, want %v", results, want)
	}
}
