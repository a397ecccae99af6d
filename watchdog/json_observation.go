package watchdog

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

type instantJSON struct {
	Mono   millis    `json:"mono_ms"`
	Boot   millis    `json:"boot_ms"`
	Wall   time.Time `json:"wall,omitzero"`
	BootID string    `json:"boot_id,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (i Instant) MarshalJSON() ([]byte, error) {
	return encode(instantJSON{millis(i.Mono), millis(i.Boot), i.Wall, i.BootID})
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (i *Instant) UnmarshalJSON(data []byte) error {
	var j instantJSON
	if err := decode("instant", data, &j); err != nil {
		return err
	}
	*i = Instant{time.Duration(j.Mono), time.Duration(j.Boot), j.Wall, j.BootID}
	return nil
}

// observationJSON has one member per kind; exactly the one that Kind names is there.
type observationJSON struct {
	N          int             `json:"n"`
	At         Instant         `json:"at"`
	Worker     string          `json:"worker,omitempty"`
	Generation int             `json:"generation,omitempty"`
	Kind       ObservationKind `json:"kind"`
	Bytes      *Bytes          `json:"bytes,omitempty"`
	Closed     *Closed         `json:"closed,omitempty"`
	File       *File           `json:"file,omitempty"`
	Gap        *Gap            `json:"gap,omitempty"`
	Spawned    *Spawned        `json:"spawned,omitempty"`
	Exited     *Exited         `json:"exited,omitempty"`
	Outcome    *Outcome        `json:"outcome,omitempty"`
	Probe      *Probe          `json:"probe,omitempty"`
	Inspect    *Inspect        `json:"inspect,omitempty"`
	Worktree   *Worktree       `json:"worktree,omitempty"`
	Task       *Task           `json:"task,omitempty"`
	Owner      *Owner          `json:"owner,omitempty"`
	Operator   *Operator       `json:"operator,omitempty"`
	Link       *Link           `json:"link,omitempty"`
}

// MarshalJSON implements json.Marshaler: {"n", "at", "worker", "generation", "kind", "<kind>": {...}}. An observation
// without a body has no JSON form.
func (o Observation) MarshalJSON() ([]byte, error) {
	j := observationJSON{N: o.N, At: o.At, Worker: o.Worker, Generation: o.Generation}
	switch b := o.Body.(type) {
	case Bytes:
		j.Bytes = &b
	case Closed:
		j.Closed = &b
	case File:
		j.File = &b
	case Gap:
		j.Gap = &b
	case Spawned:
		j.Spawned = &b
	case Exited:
		j.Exited = &b
	case Outcome:
		j.Outcome = &b
	case Probe:
		j.Probe = &b
	case Inspect:
		j.Inspect = &b
	case Worktree:
		j.Worktree = &b
	case Task:
		j.Task = &b
	case Owner:
		j.Owner = &b
	case Operator:
		j.Operator = &b
	case Link:
		j.Link = &b
	default:
		return nil, fmt.Errorf("watchdog: observation %d has a body of type %T", o.N, o.Body)
	}
	j.Kind = o.Body.Kind()
	return encode(j)
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (o *Observation) UnmarshalJSON(data []byte) error {
	// An unknown kind brings an unknown member with it: the kind is the better thing to complain about.
	var head struct{ Kind ObservationKind }
	if err := json.Unmarshal(data, &head); errors.Is(err, ErrUnknownWord) {
		return badJSON("observation", err)
	}
	var j observationJSON
	if err := decode("observation", data, &j); err != nil {
		return err
	}
	body, err := j.body()
	if err != nil {
		return badJSON("observation", err)
	}
	*o = Observation{N: j.N, At: j.At, Worker: j.Worker, Generation: j.Generation, Body: body}
	return nil
}

func (j *observationJSON) body() (Body, error) {
	bodies := j.bodies()
	switch {
	case len(bodies) == 0:
		return nil, fmt.Errorf("kind is %q, but there is no member %q", j.Kind, j.Kind)
	case len(bodies) > 1:
		return nil, fmt.Errorf("members %q and %q: want only %q", bodies[0].Kind(), bodies[1].Kind(), j.Kind)
	case bodies[0].Kind() != j.Kind:
		return nil, fmt.Errorf("kind is %q, but the member is %q", j.Kind, bodies[0].Kind())
	}
	return bodies[0], nil
}

func (j *observationJSON) bodies() []Body {
	var found []Body
	found = appendBody(found, j.Bytes)
	found = appendBody(found, j.Closed)
	found = appendBody(found, j.File)
	found = appendBody(found, j.Gap)
	found = appendBody(found, j.Spawned)
	found = appendBody(found, j.Exited)
	found = appendBody(found, j.Outcome)
	found = appendBody(found, j.Probe)
	found = appendBody(found, j.Inspect)
	found = appendBody(found, j.Worktree)
	found = appendBody(found, j.Task)
	found = appendBody(found, j.Owner)
	found = appendBody(found, j.Operator)
	return appendBody(found, j.Link)
}

func appendBody[T Body](bodies []Body, body *T) []Body {
	if body == nil {
		return bodies
	}
	return append(bodies, *body)
}

type bytesJSON struct {
	Stream Stream `json:"stream"`
	Offset int64  `json:"offset"`
	Data   blob   `json:"data"`
}

// MarshalJSON implements json.Marshaler. Data is {"text": ...} where it is valid UTF-8, else {"base64": ...}.
func (b Bytes) MarshalJSON() ([]byte, error) {
	return encode(bytesJSON{b.Stream, b.Offset, b.Data})
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (b *Bytes) UnmarshalJSON(data []byte) error {
	var j bytesJSON
	if err := decode("bytes", data, &j); err != nil {
		return err
	}
	*b = Bytes{j.Stream, j.Offset, j.Data}
	return nil
}

type processJSON struct {
	PID       int    `json:"pid"`
	Parent    int    `json:"parent"`
	Start     int64  `json:"start"`
	CPU       millis `json:"cpu_ms"`
	IO        int64  `json:"io"`
	State     string `json:"state,omitempty"`
	Role      Role   `json:"role,omitempty"`
	ToolCall  string `json:"tool_call,omitempty"`
	HoldsPipe bool   `json:"holds_pipe,omitempty"`
	ReadsTTY  bool   `json:"reads_tty,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (p Process) MarshalJSON() ([]byte, error) {
	return encode(processJSON{
		p.PID, p.Parent, p.Start, millis(p.CPU), p.IO, p.State, p.Role, p.ToolCall, p.HoldsPipe, p.ReadsTTY,
	})
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (p *Process) UnmarshalJSON(data []byte) error {
	var j processJSON
	if err := decode("process", data, &j); err != nil {
		return err
	}
	*p = Process{
		j.PID, j.Parent, j.Start, time.Duration(j.CPU), j.IO, j.State, j.Role, j.ToolCall, j.HoldsPipe, j.ReadsTTY,
	}
	return nil
}
