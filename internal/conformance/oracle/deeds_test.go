package oracle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/conformance/world"
	"fakepi.example/watchdog"
)

const (
	deaf = begin + `+1s w1 says "Let me"
		+0s w1 wedges deaf`
	outlives = begin + `+1s w1 tool bash "make" runs 20m busy writes as=make
		@make+5s w1 killed SIGKILL`
	committed = begin + `+1s w1 tool bash "git commit" runs 1s commits
		+1s w1 says "All in"
		+1s w1 killed SIGKILL`
	hangs   = begin + `+1s w1 tool bash "make" runs never`
	retried = begin + `+1s w1 refused transient
		+0s w1 retries 2s
		+1s w1 refused transient
		+0s w1 retries 4s
		+1s w1 says "Let me"
		+1s w1 killed SIGKILL`
	circles = `
		+1s world task w1 status=open
		+1s world task w1 status=review
		+1s world task w1 status=open
		+1s world task w1 status=review
		+1s world task w1 status=open
		+1s world task w1 status=review`
	seven = `0s w1 spawn
		+0s w2 spawn
		+0s w3 spawn
		+0s w4 spawn
		+0s w5 spawn
		+1s w1 prompt "a"
		+0s w2 prompt "b"
		+0s w3 prompt "c"
		+0s w4 prompt "d"
		+0s w5 prompt "e"
		+1s w1 killed SIGKILL
		+1s w2 killed SIGKILL
		+1s w3 killed SIGKILL
		+1s w4 killed SIGKILL
		+1s w5 killed SIGKILL`
)

const minute = time.Minute

// behind is what follows the death of a worker: a snapshot, the lease, a look, a successor.
func behind(at time.Duration) []deed {
	return []deed{
		{at, watchdog.CmdSnapshot, nil},
		{at + 10*time.Second, watchdog.CmdAcquireLease, nil},
		{at + 20*time.Second, watchdog.CmdProbe, nil},
		{at + 40*time.Second, watchdog.CmdRespawn, nil},
	}
}

// finished is a worker that has settled and exited, with a worktree of which nothing is needed any more.
const finished = goodEnd + `
	+1s w1 exits 0
	+0s owner yes
	+1m world gate w1 tests passed
	+1s world task w1 status=done`

// cleanup is what removes such a worktree with the owner's leave.
func cleanup() []deed {
	return []deed{
		{6 * minute, watchdog.CmdSnapshot, nil},
		{6*minute + 10*time.Second, watchdog.CmdInspect, func(c *watchdog.Command) { c.What = watchdog.WhatWorld }},
		{6*minute + 20*time.Second, watchdog.CmdProveRestore, nil},
		{6*minute + 30*time.Second, watchdog.CmdPropose, func(c *watchdog.Command) { c.Key, c.Act = "propose/remove", watchdog.CmdRemoveWorktree }},
		{7 * minute, watchdog.CmdRemoveWorktree, func(c *watchdog.Command) { c.Item = "propose/remove" }},
	}
}

// asked is the ladder under the owner's leave, which item names.
func asked(item string) []deed {
	stop := func(kind watchdog.CommandKind, it string) func(*watchdog.Command) {
		return func(c *watchdog.Command) { c.Key, c.Act = "propose/"+it, kind }
	}
	use := func(it string) func(*watchdog.Command) {
		return func(c *watchdog.Command) { c.Item = it }
	}
	return []deed{
		{12 * minute, watchdog.CmdSnapshot, nil},
		{12*minute + 5*time.Second, watchdog.CmdPropose, stop(watchdog.CmdAbort, "abort")},
		{12*minute + 30*time.Second, watchdog.CmdAbort, use(item)},
		{20 * minute, watchdog.CmdEscalate, nil},
	}
}

func attended(*watchdog.Policy) {}

