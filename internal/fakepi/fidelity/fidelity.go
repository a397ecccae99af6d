// Package fidelity compares fakepi with the real Pi. A [Script] says what the model, the tools and the client do; both are
// put through it, and what they print, what they leave on disk and how they end must be the same, but for what varies
// between two runs of the real Pi itself:
//
//  1. Of message_update the keys message, partial and usage are dropped, and an assistant message_start that is still
//     streaming is reduced to its role: they are live snapshots, which run ahead when several chunks come in one read.
//     Every delta stays.
//  2. The snapshots of pi-0.73 are checked by an invariant instead: what was said so far is a prefix of the snapshot, and
//     that one of the finished text. Scripts with "snapshots" send each reply in one write and compare them byte for byte.
//  3. Ids are numbered as they are first seen; timestamps, durations, ports, and the folders of the run are masked. The
//     duration of the empty reply that pi-1.6 makes up, behind an abort or where it cannot ask the model, is dropped: it is
//     there or not by chance.
//  4. Inputs and signals are triggered by what is printed, never by time since the start; then 300 ms pass in a silence.
//  5. Outputs of tools are 250 ms apart, ends of parallel ones 300 ms.
//  6. One command at a time. A steer comes 300 ms into a stall of 5 s.
//  7. The model answers by what is asked where Pi may ask twice at once.
//  8. Retries are short by settings, but for one script.
//  9. A kill on an event is a race: what it leaves must be one of the states that the race allows.
//
// Anything else that differs is a finding, or stands with its reason in the list of accepted differences ([Accepted]).
package fidelity

import "time"

// Limits of a run. No step of a script takes as long as patience, on a busy machine either.
const (
	patience = 2 * time.Minute        // for an awaited line or exit
	quiet    = 300 * time.Millisecond // in which a client does nothing, once it has seen what it waited for
	rest     = time.Second            // without a line, behind what may be the last record of a run: it is over
)
