// Package agents holds what the engine knows of a coding agent: events that say what it did, and the face of a reader
// that finds them in its bytes. One reader a kind of agent; nothing else of the engine parses what an agent wrote.
package agents

import (
	"time"

	"fakepi.example/watchdog"
)

// Kind is what an event says.
type Kind uint8

// The kinds. A comment names the fields that count beside Kind; the others may hold anything.
const (
	// Noise is a record that changes nothing, or none at all. Known: it is one of the agent's.
	Noise Kind = iota
	// Cut is a record too long to be read: what it said is not known.
	Cut
	// Unread is a record that was not understood. Foreign: no known version of the agent writes it anywhere.
	Unread

	RunBegan     // a run opens
	RunEnded     // Retry: it goes on after a delay that is still to be announced
	Settled      // the terminal event: nothing follows the end of the last run. Aborted
	TurnBegan    // a request is due
	TurnEnded    // Role, Reply of an assistant: the turn's message once more
	MessageBegan // Role, Model of an assistant
	Delta        // a piece of the open message. Words, Terminal
	MessageEnded // Role, Reply of an assistant, ID of a result's call. Saved: it comes from a session file
	CallBegan    // ID, Tool, Key, Shell, Timeout
	CallOutput   // ID, Output
	CallEnded    // ID, Result

	DelayBegan      // a retry is announced. Delay
	DelayEnded      // OK: the retry worked
	CompactionBegan // Manual
	CompactionEnded // Retry: a request follows. Aborted, Before, After
	DialogAsked     // a person has to answer. ID, Timeout
	DialogAnswered  // an answer was sent. ID
	PromptSent      // a prompt was sent
	PromptTaken     // the answer to it. OK, Run
	SessionChanged  // another session is open: what ran is gone

	// Of a session file, which shows finished messages only.
	Retried   // a failed message was dropped: the request is made again
	Compacted // a compaction was saved

	// Of a terminal that reports the state of its program. State, Trouble of StateFailed.
	Status
)

// Event is one thing that an agent did, as its reader understood it.
type Event struct {
	Kind Kind
	Role Role

	Known, Foreign, Retry, Aborted, Words, Terminal, Saved, OK, Manual, Shell bool

	ID      string // of a call or dialog, bounded
	Tool    string // bounded
	Key     uint64 // stands for the tool and its arguments
	Output  uint64 // stands for all that the call has put out so far; 0 = nothing
	Result  uint64 // stands for the result, without durations and temporary paths
	Parent  uint64 // of an entry in a session file: stands for the entry before it; 0 = it does not say
	Model   string
	Delay   time.Duration
	Timeout time.Duration // its own; 0 = it has none
	Before  int64         // tokens before a compaction; 0 = not told
	After   int64         // and after it; 0 = not told

	Reply   Reply
	Run     Run
	State   State
	Trouble Trouble
}

// Role is whose message it is.
type Role uint8

// The roles.
const (
	OtherRole Role = iota
	User
	Assistant
	Result // of a tool call
)

// Reply is a finished message of the model.
type Reply struct {
	Stop    Stop
	Calls   int
	Empty   bool // it has neither text nor calls
	Silent  bool // it has nothing at all that could have come in pieces
	Tokens  int64
	Cost    float64 // US dollars
	Trouble Trouble
	Quota   Quota // of TroubleQuota
	// Unsure: the source cannot tell whether the agent will try again.
	Unsure bool
	// Single is the one call of a saved reply that has one. A session file shows no start of it.
	Single  Call
	HasCall bool // Single is known
}

// Call is a tool call.
type Call struct {
	ID, Tool string
	Key      uint64
	Shell    bool
}

// Stop is why a reply ended.
type Stop uint8

// The reasons. StopPending: it has not ended.
const (
	StopNone Stop = iota
	StopStop
	StopToolUse
	StopLength
	StopError
	StopAborted
	StopPending
	StopOther
)

// String returns the word for a reason in a verdict's detail.
func (s Stop) String() string {
	return [...]string{"", "stop", "toolUse", "length", "error", "aborted", "pending", "other"}[s]
}

// Trouble is why a provider ended a message, as far as it asks for patience instead of a restart. An error that nobody
// knows is none (WDC-OBS-005).
type Trouble uint8

// The troubles.
const (
	TroubleNone Trouble = iota
	TroubleAuth
	TroubleQuota
)

// Quota is what is known of the end of a quota wait.
type Quota struct {
	Known bool
	Until time.Time // civil
}

// Run says whether a prompt that was taken starts a run.
type Run uint8

// What the answer to a prompt may say.
const (
	RunNone   Run = iota // no
	RunStarts            // yes
	RunUnsaid            // it does not say
)

// State is what a terminal reports of its program.
type State uint8

// The states.
const (
	StateOther State = iota
	StateWorking
	StateBlocked
	StateDone
	StateFailed
	StateIdle
)

// Reader finds the events of one generation of a worker in its streams. It knows neither time nor the engine's model.
// Events come in the order of the bytes: after Feed or Close, Next is called until it returns nil. A reader bounds what
// it keeps whatever it is fed (WDC-SAFE-001).
type Reader interface {
	// Start tells how the worker was started. Bytes may come before.
	Start(s watchdog.Spawned)
	// Feed gives the next bytes of a stream, read at a civil time: an error text may tell a time from there. The
	// bytes are the reader's until Next returns nil.
	Feed(from watchdog.Stream, data []byte, now time.Time)
	// Close ends a stream: a last record without its end counts as one.
	Close(from watchdog.Stream, now time.Time)
	// Forget drops the torn tail of a stream: after a gap, or when its file is another.
	Forget(from watchdog.Stream)
	// Next returns the next event, or nil. It is valid until the next call.
	Next() *Event
	// Pending reports whether the beginning of a record waits for its rest.
	Pending() bool
	// Traits says what the streams have shown so far of who writes them.
	Traits() Traits
	// Prompt returns the bytes that prompt the worker on its stdin; nil if nobody can.
	Prompt(id, text string) []byte
}

// Traits is what a reader knows of its agent.
type Traits struct {
	// Known: a known version of the agent writes these streams (WDC-OBS-003).
	Known bool
	// TruthInDelay: asked for its state, the agent says also in a delay before a retry that it is not at rest.
	TruthInDelay bool
}

// Factory makes the reader of one generation. Version is the agent's as the spawner gives it; it may be empty.
type Factory func(version string) Reader
