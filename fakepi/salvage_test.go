package fakepi_test

import (
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi073"
)

// What pi-0.73 runs of arguments that broke off or are no JSON: the values are the real Pi's.
func TestSalvagedArguments(t *testing.T) {
	tests := []struct{ written, want, reason string }{
		{`{"command": "echo hi"}`, `{"command":"echo hi"}`, "whole"},
		{`{`, `{}`, ""},
		{`{"com`, `{}`, "a key that is not whole"},
		{`{"command":`, `{}`, "a key without a value"},
		{`{"command": "`, `{"command":""}`, ""},
		{`{"command": "echo hel`, `{"command":"echo hel"}`, "an open string (17a)"},
		{`{"command":"a\`, `{"command":"a"}`, "an escape that is not whole"},
		{`{"command":"a\u00`, `{"command":"a"}`, ""},
		{`{"command":"a\u00e9`, `{"command":"aé"}`, ""},
		{`{"a":1`, `{"a":1}`, ""},
		{`{"a":12,"b":1.`, `{"a":12}`, "a number that ends in a point is none"},
		{`{"a":1e`, `{"a":1}`, "an exponent that is not there"},
		{`{"a":-`, `{}`, ""},
		{`{"a":tr`, `{"a":true}`, "the beginning of a word is the word"},
		{`{"a":N`, `{"a":null}`, "NaN, which JSON does not have"},
		{`{"a":[1,`, `{"a":[1]}`, ""},
		{`{"a":{"b":"c`, `{"a":{"b":"c"}}`, ""},
		{`{"a":[{"old":"x","new`, `{"a":[{"old":"x"}]}`, ""},
		{`{"a":"b","c":`, `{"a":"b"}`, ""},
		{`nonsense`, `{}`, ""},
		{`{"a":x`, `{}`, ""},
		{"{\"a\":\"line\nbreak\"}", `{"a":"line\nbreak"}`, "a control character in a string"},
		{`{"a":"\q"}`, `{"a":"\\q"}`, "a backslash that begins no escape"},
		{`[1,2`, `[1,2]`, ""},
	}
	for _, tt := range tests {
		if got := runArguments(t, []byte(tt.written)); got != tt.want {
			t.Errorf("%s (%s): got %s, want %s", tt.written, tt.reason, got, tt.want)
		}
	}
}

// runArguments are the arguments with which a call runs that the model wrote so.
func runArguments(t *testing.T, written []byte) string {
	t.Helper()
	w := newWorker(t, "0s prompt \"x\"\n+1s tool odd args a.json runs 1s\n-- a.json --\n", in(native.Pi073), func(c *fakepi.Config) {
		c.Files = map[string][]byte{"a.json": written}
	})
	for _, o := range play(w, time.Minute, nil) {
		if o.Stream != fakepi.Out {
			continue
		}
		r, unknown, err := pi073.Codec{}.Examine(o.Data)
		if err != nil || len(unknown) > 0 {
			t.Fatalf("no line of the dialect (%v, %v): %s", err, unknown, o.Data)
		}
		if start, ok := r.(*native.ToolStart); ok {
			return string(native.AppendValue(nil, start.Args))
		}
	}
	t.Fatalf("no call of %q", written)
	return ""
}

// Whatever the model writes, the call runs with what can be read of it.
func FuzzSalvage(f *testing.F) {
	for _, s := range []string{"", `{"a":"b`, `[`, `"\ud83d`, "{\"a\":\"\x01", `{"a":[[[{`, `{"":-Inf`, "\xff{"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, written []byte) { runArguments(t, written) })
}
