package journal

import (
	"errors"
	"fmt"

	"fakepi.example/watchdog"
)

// Log is a journal that is open for writing. It calls fold for each record that is replayed and for each that is added,
// so the state of a running watchdog and that after a restart come about the same way. It is not safe for concurrent use.
type Log struct {
	state   watchdog.State
	format  format
	fold    func(Record) error
	staged  form  // records that are folded and not yet durable
	seq     int64 // of the last record, staged ones included
	size    int64 // durable bytes
	history int64 // of these, how many a replay folds, the last state included
	broken  error
}

// Open replays a journal through fold, cuts off a torn tail, and is then ready to go on. An empty State is a new journal.
// It writes nothing else, so a journal opens on a full disk. Its errors are those of Replay, of fold and of the State.
func Open(s watchdog.State, now watchdog.Instant, fold func(Record) error) (*Log, error) {
	return current().open(s, now, fold)
}

func (v format) open(s watchdog.State, now watchdog.Instant, fold func(Record) error) (*Log, error) {
	data, err := s.Read()
	if err != nil {
		return nil, fmt.Errorf("journal: read: %w", err)
	}
	end, err := v.replay(data, fold)
	if err != nil {
		return nil, err
	}
	l := &Log{state: s, format: v, fold: fold, seq: end.Seq, size: end.Size, history: end.History}
	if end.Torn > 0 {
		if err := l.undo(); err != nil {
			return nil, err
		}
	}
	if end.Version < v.version {
		l.seq++
		appendLine(&l.staged, Record{Seq: l.seq, At: now, Body: Start{Version: v.version}})
	}
	return l, l.staged.err
}

// Add folds a record and stages it; r.Seq is set by the log. On an error, of fold or about the form of the body, nothing
// has changed.
func (l *Log) Add(r Record) error {
	if _, ok := r.Body.(Start); ok {
		return errors.New("journal: a Start is written by Compact")
	}
	before := len(l.staged.text)
	r.Seq = l.seq + 1
	appendLine(&l.staged, r)
	err := l.staged.err
	if err == nil {
		err = l.fold(r)
	}
	if err != nil {
		l.staged = form{text: l.staged.text[:before]}
		return fmt.Errorf("journal: add %s: %w", r.Body.Kind(), err)
	}
	l.seq = r.Seq
	return nil
}

// Commit makes what was added durable. After an error that wraps ErrFull, or another of the State's that could be undone,
// it may be called again; after ErrFenced or ErrBroken the journal has to be opened anew.
func (l *Log) Commit() error {
	if len(l.staged.text) == 0 {
		return l.broken
	}
	if err := l.write(l.staged.text); err != nil {
		return err
	}
	l.history += int64(len(l.staged.text))
	l.staged.text = l.staged.text[:0]
	return nil
}

// Compact commits, and then writes the state, a JSON value, as a record that replaces all before it. If the State is a
// Dropper, the space is given back. Its errors are those of Commit.
func (l *Log) Compact(now watchdog.Instant, n int, state []byte) error {
	if err := l.Commit(); err != nil {
		return err
	}
	var f form
	appendLine(&f, Record{Seq: l.seq + 1, N: n, At: now, Body: Start{Version: l.format.version, State: state}})
	if f.err != nil || len(state) == 0 {
		return fmt.Errorf("journal: compact: the state is no JSON: %w", f.err)
	}
	before := l.size
	if err := l.write(f.text); err != nil {
		return err
	}
	l.seq++
	l.history = int64(len(f.text))
	return l.drop(before)
}

// drop gives the space of the first size bytes back, where the State can.
func (l *Log) drop(size int64) error {
	d, ok := l.state.(Dropper)
	if !ok {
		return nil
	}
	err := d.Drop(size)
	switch {
	case err == nil:
		l.size -= size
		return nil
	case !errors.Is(err, ErrFull): // whether it was done is not known
		l.broken = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return fmt.Errorf("journal: give space back: %w", err)
}

// Staged is how many bytes wait for a Commit.
func (l *Log) Staged() int { return len(l.staged.text) }

// History is how many bytes a replay folds: what to go by for when to compact.
func (l *Log) History() int64 { return l.history }

// write appends and syncs, or takes back what it can.
func (l *Log) write(p []byte) error {
	if l.broken != nil {
		return l.broken
	}
	err := l.state.Append(p)
	if err == nil {
		err = l.state.Sync()
	}
	if err == nil {
		l.size += int64(len(p))
		return nil
	}
	// A part may have been written, which the next record would turn into a corrupt middle.
	if undone := l.undo(); undone != nil {
		l.broken = fmt.Errorf("%w: %w, then %w", ErrBroken, err, undone)
	}
	return fmt.Errorf("journal: write: %w", err)
}

func (l *Log) undo() error {
	if err := l.state.Truncate(l.size); err != nil {
		return fmt.Errorf("journal: cut off a torn tail: %w", err)
	}
	if err := l.state.Sync(); err != nil {
		return fmt.Errorf("journal: cut off a torn tail: %w", err)
	}
	return nil
}
