package fidelity

import (
	"regexp"
	"strings"

	"fakepi.example/fakepi/native"
)

// Normal brings the records of one run to the form in which two runs can be equal (rules 1 and 3 of the package). Ids
// stay, with marks around them, so that the comparison can tell whether they are used alike.
type Normal struct {
	folders   *strings.Replacer
	snapshots bool // are kept
	recounts  bool // each Pi of the run has a model of its own, which numbers its replies from 1
}

// NewNormal is for a run in these folders. snapshots keeps those of pi-0.73.
func NewNormal(home, work string, snapshots bool) *Normal {
	return &Normal{
		snapshots: snapshots,
		// Session folders are named by the worktree (docs/pi-formats.md, section 5).
		folders: strings.NewReplacer(work, "$CWD", home, "$HOME", dashed(work), "$CWD", dashed(home), "$HOME"),
	}
}

// dashed is a path as the names of session folders have it.
func dashed(dir string) string { return strings.ReplaceAll(strings.Trim(dir, "/"), "/", "-") }

// Stream brings the records of stdout to the common form.
func (n *Normal) Stream(records []Record) []Record {
	out := make([]Record, len(records))
	for i, r := range records {
		if !n.snapshots {
			r.Value = withoutSnapshots(r, i+1 < len(records) && finishes(r, records[i+1]))
		}
		r.Value = n.value(r.Value)
		out[i] = r
	}
	return out
}

// Entries brings the records of a session file, or the requests of a model, to the common form.
func (n *Normal) Entries(records []Record) []Record {
	out := make([]Record, len(records))
	for i, r := range records {
		r.Value = n.value(r.Value)
		out[i] = r
	}
	return out
}

// withoutSnapshots is rule 1. whole: the message is already finished where it starts.
func withoutSnapshots(r Record, whole bool) native.Value {
	o, _ := r.Value.(native.Object)
	switch {
	case o.Text("type") == "message_update":
		o = without(o, "message", "usage")
		return with(o, "assistantMessageEvent", without(object(o, "assistantMessageEvent"), "partial"))
	case r.Kind == "message_start(assistant)" && !whole:
		return with(o, "message", native.Object{{Key: "role", Value: native.String("assistant")}})
	}
	return r.Value
}

// finishes reports whether the message that starts with r ends with next as it started: it failed before it streamed.
func finishes(r, next Record) bool {
	start, _ := r.Value.(native.Object)
	end, _ := next.Value.(native.Object)
	return next.Kind == "message_end(assistant)" &&
		string(native.AppendValue(nil, start.Get("message"))) == string(native.AppendValue(nil, end.Get("message")))
}

func without(o native.Object, keys ...string) native.Object {
	var rest native.Object
next:
	for _, m := range o {
		for _, key := range keys {
			if m.Key == key {
				continue next
			}
		}
		rest = append(rest, m)
	}
	return rest
}

// with replaces the value of a key that is there.
func with(o native.Object, key string, v native.Value) native.Object {
	out := make(native.Object, len(o))
	for i, m := range o {
		if m.Key == key {
			m.Value = v
		}
		out[i] = m
	}
	return out
}

// value masks what is below v.
func (n *Normal) value(v native.Value) native.Value {
	switch v := v.(type) {
	case native.String:
		return native.String(n.Text(string(v)))
	case native.Array:
		out := make(native.Array, len(v))
		for i := range v {
			out[i] = n.value(v[i])
		}
		return out
	case native.Object:
		if madeUp(v) {
			v = without(v, "durationMs")
		}
		out := make(native.Object, len(v))
		for i, m := range v {
			out[i] = native.Member{Key: m.Key, Value: n.member(v, m)}
		}
		return out
	}
	return v
}

// madeUp reports whether a message is the empty reply that Pi makes up, behind an abort or where it cannot ask the model, with
// a duration. Whether it has one is a race (rule 9): the allowed states are a number in its place, and none. A reply that began
// and ended before its first word, which tells its error behind the time, always has one.
func madeUp(o native.Object) bool {
	content, _ := o.Get("content").(native.Array)
	_, timed := o.Get("durationMs").(native.Number)
	stop := o.Text("stopReason")
	return o.Text("role") == "assistant" && (stop == "aborted" || stop == "error") && len(content) == 0 &&
		timed && o.Before("errorMessage", "timestamp") && o.Before("timestamp", "durationMs")
}

// idKeys hold an id wherever they stand; "id" itself is one only of what Pi numbers.
var idKeys = map[string]bool{
	"parentId": true, "toolCallId": true, "tool_call_id": true, "tool_use_id": true, "responseId": true, "sessionId": true,
	"targetId": true, "firstKeptEntryId": true, "leafId": true, "entryId": true,
}

func (n *Normal) member(o native.Object, m native.Member) native.Value {
	switch v := m.Value.(type) {
	case native.Number:
		switch m.Key {
		case "timestamp":
			return native.String("TIME")
		case "durationMs", "wall_time_seconds":
			return native.String("DURATION")
		}
	case native.String:
		if m.Key == "responseId" && n.recounts {
			return native.String("ID")
		}
		if idKeys[m.Key] || m.Key == "id" && numbered(o) {
			return native.String(marked(string(v)))
		}
	}
	return n.value(m.Value)
}

// numbered reports whether the id of an object is one that Pi or the provider made, as against the client's own and the
// names of models.
func numbered(o native.Object) bool {
	kind := o.Text("type")
	return kind != "response" && kind != "bash_execution_update" && o.Get("contextWindow") == nil
}

// What stands around an id: characters that no text has.
const (
	idBegins = "\ufdd0"
	idEnds   = "\ufdd1"
)

func marked(id string) string { return idBegins + id + idEnds }

var (
	uuidForm  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	isoForm   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z`)
	portForm  = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	spillForm = regexp.MustCompile(`/[^\s"]*/pi-bash-[0-9a-f]+\.log`)
)

// Text masks a string.
func (n *Normal) Text(s string) string {
	s = n.folders.Replace(s)
	s = isoForm.ReplaceAllString(s, "TIME")
	s = portForm.ReplaceAllString(s, "127.0.0.1:PORT")
	s = spillForm.ReplaceAllString(s, "/tmp/pi-bash-ID.log")
	return uuidForm.ReplaceAllString(s, idBegins+"$0"+idEnds)
}
