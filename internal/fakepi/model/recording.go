package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
)

// ErrRecording: a recording's model script that cannot be read, or that says what no Reply can.
var ErrRecording = errors.New("invalid model script of a recording")

// recordedOp is one step of a recording's model script: each op has fields of its own.
type recordedOp struct {
	Op     string          `json:"op"`
	Text   text            `json:"text"`
	Pieces int             `json:"n"`
	GapMS  float64         `json:"gap_ms"`
	MS     float64         `json:"ms"`
	Index  int             `json:"index"`
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   text            `json:"args"`
	Reason Reason          `json:"reason"`
	Input  int64           `json:"prompt"`
	Output int64           `json:"completion"`
	Cached int64           `json:"cached"`
	Think  int64           `json:"reasoning"`
	Code   int             `json:"code"`
	Header map[string]text `json:"headers"`
	Body   json.RawMessage `json:"body"`
}

// text is a JSON string in which lone surrogates survive.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	v, err := native.ParseValue(raw)
	if err != nil {
		return err
	}
	s, ok := v.(native.String)
	if !ok {
		return fmt.Errorf("%s is no string", raw)
	}
	*t = text(s)
	return nil
}

// recordedDefault answers what a recording's model script does not know, where it has no default of its own.
func recordedDefault() []recordedOp {
	return []recordedOp{
		{Op: "role"}, {Op: "text", Text: "ok", Pieces: 1}, {Op: "finish", Reason: ReasonStop}, {Op: "usage", Input: 10, Output: 1}, {Op: "done"},
	}
}

// FromRecording makes replies of the model script of a recording of Pi (fake_llm_script in its meta.json), in the order
// of Pi's requests. The last is its default and answers all that come behind. Errors are ErrRecording.
func FromRecording(data []byte) ([]Reply, error) {
	var b struct {
		Responses [][]recordedOp `json:"responses"`
		Default   []recordedOp   `json:"default"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecording, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the object", ErrRecording)
	}
	if b.Default == nil {
		b.Default = recordedDefault()
	}
	var replies []Reply
	for i, ops := range b.Responses {
		r, err := fromOps(fmt.Sprintf("response %d", i), ops)
		if err != nil {
			return nil, err
		}
		replies = append(replies, r)
	}
	r, err := fromOps("default", b.Default)
	r.Rest = true
	return append(replies, r), err
}

func fromOps(source string, ops []recordedOp) (Reply, error) {
	r := Reply{Source: source}
	for i, o := range ops {
		list, err := o.ops()
		if err != nil {
			return Reply{}, fmt.Errorf("%w: %s, step %d: %w", ErrRecording, source, i, err)
		}
		r.Ops = append(r.Ops, list...)
	}
	return r, nil
}

// ops are those of one recorded step.
func (o *recordedOp) ops() ([]Op, error) {
	switch o.Op {
	case "role":
		return []Op{Role{}}, nil
	case "delay":
		if o.MS < 0 {
			return nil, fmt.Errorf("a delay of %v ms", o.MS)
		}
		return []Op{Wait{D: milliseconds(o.MS)}}, nil
	case "text":
		return o.pieces(string(o.Text), func(d string) Op { return Text{d} })
	case "think":
		return o.pieces(string(o.Text), func(d string) Op { return Thinking{d} })
	case "tool":
		chunks, err := o.pieces(string(o.Args), func(d string) Op { return Arguments{o.Index, d} })
		return slices.Insert(chunks, 0, Op(Call{o.Index, o.ID, o.Name})), err
	case "finish":
		return []Op{Finish{o.Reason}}, nil
	case "usage":
		return []Op{Usage{o.Input, o.Output, o.Cached, o.Think}}, nil
	case "done":
		return []Op{Done{}}, nil
	case "status":
		return o.status()
	case "hang":
		return []Op{Hang{}}, nil
	case "rst":
		return []Op{Reset{}}, nil
	case "eof":
		return nil, nil
	}
	return nil, fmt.Errorf("op %q is not known", o.Op)
}

// pieces cuts a text into at most n pieces of equal length, the last shorter, with a gap between them.
func (o *recordedOp) pieces(s string, op func(string) Op) ([]Op, error) {
	if o.Pieces < 1 || o.GapMS < 0 {
		return nil, fmt.Errorf("%s comes in %d pieces with gaps of %v ms; it must be 1 or more, and 0 or more", o.Op, o.Pieces, o.GapMS)
	}
	var ops []Op
	size := (provider.Chars(s) + o.Pieces - 1) / o.Pieces
	for i, piece := range provider.CutEvery(s, size) {
		if i > 0 && o.GapMS > 0 {
			ops = append(ops, Wait{D: milliseconds(o.GapMS)})
		}
		ops = append(ops, op(piece))
	}
	return ops, nil
}

func (o *recordedOp) status() ([]Op, error) {
	op := Refuse{Failure: provider.Failure{Status: o.Code}, Body: o.Body}
	if o.Code < 400 || o.Code > 599 {
		return nil, fmt.Errorf("status %d is no error", o.Code)
	}
	for name, value := range o.Header {
		seconds, err := strconv.Atoi(string(value))
		if name != "retry-after" || err != nil {
			return nil, fmt.Errorf("header %s: %s is not supported; only retry-after in seconds is", name, value)
		}
		op.RetryAfter = time.Duration(seconds) * time.Second
	}
	return []Op{op}, nil
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
