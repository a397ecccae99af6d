// Package ledger is what fake workers write down about themselves, for whoever judges the program that runs them: a file
// of JSON lines to which every worker appends, each record in one write. It tells what no pipe shows: who started the
// process and how, which signals came, what its tools really did, how it ended. A process that is killed by SIGKILL
// writes no more; what it has written stays readable.
//
// A record is one object: the members of [Stamp], then those of its event:
//
//	{"kind":"signal","pid":4711,"generation":1,"mono_ns":81230000,"boot_ns":91230000,"wall":"2026-01-05T09:00:00Z","name":"SIGTERM",...}
//
// [Log] writes, [Reader] reads, [Check] finds what no honest worker can have written.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Record is one line of a ledger.
type Record struct {
	Stamp
	Event Event
}

// Stamp says who wrote a record and when.
type Stamp struct {
	Kind       Kind          `json:"kind"`
	PID        int           `json:"pid"`        // of the process that wrote it
	Generation int           `json:"generation"` // of the worker: 1 for the first start that this ledger has seen
	Mono       time.Duration `json:"mono_ns"`    // the host's monotonic clock, which stands still while the host sleeps
	Boot       time.Duration `json:"boot_ns"`    // the host's monotonic clock, sleep included
	Wall       time.Time     `json:"wall"`       // civil time, which may jump
}

var (
	// ErrTorn: a line is no record; what could be told apart of it was read.
	ErrTorn = errors.New("torn record")
	// ErrKind: a record of a kind that this version does not know.
	ErrKind = errors.New("unknown kind of record")
)

// MarshalJSON writes the stamp's members and then the event's.
func (r Record) MarshalJSON() ([]byte, error) {
	r.Stamp.Kind = r.Event.kind()
	stamp, err := marshal(r.Stamp)
	if err != nil {
		return nil, err
	}
	event, err := marshal(r.Event)
	if err != nil {
		return nil, err
	}
	if len(event) > len("{}") {
		stamp = append(stamp[:len(stamp)-1], ',')
		stamp = append(stamp, event[1:]...)
	}
	return stamp, nil
}

// marshal keeps <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON reads a record. The error is an [ErrKind] or that of the JSON.
func (r *Record) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &r.Stamp); err != nil {
		return err
	}
	fresh, ok := events[r.Kind]
	if !ok {
		return fmt.Errorf("%w: %q", ErrKind, r.Kind)
	}
	e := fresh()
	if err := json.Unmarshal(data, e); err != nil {
		return err
	}
	r.Event = e
	return nil
}
