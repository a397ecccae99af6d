// Package journaltest is the test that every journal.Store passes.
package journaltest

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// Fixture is one store under test.
type Fixture struct {
	// Open returns the store. Each call after the first stands for a crash of whoever used it before: what was not synced
	// is lost.
	Open func() journal.Store
	// Fill makes the disk full, or gives it room again.
	Fill func(full bool)
}

// Run tests the stores that fresh makes, each of them empty.
func Run(t *testing.T, fresh func(t *testing.T) Fixture) {
	for name, test := range map[string]func(*testing.T, Fixture){
		"records survive":             survive,
		"bytes survive":               bytesSurvive,
		"torn tail":                   tornTail,
		"corrupt middle":              corruptMiddle,
		"compaction":                  compaction,
		"disk full":                   diskFull,
		"lease":                       lease,
		"an older writer is fenced":   fenced,
		"a fenced log does not go on": fencedLog,
		"reading needs no lease":      readBeside,
	} {
		t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
	}
}

var start = watchdog.Instant{
	Mono: time.Minute, Boot: time.Hour, Wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), BootID: "boot-1",
}

func later(d time.Duration) watchdog.Instant {
	return watchdog.Instant{Mono: start.Mono + d, Boot: start.Boot + d, Wall: start.Wall.Add(d), BootID: start.BootID}
}

