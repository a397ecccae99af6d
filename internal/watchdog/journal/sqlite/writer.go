package sqlite

import (
	"errors"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// writer collects what is appended, and writes it as one piece when it is synced.
type writer struct {
	store      *Store
	fence      int64
	start, end int64 // of the journal's bytes on the disk, as in the table piece
	pending    []byte
}

func (w *writer) Fence() int64 { return w.fence }

// change runs f in a transaction if this is still the writer.
func (w *writer) change(f func(*tx) error) error {
	return w.store.change(func(t *tx) error {
		var fence int64
		if err := t.query("SELECT fence FROM lease", &fence); err != nil {
			return err
		}
		if fence != w.fence {
			return journal.ErrFenced
		}
		return f(t)
	})
}

func (w *writer) Read() ([]byte, error) {
	data, err := w.store.Read()
	return append(data, w.pending...), err
}

func (w *writer) Append(p []byte) error {
	w.pending = append(w.pending, p...)
	return nil
}

func (w *writer) Sync() error {
	err := w.change(func(t *tx) error {
		if len(w.pending) == 0 {
			return nil
		}
		return t.exec("INSERT INTO piece VALUES (?, ?)", w.end, w.pending)
	})
	if err != nil {
		return err
	}
	w.end += int64(len(w.pending))
	w.pending = w.pending[:0]
	return nil
}

func (w *writer) Truncate(size int64) error {
	cut := w.start + size
	if cut > w.end {
		w.pending = w.pending[:min(int64(len(w.pending)), cut-w.end)]
		return nil
	}
	w.pending = w.pending[:0]
	err := w.change(func(t *tx) error {
		return errors.Join(
			t.exec("DELETE FROM piece WHERE start >= ?", cut),
			t.exec("UPDATE piece SET data = substr(data, 1, ?1 - start) WHERE start + length(data) > ?1", cut),
		)
	})
	if err == nil {
		w.end = cut
	}
	return err
}

// Drop frees pages of the database, which later records fill again.
func (w *writer) Drop(size int64) error {
	cut := min(w.start+size, w.end)
	err := w.change(func(t *tx) error {
		return errors.Join(
			t.exec("DELETE FROM piece WHERE start + length(data) <= ?", cut),
			t.exec("UPDATE piece SET data = substr(data, ?1 - start + 1), start = ?1 WHERE start < ?1", cut),
		)
	})
	if err == nil {
		w.start = cut
	}
	return err
}

func (w *writer) Renew(now watchdog.Instant, ttl time.Duration) error {
	return w.change(func(t *tx) error {
		return t.exec("UPDATE lease SET boot_id = ?, until = ?", now.BootID, int64(now.Boot+ttl))
	})
}