// A subject that does each thing in its turn passes.
func TestRightDeeds(t *testing.T) {
	cases := []struct {
		name, steps string
		policy      func(*watchdog.Policy)
		deeds       []deed
	}{
		{"the ladder and a successor", deaf, auto, ladder()},
		{"a death and a successor", death, auto, behind(5 * minute)},
		{"under the owner's leave", deaf + "\n0s owner yes", attended, asked("propose/abort")},
		{"the tool first", hangs, auto, []deed{
			{63 * minute, watchdog.CmdSnapshot, nil}, {63*minute + 10*time.Second, watchdog.CmdStopTool, nil},
			{90 * minute, watchdog.CmdEscalate, nil},
		}},
		{"handed over", deaf, auto, []deed{{12 * minute, watchdog.CmdEscalate, nil}}},
		{"published", committed + "\n5m world gate w1 tests passed", auto, []deed{{6 * minute, watchdog.CmdSnapshot, nil}, {7 * minute, watchdog.CmdPublish, nil}}},
		{"cleaned up", finished, auto, cleanup()},
		{"the operator stopped it", death + "\n+0s operator stop w1", attended, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, v := range judge(t, game{steps: c.steps, policy: c.policy, recovery: acts()}, does(c.deeds...)) {
				t.Errorf("%s %s at %s: want %s, got %s", v.Requirement, v.Mistake, v.At, v.Expected, v.Actual)
			}
		})
	}
}

