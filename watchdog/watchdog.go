// Package watchdog is the contract between a watchdog of coding-agent workers and whatever runs or judges it.
//
// A watchdog is a function of what it observed: Step takes the time and the observations since the last step and
// returns what the watchdog wants done, what it now believes, and when it wants to look again. A watchdog has no
// clock, no goroutine and no I/O of its own, so that one engine runs unchanged in a simulation, behind a pipe and
// over real processes. Every type has one JSON form, fixed by the golden files in testdata; durations are numbers of
// milliseconds in fields whose names end in _ms, civil times are RFC 3339 strings. Only Bytes.Data and Command.Input may
// hold anything; other strings are UTF-8. Reading is strict, and its errors wrap ErrJSON: a member that is unknown, doubled or
// missing is refused. Only a Policy, which people write and keep, has a version, and defaults for what is absent.
package watchdog

import (
	"time"
)

// Instant is one moment on the clocks that a watchdog needs. Requirement WDC-CLOCK-001 says which clock serves what.
type Instant struct {
	Mono   time.Duration // monotonic, stops while the host sleeps: silence is measured on it
	Boot   time.Duration // monotonic, counts sleep: budgets and backoff
	Wall   time.Time     // civil: approvals and quota resets; may jump
	BootID string        // changes when the machine reboots
}

// Watchdog decides. Step is called with observations in delivery order, whenever some arrive and at the wake-ups the
// watchdog asked for; seen may be empty. Between two calls time never runs backwards on Mono and Boot. An error means
// that the watchdog cannot go on (a refused state store, say), never that a worker misbehaved.
type Watchdog interface {
	Step(now Instant, seen []Observation) (Decision, error)
}

// Decision is what a step returns. The caller may reuse nothing of it after the next Step.
type Decision struct {
	Commands []Command     // to be carried out in order
	Verdicts []Verdict     // those that changed in this step
	Wake     time.Duration // on Mono, when to be stepped again if nothing happens; 0 = no need
	Ack      int           // every observation numbered up to this is durably taken into account
}

// Boot is what a watchdog is started with, again after each crash.
type Boot struct {
	Policy      Policy
	Incarnation int // 1 for the first start, one more after each crash
	Now         Instant
	Roster      []Worker // the spawner's list of workers that it believes to run
	Spawner     Spawner
	OwnerKey    []byte        // public ed25519 key that proves the owner's and the operator's words (WDC-GATE-007); empty: only who calls can
	State       State         // what survived the last incarnation; nil for a watchdog without durable state
	Poll        time.Duration // how often the watchdog is looked after at least, 0 = it is woken exactly; at most 60 s
}

// Worker is one line of the spawner's roster.
type Worker struct {
	ID         string `json:"id"`
	Generation int    `json:"generation"` // one more for each start of the same task
	Task       string `json:"task,omitempty"`
}

// Spawner says what the spawner guarantees about duplicate starts.
type Spawner string

// What a spawner may guarantee.
const (
	SpawnerPlain  Spawner = "plain"  // nothing: two requests start two workers
	SpawnerKeyed  Spawner = "keyed"  // a repeated key starts nothing
	SpawnerFenced Spawner = "fenced" // an old lease token is refused
)

// State is the durable log of a watchdog: append-only bytes that survive a crash up to the last Sync at least.
type State interface {
	Read() ([]byte, error)
	Append(p []byte) error
	Sync() error
	Truncate(size int64) error // removes a torn tail found after a crash
}
