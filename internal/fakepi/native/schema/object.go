// Package schema describes a dialect's JSON objects, each once: an [Object] lists the
// keys in the order Pi writes them and binds each to a field of a Go type, for encoding
// and decoding alike.
package schema

import (
	"slices"

	"fakepi.example/fakepi/native"
)

// Codec maps one kind of JSON value to a Go type.
type Codec[V any] interface {
	Append(dst []byte, v *V) []byte
	// Read fills v from a value; it returns false if the value has the wrong type.
	Read(r *Reader, from native.Value, v *V) bool
}

// absence is a Codec of values that may be missing from their object.
type absence[V any] interface{ Absent(v *V) bool }

// Field is one key of the object that T stands for.
type Field[T any] struct {
	key    string
	prefix []byte        // ,"key":
	absent func(*T) bool // nil: always present
	append func([]byte, *T) []byte
	read   func(*Reader, native.Value, *T) bool
}

// Key binds a key to the field of T that at returns.
func Key[T, V any](key string, c Codec[V], at func(*T) *V) Field[T] {
	f := Field[T]{
		key:    key,
		prefix: append(native.AppendString([]byte{','}, key), ':'),
		append: func(dst []byte, t *T) []byte { return c.Append(dst, at(t)) },
		read:   func(r *Reader, from native.Value, t *T) bool { return c.Read(r, from, at(t)) },
	}
	if a, ok := c.(absence[V]); ok {
		f.absent = func(t *T) bool { return a.Absent(at(t)) }
	}
	return f
}

// Const is a key that always has the same string.
func Const[T any](key, value string) Field[T] {
	prefix := append(native.AppendString([]byte{','}, key), ':')
	return Field[T]{
		key:    key,
		prefix: native.AppendString(prefix, value),
		append: func(dst []byte, _ *T) []byte { return dst },
		read: func(_ *Reader, from native.Value, _ *T) bool {
			return from == native.String(value)
		},
	}
}

// When limits the place of a key to those values for which cond holds: a key whose place
// varies is listed once for each.
func When[T any](cond func(*T) bool, f Field[T]) Field[T] {
	absent := f.absent
	f.absent = func(t *T) bool { return !cond(t) || absent != nil && absent(t) }
	return f
}

// Object is a JSON object with keys in a fixed order. It is a Codec.
type Object[T any] struct {
	odd    func(*T) **native.Odd
	after  func(*Reader, *T, native.Object)
	fields []Field[T]
}

// NewObject describes T; odd returns where T keeps what deviates.
func NewObject[T any](odd func(*T) **native.Odd, fields ...Field[T]) *Object[T] {
	return &Object[T]{odd: odd, fields: fields}
}

// After sets a function that completes a value whose members have been read: where one
// key decides about another, or the order of keys means something.
func (o *Object[T]) After(f func(*Reader, *T, native.Object)) *Object[T] {
	o.after = f
	return o
}

// Add appends fields; a type that contains itself needs it.
func (o *Object[T]) Add(fields ...Field[T]) { o.fields = append(o.fields, fields...) }

// Append writes t.
func (o *Object[T]) Append(dst []byte, t *T) []byte {
	if odd := *o.odd(t); odd != nil {
		return o.appendOdd(dst, t, odd)
	}
	start := len(dst)
	for i := range o.fields {
		f := &o.fields[i]
		if f.absent != nil && f.absent(t) {
			continue
		}
		dst = append(dst, f.prefix...)
		dst = f.append(dst, t)
	}
	if len(dst) == start {
		return append(dst, '{', '}')
	}
	dst[start] = '{' // was the first key's comma
	return append(dst, '}')
}

func (o *Object[T]) appendOdd(dst []byte, t *T, odd *native.Odd) []byte {
	start := len(dst)
	for _, key := range odd.Keys {
		if v := odd.Extra.Get(key); v != nil {
			dst = append(native.AppendString(append(dst, ','), key), ':')
			dst = native.AppendValue(dst, v)
		} else if f := o.field(key); f != nil {
			dst = append(dst, f.prefix...)
			dst = f.append(dst, t)
		}
	}
	if len(dst) == start {
		return append(dst, '{', '}')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// Read fills t; everything that deviates goes into t's Odd and is reported.
func (o *Object[T]) Read(r *Reader, from native.Value, t *T) bool {
	object, ok := from.(native.Object)
	if !ok {
		return false
	}
	var extra native.Object
	for _, m := range object {
		if !o.readMember(r, m, t) {
			extra = append(extra, m)
		}
	}
	if o.after != nil {
		o.after(r, t, object)
	}
	if reason := o.deviation(t, object, extra); reason != "" {
		if reason != native.UnknownField { // those are reported one by one
			r.Report(reason)
		}
		*o.odd(t) = &native.Odd{Keys: keys(object), Extra: extra}
	}
	return true
}

// readMember reports false if the member is unknown or its value has the wrong type.
func (o *Object[T]) readMember(r *Reader, m native.Member, t *T) bool {
	r.push("." + m.Key)
	defer r.pop()
	f := o.field(m.Key)
	if f == nil {
		r.Report(native.UnknownField)
		return false
	}
	mark := r.mark()
	if !f.read(r, m.Value, t) {
		r.reset(mark)
		r.Report(native.WrongType)
		return false
	}
	return true
}

func (o *Object[T]) field(key string) *Field[T] {
	for i := range o.fields {
		if o.fields[i].key == key {
			return &o.fields[i]
		}
	}
	return nil
}

// deviation compares the keys of object with those that Append would write for t.
func (o *Object[T]) deviation(t *T, object, extra native.Object) native.Reason {
	if len(extra) > 0 {
		return native.UnknownField
	}
	at, inOrder := 0, true
	for i := range o.fields {
		f := &o.fields[i]
		if f.absent != nil && f.absent(t) {
			continue
		}
		if at < len(object) && object[at].Key == f.key {
			at++
			continue
		}
		if !slices.ContainsFunc(object, func(m native.Member) bool { return m.Key == f.key }) {
			return native.MissingField
		}
		inOrder = false
	}
	if !inOrder || at != len(object) {
		return native.KeyOrder
	}
	return ""
}

func keys(o native.Object) []string {
	names := make([]string, len(o))
	for i, m := range o {
		names[i] = m.Key
	}
	return names
}
