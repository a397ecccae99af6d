package fidelity

import (
	"strings"

	"fakepi.example/fakepi/native"
)

// Record is a line of a stream or of a session file.
type Record struct {
	Raw   []byte       // as it came, without its LF
	Value native.Value // nil if it is no JSON
	Kind  string       // what it is, as [Kind] says
	Act   int          // of the client: how many acts it had done when the line came
}

// NewRecord reads a line.
func NewRecord(raw []byte) Record {
	v, err := native.ParseValue(raw)
	if err != nil {
		return Record{Raw: raw}
	}
	return Record{Raw: raw, Value: v, Kind: Kind(v)}
}

// Kind names a record as docs/pi-formats.md does: message_end(user), tool_execution_start(bash), response(abort),
// compaction_start(manual), extension_ui_request(select); of message_update it is the update: text_delta. Any other is its
// type alone, and "" without one.
func Kind(v native.Value) string {
	o, _ := v.(native.Object)
	kind := o.Text("type")
	switch kind {
	case "message_update":
		return object(o, "assistantMessageEvent").Text("type")
	case "message_start", "message_end", "message":
		return kind + "(" + object(o, "message").Text("role") + ")"
	case "response":
		return kind + "(" + o.Text("command") + ")"
	case "extension_ui_request":
		return kind + "(" + o.Text("method") + ")"
	case "compaction_start", "compaction_end":
		return kind + "(" + o.Text("reason") + ")"
	}
	if strings.HasPrefix(kind, "tool_execution_") {
		return kind + "(" + o.Text("toolName") + ")"
	}
	return kind
}

// is reports whether a record is of a kind, which may leave out what stands in brackets.
func (r Record) is(kind string) bool {
	return r.Kind == kind || strings.HasPrefix(r.Kind, kind+"(")
}

func object(o native.Object, key string) native.Object {
	v, _ := o.Get(key).(native.Object)
	return v
}