// acquire takes the lease for no time at all, so that the next one need not wait.
func acquire(t *testing.T, s journal.Store) journal.Writer {
	t.Helper()
	w, err := s.Acquire("test", start, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// memory is a fold: it keeps the bodies in their order, or the state that a Start brings.
type memory struct {
	state  string
	bodies []journal.Body
}

func (m *memory) fold(r journal.Record) error {
	if s, ok := r.Body.(journal.Start); !ok {
		m.bodies = append(m.bodies, r.Body)
	} else if len(s.State) > 0 {
		*m = memory{state: string(s.State)}
	}
	return nil
}

func openLog(t *testing.T, w journal.Writer) (*journal.Log, *memory) {
	t.Helper()
	m := &memory{}
	l, err := journal.Open(w, start, m.fold)
	if err != nil {
		t.Fatal(err)
	}
	return l, m
}

func add(t *testing.T, l *journal.Log, bodies ...journal.Body) {
	t.Helper()
	for i, b := range bodies {
		if err := l.Add(journal.Record{N: i + 1, At: start, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
}

func commit(t *testing.T, l *journal.Log) {
	t.Helper()
	if err := l.Commit(); err != nil {
		t.Fatal(err)
	}
}

// wantBodies reopens the store and compares what a replay gives.
func wantBodies(t *testing.T, f Fixture, state string, bodies ...journal.Body) {
	t.Helper()
	_, m := openLog(t, acquire(t, f.Open()))
	if m.state != state {
		t.Errorf("state %q, want %q", m.state, state)
	}
	if diff := cmp.Diff(bodies, m.bodies); diff != "" {
		t.Errorf("bodies after replay (-want +got):\n%s", diff)
	}
}

func survive(t *testing.T, f Fixture) {
	l, live := openLog(t, acquire(t, f.Open()))
	add(t, l, journal.Boot{Incarnation: 1, Fence: 1}, journal.Ack{N: 7})
	commit(t, l)
	add(t, l, journal.Outcome{Key: "k\u2028é\n", Result: watchdog.ResultUnknown})
	commit(t, l)
	want := live.bodies
	add(t, l, journal.Ack{N: 8}) // staged, and lost
	wantBodies(t, f, "", want[:3]...)
	wantBodies(t, f, "", want[:3]...) // opening changes nothing
}

// bytesSurvive compares a store with a byte slice through random operations and crashes.
func bytesSurvive(t *testing.T, f Fixture) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := acquire(t, f.Open())
	var want []byte
	synced := 0
	for range 150 {
		var err error
		switch op := rng.IntN(10); {
		case op < 4:
			piece := make([]byte, rng.IntN(40))
			for i := range piece {
				piece[i] = byte(rng.IntN(256))
			}
			want = append(want, piece...)
			err = w.Append(piece)
		case op < 7:
			synced = len(want)
			err = w.Sync()
		case op == 7:
			want = want[:rng.IntN(len(want)+1)]
			synced = min(synced, len(want))
			err = w.Truncate(int64(len(want)))
		case op == 8:
			n := rng.IntN(synced + 1)
			want, synced = want[n:], synced-n
			err = w.Drop(int64(n))
		default:
			want = want[:synced]
			w = acquire(t, f.Open())
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := w.Read(); err != nil || string(got) != string(want) {
			t.Fatalf("got %q, error %v; want %q", got, err, want)
		}
	}
}

func tornTail(t *testing.T, f Fixture) {
	w := acquire(t, f.Open())
	l, _ := openLog(t, w)
	add(t, l, journal.Ack{N: 1})
	commit(t, l)
	if err := errors.Join(w.Append([]byte(`{"seq":3,"n":1,"at":{"mo`)), w.Sync()); err != nil {
		t.Fatal(err)
	}
	l, _ = openLog(t, acquire(t, f.Open()))
	add(t, l, journal.Ack{N: 2})
	commit(t, l)
	wantBodies(t, f, "", journal.Ack{N: 1}, journal.Ack{N: 2})
}

func corruptMiddle(t *testing.T, f Fixture) {
	w := acquire(t, f.Open())
	l, _ := openLog(t, w)
	add(t, l, journal.Ack{N: 1})
	commit(t, l)
	if err := errors.Join(w.Append([]byte("nonsense\n")), w.Sync()); err != nil {
		t.Fatal(err)
	}
	w = acquire(t, f.Open())
	before, err := w.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(w, start, new(memory).fold); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("got error %v, want ErrCorrupt", err)
	}
	if after, err := w.Read(); err != nil || string(after) != string(before) {
		t.Errorf("a refused journal was changed (error %v)", err)
	}
}

func compaction(t *testing.T, f Fixture) {
	w := acquire(t, f.Open())
	l, _ := openLog(t, w)
	for n := range 50 {
		add(t, l, journal.Ack{N: n + 1})
		commit(t, l)
	}
	add(t, l, journal.Ack{N: 51})
	if err := l.Compact(start, 51, []byte(`{"acked": 51}`)); err != nil {
		t.Fatal(err)
	}
	data, err := w.Read()
	if err != nil || len(data) > 200 || int64(len(data)) != l.History() {
		t.Errorf("%d bytes are left, history %d, error %v; want the state alone", len(data), l.History(), err)
	}
	add(t, l, journal.Ack{N: 52})
	commit(t, l)
	wantBodies(t, f, `{"acked":51}`, journal.Ack{N: 52})

	l, _ = openLog(t, acquire(t, f.Open()))
	add(t, l, journal.Ack{N: 53})
	if err := l.Compact(start, 53, []byte(`{"acked":53}`)); err != nil {
		t.Fatal(err)
	}
	wantBodies(t, f, `{"acked":53}`)
}

func diskFull(t *testing.T, f Fixture) {
	l, live := openLog(t, acquire(t, f.Open()))
	add(t, l, journal.Ack{N: 1})
	commit(t, l)
	f.Fill(true)
	large := make([]byte, 1<<20)
	for i := range large {
		large[i] = 'a' + byte(i%26)
	}
	add(t, l, journal.Outcome{Key: "k1", Result: watchdog.ResultFailed, Reason: string(large)})
	for range 2 {
		if err := l.Commit(); !errors.Is(err, journal.ErrFull) {
			t.Fatalf("got error %v, want ErrFull", err)
		}
	}
	add(t, l, journal.Ack{N: 2})
	if err := l.Compact(start, 2, large); !errors.Is(err, journal.ErrFull) {
		t.Fatalf("got error %v, want ErrFull", err)
	}
	f.Fill(false)
	commit(t, l)
	wantBodies(t, f, "", live.bodies...)

	l, _ = openLog(t, acquire(t, f.Open()))
	f.Fill(true)
	add(t, l, journal.Outcome{Key: "k2", Reason: string(large)})
	if err := l.Commit(); !errors.Is(err, journal.ErrFull) {
		t.Fatalf("got error %v, want ErrFull", err)
	}
	wantBodies(t, f, "", live.bodies...) // a crash while the disk is full
}

func lease(t *testing.T, f Fixture) {
	s := f.Open()
	w, err := s.Acquire("first", start, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Acquire("second", later(59*time.Second), time.Minute)
	held, ok := errors.AsType[*journal.HeldError](err)
	if !ok || !errors.Is(err, journal.ErrHeld) || held.Lease.Holder != "first" || held.For != time.Second {
		t.Errorf("inside the lease: got error %v, want it held by first for 1s", err)
	}
	if err := w.Renew(later(59*time.Second), time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Acquire("second", later(time.Minute), time.Minute); !errors.Is(err, journal.ErrHeld) {
		t.Errorf("inside the renewed lease: got error %v, want ErrHeld", err)
	}
	second, err := f.Open().Acquire("second", later(2*time.Minute), time.Minute) // a crash keeps the lease, time ends it
	if err != nil || second.Fence() <= w.Fence() {
		t.Fatalf("after the lease: error %v, fence %d after %d", err, second.Fence(), w.Fence())
	}
	s = f.Open()
	if err := s.Evict(w.Fence()); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Acquire("third", later(2*time.Minute), time.Minute); !errors.Is(err, journal.ErrHeld) {
		t.Errorf("another lease was evicted: got error %v, want ErrHeld", err)
	}
	if err := s.Evict(second.Fence()); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Acquire("third", later(2*time.Minute), time.Minute); err != nil {
		t.Errorf("after the lease was evicted: %v", err)
	}
	rebooted := later(2 * time.Minute)
	rebooted.BootID, rebooted.Boot = "boot-2", time.Second
	if _, err = s.Acquire("fourth", rebooted, time.Minute); err != nil {
		t.Errorf("after a reboot: %v", err)
	}
}

func fenced(t *testing.T, f Fixture) {
	s := f.Open()
	old := acquire(t, s)
	if err := errors.Join(old.Append([]byte("one")), old.Sync(), old.Append([]byte("two"))); err != nil {
		t.Fatal(err)
	}
	// What an open file holds unsynced is seen by the next writer, or not.
	w := acquire(t, s)
	before, err := w.Read()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"append":   func() error { return errors.Join(old.Append([]byte("x")), old.Sync()) },
		"sync":     old.Sync,
		"truncate": func() error { return old.Truncate(1) },
		"drop":     func() error { return old.Drop(1) },
		"renew":    func() error { return old.Renew(start, time.Hour) },
	} {
		if err := change(); !errors.Is(err, journal.ErrFenced) {
			t.Errorf("%s: got error %v, want ErrFenced", name, err)
		}
	}
	if after, err := w.Read(); err != nil || string(after) != string(before) {
		t.Errorf("a fenced writer changed %q to %q (error %v)", before, after, err)
	}
	if err := errors.Join(w.Append([]byte("three")), w.Sync()); err != nil {
		t.Errorf("the new writer: %v", err)
	}
}

func fencedLog(t *testing.T, f Fixture) {
	s := f.Open()
	old, _ := openLog(t, acquire(t, s))
	add(t, old, journal.Ack{N: 1})
	commit(t, old)
	l, _ := openLog(t, acquire(t, s))
	add(t, l, journal.Ack{N: 2})
	commit(t, l)
	add(t, old, journal.Ack{N: 3})
	for range 2 {
		if err := old.Commit(); !errors.Is(err, journal.ErrFenced) {
			t.Errorf("got error %v, want ErrFenced", err)
		}
	}
	if err := old.Compact(start, 3, []byte(`{}`)); !errors.Is(err, journal.ErrFenced) {
		t.Errorf("got error %v, want ErrFenced", err)
	}
	wantBodies(t, f, "", journal.Ack{N: 1}, journal.Ack{N: 2})
}

func readBeside(t *testing.T, f Fixture) {
	s := f.Open()
	old, w := acquire(t, s), acquire(t, s)
	if err := errors.Join(w.Append([]byte("one")), w.Sync()); err != nil {
		t.Fatal(err)
	}
	if got, err := old.Read(); err != nil || string(got) != "one" {
		t.Errorf("a fenced writer reads %q, error %v; want %q", got, err, "one")
	}
}
