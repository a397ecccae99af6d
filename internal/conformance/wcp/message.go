// Package wcp is WCP/1, the protocol between the suite and a watchdog that runs in a process of its own, in any language:
// one JSON object a line, over stdin and stdout. docs/wcp.md is its specification; the rules that errors name are its rules.
//
// Harness is the suite's end. Serve is the other end, for any watchdog in Go: it turns the lines into the calls of the
// contract. Neither starts a process; package process does.
package wcp

import (
	"encoding/json"
	"time"

	"fakepi.example/watchdog"
)

// Version is the major version of the protocol.
const Version = 1

// The types of messages. The first group goes to the adapter, the second comes from it.
const (
	typeHello  = "hello"
	typeStart  = "start"
	typeTick   = "tick"
	typeStored = "stored"
	typeStop   = "stop"

	typeHelloOK     = "hello_ok"
	typeReady       = "ready"
	typeUnsupported = "unsupported"
	typeVerdict     = "verdict"
	typeCommand     = "command"
	typeLog         = "log"
	typeAppend      = "append"
	typeSync        = "sync"
	typeTruncate    = "truncate"
	typeDrop        = "drop"
	typeQuiescent   = "quiescent"
	typeFailed      = "failed"
	typeBye         = "bye"
)

// Hello opens the conversation.
type Hello struct {
	Type      string `json:"type"`
	Protocols []int  `json:"protocols"` // majors that the suite speaks
	Suite     string `json:"suite"`
	Nonce     string `json:"nonce"` // new in each run
}

// Wakeups says how an adapter can be woken.
type Wakeups string

// How an adapter can be woken.
const (
	WakeExact Wakeups = "exact"
	WakePoll  Wakeups = "poll"
)

// Storage says where an adapter keeps what must survive a crash.
type Storage string

// Where an adapter may keep its state.
const (
	StorageNone      Storage = "none"
	StorageDirectory Storage = "directory" // in the folder that start names
	StorageLog       Storage = "log"       // the suite keeps its log
)

// HelloOK is the answer to Hello: what the adapter is and can do.
type HelloOK struct {
	Type     string   `json:"type"`
	Protocol int      `json:"protocol"` // one of those offered
	Name     string   `json:"name"`
	Version  string   `json:"version,omitempty"`
	Features []string `json:"features,omitempty"` // a feature that is not here is not supported
	Wakeups  Wakeups  `json:"wakeups"`
	Poll     millis   `json:"poll_ms,omitempty"` // of WakePoll
	Storage  Storage  `json:"storage"`
	Reuse    bool     `json:"reuse,omitempty"` // after stop it can be started again
}

// PollEvery is how often the adapter looks, 0 if it is woken exactly.
func (h *HelloOK) PollEvery() time.Duration { return time.Duration(h.Poll) }

// Start starts a watchdog: a new one, or with a higher incarnation the same again after a crash.
type Start struct {
	Type  string        `json:"type"`
	Case  string        `json:"case"` // means nothing, and is the same after a crash
	Needs []string      `json:"needs,omitempty"`
	Boot  watchdog.Boot `json:"boot"`
	Dir   string        `json:"state_dir,omitempty"`
	Log   *Blob         `json:"log,omitempty"` // what survived, of StorageLog; absent: this case keeps no state
}

type tick struct {
	Type string                 `json:"type"`
	Now  watchdog.Instant       `json:"now"`
	Seen []watchdog.Observation `json:"seen"`
}

// stored is the answer to a write.
type stored struct {
	Type  string      `json:"type"`
	Error storedError `json:"error,omitempty"` // absent: done
	Text  string      `json:"text,omitempty"`
}

type storedError string

const (
	storedFull   storedError = "full"   // no room; what fitted was written
	storedFenced storedError = "fenced" // another writer has taken over
	storedFailed storedError = "failed"
)

type bare struct {
	Type string `json:"type"`
}

type unsupported struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

type verdictLine struct {
	Type    string            `json:"type"`
	Verdict *watchdog.Verdict `json:"verdict"`
}

type commandLine struct {
	Type    string            `json:"type"`
	Command *watchdog.Command `json:"command"`
}

type logLine struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type appendLine struct {
	Type string `json:"type"`
	Data *Blob  `json:"data"`
}

type sizeLine struct {
	Type string `json:"type"`
	Size *int64 `json:"size"`
}

type quiescent struct {
	Type string  `json:"type"`
	Wake *millis `json:"wake_ms"`
	Ack  *int    `json:"ack"`
}

type failed struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// Blob is a byte string in JSON: {"text": ...} where it is valid UTF-8, else {"base64": ...}, as Bytes.Data of the contract.
type Blob []byte

// MarshalJSON implements json.Marshaler.
func (b Blob) MarshalJSON() ([]byte, error) { return appendBlob(nil, b), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (b *Blob) UnmarshalJSON(line []byte) error {
	// The contract reads and writes this form itself, as the data of a piece of a stream.
	var piece watchdog.Bytes
	whole := append(append([]byte(`{"stream":"out","offset":0,"data":`), line...), '}')
	if err := json.Unmarshal(whole, &piece); err != nil {
		return err
	}
	*b = piece.Data
	return nil
}

// millis is a duration in JSON: a number of milliseconds, exact to the nanosecond, as everywhere in the contract.
type millis time.Duration

// MarshalJSON implements json.Marshaler.
func (m millis) MarshalJSON() ([]byte, error) { return appendMillis(nil, time.Duration(m)), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (m *millis) UnmarshalJSON(text []byte) error {
	var d watchdog.Decision
	whole := append(append([]byte(`{"wake_ms":`), text...), `,"ack":0}`...)
	if err := json.Unmarshal(whole, &d); err != nil {
		return err
	}
	*m = millis(d.Wake)
	return nil
}
