package journal

import (
	"time"

	"fakepi.example/watchdog"
)

// Memory is a Store for simulations: it forks in no time, and it can crash and fill up. The zero value is empty.
type Memory struct {
	data    []byte // shared with clones; what was written is never overwritten
	synced  int
	limited bool
	limit   int
	lease   Lease
}

// Clone returns a store with the same content and lease, and without writers. Both share their past.
func (m *Memory) Clone() *Memory {
	c := *m
	c.data = m.data[:len(m.data):len(m.data)]
	return &c
}

// Size returns how many bytes were written.
func (m *Memory) Size() int { return len(m.data) }

// Synced returns how many of the written bytes survive any crash.
func (m *Memory) Synced() int { return m.synced }

// Crash leaves the first size bytes: Synced if all else is lost, Size if all is kept, and anything between, where a write
// was torn. Less than Synced is a crash before that sync. The lease stays.
func (m *Memory) Crash(size int) {
	m.data = m.data[:size:size]
	m.synced = size
}

// Fill makes the disk hold at most size bytes of this store: a write that does not fit leaves what fitted, as a file does.
// Negative: no limit.
func (m *Memory) Fill(size int) { m.limited, m.limit = size >= 0, size }

// Read returns what was written, to be read only.
func (m *Memory) Read() ([]byte, error) { return m.data[:len(m.data):len(m.data)], nil }

// Acquire implements Store.
func (m *Memory) Acquire(holder string, now watchdog.Instant, ttl time.Duration) (Writer, error) {
	lease, err := m.lease.Take(holder, now, ttl)
	if err != nil {
		return nil, err
	}
	m.lease = lease
	return &memoryWriter{m, lease.Fence}, nil
}

// Evict implements Store.
func (m *Memory) Evict(fence int64) error {
	if m.lease.Fence == fence {
		m.lease.Until = 0
	}
	return nil
}

type memoryWriter struct {
	*Memory
	fence int64
}

func (w *memoryWriter) Fence() int64 { return w.fence }

func (w *memoryWriter) check() error {
	if w.lease.Fence != w.fence {
		return ErrFenced
	}
	return nil
}

// firstBlock is room for a usual simulation.
const firstBlock = 8 << 10

func (w *memoryWriter) Append(p []byte) error {
	if err := w.check(); err != nil {
		return err
	}
	if room := w.limit - len(w.data); w.limited && room < len(p) {
		w.data = append(w.data, p[:max(room, 0)]...)
		return ErrFull
	}
	if w.data == nil {
		w.data = make([]byte, 0, firstBlock)
	}
	w.data = append(w.data, p...)
	return nil
}

func (w *memoryWriter) Sync() error {
	if err := w.check(); err != nil {
		return err
	}
	w.synced = len(w.data)
	return nil
}

func (w *memoryWriter) Truncate(size int64) error {
	if err := w.check(); err != nil {
		return err
	}
	if size < int64(len(w.data)) {
		w.data = w.data[:size:size] // what a clone shares stays as it is
		w.synced = min(w.synced, int(size))
	}
	return nil
}

func (w *memoryWriter) Drop(size int64) error {
	if err := w.check(); err != nil {
		return err
	}
	w.data = w.data[size:]
	w.synced -= int(size)
	return nil
}

func (w *memoryWriter) Renew(now watchdog.Instant, ttl time.Duration) error {
	if err := w.check(); err != nil {
		return err
	}
	w.lease.BootID, w.lease.Until = now.BootID, now.Boot+ttl
	return nil
}
