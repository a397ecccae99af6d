package fakepi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
)

// What the model is shown of session files whose entries others have linked.
func TestLinkedByOthers(t *testing.T) {
	entry := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-05T09:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":%[1]q}],"timestamp":1}}`+"\n", id, parent)
	}
	tests := []struct{ entries, want, reason string }{
		{entry("a", "null") + entry("b", `"a"`) + entry("c", `"b"`), "abc", ""},
		{entry("b", `"a"`) + entry("a", "null") + entry("c", `"b"`), "abc", "a parent stands behind its child"},
		{entry("a", "null") + entry("b", `"none"`) + entry("c", `"b"`), "bc", "a parent is missing"},
		{entry("a", "null") + entry("b", `"b"`), "b", "one is its own parent"},
		{entry("a", `"c"`) + entry("b", `"a"`) + entry("c", `"b"`), "abc", "a circle, on which Pi itself does not end"},
		{entry("c", `"b"`) + entry("b", `"a"`) + entry("a", `"b"`), "ba", "a circle, seen from behind"},
		{entry("a", "null") + entry("b", "7") + entry("c", `"b"`), "bc", "a parent that is no text"},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			files := disk{"/s.jsonl": `{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/x"}` + "\n" + tt.entries}
			w := newWorker(t, "0s chatter queue", in(lang.dialect), func(c *fakepi.Config) { c.Sessions = files })
			w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":"/s.jsonl"}`), nil)
			got := ""
			for _, part := range strings.Split(text(w.Send(time.Second, []byte(`{"type":"get_messages"}`), nil)), `"text":"`)[1:] {
				got += part[:1]
			}
			if got != tt.want {
				t.Errorf("%s (%s): got %s, want %s", lang.dialect, tt.reason, got, tt.want)
			}
		}
	}
}
