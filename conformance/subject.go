// Package conformance runs a watchdog through the matrix of scenarios and judges it. It knows only the contract of
// package watchdog; which watchdog it judges is the caller's choice.
//
// Every scenario, and every twin of one, is a case. A case has a base history, in which nothing was chosen, and others that
// deviate from it in choices of the world: the order of what falls on one instant, a race, a crash of the watchdog, what
// becomes of a command. Options.Explore says which of them are played, fewest deviations first (package explore), and
// Options.Histories how many. The invariants of package oracle hold on every history, the scenario's own expectations on
// the base history. One scenario, seed, subject and vector of choices make one history, byte for byte, so a failure is
// replayed from its token.
//
// Run judges a subject, Test does so as a vendor's go test, and Merge puts the shards of a run together.
package conformance

import (
	"errors"
	"time"

	"fakepi.example/watchdog"
)

// Version names the suite: its invariants, its world and the form of its tokens.
const Version = "1"

// Subject is a watchdog to be judged. Start is called for each history, from several goroutines at once, with an error
// if this subject cannot run at all. What Step is shown is a copy and valid until it returns; a subject may do with it, and
// with its Boot, what it likes. A subject in this process can do anything else to it, from os.Exit to reading what the judge
// knows: that it passes here is no certificate. One that runs in a process of its own is judged by what it
// says alone.
type Subject interface {
	Name() string
	Start(watchdog.Boot) (watchdog.Watchdog, error)
}

// Isolated is a Subject whose watchdogs run elsewhere, as in processes of their own. A history is then a conversation, which
// has a beginning and an end; Start alone begins one that ends with the program.
type Isolated interface {
	Subject
	// Open begins a history of a case.
	Open(c Case) (Incarnations, error)
}

// Case is what an isolated subject may know of a case. It never knows its name.
type Case struct {
	ID    string   // for whoever counts what goes wrong by case; the watchdog is not told
	Needs []string // features
}

// Incarnations are the watchdogs of one history, one after the other.
type Incarnations interface {
	// Start starts the next one; the one before it has crashed, and is killed first if it still runs.
	Start(watchdog.Boot) (watchdog.Watchdog, error)
	// Close ends the history. Its error says what the last watchdog did wrong at its end.
	Close() error
}

// ErrUnsupported is wrapped by the error of a subject that refuses to start because a case needs what it does not support.
// As the subject is only shown cases of the features that it declares, the case is then untestable.
var ErrUnsupported = errors.New("unsupported")

// ErrUnanswered is wrapped by the error of a step that says nothing about what a watchdog decides: its process hung, ended,
// or broke the protocol. Its case is over with it.
var ErrUnanswered = errors.New("no answer")

// Poller is a Subject that cannot wake at an exact time: it is stepped at every multiple of Poll, which must not be
// above MaxPoll, and every bound in time is longer by as much.
type Poller interface{ Poll() time.Duration }

// MaxPoll is the longest poll that a subject may declare (docs/verdicts.md, Terms).
const MaxPoll = time.Minute

// Featured is a Subject that declares optional features; scenarios that need another one do not apply to it.
type Featured interface{ Features() []string }

func pollOf(s Subject) time.Duration {
	if p, ok := s.(Poller); ok {
		return p.Poll()
	}
	return 0
}

func featuresOf(s Subject) []string {
	if f, ok := s.(Featured); ok {
		return f.Features()
	}
	return nil
}
