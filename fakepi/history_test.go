package fakepi_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi16"
)

// saved plays a script and returns its session file.
func saved(t *testing.T, src string, change ...func(*fakepi.Config)) string {
	t.Helper()
	var b strings.Builder
	for _, o := range play(newWorker(t, src, change...), time.Hour, nil) {
		if o.Stream == fakepi.Session {
			b.Write(o.Data)
		}
	}
	return b.String()
}

// What a session goes on from, and where its next entry hangs (docs/pi-formats.md, sections 8 and 9).
func TestHistory(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s says \"a\"\n+0s settles"
	full := saved(t, src)
	lines := strings.SplitAfter(full, "\n")
	leaf := func(i int) string {
		r, err := pi16.Codec{}.Decode([]byte(strings.TrimSuffix(lines[i], "\n")))
		if err != nil {
			t.Fatal(err)
		}
		return r.(*native.MessageEntry).ID
	}
	odd := `{"type":"weird","id":"0badcafe","parentId":"` + leaf(5) + `","timestamp":"2026-01-05T09:00:00.000Z"}` + "\n"
	tests := []struct{ name, data, leaf, reason string }{
		{"whole", full, leaf(5), "the reply"},
		{"killed in the reply", strings.Join(lines[:5], ""), leaf(4), "the prompt"},
		{"torn", strings.Join(lines[:5], "") + lines[5][:30], leaf(4), "the torn line is skipped"},
		{"an unknown entry", full + odd, "0badcafe", "it is an entry"},
		{"a bad line", strings.Join(lines[:5], "") + "{]\n" + lines[5], leaf(5), "it is skipped"},
	}
	for _, tt := range tests {
		h, err := fakepi.ReadHistory(native.Pi16, []byte(tt.data))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		more := saved(t, src, func(c *fakepi.Config) { c.History = h })
		first, _, _ := strings.Cut(more, "\n")
		r, err := pi16.Codec{}.Decode([]byte(first))
		if err != nil {
			t.Fatal(err)
		}
		e, ok := r.(*native.MessageEntry)
		if !ok || e.ParentID != tt.leaf {
			t.Errorf("%s (%s): got %s, want a message under %s", tt.name, tt.reason, first, tt.leaf)
			continue
		}
		if _, user := e.Message.(*native.UserMessage); !user {
			t.Errorf("%s: the session goes on with %s, want the user's message: no second system message", tt.name, first)
		}
		if n := strings.Count(tt.data+more, e.ID); n != 2 {
			t.Errorf("%s: id %s stands %d times, want twice: of its entry and of its child", tt.name, e.ID, n)
		}
	}
}

// json mode prints the old header.
func TestHistoryHeader(t *testing.T) {
	full := saved(t, "0s prompt \"x\"\n+0s stalls")
	h, err := fakepi.ReadHistory(native.Pi16, []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(t, "5s spawn mode=json\n+0s stalls", func(c *fakepi.Config) { c.History, c.Seed = h, 99 })
	want, _, _ := strings.Cut(full, "\n")
	if got := text(play(w, time.Minute, nil)); got != want+"\n" {
		t.Error(cmp.Diff(want+"\n", got))
	}
}

func TestHistoryWithoutHeader(t *testing.T) {
	for _, data := range []string{"", "\n", "{}", `{"type":"model_change"}`, "not json\n"} {
		if _, err := fakepi.ReadHistory(native.Pi16, []byte(data)); !errors.Is(err, fakepi.ErrNoHeader) {
			t.Errorf("%q: got %v, want %v", data, err, fakepi.ErrNoHeader)
		}
	}
}

func TestHistoryWithoutMessage(t *testing.T) {
	header := `{"type":"session","version":3,"id":"x","timestamp":"2026-01-04T09:00:00.000Z","cwd":"/"}` + "\n"
	for _, entry := range []string{`{"type":"message"}`, `{"type":"message","message":null}`} {
		if _, err := fakepi.ReadHistory(native.Pi16, []byte(header+entry)); !errors.Is(err, fakepi.ErrNoMessage) {
			t.Errorf("%s: got %v, want %v", entry, err, fakepi.ErrNoMessage)
		}
	}
}

// A session's name is saved once and told by get_state, and nothing is saved without a session.
func TestSessionName(t *testing.T) {
	const src = "0s prompt \"x\"\n+0s stalls"
	name := func(c *fakepi.Config) { c.SessionName = "tidy" }
	full := saved(t, src, name)
	if n := strings.Count(full, `"type":"session_info"`); n != 1 || !strings.Contains(full, `"name":"tidy"`) {
		t.Errorf("got %d names in %s", n, full)
	}
	if got := saved(t, src, func(c *fakepi.Config) { c.NoSession = true }); got != "" {
		t.Errorf("saved without a session: %s", got)
	}
	h, err := fakepi.ReadHistory(native.Pi16, []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(t, src, func(c *fakepi.Config) { c.History = h })
	play(w, time.Second, nil)
	if got := text(w.Send(time.Second, []byte(`{"type":"get_state"}`), nil)); !strings.Contains(got, `"sessionName":"tidy"`) {
		t.Errorf("get_state says %s", got)
	}
}
