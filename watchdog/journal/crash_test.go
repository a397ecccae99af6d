package journal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fakepi.example/watchdog/journal"
)

// TestCrashes plays random lives of a journal and kills each at every write and sync, at the end of every record and
// inside it, with what was not synced kept, torn or lost. After each crash the state is one that was promised, and the
// journal lives on, through a second crash.
func TestCrashes(t *testing.T) {
	const shards = 4
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			crashes := 0
			for seed := shard; seed < seeds; seed += shards {
				crashes += live(t, uint64(seed), false)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			if t.Logf("%d crashes", crashes); crashes < 25*seeds/shards {
				t.Errorf("only %d crashes", crashes)
			}
		})
	}
}

// TestCrashesAtEveryByte does the same for a few lives, and tears each write at every byte.
func TestCrashesAtEveryByte(t *testing.T) {
	for seed := range 5 {
		live(t, uint64(seed), true)
	}
}

// ledger is a state that tells apart any two histories: the acks in their order, in one number. It can be compacted.
type ledger struct {
	Acks int
	Sum  uint64
}

func (s *ledger) fold(r journal.Record) error {
	switch b := r.Body.(type) {
	case journal.Start:
		if len(b.State) > 0 {
			*s = ledger{}
			return json.Unmarshal(b.State, s)
		}
	case journal.Ack:
		*s = s.after(b.N)
	default:
		return fmt.Errorf("nobody wrote a %s", r.Body.Kind())
	}
	return nil
}

func (s ledger) after(n int) ledger { return ledger{s.Acks + 1, s.Sum*1_000_003 + uint64(n)} }

// life is a journal and what its writer may rely on.
type life struct {
	*testing.T
	rng       *rand.Rand
	store     *journal.Memory
	states    []ledger // after each ack that was added; the first is the empty one
	promised  int      // index of the state that a Commit has promised last
	everyByte bool
	crashes   int
}

func live(t *testing.T, seed uint64, everyByte bool) int {
	l := &life{
		T: t, rng: rand.New(rand.NewPCG(seed, 0)), store: new(journal.Memory), states: make([]ledger, 1), everyByte: everyByte,
	}
	var state ledger
	log := l.open(l.store, &state)
	for range 8 {
		switch op := l.rng.IntN(8); {
		case op < 5:
			l.add(log, 1+l.rng.IntN(3))
			l.commit(log)
		case op == 5:
			l.add(log, 1)
			if l.rng.IntN(2) == 0 {
				l.commit(log)
			}
			l.compact(log, state)
		case op == 6:
			l.store.Fill(l.store.Size() + l.rng.IntN(250))
			l.add(log, 1+l.rng.IntN(2))
			l.commit(log)
			l.store.Fill(-1)
		default:
			l.crash(l.store.Clone(), l.store.Synced())
			log = l.open(l.store, &state)
			l.states = l.states[:l.promised+1]
		}
	}
	return l.crashes
}

// open goes on with a store, and watches what the log does to it.
func (l *life) open(m *journal.Memory, state *ledger) *journal.Log {
	l.Helper()
	*state = ledger{}
	log, err := journal.Open(&boundaries{Writer: acquire(l.T, m), life: l}, now, state.fold)
	if err != nil {
		l.Fatal(err)
	}
	return log
}

func (l *life) add(log *journal.Log, acks int) {
	for range acks {
		n := l.rng.IntN(1e6)
		l.states = append(l.states, l.states[len(l.states)-1].after(n))
		add(l.T, log, n, journal.Ack{N: n})
	}
}

func (l *life) commit(log *journal.Log) {
	if err := log.Commit(); err == nil {
		l.promised = len(l.states) - 1
	} else if !errors.Is(err, journal.ErrFull) {
		l.Fatal(err)
	}
}

func (l *life) compact(log *journal.Log, state ledger) {
	text, err := json.Marshal(state)
	if err != nil {
		l.Fatal(err)
	}
	if err := log.Compact(now, 0, text); err != nil {
		l.Fatal(err)
	}
	l.promised = len(l.states) - 1
}

// boundaries stands between a log and its store, and tries what a crash after each change, which is one before the next,
// would leave.
type boundaries struct {
	journal.Writer
	life *life
}

func (b *boundaries) after(err error) error {
	b.life.crashEverywhere()
	return err
}

func (b *boundaries) Append(p []byte) error  { return b.after(b.Writer.Append(p)) }
func (b *boundaries) Sync() error            { return b.after(b.Writer.Sync()) }
func (b *boundaries) Truncate(n int64) error { return b.after(b.Writer.Truncate(n)) }
func (b *boundaries) Drop(n int64) error     { return b.after(b.Writer.Drop(n)) }

// crashEverywhere cuts what is not synced at the ends of records, beside them, and inside them.
func (l *life) crashEverywhere() {
	text, _ := l.store.Read()
	synced, size := l.store.Synced(), l.store.Size()
	cuts := []int{synced, size}
	for at := synced; at < size; at++ {
		if l.everyByte || text[at] == '\n' {
			cuts = append(cuts, at, at+1, (at+cuts[len(cuts)-1])/2)
		}
	}
	slices.Sort(cuts)
	for _, cut := range slices.Compact(cuts) {
		l.crash(l.store.Clone(), cut)
	}
}

// crash opens what a crash has left, checks that it keeps the promise, goes on with it, and crashes again.
func (l *life) crash(m *journal.Memory, size int) {
	l.crashes++
	m.Crash(size)
	m.Fill(-1)
	var state ledger
	log, err := journal.Open(acquire(l.T, m), now, state.fold)
	if err != nil {
		l.Fatalf("cut at %d: %v", size, err)
	}
	if !slices.Contains(l.states[l.promised:], state) {
		l.Fatalf("cut at %d: the state is %v, want one of %v", size, state, l.states[l.promised:])
	}
	one := state.after(1)
	add(l.T, log, 1, journal.Ack{N: 1})
	commit(l.T, log)
	kept := m.Size()
	add(l.T, log, 2, journal.Ack{N: 2})
	commit(l.T, log)
	m.Crash(kept + l.rng.IntN(m.Size()-kept)) // before the sync of the second record
	state = ledger{}
	if _, err := journal.Open(acquire(l.T, m), now, state.fold); err != nil || state != one {
		l.Fatalf("cut at %d, second crash: the state is %v, error %v; want %v", size, state, err, one)
	}
}
