package journal

import (
	"bytes"
	"fmt"
)

// format is a version of the records and the way to it.
type format struct {
	version  int
	upgrades map[int]upgrade // from each older version to the next
}

// upgrade turns the data of a record, a JSON object, into that of the next version. It may change its kind. A Start keeps
// the version that it names; what has to be upgraded of it is the state.
type upgrade func(kind Kind, data []byte) (Kind, []byte, error)

// current is the format that is written: whoever changes the form of a kind, or gives a known form another meaning, adds
// one to the version and an upgrade from the last.
func current() format { return format{version: 1} }

// End says how far a journal reaches.
type End struct {
	Size    int64 // bytes of whole records
	History int64 // of these, how many are folded: from the last state on
	Torn    int   // bytes behind them that a crash left of a write
	Seq     int64 // of the last record; 0 = none
	Version int   // of what follows; 0 = no record yet
}

// Replay reads a journal and calls fold for each record from the last state on. It stops at the first error of fold, and
// calls it not at all if the journal is refused, with an error that wraps ErrCorrupt or ErrVersion.
func Replay(data []byte, fold func(Record) error) (End, error) { return current().replay(data, fold) }

func (v format) replay(data []byte, fold func(Record) error) (End, error) {
	lines, end, err := v.scan(data)
	if err != nil {
		return end, err
	}
	for i := range lines {
		if err := v.read(&lines[i]); err != nil {
			return end, err
		}
	}
	for i := range lines {
		if err := fold(lines[i].Record); err != nil {
			return end, fmt.Errorf("journal: record %d: %w", lines[i].Seq, err)
		}
	}
	return end, nil
}

// scan checks every line and returns those from the last state on.
func (v format) scan(data []byte) ([]line, End, error) {
	lines := make([]line, 0, bytes.Count(data, []byte("\n")))
	var end End
	for int(end.Size) < len(data) {
		rest := data[end.Size:]
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			end.Torn = len(rest)
			if !torn(rest) {
				return nil, end, end.corrupt("a whole record without its line end, and more after it")
			}
			break
		}
		l, err := readLine(rest[:n])
		if err != nil {
			return nil, end, end.corrupt(err.Error())
		}
		state, err := v.follow(&end, &l)
		if err != nil {
			return nil, end, err
		}
		if state {
			lines, end.History = lines[:0], 0
		}
		lines = append(lines, l)
		end.Size += int64(n + 1)
		end.History += int64(n + 1)
	}
	return lines, end, nil
}

// follow moves the end behind a line, if the line may stand there, and reports whether the line is a state.
func (v format) follow(end *End, l *line) (state bool, err error) {
	first := end.Size == 0
	if !first && l.Seq != end.Seq+1 {
		return false, end.corrupt(fmt.Sprintf("record %d where %d should be", l.Seq, end.Seq+1))
	}
	version := end.Version
	if l.kind == KindStart {
		f := form{text: l.data, reading: true}
		f.begin()
		integer(&f, "version", &version)
		state = f.next("state")
		if f.err != nil {
			return false, end.corrupt(f.err.Error())
		}
	}
	switch {
	case first && (l.kind != KindStart || l.Seq < 1 || l.Seq > 1 && !state):
		return false, end.corrupt(fmt.Sprintf("record %d, of kind %s, cannot be the first; the beginning is lost", l.Seq, l.kind))
	case version < 1:
		return false, end.corrupt("a start without a version")
	case version > v.version:
		return false, fmt.Errorf("%w: record %d is of version %d, this program knows versions up to %d; use the newer program",
			ErrVersion, l.Seq, version, v.version)
	}
	end.Seq, end.Version = l.Seq, version
	l.offset, l.version = end.Size, version
	return state, nil
}

// read upgrades a line and reads its data.
func (v format) read(l *line) (err error) {
	for ; l.version < v.version; l.version++ {
		up := v.upgrades[l.version]
		if up == nil {
			return fmt.Errorf("%w: record %d is of version %d, and this program no longer reads that", ErrVersion, l.Seq, l.version)
		}
		if l.kind, l.data, err = up(l.kind, l.data); err != nil {
			return fmt.Errorf("journal: record %d: upgrade from version %d: %w", l.Seq, l.version, err)
		}
	}
	if l.Body, err = l.body(); err != nil {
		// Its checksum is right, so it was written like this.
		return fmt.Errorf("%w: record %d (%s) at byte %d: %w; use the program that wrote it", ErrVersion, l.Seq, l.kind, l.offset, err)
	}
	return nil
}

func (e End) corrupt(reason string) error {
	return &CorruptError{Offset: e.Size, After: e.Seq, Reason: reason}
}
