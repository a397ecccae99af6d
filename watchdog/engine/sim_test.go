package engine_test

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
	"fakepi.example/watchdog/journal"
)

// sim is a small world around one engine: workers whose fate a seed draws, an executor whose outcomes may fail, be late or
// be lost, an owner, and crashes of the engine at every kind of boundary. It checks each command against the truth.
type sim struct {
	t        *testing.T
	rng      *rand.Rand
	seed     uint64
	log      strings.Builder
	policy   watchdog.Policy
	memory   *journal.Memory
	engine   *engine.Engine
	now      watchdog.Instant
	n        int
	wake     time.Duration
	ack      int
	all      []watchdog.Observation
	pending  []watchdog.Observation // of this instant
	queue    []simEvent
	order    int
	crashes  int
	steps    int
	diskFull bool
	boots    int
	calm     time.Duration // from then on nothing goes wrong
	link     bool
	workers  []*simWorker
	done     map[string]watchdog.Outcome // keys that had their effect
	told     map[string]int
	decided  hash.Hash // if set: all that the engine decided
}

type simEvent struct {
	at    time.Duration
	order int
	do    func()
}

// simWorker is the truth of one worker.
type simWorker struct {
	id         string
	generation int
	alive      bool
	state      string // streaming, stuck, settled, aborted, dialog, tool
	since      time.Duration
	progress   time.Duration // last, as shown
	offsets    [2]int64
	children   int // descendants that run
	childEnd   time.Duration
	lastWrite  time.Duration
	digest     int
	shot       time.Duration // start of the last snapshot that is done
	shotDigest string
	escalated  map[string]bool
	approved   map[string]string // item to digest
	token      string
	fate       int  // so many runs so far
	version    int  // of its script: older events are void
	json       bool // a one-shot
	stopped    bool // by its operator, now
	operated   bool // once: what was under way then is the operator's
	head       int
	ahead      int
	gates      bool
	remote     string
	leaseUntil time.Time
	rows       int
}

const simLimit = 5 * time.Minute

