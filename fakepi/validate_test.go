package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// What Pi says of arguments that its tool cannot take, instead of running it: the texts are the real Pis'.
func TestInvalidArguments(t *testing.T) {
	tests := []struct{ tool, args, pi16, pi073 string }{
		{"write", `{}`, "path: missing\n  - content: missing", "path: must have required properties path, content"},
		{"write", `{"path":"f"}`, "content: missing", "content: must have required properties content"},
		{"edit", `{"path":"f"}`, "edits: missing", "edits: must have required properties edits"},
		{"edit", `{"path":"f","edits":[{"oldText":"a"}]}`, "edits.0.newText: missing", "edits.0.newText: must have required properties newText"},
		{"read", `{}`, "path: missing", "path: must have required properties path"},
		{"bash", `{"command":5}`, "", ""},
		{"bash", `{"command":null}`, "", ""},
		{"bash", `{"command":["a"]}`, "command: expected string, got array", "command: must be string"},
		{"bash", `{"command":"a","timeout":"x"}`, "timeout: expected number, got string", "timeout: must be number"},
		{"bash", `{"command":"a","timeout":"5"}`, "", ""},
		{"bash", `{"command":"a","other":1}`, "", ""},
		{"odd", `{}`, "", ""},
	}
	for _, tt := range tests {
		for i, want := range []string{tt.pi16, tt.pi073} {
			if want != "" {
				want = "Validation failed for tool \"" + tt.tool + "\":\n  - " + want
			}
			w := newWorker(t, "0s prompt \"x\"\n+1s tool "+tt.tool+" args a.json runs 1s\n-- a.json --\n", in(tongues[i].dialect), func(c *fakepi.Config) {
				c.Files = map[string][]byte{"a.json": []byte(tt.args)}
			})
			if got := refusedFor(t, tongues[i].codec, play(w, time.Minute, nil)); got != want {
				t.Errorf("%s %s in %s: got %q, want %q", tt.tool, tt.args, tongues[i].dialect, got, want)
			}
		}
	}
}

// refusedFor is the text of the first result, without the arguments that it repeats; empty if the tool ran.
func refusedFor(t *testing.T, codec native.Codec, outs []fakepi.Output) string {
	t.Helper()
	for _, o := range outs {
		if o.Stream != fakepi.Out || o.Data == nil {
			continue
		}
		r, err := codec.Decode(o.Data)
		if err != nil {
			t.Fatal(err)
		}
		switch r := r.(type) {
		case *native.ToolUpdate:
			return ""
		case *native.ToolEnd:
			text := r.Result.Content[0].(*native.TextBlock).Text
			before, _, refused := strings.Cut(text, "\n\nReceived arguments:\n")
			if refused {
				return before
			}
			return ""
		}
	}
	t.Fatal("the call has not ended")
	return ""
}
