package native

// Value is any JSON value, for the parts of Pi's records that have no fixed shape (tool
// arguments, details, parameters). A nil Value is JavaScript's undefined: an absent
// property, or null inside an array.
type Value interface{ value() }

type (
	// Null is JSON null.
	Null struct{}
	// Bool is a JSON boolean.
	Bool bool
	// Number is a JavaScript number: an IEEE double.
	Number float64
	// String is a JavaScript string in WTF-8 (see the package comment).
	String string
	// Array is a JSON array.
	Array []Value
	// Object is a JSON object in JavaScript's key order: the order of insertion.
	Object []Member
)

// Member is one property of an [Object].
type Member struct {
	Key   string
	Value Value
}

func (Null) value()   {}
func (Bool) value()   {}
func (Number) value() {}
func (String) value() {}
func (Array) value()  {}
func (Object) value() {}

// Get returns the property key, or nil.
func (o Object) Get(key string) Value {
	if i := o.index(key); i >= 0 {
		return o[i].Value
	}
	return nil
}

// Text returns the property key if it is a string, or "".
func (o Object) Text(key string) string { return Text(o.Get(key)) }

func (o Object) index(key string) int {
	for i := range o {
		if o[i].Key == key {
			return i
		}
	}
	return -1
}

// Text returns a value that is a string, or "".
func Text(v Value) string {
	s, _ := v.(String)
	return string(s)
}

// TypeOf names the JSON type of a value: string, number, boolean, array, object or null.
func TypeOf(v Value) string {
	switch v.(type) {
	case String:
		return "string"
	case Number:
		return "number"
	case Bool:
		return "boolean"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "null"
}

// Opt is a property that may be absent from its object.
type Opt[T any] struct {
	V   T
	Set bool
}

// Some returns a property that is present.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, Set: true} }

// Before reports whether both keys are present, a before b.
func (o Object) Before(a, b string) bool {
	i := o.index(a)
	return i >= 0 && i < o.index(b)
}
