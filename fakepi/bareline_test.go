package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

const (
	bareHeader = `{"type":"session","version":3,"id":"019b8d62-7a80-7c67-b893-a2eefb32555e","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/"}` + "\n"
	bareReply  = `{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z","message":{"role":"assistant","content":[],"stopReason":"stop","timestamp":1}}` + "\n"
	bareIDless = `{"type":"message","parentId":"aaaaaaa1","timestamp":"2026-01-05T09:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"no id"}],"timestamp":1}}` + "\n"
)

// What the session goes on with when lines of its file are no objects: as the real Pi of each version was seen to do.
func TestBareLines(t *testing.T) {
	const model, level = `{"type":"model_change","id":"ID","timestamp":`, `{"type":"thinking_level_change","id":"ID",`
	type end struct {
		writes string // how the first entry begins that is written, or the error
		shows  int    // messages of get_messages
	}
	failed := end{fakepi.ErrNullEntry.Error(), 0}
	tests := []struct {
		name, data  string
		pi16, pi073 end
		reason      string
	}{
		{"a number in between", "5\n" + bareReply, end{level + `"parentId":"aaaaaaa1"`, 1}, end{level + `"parentId":"aaaaaaa1"`, 1}, "it is an entry"},
		{"a list at the end", bareReply + "[]\n", end{model, 0}, end{model, 0}, "the leaf is undefined, and the next entry names no parent"},
		{"a false at the end", bareReply + "false\n", end{level + `"parentId":"aaaaaaa1"`, 1}, end{model, 0}, "Pi 1.6 reads over it"},
		{"an entry without an id", bareReply + bareIDless, end{level + `"timestamp":`, 2}, end{level + `"timestamp":`, 2}, "it is shown, with what it follows"},
		{"null", bareReply + "null\n", end{level + `"parentId":"aaaaaaa1"`, 1}, failed, "Pi 0.73 asks for its type"},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			want := tt.pi16
			if lang.dialect == native.Pi073 {
				want = tt.pi073
			}
			w := newWorker(t, "0s chatter queue", in(lang.dialect), func(c *fakepi.Config) { c.Sessions = disk{"/s.jsonl": bareHeader + tt.data} })
			outs := w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":"/s.jsonl"}`), nil)
			if got := firstWritten(outs); !strings.HasPrefix(got, want.writes) {
				t.Errorf("%s, %s (%s): got %s, want %s...", lang.dialect, tt.name, tt.reason, got, want.writes)
			}
			shown := text(w.Send(2*time.Second, []byte(`{"type":"get_messages"}`), nil))
			if n := strings.Count(shown, `"role":`); n != want.shows {
				t.Errorf("%s, %s (%s): %d messages, want %d: %s", lang.dialect, tt.name, tt.reason, n, want.shows, shown)
			}
		}
	}
}

// firstWritten is the first entry that is written, its id as ID; if there is none, the error of the response.
func firstWritten(outs []fakepi.Output) string {
	for _, o := range outs {
		line := string(o.Data)
		if o.Stream == fakepi.Session && strings.HasPrefix(line, "{") {
			_, rest, _ := strings.Cut(line, `"id":"`)
			id, _, _ := strings.Cut(rest, `"`)
			return strings.Replace(line, id, "ID", 1)
		}
		if _, after, failed := strings.Cut(line, `"error":"`); failed {
			return after
		}
	}
	return ""
}

// In the tree of get_tree an entry that names no parent stands under the last one without an id; of entries with one id the
// last stands in the place of each. A way down that comes back to itself, on which Pi 1.6 would not end, ends.
func TestOddTrees(t *testing.T) {
	entry := func(id, parent string) string {
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"message":{"role":"user","content":[],"timestamp":1}}` + "\n"
	}
	tests := []struct{ data, want, reason string }{
		{entry("a", "null") + "[]\n", "a [](model_change(thinking_level_change))", "a value at the end"},
		{entry("a", "null") + "5\n[]\n" + entry("b", `"a"`), "a(b(thinking_level_change)) [] []", "two values: their id is one, undefined"},
		{entry("a", "null") + entry("b", `"a"`) + entry("b", `"a"`), "a(b(thinking_level_change) b(thinking_level_change))", "one id twice"},
		{entry("a", "null") + entry("a", `"b"`) + entry("b", `"a"`), "a(b(thinking_level_change))", "a circle that a root leads to"},
	}
	for _, tt := range tests {
		w := newWorker(t, "0s chatter queue", func(c *fakepi.Config) { c.Sessions = disk{"/s.jsonl": bareHeader + tt.data} })
		w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":"/s.jsonl"}`), nil)
		v, err := native.ParseValue([]byte(strings.TrimSuffix(text(w.Send(time.Second, []byte(`{"type":"get_tree"}`), nil)), "\n")))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := v.(native.Object).Get("data").(native.Object)
		if got := branches(data.Get("tree")); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.reason, got, tt.want)
		}
	}
}

// branches shows the nodes of a tree: a message by its id, another entry by its type, a value as it is.
func branches(nodes native.Value) string {
	var words []string
	for _, n := range nodes.(native.Array) {
		n := n.(native.Object)
		word := string(native.AppendValue(nil, n.Get("entry")))
		if e, ok := n.Get("entry").(native.Object); ok {
			name, _ := e.Get("type").(native.String)
			if id, _ := e.Get("id").(native.String); name == "message" {
				name = id
			}
			word = string(name)
		}
		if inside := branches(n.Get("children")); inside != "" {
			word += "(" + inside + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
