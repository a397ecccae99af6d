// Package journal is the durable memory of a watchdog: what must survive its crash is written down before it is acted on,
// and the state after a restart is what folding the journal gives (WDC-REST-001, WDC-REST-002).
//
// A journal is a sequence of records in a watchdog.State, one JSON object a line, so that `tail -f` and jq read it:
//
//	{"seq":7,"n":12,"at":{"mono_ms":90000,"boot_ms":90000},"kind":"ack","data":{"n":12},"sum":"8f2c01ab"}
//
// The rules, in the order in which a reader needs them:
//
//  1. Sum is the CRC-32C of everything before `,"sum"`; seq rises by one. A line whose sum, seq or form is wrong is
//     damage, wherever it stands: ErrCorrupt. Only a last line without its line end is a torn write, which Open cuts off.
//  2. The first record is a Start, which names the version of what follows. A Start with a state replaces all that came
//     before it, so replay begins at the last of these, and a compaction is one more record: there is no moment at which
//     neither the old nor the new can be read. A State that is a Dropper then gives the space back.
//  3. Records of an older version are upgraded while they are read; the first Commit writes a Start of the new version
//     behind them. A newer version, or a kind that the version does not have, is ErrVersion.
//  4. A record counts once Commit has returned nil. A crash inside Commit leaves a prefix of what was staged, so what
//     must not be forgotten is added first: a spending before the intent that it pays for.
//  5. One Writer at a time changes a Store: an older one gets ErrFenced (WDC-REST-006).
//  6. A disk that is full costs nothing but time: Commit returns ErrFull, what was staged stays staged, and nothing that
//     rests on it may be done before a later Commit returns nil (WDC-EVID-007).
package journal

import (
	"errors"
	"fmt"

	"fakepi.example/watchdog"
)

var (
	// ErrCorrupt is wrapped by the error about a damaged journal, a *CorruptError.
	ErrCorrupt = errors.New("journal: corrupt")
	// ErrVersion is wrapped by the error about a journal that a newer version of the program has written.
	ErrVersion = errors.New("journal: written by a newer version")
	// ErrFull says that there is no room. Nothing that is durable has changed, and the call may be repeated.
	ErrFull = errors.New("journal: no space left")
	// ErrFenced says that another writer has taken over. This one has to stop acting.
	ErrFenced = errors.New("journal: another writer has taken over")
	// ErrHeld is wrapped by the error about a store that another writer holds, a *HeldError.
	ErrHeld = errors.New("journal: held by another writer")
	// ErrBroken is returned after a write that failed and could not be undone. Open the journal again: replay tells what
	// has become durable.
	ErrBroken = errors.New("journal: a failed write could not be undone; open the journal again")
)

// CorruptError says where a journal is damaged.
type CorruptError struct {
	Offset int64 // of the first byte that cannot be trusted
	After  int64 // seq of the last record before it; 0 = none
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%v at byte %d, after record %d: %s; keep a copy of the journal and restore it from a backup: "+
		"its first %d bytes are whole, but without the rest acts could be done twice",
		ErrCorrupt, e.Offset, e.After, e.Reason, e.Offset)
}

// Is makes errors.Is(err, ErrCorrupt) hold.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// Record is one line of a journal.
type Record struct {
	Seq  int64 // 1 for the first, one more for each; Log.Add counts
	N    int   // the last observation that it takes into account: what comes before what is told by N, never by At
	At   watchdog.Instant
	Body Body
}