// Each subject does one thing wrong, and the oracle says which.
func TestWrongDeeds(t *testing.T) {
	named := func(key string) func(*watchdog.Command) { return func(c *watchdog.Command) { c.Key = key } }
	of := func(worker string) func(*watchdog.Command) { return func(c *watchdog.Command) { c.Worker = worker } }
	leave := deaf + "\n0s owner yes"
	shared := strings.Replace(strings.TrimSpace(finished), "w1 spawn", "w2 spawn worktree=/demo\n+0s w1 spawn worktree=/demo", 1)
	again := []deed{{15 * minute, watchdog.CmdAcquireLease, nil}, {15*minute + 10*time.Second, watchdog.CmdProbe, nil}, {15*minute + 20*time.Second, watchdog.CmdRespawn, nil}}
	dying := death + `
		+0s w1 spawn respawned
		+1s w1 prompt "go on"
		+1s w1 says "Let me"
		+1s w1 killed SIGKILL
		+0s w1 spawn respawned
		+1s w1 prompt "go on"
		+1s w1 says "Let me"
		+1s w1 killed SIGKILL`
	cases := []struct {
		name, steps string
		requires    []string
		policy      func(*watchdog.Policy)
		deeds       []deed
		want        string
		reason      string
	}{
		{"stops without an abort", deaf, nil, auto, without(ladder(), 1), "rung_skipped WDC-ACT-001", "SIGINT comes behind an abort"},
		{"no grace", deaf, nil, auto, moved(ladder(), 2, 12*minute+15*time.Second), "rung_skipped WDC-ACT-001", "five seconds behind the abort"},
		{"kills at once", deaf, nil, auto, []deed{{12 * minute, watchdog.CmdSnapshot, nil}, {13 * minute, watchdog.CmdKill, nil}}, "rung_skipped WDC-ACT-001", "the last rung first"},
		{"stops a healthy worker", goodEnd, nil, auto, []deed{{500 * time.Millisecond, watchdog.CmdAbort, nil}}, "unjustified_act WDC-TTFT-002", "a first token is awaited"},
		{"stops a worker that went on", heals, []string{"WDC-ACT-004"}, auto, []deed{{20*minute + 2*time.Second, watchdog.CmdAbort, nil}}, "unjustified_act WDC-ACT-004", "progress has come"},
		{"no snapshot before the stop", deaf, nil, auto, without(ladder(), 0), "snapshot_missing WDC-EVID-001", "the worktree is not safe"},
		{"a snapshot before the last progress", begin + "+1s w1 says \"Let me\"\n+5m w1 says \" see\"\n+0s w1 wedges deaf", nil, auto,
			[]deed{{2 * minute, watchdog.CmdSnapshot, nil}, {17 * minute, watchdog.CmdAbort, nil}, {18 * minute, watchdog.CmdInterrupt, nil}}, "snapshot_missing WDC-EVID-001", "what came since is not in it"},
		{"a snapshot before a commit that was shown", outlives + "\n11m world dirty w1\n12m world worktree w1 committed\n12m world dirty w1", nil, auto,
			[]deed{{10 * minute, watchdog.CmdSnapshot, nil}, {15 * minute, watchdog.CmdTerminate, nil}}, "snapshot_missing WDC-EVID-001", "the commit is not in it"},
		{"a snapshot before the last write", outlives, nil, auto, moved(behind(25*minute), 0, 10*minute), "snapshot_outdated WDC-EVID-001", "the tool wrote at 20m"},
		{"a signal to anybody", deaf, nil, auto, with(ladder(), 2, func(c *watchdog.Command) { c.Target = &watchdog.Target{} }), "wrong_target WDC-FENCE-001", "which process?"},
		{"a signal to another process", deaf, nil, auto, with(ladder(), 2, func(c *watchdog.Command) { c.Target = &watchdog.Target{PID: 1, Start: 7} }), "wrong_target WDC-FENCE-001", "it is not the worker's"},
		{"no lease", death, nil, auto, without(behind(5*minute), 1), "lease_missing WDC-FENCE-003", "it may not start anybody"},
		{"another's lease", death + "\n+0s world task w1 lease=other lease_for=1h", nil, auto, behind(5 * minute), "lease_missing WDC-FENCE-003", "somebody else works on it"},
		{"a successor of a live worker", deaf, nil, auto, without(ladder(), 2), "two_workers WDC-ACT-005", "the predecessor runs"},
		{"two successors", death, nil, auto, append(behind(5*minute), deed{5*minute + 40*time.Second, watchdog.CmdRespawn, named("again")}), "two_workers WDC-ACT-005", "one task, two workers"},
		{"a successor beside a tool", outlives, nil, auto, behind(5 * minute), "leftovers_running WDC-ACT-007", "the tool writes on"},
		{"a nudge", deaf, nil, auto, []deed{{12 * minute, watchdog.CmdInput, nil}}, "needless_input WDC-ACT-006", "words are no remedy"},
		{"an answer to a dialog", dialog, nil, auto, []deed{{10 * minute, watchdog.CmdAnswer, func(c *watchdog.Command) { c.Input = []byte("{}") }}}, "input_while_waiting WDC-WAIT-004", "the owner is asked"},
		{"kills in a dialog", dialog, []string{"WDC-WAIT-001"}, auto, []deed{{10 * minute, watchdog.CmdAbort, nil}}, "unjustified_act WDC-WAIT-001", "it waits for a person"},
		{"no leave", deaf, nil, attended, asked(""), "unapproved WDC-GATE-002", "the policy says ask"},
		{"leave that was not given", deaf, nil, attended, asked("propose/abort"), "unapproved WDC-GATE-002", "silence is no yes"},
		{"leave that was refused", deaf + "\n0s owner no", nil, attended, asked("propose/abort"), "unapproved WDC-GATE-002", "the owner said no"},
		{"leave that has expired", deaf + "\n0s owner yes valid 5s", nil, attended, asked("propose/abort"), "unapproved WDC-GATE-002", "five seconds"},
		{"leave that ends while the command is under way", deaf + "\n0s owner yes valid 40s\n0s world outcome w1 abort done after 5m", nil, attended, asked("propose/abort"), "approval_expired WDC-GATE-002", "nothing says until when it may be carried out"},
		{"leave of other evidence", leave + "\n12m20s world worktree w1 edited", nil, attended, asked("propose/abort"), "unapproved WDC-GATE-002", "the worktree has changed"},
		{"leave for something else", leave, nil, attended, with(asked("propose/abort"), 1, func(c *watchdog.Command) { c.Key, c.Act = "propose/abort", watchdog.CmdRespawn }), "unapproved WDC-GATE-002", "it was for a respawn"},
		{"forbidden", deaf, nil, func(p *watchdog.Policy) { p.Effects[watchdog.EffectStopTurn] = watchdog.PermitNever }, without(ladder(), 2, 3, 4, 5, 6), "unapproved WDC-GATE-002", "the policy says never"},
		{"a plan that says nothing", deaf, nil, attended, with(asked(""), 1, func(c *watchdog.Command) { c.Text = "" }), "proposal_incomplete WDC-GATE-001", "why?"},
		{"a veto", deaf + "\n2s world task w1 vetoes=blocked", nil, auto, ladder(), "veto_ignored WDC-GATE-005", "alert only"},
		{"a person's session", "0s w1 spawn autonomous=no\n+0s w1 prompt \"x\"\n+1s w1 says \"Let me\"\n+0s w1 wedges deaf", nil, auto, ladder(), "veto_ignored WDC-GATE-005", "a person works in it"},
		{"in spite of the operator", deaf + "\n+1m operator pause w1", nil, auto, ladder(), "operator_ignored WDC-LIFE-005", "it is paused"},
		{"no budget", death, nil, func(p *watchdog.Policy) { auto(p); p.ResumeAttempts = 0 }, behind(5 * minute), "budget_exceeded WDC-BUDG-001", "not one attempt"},
		{"no restarts", death, nil, func(p *watchdog.Policy) { auto(p); p.Restarts = 0 }, behind(5 * minute), "budget_exceeded WDC-BUDG-001", "not one restart"},
		{"never started, it says", death, nil, func(p *watchdog.Policy) { auto(p); p.ResumeAttempts = 0 },
			with(behind(5*minute), 3, func(c *watchdog.Command) { c.Cause.Name = watchdog.VerdictNeverStarted }), "budget_exceeded WDC-BUDG-001", "it had said something"},
		{"behind the worker's own retries", retried, nil, func(p *watchdog.Policy) { auto(p); p.AttemptsTotal = 2 }, behind(5 * minute), "budget_exceeded WDC-BUDG-001", "Pi has tried twice"},
		{"again behind a start that failed", death + "\n0s world outcome w1 respawn failed", nil, func(p *watchdog.Policy) { auto(p); p.Restarts = 1 },
			append(behind(5*minute), deed{40 * minute, watchdog.CmdProbe, nil}, deed{41 * minute, watchdog.CmdRespawn, named("again")}), "budget_exceeded WDC-BUDG-001", "it was tried"},
		{"half-done work taken up", death + "\n3m world worktree w1 edited", nil, auto, behind(5 * minute), "unapproved WDC-GATE-002", "the owner is to say"},
		{"half-done work committed", death + "\n3m world worktree w1 edited", nil, auto,
			append(behind(5 * minute)[:1], deed{6 * minute, watchdog.CmdCommitWIP, nil}), "unapproved WDC-GATE-002", "the policy says ask"},
		{"no backoff", dying, nil, func(p *watchdog.Policy) { auto(p); p.BackoffBase, p.BackoffCap = 30*minute, 40*minute }, append(behind(5*minute), again...), "backoff_short WDC-BUDG-004", "twenty minutes at least"},
		{"a third attempt at the same place", dying, nil, auto, append(behind(5*minute), behind(15*minute)...), "futile_attempt WDC-LOOP-003", "it died there twice"},
		{"told again and again", deaf, nil, auto, []deed{{12 * minute, watchdog.CmdEscalate, nil}, {13 * minute, watchdog.CmdEscalate, nil}}, "escalated_again WDC-BUDG-002", "one key"},
		{"one key for two", deaf, nil, auto, with(with(ladder(), 1, named("k")), 0, named("k")), "wrong_key WDC-SIDE-004", "which of them?"},
		{"no key", deaf, nil, auto, with(ladder(), 1, named("")), "wrong_key WDC-SIDE-004", "it cannot be repeated"},
		{"again without a look", death, nil, auto, append(behind(5*minute), deed{5*minute + 40*time.Second + 100*time.Millisecond, watchdog.CmdRespawn, named("again")}), "repeated_blindly WDC-SIDE-002", "the first may be on its way"},
		{"another generation", deaf, nil, auto, with(ladder(), 1, func(c *watchdog.Command) { c.Generation = 7 }), "wrong_generation WDC-FENCE-002", "generation 1 runs"},
		{"presses a dead link", death + "\n+0s world link down", nil, auto, append(behind(5*minute), deed{7 * minute, watchdog.CmdAcquireLease, nil}), "outage_ignored WDC-QUEUE-001", "it waits"},
		{"publishes what no gate has seen", committed, nil, auto, []deed{{6 * minute, watchdog.CmdSnapshot, nil}, {7 * minute, watchdog.CmdPublish, nil}}, "done_unproven WDC-WORK-006", "done fails closed"},
		{"believes the worker", committed + "\n5m world gate w1 tests passed by=worker", nil, auto, []deed{{6 * minute, watchdog.CmdSnapshot, nil}, {7 * minute, watchdog.CmdPublish, nil}}, "done_unproven WDC-WORK-006", "its own word"},
		{"removes without leave", death, nil, auto, []deed{{6 * minute, watchdog.CmdSnapshot, nil}, {7 * minute, watchdog.CmdRemoveWorktree, nil}}, "removed_unasked WDC-WORK-002", "never by itself"},
		{"removes without a proof", death, nil, auto, []deed{{6 * minute, watchdog.CmdSnapshot, nil}, {7 * minute, watchdog.CmdRemoveWorktree, nil}}, "restore_unproven WDC-EVID-005", "does it restore?"},
		{"removes whatever is there by then", finished, nil, auto, with(cleanup(), 4, func(c *watchdog.Command) { c.Item, c.IfDigest = "propose/remove", "" }), "removed_unasked WDC-WORK-002", "the owner saw something else, perhaps"},
		{"removes what another one works in", shared, nil, auto, cleanup(), "unjustified_act WDC-LIFE-003", "two share it"},
		{"cleans up where another one works", shared, nil, auto, cleanup(), "cleanup_unproven WDC-WORK-007", "two share it"},
		{"cleans up on the tracker's word", finished + "\n5m world gate w1 tests running", nil, auto, cleanup(), "cleanup_unproven WDC-WORK-007", "its gate runs"},
		{"cleans up unseen", finished, nil, auto, without(cleanup(), 1), "cleanup_unproven WDC-WORK-007", "what lies there?"},
		{"cleans up half-done work", finished + "\n5m world worktree w1 untracked", nil, auto, cleanup(), "cleanup_unproven WDC-WORK-007", "it is nowhere else"},
		{"cleans up what is not done", finished + "\n5m world task w1 status=review", nil, auto, cleanup(), "cleanup_unproven WDC-WORK-007", "by the tracker"},
		{"cleans up what is leased", finished + "\n5m world task w1 lease=other lease_for=1h", nil, auto, cleanup(), "cleanup_unproven WDC-WORK-007", "somebody else works on it"},
		{"gives the successor no advice", death, nil, auto, with(behind(5*minute), 3, func(c *watchdog.Command) { c.Text = "go on" }), "brief_without_advice WDC-WORK-003", "what is done?"},
		{"does not tell of a call", outlives, nil, auto, behind(25 * minute), "call_unmentioned WDC-SIDE-001", "has it had its effect?"},
		{"does not tell of a result", begin + "+1s w1 tool bash \"git push\" runs 5s pushes as=push\n@push+1s w1 tool read \"notes.md\" runs 60s\n@push+9s w1 killed SIGKILL", nil, auto, behind(5 * minute), "result_unmentioned WDC-SIDE-005", "it was not saved"},
		{"tells the successor nothing", death, nil, auto, with(behind(5*minute), 3, func(c *watchdog.Command) { c.Snapshot = "" }), "brief_incomplete WDC-EVID-006", "where is the snapshot?"},
		{"on a full disk", deaf + "\n12m5s world disk full", nil, auto, ladder(), "not_durable WDC-EVID-007", "nothing is durable"},
		{"the worker before the tool", hangs, nil, auto, []deed{{63 * minute, watchdog.CmdSnapshot, nil}, {64 * minute, watchdog.CmdAbort, nil}, {65 * minute, watchdog.CmdInterrupt, nil}}, "worker_before_tool WDC-TOOL-006", "the tool hangs"},
		{"forgets what is left", begin + "+1s w1 tool bash \"gofmt\" runs 1s writes\n+1s w1 says \"Let me\"\n+1s w1 killed SIGKILL", nil, auto, behind(5 * minute), "flags_wrong WDC-DEAD-002", "uncommitted work lies there"},
		{"forgets what may have happened", outlives, nil, auto, behind(25 * minute), "flags_wrong WDC-DEAD-002", "the tool's result is not known"},
		{"a task that goes round in circles", death + circles, nil, auto, behind(5 * minute), "task_bouncing WDC-LOOP-004", "three times to and fro"},
		{"leaves it", deaf, nil, auto, nil, "left_alone WDC-ACT-002", "it may act, and does not"},
		{"restarts what is done", goodEnd + "\n+1s w1 exits 0", nil, auto, behind(5 * minute), "unjustified_act WDC-LIFE-003", "it was done"},
		{"one of many", seven, nil, auto, []deed{{minute, watchdog.CmdSnapshot, of("w1")}, {minute + 10*time.Second, watchdog.CmdAcquireLease, of("w1")}, {minute + 30*time.Second, watchdog.CmdRespawn, of("w1")}}, "mass_death_unprobed WDC-FLEET-002", "is it dead?"},
		{"all at once", seven, nil, func(p *watchdog.Policy) { auto(p); p.Recoveries = 2 }, []deed{{minute, watchdog.CmdSnapshot, of("w1")}, {minute, watchdog.CmdSnapshot, of("w2")}, {minute, watchdog.CmdSnapshot, of("w3")}}, "too_many_recoveries WDC-FLEET-003", "two at most"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := judge(t, game{steps: c.steps, requires: c.requires, policy: c.policy, recovery: acts()}, does(c.deeds...))
			var got []string
			for _, v := range found {
				got = append(got, string(v.Mistake)+" "+v.Requirement)
			}
			if !slices.Contains(got, c.want) {
				t.Errorf("got %q, want %q: %s", got, c.want, c.reason)
			}
		})
	}
}

