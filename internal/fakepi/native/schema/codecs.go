package schema

import (
	"math"
	"slices"
	"strconv"

	"fakepi.example/fakepi/native"
)

type (
	// String is a JSON string.
	String struct{}
	// Int is a number without a fraction, of at most 2^53.
	Int struct{}
	// Float is any number.
	Float struct{}
	// Bool is a boolean.
	Bool struct{}
	// Any is a free JSON value; nil is absent.
	Any struct{}
	// Word is a string of a closed set; another one is kept and reported.
	Word []string
	// NullString is a string, or null for "".
	NullString struct{}
)

func (String) Append(dst []byte, v *string) []byte { return native.AppendString(dst, *v) }
func (Int) Append(dst []byte, v *int64) []byte     { return strconv.AppendInt(dst, *v, 10) }
func (Float) Append(dst []byte, v *float64) []byte { return native.AppendNumber(dst, *v) }
func (Bool) Append(dst []byte, v *bool) []byte     { return strconv.AppendBool(dst, *v) }

func (Word) Append(dst []byte, v *string) []byte { return native.AppendString(dst, *v) }

func (Any) Append(dst []byte, v *native.Value) []byte { return native.AppendValue(dst, *v) }

// Absent is true for undefined.
func (Any) Absent(v *native.Value) bool { return *v == nil }

func (NullString) Append(dst []byte, v *string) []byte {
	if *v == "" {
		return append(dst, "null"...)
	}
	return native.AppendString(dst, *v)
}

func (String) Read(_ *Reader, from native.Value, v *string) bool {
	s, ok := from.(native.String)
	*v = string(s)
	return ok
}

func (w Word) Read(r *Reader, from native.Value, v *string) bool {
	s, ok := from.(native.String)
	*v = string(s)
	if ok && !slices.Contains(w, *v) {
		r.Report(native.UnknownType)
	}
	return ok
}

func (Int) Read(_ *Reader, from native.Value, v *int64) bool {
	n, ok := from.(native.Number)
	f := float64(n)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return false
	}
	*v = int64(f)
	return true
}

func (Float) Read(_ *Reader, from native.Value, v *float64) bool {
	n, ok := from.(native.Number)
	*v = float64(n)
	return ok
}

func (Bool) Read(_ *Reader, from native.Value, v *bool) bool {
	b, ok := from.(native.Bool)
	*v = bool(b)
	return ok
}

func (Any) Read(_ *Reader, from native.Value, v *native.Value) bool {
	*v = from
	return true
}

func (NullString) Read(_ *Reader, from native.Value, v *string) bool {
	if from == (native.Null{}) {
		*v = ""
		return true
	}
	s, ok := from.(native.String)
	*v = string(s)
	return ok && s != ""
}

// Opt is a value that may be absent.
func Opt[V any](c Codec[V]) Codec[native.Opt[V]] { return opt[V]{c} }

type opt[V any] struct{ of Codec[V] }

func (o opt[V]) Append(dst []byte, v *native.Opt[V]) []byte { return o.of.Append(dst, &v.V) }
func (o opt[V]) Absent(v *native.Opt[V]) bool               { return !v.Set }

func (o opt[V]) Read(r *Reader, from native.Value, v *native.Opt[V]) bool {
	v.Set = o.of.Read(r, from, &v.V)
	return v.Set
}

// Ptr is a value that may be absent: nil.
func Ptr[V any](c Codec[V]) Codec[*V] { return ptr[V]{c} }

type ptr[V any] struct{ of Codec[V] }

func (p ptr[V]) Append(dst []byte, v **V) []byte { return p.of.Append(dst, *v) }
func (p ptr[V]) Absent(v **V) bool               { return *v == nil }

func (p ptr[V]) Read(r *Reader, from native.Value, v **V) bool {
	fresh := new(V)
	if !p.of.Read(r, from, fresh) {
		return false
	}
	*v = fresh
	return true
}

// Ref is a value that must be there; nil is written as null.
func Ref[V any](c Codec[V]) Codec[*V] { return ref[V]{ptr[V]{c}} }

type ref[V any] struct{ to ptr[V] }

func (r ref[V]) Append(dst []byte, v **V) []byte {
	if *v == nil {
		return append(dst, "null"...)
	}
	return r.to.Append(dst, v)
}

func (r ref[V]) Read(reader *Reader, from native.Value, v **V) bool {
	return r.to.Read(reader, from, v)
}

// List is an array; nil is written as an empty one.
func List[V any](c Codec[V]) Codec[[]V] { return list[V]{c} }

// OptList is an array that may be absent: nil.
func OptList[V any](c Codec[V]) Codec[[]V] { return optList[V]{list[V]{c}} }

type (
	list[V any]    struct{ of Codec[V] }
	optList[V any] struct{ list[V] }
)

func (l list[V]) Append(dst []byte, v *[]V) []byte {
	dst = append(dst, '[')
	for i := range *v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = l.of.Append(dst, &(*v)[i])
	}
	return append(dst, ']')
}

func (l list[V]) Read(r *Reader, from native.Value, v *[]V) bool {
	array, ok := from.(native.Array)
	if !ok {
		return false
	}
	out := make([]V, len(array))
	for i, e := range array {
		r.pushIndex(i)
		ok := l.of.Read(r, e, &out[i])
		r.pop()
		if !ok {
			return false
		}
	}
	*v = out
	return true
}

func (optList[V]) Absent(v *[]V) bool { return *v == nil }
