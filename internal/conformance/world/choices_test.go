package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/watchdog"
)

// places lists the choices of one kind.
func places(choices []world.Choice, p world.Point) []int {
	var at []int
	for i, c := range choices {
		if c.Point == p {
			at = append(at, i)
		}
	}
	return at
}

// At a crash the state is cut, the commands behind the boundary are not carried out, and all that was not acknowledged
// comes again with its own instant.
func TestCrash(t *testing.T) {
	open := world.Recovery{Points: world.PointsOf(world.PointCrash, world.PointDowntime), Crashes: 1}
	deeds := []deed{{time.Minute, cmd("s", watchdog.CmdSnapshot)}, {time.Minute, cmd("a", watchdog.CmdAbort)}}
	play := func(vector ...int) (*scripted, world.Summary) {
		s := &scripted{deeds: slices.Clone(deeds), writes: "record"}
		sum, _ := playScripted(t, stalled, s, open, vector...)
		return s, sum
	}
	_, base := play()
	crash := places(base.Choices, world.PointCrash)
	if len(crash) != 1 || base.Choices[crash[0]].N != 1+3+2+1 {
		t.Fatalf("got %v, want one crash: before, inside and behind the record, behind each command, behind all", base.Choices)
	}
	cases := []struct {
		pick int
		kept string
		acts []string
	}{
		{1, "", nil}, {2, "rec", nil}, {3, "record", nil}, {4, "record", []string{"s"}}, {5, "record", []string{"a", "s"}}, {6, "record", []string{"a", "s"}},
	}
	for _, c := range cases {
		vector := append(make([]int, crash[0]), c.pick)
		s := &scripted{deeds: slices.Clone(deeds), writes: "record"}
		w, err := world.New(world.Config{Agents: pi.Agents(""), Steps: timeline(t, stalled), Policy: watchdog.DefaultPolicy(), Horizon: time.Hour, Recovery: &open})
		if err != nil {
			t.Fatal(err)
		}
		r := &reached{}
		if _, err := w.Run(s.start, world.NewChooser(vector), r); err != nil {
			t.Fatal(err)
		}
		if len(s.boots) != 2 || s.boots[1].Incarnation != 2 || len(s.boots[1].Roster) != 1 {
			t.Fatalf("boundary %d: got boots %+v, want a second with its roster", c.pick, s.boots)
		}
		state, _ := s.boots[1].State.Read()
		slices.Sort(r.keys)
		if string(state) != c.kept || !slices.Equal(r.keys, c.acts) {
			t.Errorf("boundary %d: state %q and acts %v, want %q and %v", c.pick, state, r.keys, c.kept, c.acts)
		}
		boot := s.shown[len(s.shown)-1]
		for _, step := range s.shown {
			if step.now == time.Minute && len(step.seen) > 1 {
				boot = step
			}
		}
		if boot.seen[0].N != 1 || boot.seen[0].At.Mono != 0 {
			t.Errorf("boundary %d: after the boot came %+v first, want observation 1 of 0s", c.pick, boot.seen[0])
		}
		if link, ok := boot.seen[len(boot.seen)-1].Body.(watchdog.Link); !ok || !link.Up {
			t.Errorf("boundary %d: the state of the link was not told afresh", c.pick)
		}
		if got := s.outcomes(); len(got) != 0 {
			t.Errorf("boundary %d: told %v, but answers in flight are lost", c.pick, got)
		}
	}
}

// reached is a sink that keeps the keys of the acts that had an effect.
type reached struct{ keys []string }

func (r *reached) Advance(watchdog.Instant) {}
func (r *reached) Step(*trace.Step)         {}
func (r *reached) Act(a *trace.Act)         { r.keys = append(r.keys, a.Command.Key) }
func (r *reached) Fault(*trace.Fault)       {}
func (r *reached) End(watchdog.Instant)     {}

// What is acknowledged does not come again.
func TestAcknowledged(t *testing.T) {
	open := world.Recovery{Points: world.PointsOf(world.PointCrash), Crashes: 1}
	deeds := []deed{{time.Minute, cmd("s", watchdog.CmdSnapshot)}}
	s := &scripted{deeds: slices.Clone(deeds), acks: true}
	sum, _ := playScripted(t, stalled, s, open)
	again := &scripted{deeds: deeds, acks: true}
	playScripted(t, stalled, again, open, append(make([]int, places(sum.Choices, world.PointCrash)[0]), 1)...)
	boot := again.shown[len(again.shown)-1].seen
	if len(boot) != 1 {
		t.Errorf("got %+v after the boot, want the link alone", boot)
	}
}

