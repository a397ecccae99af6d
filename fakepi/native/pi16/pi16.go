// Package pi16 is the dialect of Pi 1.6: the keys of each object in the order that Pi
// writes them (docs/pi-formats.md, sections 2, 3, 6, 7 and 8).
package pi16

import (
	"fmt"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/schema"
)

// Codec implements [native.Codec].
type Codec struct{}

// Dialect returns [native.Pi16].
func (Codec) Dialect() native.Dialect { return native.Pi16 }

// Append is [Append].
func (Codec) Append(dst []byte, r native.Record) ([]byte, error) { return Append(dst, r) }

// Decode is [Decode].
func (Codec) Decode(line []byte) (native.Record, error) { return Decode(line) }

// Examine is [Examine].
func (Codec) Examine(line []byte) (native.Record, []native.Unknown, error) { return Examine(line) }

// Append writes r without a line feed. It allocates only to grow dst. The error is a
// [native.ErrRecord].
func Append(dst []byte, r native.Record) ([]byte, error) {
	out, ok := records.Try(dst, r)
	if !ok {
		return dst, fmt.Errorf("%w: %s: %T", native.ErrRecord, native.Pi16, r)
	}
	return out, nil
}

// Decode reads a line. The error is a [native.ErrSyntax] or [native.ErrNotObject].
func Decode(line []byte) (native.Record, error) {
	r, _, err := Examine(line)
	return r, err
}

// Examine is Decode that also lists what Pi 1.6 would not have written so.
func Examine(line []byte) (native.Record, []native.Unknown, error) {
	v, err := native.ParseValue(line)
	if err != nil {
		return nil, nil, err
	}
	var (
		reader schema.Reader
		record native.Record
	)
	if !records.Read(&reader, v, &record) {
		return nil, nil, native.ErrNotObject
	}
	return record, reader.Found(), nil
}

// records lists the most frequent ones first: encoding tries them in turn.
var records = schema.NewUnion("type",
	func(v native.Value) (native.Record, bool) {
		o, ok := v.(native.Object)
		return &native.UnknownRecord{Value: o}, ok
	},
	slices.Concat(events, []schema.Case[native.Record]{
		schema.Of[native.Record](response, "response"),
		schema.Of[native.Record](uiRequest, "extension_ui_request"),
		schema.Of[native.Record](uiResponse, "extension_ui_response"),
		schema.Of[native.Record](command, commands...),
		schema.Of[native.Record](sessionHeader, "session"),
	}, entryCases[native.Record](), []schema.Case[native.Record]{
		schema.Of[native.Record](schema.Raw(func(r *native.UnknownRecord) *native.Object { return &r.Value })),
	})...,
)
