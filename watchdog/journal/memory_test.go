package journal_test

import (
	"errors"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/journal/journaltest"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

func TestMemory(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journaltest.Fixture {
		m := new(journal.Memory)
		return journaltest.Fixture{
			Open: func() journal.Store {
				m.Crash(m.Synced())
				return m
			},
			Fill: func(full bool) {
				if m.Fill(-1); full {
					m.Fill(m.Size() + 100)
				}
			},
		}
	})
}

// TestCloneSharesNothingThatChanges goes on with a store and its clone in turn, over and below the point where they part.
func TestCloneSharesNothingThatChanges(t *testing.T) {
	m := new(journal.Memory)
	write(t, m, "shared")
	c := m.Clone()
	for range 5 { // short writes find spare room behind the data
		write(t, m, "1")
		write(t, c, "2")
	}
	wantText(t, m, "shared11111")
	wantText(t, c, "shared22222")

	d := m.Clone()
	m.Crash(len("shared"))
	write(t, m, " and overwritten")
	w := acquire(t, d)
	if err := w.Truncate(int64(len("shared1"))); err != nil {
		t.Fatal(err)
	}
	e := d.Clone()
	write(t, d, " nobody else")
	if err := acquire(t, e).Drop(int64(len("shared"))); err != nil {
		t.Fatal(err)
	}
	write(t, e, "e")
	wantText(t, m, "shared and overwritten")
	wantText(t, d, "shared1 nobody else")
	wantText(t, e, "1e")
}

// TestFill leaves what fitted of a write, as a file does.
func TestFill(t *testing.T) {
	m := new(journal.Memory)
	write(t, m, "some")
	m.Fill(6)
	w := acquire(t, m)
	for range 2 {
		if err := w.Append([]byte("thing")); !errors.Is(err, journal.ErrFull) {
			t.Errorf("got error %v, want ErrFull", err)
		}
		wantText(t, m, "someth")
	}
	if m.Synced() != 4 {
		t.Errorf("%d bytes are synced, want 4", m.Synced())
	}
	m.Fill(-1)
	write(t, m, "ing")
	wantText(t, m, "something")
}

func acquire(t testing.TB, s journal.Store) journal.Writer {
	t.Helper()
	w, err := s.Acquire("test", watchdog.Instant{}, time.Duration(0))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t *testing.T, m *journal.Memory, text string) {
	t.Helper()
	w := acquire(t, m)
	if err := w.Append([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
}

func wantText(t *testing.T, m *journal.Memory, want string) {
	t.Helper()
	if got, err := m.Read(); err != nil || string(got) != want {
		t.Errorf("got %q, error %v; want %q", got, err, want)
	}
}