func newSim(t *testing.T, seed uint64) *sim {
	s := &sim{
		t: t, rng: rand.New(rand.NewPCG(seed, 7)), seed: seed, policy: watchdog.DefaultPolicy(), memory: new(journal.Memory),
		now: watchdog.Instant{Wall: epoch, BootID: "boot-1"}, calm: 3 * time.Hour, link: true,
		done: map[string]watchdog.Outcome{}, told: map[string]int{}, wake: -1,
	}
	set := func(name, value string) {
		if err := s.policy.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	set("stall", simLimit.String())
	set("tool", simLimit.String())
	if s.chance(70) {
		for _, class := range []string{"stop_turn", "stop_worker", "respawn"} {
			set("effects."+class, "auto")
		}
	}
	if s.chance(50) {
		set("dirty", "commit_wip")
		set("effects.task_state", "auto")
	}
	for i := range 1 + s.rng.IntN(2) {
		w := &simWorker{id: fmt.Sprintf("w%d", i+1), escalated: map[string]bool{}, approved: map[string]string{}}
		w.json = s.chance(15)
		w.ahead, w.gates = s.rng.IntN(2), s.chance(30)
		for range s.rng.IntN(3) {
			s.at(time.Duration(s.rng.IntN(3600))*time.Second, func() { s.meddle(w) })
		}
		s.workers = append(s.workers, w)
		s.at(0, func() { s.spawn(w) })
	}
	if s.chance(30) {
		s.at(time.Duration(5+s.rng.IntN(10))*time.Minute, func() { s.setLink(false) })
		s.at(time.Duration(15+s.rng.IntN(20))*time.Minute, func() { s.setLink(true) })
	}
	s.at(s.calm, func() { s.setLink(true); s.fill(false) })
	return s
}

func (s *sim) chance(percent int) bool { return s.rng.IntN(100) < percent }

// wrong reports whether something goes wrong this time.
func (s *sim) wrong(percent int) bool { return s.now.Mono < s.calm && s.chance(percent) }

func (s *sim) at(at time.Duration, do func()) {
	s.order++
	s.queue = append(s.queue, simEvent{at, s.order, do})
}

func (s *sim) after(d time.Duration, do func()) { s.at(s.now.Mono+d, do) }

func (s *sim) printf(format string, args ...any) {
	fmt.Fprintf(&s.log, "%s "+format+"\n", append([]any{s.now.Mono}, args...)...)
}

func (s *sim) failf(format string, args ...any) {
	s.t.Helper()
	text := s.log.String()
	if len(text) > 12000 {
		text = text[len(text)-12000:]
	}
	s.t.Fatalf("seed %d at %s: %s\n%s", s.seed, s.now.Mono, fmt.Sprintf(format, args...), text)
}

func (s *sim) observe(w *simWorker, body watchdog.Body) {
	s.n++
	o := watchdog.Observation{N: s.n, At: s.now, Body: body}
	if w != nil {
		o.Worker, o.Generation = w.id, w.generation
	}
	s.all = append(s.all, o)
	s.pending = append(s.pending, o)
}

func (s *sim) write(w *simWorker, stream watchdog.Stream, events ...string) {
	i := 0
	if stream == watchdog.StreamIn {
		i = 1
	}
	for _, event := range events {
		line := []byte(record(event) + "\n")
		s.observe(w, watchdog.Bytes{Stream: stream, Offset: w.offsets[i], Data: line})
		w.offsets[i] += int64(len(line))
		if i == 0 {
			w.progress = s.now.Mono
		}
	}
}

func (s *sim) setLink(up bool) {
	s.link = up
	s.printf("link %v", up)
	s.observe(nil, watchdog.Link{Up: up})
}

func (s *sim) spawn(w *simWorker) {
	w.generation++
	w.alive, w.offsets, w.token, w.children = true, [2]int64{}, "", 0
	s.printf("%s.%d spawned", w.id, w.generation)
	mode := watchdog.ModeRPC
	if w.json {
		mode = watchdog.ModeJSON
	}
	s.observe(w, watchdog.Spawned{
		Mode: mode, Source: watchdog.SourceHeld, Parent: true, PID: 100*w.generation + 1, Start: 7, Session: w.id + ".jsonl",
		Worktree: w.id, Autonomous: true,
	})
	s.run(w)
}

// run lets a worker take a prompt, work for a while, and meet its fate.
func (s *sim) run(w *simWorker) {
	w.version++
	w.fate++
	version := w.version
	if !w.json {
		s.write(w, watchdog.StreamIn, "prompt")
		s.write(w, watchdog.StreamOut, "response prompt started")
	}
	s.write(w, watchdog.StreamOut, "agent_start", "turn_start", "start user", "end user", "delta")
	w.state, w.since = "streaming", s.now.Mono
	for i := range s.rng.IntN(4) {
		s.after(time.Duration(i+1)*20*time.Second, func() {
			if w.version == version && w.alive {
				s.write(w, watchdog.StreamOut, "delta")
				w.digest++
				w.lastWrite = s.now.Mono
			}
		})
	}
	s.after(100*time.Second, func() {
		if w.version == version && w.alive {
			s.meet(w, version)
		}
	})
}

func (s *sim) meet(w *simWorker, version int) {
	w.since = s.now.Mono
	switch k := s.rng.IntN(10); {
	case s.now.Mono >= s.calm || k < 2:
		w.state = "settled"
		s.write(w, watchdog.StreamOut, "end assistant", "turn_end", "agent_end", "agent_settled")
		if w.json && (s.now.Mono >= s.calm || s.chance(50)) {
			s.after(time.Second, func() {
				if w.alive && w.version == version {
					w.alive, w.state = false, "settled"
					s.observe(w, watchdog.Exited{})
				}
			})
		}
	case k < 6:
		w.state = "stuck"
		if s.chance(30) {
			s.after(time.Duration(s.rng.IntN(500))*time.Second, func() {
				if w.version == version && w.alive && w.state == "stuck" {
					s.write(w, watchdog.StreamOut, "delta")
					w.state = "streaming"
					s.after(10*time.Second, func() {
						if w.version == version && w.alive && w.state == "streaming" {
							s.meet(w, version)
						}
					})
				}
			})
		}
	case k < 8:
		s.die(w, "SIGKILL")
	default:
		w.state = "tool"
		s.write(w, watchdog.StreamOut, "end assistant stop=toolUse calls=1", "tool c1", "output c1")
		w.children = s.rng.IntN(2)
		if s.chance(50) {
			w.childEnd = s.now.Mono + time.Duration(s.rng.IntN(1200))*time.Second
		}
	}
	s.printf("%s %s", w.id, w.state)
}

func (s *sim) die(w *simWorker, signal string) {
	w.alive = false
	w.version++
	if w.state != "settled" {
		w.state = "dead"
	}
	w.since = s.now.Mono
	s.printf("%s.%d ended by %s", w.id, w.generation, signal)
	s.observe(w, watchdog.Exited{Code: -1, Signal: signal})
}

// descendants is how many processes of the worker's tools run.
func (w *simWorker) descendants(now time.Duration) int {
	if w.childEnd > 0 && now >= w.childEnd {
		w.children = 0
	}
	return w.children
}

func (w *simWorker) world() string { return fmt.Sprintf("d%d.%d", w.head, w.digest) }

// step lets the engine take what is pending, crash perhaps, and carries its commands out.
func (s *sim) step() {
	seen := s.pending
	s.pending = nil
	if s.engine == nil {
		s.boot()
		if s.boots > 1 {
			s.observe(nil, watchdog.Link{Up: s.link})
		}
		s.pending, seen = nil, nil
		for _, o := range s.all {
			if o.N > s.ack {
				seen = append(seen, o)
			}
		}
	}
	before := s.memory.Size()
	d, err := s.engine.Step(s.now, seen)
	if err != nil {
		s.failf("step: %v", err)
	}
	s.record(d)
	if s.steps++; s.steps%32 == 0 {
		s.remember()
	}
	if s.crashes < 2 && s.wrong(3) {
		s.crash(before, d)
		return
	}
	s.ack = d.Ack
	s.wake = -1
	if d.Wake > 0 {
		if d.Wake <= s.now.Mono {
			s.failf("asked to be woken at %s", d.Wake)
		}
		s.wake = d.Wake
	}
	for i := range d.Commands {
		s.carryOut(&d.Commands[i])
	}
	if s.steps%50 == 0 && !s.engine.Full() {
		if err := s.engine.Compact(); err != nil {
			s.failf("compact: %v", err)
		}
		s.remember()
	}
}

// remember checks that what is durable is what the engine goes by.
func (s *sim) remember() {
	if s.engine.Full() {
		return // what waits for room is ahead of what is durable
	}
	data, err := s.memory.Read()
	if err != nil {
		s.t.Fatal(err)
	}
	replayed, err := engine.Remembered(data)
	if err != nil {
		s.failf("replay: %v", err)
	}
	if live := s.engine.Memory(); live != replayed {
		at := 0
		for at < min(len(live), len(replayed)) && live[at] == replayed[at] {
			at++
		}
		s.failf("the state is\n%.300s\nand its replay\n%.300s", live[at:], replayed[at:])
	}
}

func (s *sim) boot() {
	s.boots++
	w, err := s.memory.Acquire("engine", s.now, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.engine, err = engine.New(watchdog.Boot{Policy: s.policy, Incarnation: s.boots, Now: s.now, State: w, Spawner: watchdog.SpawnerKeyed})
	if err != nil {
		s.failf("boot: %v", err)
	}
}

// crash ends the engine at a boundary: inside its write, or after some of its commands.
func (s *sim) crash(before int, d watchdog.Decision) {
	s.crashes++
	s.remember()
	if k := s.rng.IntN(len(d.Commands) + 2); k == 0 {
		s.memory.Crash(before + s.rng.IntN(s.memory.Size()-before+1))
		s.printf("crash inside the write")
	} else {
		s.printf("crash after %d commands", k-1)
		for i := range k - 1 {
			s.carryOut(&d.Commands[i])
		}
	}
	s.engine, s.wake = nil, -1
	down := []time.Duration{0, 90 * time.Second, 10 * time.Minute}[s.rng.IntN(3)]
	// Answers that are on their way reach nobody.
	s.after(down, func() { s.wake = s.now.Mono })
	s.printf("down for %s", down)
}

func (s *sim) worker(id string) *simWorker {
	return s.workers[slices.IndexFunc(s.workers, func(w *simWorker) bool { return w.id == id })]
}

// play goes on until the horizon.
func (s *sim) play(horizon time.Duration) string {
	s.step()
	for {
		next := horizon
		for _, e := range s.queue {
			next = min(next, e.at)
		}
		if s.engine != nil && s.wake >= 0 {
			next = min(next, max(s.wake, s.now.Mono))
		}
		if next >= horizon {
			break
		}
		s.move(next)
		due := s.due()
		restart := s.engine == nil
		for _, e := range due {
			e.do()
		}
		if s.engine == nil && restart && s.wake < 0 {
			s.pending = nil // it is still down; what came will come again
			continue
		}
		if len(s.pending) > 0 || s.wake >= 0 && s.wake <= s.now.Mono {
			s.step()
		}
	}
	s.converged()
	return s.log.String()
}

func (s *sim) move(to time.Duration) {
	by := to - s.now.Mono
	s.now.Mono, s.now.Boot, s.now.Wall = to, s.now.Boot+by, s.now.Wall.Add(by)
}

func (s *sim) due() []simEvent {
	var due []simEvent
	kept := s.queue[:0]
	for _, e := range s.queue {
		if e.at <= s.now.Mono {
			due = append(due, e)
		} else {
			kept = append(kept, e)
		}
	}
	s.queue = kept
	slices.SortFunc(due, func(a, b simEvent) int { return a.order - b.order })
	return due
}

// converged checks that nothing is left open: each worker is well, or a person has it.
func (s *sim) converged() {
	for _, w := range s.workers {
		asked := len(w.escalated) > 0 || len(w.approved) > 0
		if !w.operated && w.state != "settled" && w.state != "streaming" && w.state != "aborted" && !asked {
			s.failf("%s is %s since %s, and nobody was asked", w.id, w.state, w.since)
		}
	}
}

// TestCrashesAndFaults plays many histories: whatever goes wrong and wherever the engine is killed, its state is the
// replay of its journal, nothing destructive is done without its preconditions, and in the end each worker is well or a
// person has it. The same seed makes the same history, and the first are those that were recorded.
func TestCrashesAndFaults(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = recordedSeeds
	}
	decided := sha256.New()
	for seed := range seeds {
		s := newSim(t, seed)
		if seed < recordedSeeds {
			s.decided = decided
		}
		got := func() string {
			defer func() {
				if p := recover(); p != nil {
					s.failf("panic: %v\n%s", p, debug.Stack())
				}
			}()
			return s.play(6 * time.Hour)
		}()
		if seed%50 == 0 {
			if again := newSim(t, seed).play(6 * time.Hour); again != got {
				t.Fatalf("seed %d makes two histories", seed)
			}
		}
		if seed+1 == recordedSeeds {
			compareDigest(t, "testdata/sim.golden", fmt.Sprintf("%x\n", decided.Sum(nil)))
		}
	}
}