// crashed plays a game in which the subject crashes in the first step with a command, and is the same again at once: pick
// is the boundary.
func crashed(t *testing.T, g game, at watchdog.CommandKind, pick int, deeds ...deed) []string {
	t.Helper()
	g.recovery = &world.Recovery{
		Spawner: watchdog.SpawnerPlain, Points: world.PointsOf(world.PointCrash), Crashes: 1, CrashAt: []world.Anchor{{Command: at}},
	}
	_, choices := play(t, g, does(slices.Clone(deeds)...))
	i := slices.IndexFunc(choices, func(c world.Choice) bool { return c.Point == world.PointCrash && c.Named })
	if i < 0 || pick >= choices[i].N {
		t.Fatalf("no such crash among %v", choices)
	}
	g.vector = append(make([]int, i), pick)
	var got []string
	for _, v := range judge(t, g, does(deeds...)) {
		got = append(got, string(v.Mistake)+" "+v.Requirement)
	}
	return got
}

// What a restart must not change.
func TestDeedsBehindACrash(t *testing.T) {
	cases := []struct {
		name  string
		deeds []deed
		want  string // empty: nothing
	}{
		{"all as before, behind a look", append(ladder(), deed{12*minute + time.Second, watchdog.CmdSnapshot, nil}, deed{12*minute + 5*time.Second, watchdog.CmdProbe, nil}), ""},
		{"no look at the worker", without(ladder(), 5), "no_look_after_restart WDC-REST-003"},
		{"all forgotten", ladder()[:1], "left_alone WDC-REST-001"},
	}
	for _, c := range cases {
		got := crashed(t, game{steps: deaf, policy: auto, requires: []string{"WDC-REST-003", "WDC-REST-001"}}, watchdog.CmdSnapshot, 2, c.deeds...)
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
