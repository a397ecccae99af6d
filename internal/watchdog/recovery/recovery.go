// Package recovery helps a person to recover the work of a stuck or dead worker: it names what the worker is in from
// fresh facts (diagnose.go), classifies what it left (debris.go), plans what to do as data (plan.go), and carries out what
// the owner has approved, item by item, each one checked again at its moment (apply.go).
//
// Nothing here watches: it works with or without a watchdog running. Whatever reads a worktree does so through package
// evidence, so that nothing that the worker has configured runs.
package recovery

import (
	"errors"
	"time"

	"fakepi.example/internal/watchdog/evidence"
)

var (
	// ErrSession: the session file cannot be read.
	ErrSession = errors.New("the session cannot be read")
	// ErrTask: the tracker gave no answer that can be used.
	ErrTask = errors.New("the tracker's row cannot be read")
	// ErrApproval: an item may not be carried out.
	ErrApproval = errors.New("not approved")
	// ErrKey: the owner's key cannot be used.
	ErrKey = errors.New("owner key")
	// ErrPlan: the plan cannot be read, or does not fit.
	ErrPlan = errors.New("the plan cannot be used")
	// ErrLog: the events of the case cannot be read.
	ErrLog = errors.New("the case's log cannot be read")
	// ErrChanged: the world is not as it was when the plan was made.
	ErrChanged = errors.New("the world has changed since")
	// ErrBusy: somebody else applies the same plan.
	ErrBusy = errors.New("another apply is at work")
	// ErrStart: a command did not start, so that it did nothing.
	ErrStart = errors.New("it did not start")
	// ErrGate: what must succeed before a publish did not.
	ErrGate = errors.New("gate failed")
	// ErrVerify: an act was claimed to be done, and its effect is not there.
	ErrVerify = errors.New("the effect is not there")
)

// Facts are what is known of a worker at one moment, each fact fresh.
type Facts struct {
	Now       time.Time
	Worktree  *evidence.State
	Place     string                // of the worktree, absolute and without links; empty: it is not compared with where the process works
	Session   *Session              // nil: none was named
	Process   *Sighting             // nil: no pid was named
	Holders   []evidence.Process    // other live processes of the session
	Strangers []evidence.Process    // live pis in a session that is not known, which may be this one
	Inside    []evidence.Process    // other live processes in the worktree
	Task      *Task                 // nil: no tracker was named
	Tracker   *Tracker              // where Task was read; nil: it is not read again
	Verdict   *Verdict              // over the recording; nil: none was named
	Known     *Verdict              // over the session file; nil: none was named
	Effects   []Effect              // of calls that have no result
	Work      *evidence.Uncommitted // what a commit would take up and leave; nil: there is none
	NoWork    string                // why Work is nil
	Against   []string              // what speaks against the row's claim that the task is done
}

// Verdict is what the reference watchdog says of a worker, up to now.
type Verdict struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Since  string `json:"since"` // how long ago

	Limit      string    `json:"limit,omitempty"`      // that passed
	Until      time.Time `json:"until,omitzero"`       // of a quota wait whose end is known
	Credential string    `json:"credential,omitempty"` // of a wait for one
	Dialog     string    `json:"dialog,omitempty"`     // of a wait for a person
}
