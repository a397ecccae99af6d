package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// Session files of older versions are written anew, as the real Pi of each version was seen to do, whether a client switches
// to one or a worker begins with it.
func TestOlderSessions(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/x"}` + "\n"
	older := func(version string) string { return strings.Replace(head, `"version":3,`, version, 1) }
	const linked = `{"type":"message","id":"a","parentId":null,"message":{"role":"hookMessage","content":"x"}}` + "\n"
	tests := []struct{ name, data, want, reason string }{
		{"version 3", head + linked, "", "nothing to do"},
		{"version 4", older(`"version":4,`) + linked, "", "Pi does not look"},
		{"version 2", older(`"version":2,`) + linked, head + strings.Replace(linked, "hookMessage", "custom", 1), ""},
		{"version 1", older("") + `{"type":"message","message":{"role":"user","content":"hi"}}` + "\ntorn\n" +
			`{"type":"compaction","firstKeptEntryIndex":1,"summary":"s"}` + "\n" + `{"type":"other"}`,
			`{"type":"session","id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/x","version":3}` + "\n" +
				`{"type":"message","message":{"role":"user","content":"hi"},"id":"1","parentId":null}` + "\n" +
				`{"type":"compaction","summary":"s","id":"2","parentId":"1","firstKeptEntryId":"1"}` + "\n" +
				`{"type":"other","id":"3","parentId":"2"}` + "\n", "new members come last"},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			w := newWorker(t, "0s chatter queue", in(lang.dialect), func(c *fakepi.Config) { c.Sessions = disk{"/s.jsonl": tt.data} })
			outs := w.Send(time.Second, []byte(`{"type":"switch_session","sessionPath":"/s.jsonl"}`), nil)
			if d := cmp.Diff(tt.want, rewritten(outs)); d != "" {
				t.Errorf("%s, %s (%s): -want +got\n%s", lang.dialect, tt.name, tt.reason, d)
			}
			history, err := fakepi.ReadHistory(native.Pi16, []byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			w = newWorker(t, "0s chatter queue", in(lang.dialect), func(c *fakepi.Config) { c.History, c.SessionPath = history, "/s.jsonl" })
			if d := cmp.Diff(tt.want, rewritten(play(w, time.Second, nil))); d != "" {
				t.Errorf("%s, %s (%s), from the start: -want +got\n%s", lang.dialect, tt.name, tt.reason, d)
			}
		}
	}
}

// rewritten is what a session file is emptied for, its new ids as numbers.
func rewritten(outs []fakepi.Output) string {
	for _, o := range outs {
		if o.Emptied {
			text, n := string(o.Data), 0
			for _, id := range ids(text) {
				if id = strings.Trim(id, `"`); len(id) == 8 {
					n++
					text = strings.ReplaceAll(text, id, string(rune('0'+n)))
				}
			}
			return text
		}
	}
	return ""
}
