package schema

import "fakepi.example/fakepi/native"

// Union is a JSON object of several shapes, told apart by a name: usually the value of
// one of its keys. It is a Codec of the Go interface I.
type Union[I any] struct {
	key     string
	cases   []Case[I]
	byName  map[string]int
	unknown func(native.Value) (I, bool)
}

// Case is one shape of a Union.
type Case[I any] struct {
	names  []string
	append func([]byte, I) ([]byte, bool)
	read   func(*Reader, native.Value, *I) bool
}

// Of is the shape o, held as *T in the interface, for all the given names.
func Of[I, T any](o Codec[T], names ...string) Case[I] {
	return Case[I]{
		names: names,
		append: func(dst []byte, v I) ([]byte, bool) {
			t, ok := any(v).(*T)
			if !ok || t == nil {
				return dst, false
			}
			return o.Append(dst, t), true
		},
		read: func(r *Reader, from native.Value, v *I) bool {
			t := new(T)
			if !o.Read(r, from, t) {
				return false
			}
			*v = any(t).(I)
			return true
		},
	}
}

// NewUnion tells its cases apart by key; unknown holds an object of another shape and
// reports false if the value can be none.
func NewUnion[I any](key string, unknown func(native.Value) (I, bool), cases ...Case[I]) *Union[I] {
	u := &Union[I]{key: key, cases: cases, byName: map[string]int{}, unknown: unknown}
	for i, c := range cases {
		for _, name := range c.names {
			u.byName[name] = i
		}
	}
	return u
}

// Append writes v; nil and foreign types are null.
func (u *Union[I]) Append(dst []byte, v *I) []byte {
	dst, ok := u.Try(dst, *v)
	if !ok {
		dst = append(dst, "null"...)
	}
	return dst
}

// Absent is true for nil.
func (u *Union[I]) Absent(v *I) bool { return any(*v) == nil }

// Try writes v, if the union has such a case.
func (u *Union[I]) Try(dst []byte, v I) ([]byte, bool) {
	for i := range u.cases {
		if out, ok := u.cases[i].append(dst, v); ok {
			return out, true
		}
	}
	return dst, false
}

// Read fills v.
func (u *Union[I]) Read(r *Reader, from native.Value, v *I) bool {
	object, _ := from.(native.Object)
	name, _ := object.Get(u.key).(native.String)
	if u.ReadAs(r, string(name), from, v) {
		return true
	}
	unknown, ok := u.unknown(from)
	if ok {
		*v = unknown
		r.Report(native.UnknownType)
	}
	return ok
}

// ReadAs fills v from the shape of that name; false if there is none or it does not fit.
func (u *Union[I]) ReadAs(r *Reader, name string, from native.Value, v *I) bool {
	i, ok := u.byName[name]
	return ok && u.cases[i].read(r, from, v)
}

// Raw is a shape kept as a whole: at returns the place of its value.
func Raw[T any, V native.Value](at func(*T) *V) Codec[T] { return raw[T, V]{at} }

type raw[T any, V native.Value] struct{ at func(*T) *V }

func (c raw[T, V]) Append(dst []byte, t *T) []byte { return native.AppendValue(dst, *c.at(t)) }

func (c raw[T, V]) Read(_ *Reader, from native.Value, t *T) bool {
	v, ok := from.(V)
	*c.at(t) = v
	return ok
}