// The kinds of downtime: what happens meanwhile is shown later, is lost, or does not happen.
func TestDowntime(t *testing.T) {
	const steps = begin + `+1s w1 says "Let me"
		+90s w1 says " see"
		+10m w1 settles`
	open := world.Recovery{Points: world.PointsOf(world.PointCrash, world.PointDowntime), Crashes: 1}
	deeds := []deed{{time.Minute, cmd("s", watchdog.CmdSnapshot)}}
	base := &scripted{deeds: slices.Clone(deeds)}
	sum, _ := playScripted(t, steps, base, open)
	at := places(sum.Choices, world.PointCrash)[0]
	cases := []struct {
		name       string
		pick       int
		back       time.Duration
		late       int // pieces of the second text that came
		gaps, ends int
	}{
		{"none", 0, time.Minute, 1, 0, 0},
		{"spooled", 1, time.Minute + 90*time.Second, 1, 0, 0},
		{"lost", 2, time.Minute + 90*time.Second, 0, 1, 0},
		{"gone", 3, time.Minute + 90*time.Second, 0, 0, 1},
	}
	for _, c := range cases {
		s := &scripted{deeds: slices.Clone(deeds)}
		playScripted(t, steps, s, open, append(make([]int, at), 1, c.pick)...)
		late := 0
		for _, o := range s.all() {
			if b, ok := o.Body.(watchdog.Bytes); ok && strings.Contains(string(b.Data), `"delta":" see"`) {
				late++
			}
		}
		if s.boots[1].Now.Mono != c.back || late != c.late || len(bodiesOf[watchdog.Gap](s)) != c.gaps || len(bodiesOf[watchdog.Exited](s)) != c.ends {
			t.Errorf("%s: back at %s, %d late pieces, %d gaps, %d exits; want %+v", c.name, s.boots[1].Now.Mono, late, len(bodiesOf[watchdog.Gap](s)), len(bodiesOf[watchdog.Exited](s)), c)
		}
	}
}

// A race is not in the base history; else it comes a moment before, first or last at its instant, or a moment later.
func TestRaces(t *testing.T) {
	step := timeline(t, begin+`1m w1 says " late"`)[2]
	race := world.Recovery{Races: []world.Race{{Label: "late token", Step: step}}}
	want := []string{"", "before", "before", "behind", "behind"}
	moments := []time.Duration{0, time.Minute - time.Millisecond, time.Minute, time.Minute, time.Minute + time.Millisecond}
	for pick := range want {
		s := &scripted{deeds: []deed{{time.Minute, cmd("s", watchdog.CmdSnapshot)}}}
		playScripted(t, stalled, s, race, pick)
		given, token, at := -1, -1, time.Duration(0)
		for i, now := range s.shown {
			if s.next == 1 && now.now >= time.Minute && given < 0 && (now.now > time.Minute || len(now.seen) == 0 || pick != 2) {
				given = i
			}
			for _, o := range now.seen {
				if b, ok := o.Body.(watchdog.Bytes); ok && strings.Contains(string(b.Data), `"delta":" late"`) {
					token, at = i, o.At.Mono
				}
			}
		}
		got := ""
		if token >= 0 {
			got = "before"
			if token > given {
				got = "behind"
			}
		}
		if got != want[pick] || at != moments[pick] {
			t.Errorf("pick %d: the token came %q at %s, want %q at %s", pick, got, at, want[pick], moments[pick])
		}
	}
}

// A worker may be killed right before each thing that it does, with nothing of it shown or with its first line torn.
func TestDeath(t *testing.T) {
	open := world.Recovery{Points: world.PointsOf(world.PointDeath)}
	const steps = begin + `+1s w1 says "Let me"
		+1s w1 says " see"
		+0s w1 stalls`
	s := &scripted{}
	sum, _ := playScripted(t, steps, s, open)
	at := places(sum.Choices, world.PointDeath)
	if len(at) < 2 {
		t.Fatalf("got %v, want a choice at each instant at which the worker writes", sum.Choices)
	}
	for pick, torn := range map[int]bool{1: false, 2: true} {
		s := &scripted{}
		_, w := playScripted(t, steps, s, open, append(make([]int, at[len(at)-1]), pick)...)
		var last []byte
		for _, b := range bodiesOf[watchdog.Bytes](s) {
			last = b.Data
		}
		if got := !strings.HasSuffix(string(last), "\n"); got != torn {
			t.Errorf("pick %d: the last piece is %q", pick, last)
		}
		if truth := w.Truth(0); !truth.Exited || truth.Phase != watchdog.VerdictDead {
			t.Errorf("pick %d: got %+v, want a death", pick, truth)
		}
	}
}

// Whatever is chosen, the same choices make the same history, and the world is left whole.
func TestChosenHistoriesAreDeterministic(t *testing.T) {
	every := world.PointsOf(world.PointCrash, world.PointDowntime, world.PointOutcome, world.PointDelay, world.PointDeath)
	rapid.Check(t, func(rt *rapid.T) {
		vector := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 24).Draw(rt, "vector")
		play := func() string {
			s := &scripted{writes: "record", deeds: []deed{
				{20 * time.Second, cmd("s", watchdog.CmdSnapshot)}, {30 * time.Second, cmd("a", watchdog.CmdAbort)}, {40 * time.Second, cmd("k", watchdog.CmdKill)},
				{time.Minute, cmd("l", watchdog.CmdAcquireLease)}, {2 * time.Minute, cmd("r", watchdog.CmdRespawn, token("1"))},
			}}
			w, err := world.New(world.Config{
				Agents: pi.Agents(""), Steps: timeline(t, stalled), Policy: watchdog.DefaultPolicy(), Horizon: time.Hour,
				Recovery: &world.Recovery{Points: every, Crashes: 2},
			})
			if err != nil {
				rt.Fatal(err)
			}
			d := trace.NewDigest()
			if _, err := w.Run(s.start, world.NewChooser(vector), d); err != nil {
				rt.Fatal(err)
			}
			return fmt.Sprintf("%x", d.Sum())
		}
		if a, b := play(), play(); a != b {
			rt.Fatalf("%v: %s, then %s", vector, a, b)
		}
	})
}
