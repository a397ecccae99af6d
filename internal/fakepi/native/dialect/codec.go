// Package dialect has what the dialects share: the codec over a union of records, and the
// objects that every version of Pi writes alike (docs/pi-formats.md, sections 2, 3, 6, 7
// and 8). A dialect gives it the objects that are its own; the shared ones may contain
// those.
package dialect

import (
	"fmt"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/schema"
)

// Codec implements [native.Codec] by a union of records.
type Codec struct {
	name    native.Dialect
	records *schema.Union[native.Record]
}

// New returns the codec of a dialect. Encoding tries the cases in turn: list the most
// frequent ones first.
func New(name native.Dialect, cases ...schema.Case[native.Record]) *Codec {
	cases = append(cases, schema.Of[native.Record](schema.Raw(func(r *native.UnknownRecord) *native.Object { return &r.Value })))
	return &Codec{name: name, records: schema.NewUnion("type", unknownRecord, cases...)}
}

func unknownRecord(v native.Value) (native.Record, bool) {
	o, ok := v.(native.Object)
	return &native.UnknownRecord{Value: o}, ok
}

// Dialect returns the dialect's name.
func (c *Codec) Dialect() native.Dialect { return c.name }

// Append writes r without a line feed. It allocates only to grow dst. The error is a
// [native.ErrRecord].
func (c *Codec) Append(dst []byte, r native.Record) ([]byte, error) {
	out, ok := c.records.Try(dst, r)
	if !ok {
		return dst, fmt.Errorf("%w: %s: %T", native.ErrRecord, c.name, r)
	}
	return out, nil
}

// Decode reads a line. The error is a [native.ErrSyntax] or [native.ErrNotObject].
func (c *Codec) Decode(line []byte) (native.Record, error) {
	r, _, err := c.Examine(line)
	return r, err
}

// Examine is Decode that also lists what this version of Pi would not have written so.
func (c *Codec) Examine(line []byte) (native.Record, []native.Unknown, error) {
	v, err := native.ParseValue(line)
	if err != nil {
		return nil, nil, err
	}
	var (
		reader schema.Reader
		record native.Record
	)
	if !c.records.Read(&reader, v, &record) {
		return nil, nil, native.ErrNotObject
	}
	return record, reader.Found(), nil
}
