package native

import "errors"

var (
	// ErrRecord: the dialect has no such record, or the record's Go type and type name disagree.
	ErrRecord = errors.New("record cannot be written in this dialect")
	// ErrSyntax: the line is not JSON; errors.As finds a [*SyntaxError].
	ErrSyntax = errors.New("not JSON")
	// ErrNotObject: the line is JSON, but no object.
	ErrNotObject = errors.New("not a JSON object")
)

// Record is one line of a Pi stream or session file, in either direction. The
// implementations are pointers to the exported types of this package.
type Record interface {
	// Type is the record's type name, as in Pi 1.6.
	Type() string
	record()
}

// UnknownRecord is an object whose type the dialect does not know, or that has none.
type UnknownRecord struct{ Value Object }

// Type returns the object's "type", or "".
func (u *UnknownRecord) Type() string {
	name, _ := u.Value.Get("type").(String)
	return string(name)
}

func (*UnknownRecord) record() {}

// Odd is what keeps a typed object lossless where its line deviated from the dialect:
// unknown keys, values of the wrong type, missing keys, another order. It is nil for
// every object that Pi writes. With Odd set, exactly Keys are written, in that order.
type Odd struct {
	Keys  []string // all keys in the order they came
	Extra Object   // the unknown ones, and the known ones with a value of the wrong type
}

// Unknown reports one deviation that decoding met.
type Unknown struct {
	Path   string // JSON path, such as $.message.content[2].foo
	Reason Reason
}

// Reason is why something is reported as [Unknown].
type Reason string

const (
	UnknownType  Reason = "unknown type"  // of a record, message, block, entry or delta
	UnknownField Reason = "unknown field" // kept in Odd.Extra
	WrongType    Reason = "wrong type"    // kept in Odd.Extra
	MissingField Reason = "missing field"
	KeyOrder     Reason = "key order"
)
