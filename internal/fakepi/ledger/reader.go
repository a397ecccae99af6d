package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Reader reads a ledger, also while it is written.
type Reader struct {
	r    *bufio.Reader
	line []byte // the beginning of a line whose end is not there yet
	n    int    // lines read
}

// NewReader makes a reader of a ledger from its beginning.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReader(r)} }

// Line is the number of the line that was read last, from 1.
func (r *Reader) Line() int { return r.n }

// Next returns the next record. At the end of what is there it returns io.EOF, and may be called again once more was
// written: an unfinished last line is kept until then. An [ErrTorn] or [ErrKind] concerns one line; the next call goes on
// behind it. A write that was cut short takes the record behind it into its line: that one is found and returned.
func (r *Reader) Next() (Record, error) {
	for {
		part, err := r.r.ReadBytes('\n')
		r.line = append(r.line, part...)
		if err != nil {
			return Record{}, err
		}
		r.n++
		line := bytes.TrimRight(r.line, "\r\n")
		r.line = nil
		if len(line) > 0 {
			return r.parse(line)
		}
	}
}

// opening begins every record, and cannot stand inside one: there its quotes would be escaped.
var opening = []byte(`{"kind":"`)

func (r *Reader) parse(line []byte) (Record, error) {
	var record Record
	err := json.Unmarshal(line, &record)
	if i := bytes.LastIndex(line, opening); i > 0 && err != nil && !errors.Is(err, ErrKind) {
		return r.parse(line[i:])
	}
	switch {
	case errors.Is(err, ErrKind):
		return Record{}, fmt.Errorf("line %d: %w", r.n, err)
	case err != nil:
		return Record{}, fmt.Errorf("line %d: %w: %w", r.n, ErrTorn, err)
	}
	return record, nil
}

// ReadAll reads all whole records. A torn line is no error, nor is an unfinished last one: they are counted. The error is
// that of the reader, or an [ErrKind].
func ReadAll(from io.Reader) (records []Record, torn int, err error) {
	r := NewReader(from)
	for {
		record, err := r.Next()
		switch {
		case err == nil:
			records = append(records, record)
		case errors.Is(err, ErrTorn):
			torn++
		case errors.Is(err, io.EOF):
			if len(r.line) > 0 {
				torn++
			}
			return records, torn, nil
		default:
			return records, torn, err
		}
	}
}
