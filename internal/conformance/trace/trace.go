// Package trace is the record of one history: what happened in a world, what the watchdog was shown of it, what it
// decided and what came of that, in the order in which it happened. A world writes it; the oracle, the digest and the
// failure timeline read it.
package trace

import (
	"fmt"
	"time"

	"fakepi.example/watchdog"
)

// Sink takes a history record by record. A record and all that it points to are reused after the call: a sink copies
// what it keeps.
type Sink interface {
	// Advance is called when time is about to move on to a later instant: all that could happen before has happened.
	Advance(now watchdog.Instant)
	Step(*Step)
	Act(*Act)
	Fault(*Fault)
	// End is called once, at the horizon.
	End(now watchdog.Instant)
}

// Nothing is a Sink that heeds no record. One that heeds some embeds it.
type Nothing struct{}

// Advance implements Sink.
func (Nothing) Advance(watchdog.Instant) {}

// Step implements Sink.
func (Nothing) Step(*Step) {}

// Act implements Sink.
func (Nothing) Act(*Act) {}

// Fault implements Sink.
func (Nothing) Fault(*Fault) {}

// End implements Sink.
func (Nothing) End(watchdog.Instant) {}

// Step is one call of the subject.
type Step struct {
	Event    int // number of this record in the history, from 1
	Now      watchdog.Instant
	Why      Why
	Seen     []watchdog.Observation
	Again    int      // the first so many of Seen were shown before, to an incarnation that crashed
	Records  []Record // what the bytes among Seen mean that were not shown before, in order
	Truths   []Truth  // by worker, in the scenario's order: what the subject can know once it has taken Seen into account
	Decision watchdog.Decision
	Stored   []byte // what it appended to its durable state in this step, and when it started; a full disk may have kept less
	Unsynced bool   // some of what it has stored until now is not safe from a crash
	Cut      bool   // the subject crashed before all of its decision arrived
	Err      error  // what the subject returned, or a *Panic
}

// Why a subject is stepped.
type Why uint8

// The reasons.
const (
	WhyStart  Why = iota // the first step, when the world begins
	WhySeen              // something was observed
	WhyAnswer            // what it ordered came to something
	WhyWake              // it asked to be woken
	WhyPoll              // its declared poll
	WhyBoot              // it is back from a crash
)

// String returns the word that a timeline shows.
func (w Why) String() string {
	return [...]string{"start", "seen", "answer", "wake", "poll", "boot"}[w]
}

// Act is one command when it takes effect, or does not.
type Act struct {
	Event   int
	Now     watchdog.Instant
	Worker  int // index in the scenario's order; -1 for a worker that the world does not know
	Command *watchdog.Command
	Result  watchdog.Result
	Reason  string
	Effect  bool   // the world is another one, whatever the result says
	Digest  string // of a snapshot
	Token   string // of a lease
}

// Fault is something that the scenario does to the world instead of to a worker's stream.
type Fault struct {
	Event  int
	Now    watchdog.Instant
	Kind   FaultKind
	Worker int // -1 if it concerns no single worker
	Span   time.Duration
}

// FaultKind names a fault.
type FaultKind string

// The faults that change how the rest of a history is judged.
const (
	FaultSuspend FaultKind = "suspend" // recorded when the host returns; Span is how long it slept
	FaultJump    FaultKind = "jump"    // the civil clock moved by Span
	FaultReboot  FaultKind = "reboot"
	FaultDrop    FaultKind = "drop"  // bytes of a stream are lost from now on
	FaultProbe   FaultKind = "probe" // probes of the worker say something else than the truth from now on
	FaultFull    FaultKind = "full"  // nothing can be written durably from now on
	FaultFree    FaultKind = "free"  // it can again
	FaultCrash   FaultKind = "crash" // the watchdog is gone; Span is how long
	FaultSpin    FaultKind = "spin"  // the subject was stepped too often without any news; the history ends here
)

// Panic is the error of a subject that panicked in Step.
type Panic struct {
	Value string // what it panicked with
	At    string // the function, and in brackets file and line, without folders; empty: not known
}

// Error implements error.
func (p *Panic) Error() string {
	if p.At == "" {
		return "the subject panicked: " + p.Value
	}
	return fmt.Sprintf("the subject panicked: %s, in %s", p.Value, p.At)
}
