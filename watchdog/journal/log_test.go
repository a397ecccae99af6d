package journal_test

import (
	"errors"
	"testing"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

var errDisk = errors.New("input/output error")

// faulty is a writer whose next call of some operation fails; a failing append leaves a part.
type faulty struct {
	journal.Writer
	fail map[string]error
}

func (f *faulty) take(op string) error {
	err := f.fail[op]
	delete(f.fail, op)
	return err
}

func (f *faulty) Append(p []byte) error {
	if err := f.take("append"); err != nil {
		return errors.Join(err, f.Writer.Append(p[:len(p)/2]))
	}
	return f.Writer.Append(p)
}

func (f *faulty) Sync() error {
	if err := f.take("sync"); err != nil {
		return err
	}
	return f.Writer.Sync()
}

func (f *faulty) Truncate(size int64) error {
	if err := f.take("truncate"); err != nil {
		return err
	}
	return f.Writer.Truncate(size)
}

func (f *faulty) Drop(size int64) error {
	if err := f.take("drop"); err != nil {
		return err
	}
	return f.Writer.Drop(size)
}

// TestFailedCommit fails the operations of a Commit. What was staged comes into the journal once, by this log or, where
// that may no longer be, by nobody.
func TestFailedCommit(t *testing.T) {
	for _, row := range []struct {
		fail   map[string]error
		want   error
		broken bool
		reason string
	}{
		{map[string]error{"append": errDisk}, errDisk, false, "a part is written, and taken back"},
		{map[string]error{"append": journal.ErrFull}, journal.ErrFull, false, "the disk is full"},
		{map[string]error{"sync": errDisk}, errDisk, false, "all is written, and taken back, since it may be lost"},
		{map[string]error{"append": errDisk, "truncate": errDisk}, errDisk, true, "a part cannot be taken back"},
		{map[string]error{"append": errDisk, "sync": errDisk}, errDisk, true, "that it was taken back may be lost"},
		{map[string]error{"append": journal.ErrFull, "truncate": journal.ErrFenced}, journal.ErrFull, true, "fenced meanwhile"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			m := new(journal.Memory)
			w := &faulty{Writer: acquire(t, m)}
			l := openLog(t, w, new(keep).fold)
			add(t, l, 1, journal.Ack{N: 1})
			commit(t, l)
			add(t, l, 2, journal.Ack{N: 2})
			w.fail = row.fail
			if err := l.Commit(); !errors.Is(err, row.want) {
				t.Errorf("got error %v, want %v", err, row.want)
			}
			want := 2
			if err := l.Commit(); row.broken {
				want = 1
				if !errors.Is(err, journal.ErrBroken) || !errors.Is(err, row.want) {
					t.Errorf("again: got error %v, want ErrBroken because of %v", err, row.want)
				}
				if err := l.Compact(now, 2, []byte("{}")); !errors.Is(err, journal.ErrBroken) {
					t.Errorf("compact: got error %v, want ErrBroken", err)
				}
			} else if err != nil {
				t.Errorf("again: %v", err)
			}
			wantAcks(t, m, want)
		})
	}
}

// wantAcks reopens a journal that holds acks from 1 on.
func wantAcks(t *testing.T, m *journal.Memory, n int) {
	t.Helper()
	var replayed keep
	openLog(t, acquire(t, m), replayed.fold)
	if len(replayed) != n {
		t.Errorf("%d records after a replay, want %d", len(replayed), n)
	}
	for i, b := range replayed.bodies() {
		if b != journal.Body(journal.Ack{N: i + 1}) {
			t.Errorf("record %d is %v", i+1, b)
		}
	}
}

// TestFailedCompaction leaves either the old journal or the new, whatever fails.
func TestFailedCompaction(t *testing.T) {
	for _, row := range []struct {
		fail   map[string]error
		broken bool
		state  bool
		reason string
	}{
		{map[string]error{"append": journal.ErrFull}, false, false, "no room for the state"},
		{map[string]error{"sync": errDisk}, false, false, "the state may be lost"},
		{map[string]error{"drop": journal.ErrFull}, false, true, "no room to give room back"},
		{map[string]error{"drop": errDisk}, true, true, "whether the room was given back is not known"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			m := new(journal.Memory)
			w := &faulty{Writer: acquire(t, m)}
			l := openLog(t, w, new(keep).fold)
			add(t, l, 1, journal.Ack{N: 1})
			commit(t, l)
			w.fail = row.fail
			if err := l.Compact(now, 1, []byte("1")); err == nil {
				t.Error("no error")
			}
			add(t, l, 2, journal.Ack{N: 2})
			want := []journal.Body{journal.Ack{N: 1}, journal.Ack{N: 2}}
			if row.state {
				want[0] = journal.Start{Version: 1, State: []byte("1")}
			}
			if err := l.Commit(); row.broken {
				want = want[:1]
				if !errors.Is(err, journal.ErrBroken) {
					t.Errorf("got error %v, want ErrBroken", err)
				}
			} else if err != nil {
				t.Error(err)
			}
			var replayed keep
			openLog(t, acquire(t, m), replayed.fold)
			if d := diff(want, replayed.bodies()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestUnreadableState(t *testing.T) {
	m := new(journal.Memory)
	l := openLog(t, acquire(t, m), new(keep).fold)
	for _, state := range []string{"", "{", "1 2"} {
		if err := l.Compact(now, 1, []byte(state)); err == nil {
			t.Errorf("state %q: no error", state)
		}
	}
	add(t, l, 1, journal.Ack{N: 1})
	commit(t, l)
	wantAcks(t, m, 1)
}

// plainState is a State that cannot give space back.
type plainState struct{ watchdog.State }

// TestCompactionWithoutDrop replays from the last state, though all before it is still there.
func TestCompactionWithoutDrop(t *testing.T) {
	m := new(journal.Memory)
	l := openLog(t, plainState{acquire(t, m)}, new(keep).fold)
	for n := 1; n < 4; n++ {
		add(t, l, n, journal.Ack{N: n})
		if err := l.Compact(now, n, []byte{'0' + byte(n)}); err != nil {
			t.Fatal(err)
		}
	}
	history := l.History()
	add(t, l, 4, journal.Ack{N: 4})
	commit(t, l)
	text, _ := m.Read()
	if got := len(lines(text)); got != 8 {
		t.Errorf("%d lines, want all 8", got)
	}
	var replayed keep
	again := openLog(t, acquire(t, m), replayed.fold)
	want := []journal.Body{journal.Start{Version: 1, State: []byte("3")}, journal.Ack{N: 4}}
	if d := diff(want, replayed.bodies()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if again.History() != l.History() || history >= l.History() {
		t.Errorf("history is %d live and %d replayed, after %d", l.History(), again.History(), history)
	}
}

// TestOpenDoesNotWrite opens a new journal on a full disk.
func TestOpenDoesNotWrite(t *testing.T) {
	m := new(journal.Memory)
	m.Fill(0)
	l := openLog(t, acquire(t, m), new(keep).fold)
	add(t, l, 1, journal.Ack{N: 1})
	if err := l.Commit(); !errors.Is(err, journal.ErrFull) {
		t.Errorf("got error %v, want ErrFull", err)
	}
	m.Fill(-1)
	commit(t, l)
	if l.Staged() != 0 {
		t.Errorf("%d bytes are still staged", l.Staged())
	}
	wantAcks(t, m, 1)
}
