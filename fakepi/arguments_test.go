package fakepi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// called is the call of a message that the model wrote with these arguments.
func called(t *testing.T, tongue tongue, args string) *native.ToolCall {
	t.Helper()
	all := assistants(t, "0s prompt \"x\"\n+1s calls bash args "+script.Quote(args)+"\n+0s closes toolUse\n+0s stalls", tongue)
	if len(all) != 1 || len(all[0].Content) != 1 {
		t.Fatalf("%q: got %d replies, want one with one call", args, len(all))
	}
	return all[0].Content[0].(*native.ToolCall)
}

// Arguments that the model writes as they are: what each version of the real Pi made of them when it was asked.
func TestArguments(t *testing.T) {
	tests := []struct{ args, pi16, broken, pi073 string }{
		{`{"command": "ls", "timeout": 5}`, `{"command":"ls","timeout":5}`, "", `{"command":"ls","timeout":5}`},
		{" ", `{}`, "", `{}`},
		{`{`, `{}`, "Expected property name or '}' in JSON at position 1 (line 1 column 2)", `{}`},
		{`{"command":"ec`, `{}`, "Unterminated string in JSON at position 14 (line 1 column 15)", `{"command":"ec"}`},
		{`{"command"`, `{}`, "Expected ':' after property name in JSON at position 10 (line 1 column 11)", `{}`},
		{`{"command":`, `{}`, "Unexpected end of JSON input", `{}`},
		{`{"a":"b"`, `{}`, "Expected ',' or '}' after property value in JSON at position 8 (line 1 column 9)", `{"a":"b"}`},
		{`{"a":"b",`, `{}`, "Expected double-quoted property name in JSON at position 9 (line 1 column 10)", `{"a":"b"}`},
		{"{\"é😀\":\n[1", `{}`, "Expected ',' or ']' after array element in JSON at position 10 (line 2 column 3)", `{"é😀":[1]}`},
		{`{"a":tru`, `{}`, "Unexpected end of JSON input", `{"a":true}`},
		{`{"a":-`, `{}`, "No number after minus sign in JSON at position 6 (line 1 column 7)", `{}`},
		{`{"a":1.`, `{}`, "Unterminated fractional number in JSON at position 7 (line 1 column 8)", `{}`},
		{`{"a":01}`, `{}`, "Unexpected number in JSON at position 6 (line 1 column 7)", `{}`},
		{`{"a":1}x`, `{}`, "Unexpected non-whitespace character after JSON at position 7 (line 1 column 8)", `{"a":1}`},
		{`{"a":x}`, `{}`, `Unexpected token 'x', "{"a":x}" is not valid JSON`, `{}`},
		{`{"command":"echo hello","timeout":x}`, `{}`, `Unexpected token 'x', ...""timeout":x}" is not valid JSON`, `{"command":"echo hello"}`},
		{`x{"command":"echo hello"}`, `{}`, `Unexpected token 'x', "x{"command"... is not valid JSON`, `{}`},
		{"{\"a\":\"b\nc\"}", `{"a":"b\nc"}`, "", `{"a":"b\nc"}`},
		{`{"a":"\d"}`, `{"a":"\\d"}`, "", `{"a":"\\d"}`},
		{`{"a":"\u12"}`, `{"a":"\\u12"}`, "", `{}`},
		{`[1]`, `{}`, "Tool arguments must be a JSON object", `[1]`},
	}
	for _, tt := range tests {
		broken := tt.broken
		if broken != "" {
			broken += "\n\nReceived arguments:\n" + tt.args
		}
		c := called(t, tongues[0], tt.args)
		if got := string(native.AppendValue(nil, c.Arguments)); got != tt.pi16 || c.ArgumentsError.V != broken {
			t.Errorf("pi-1.6 %q:\n got %s %q\nwant %s %q", tt.args, got, c.ArgumentsError.V, tt.pi16, broken)
		}
		if got := string(native.AppendValue(nil, called(t, tongues[1], tt.args).Arguments)); got != tt.pi073 {
			t.Errorf("pi-0.73 %q:\n got %s\nwant %s", tt.args, got, tt.pi073)
		}
	}
}

// A call that cannot run for its arguments, or for the end of its message, is not run by pi-1.6; pi-0.73 runs what it has.
func TestCallsThatCannotRun(t *testing.T) {
	const invalid = `Invalid arguments for tool \"bash\": Unterminated string`
	const cut = `Tool call \"bash\" was not executed: the response hit the output token limit`
	tests := []struct{ steps, refused string }{
		{"calls bash args \"{\\\"command\\\":\\\"ec\"  as=a\n+0s closes toolUse", invalid},
		{"calls bash args \"{\\\"command\\\":\\\"ec\"  as=a\n+0s closes length", cut},
		{"calls bash \"ls\"  as=a\n+0s closes length", cut},
	}
	for _, tt := range tests {
		for i, tongue := range tongues {
			var out strings.Builder
			for _, o := range play(newWorker(t, "0s prompt \"x\"\n+1s "+tt.steps+"\n+0s tool @a runs 1s\n+1s says \"b\"\n+0s settles", in(tongue.dialect)), time.Hour, nil) {
				if o.Stream == fakepi.Out {
					out.Write(o.Data)
				}
			}
			ran := strings.Contains(out.String(), `"partialResult":{"content":[]}`)
			if refused := strings.Contains(out.String(), tt.refused); refused != (i == 0) || ran != (i == 1) {
				t.Errorf("%s %q: refused %v, ran %v", tongue.dialect, tt.steps, refused, ran)
			}
			if !strings.Contains(out.String(), `"delta":"b"`) {
				t.Errorf("%s %q: the run did not go on", tongue.dialect, tt.steps)
			}
		}
	}
}

// FuzzArguments looks for arguments that make a worker panic, or that are JSON and refused.
func FuzzArguments(f *testing.F) {
	for _, args := range []string{`{"a":[1,{"b":null}],"c":"\u00e9\n"}`, `{"a":"`, "{\"\x00\\", `[01e+`, "\xff\xed\xa0\xbd"} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		if args == "" {
			return
		}
		for _, tongue := range tongues {
			c := called(t, tongue, args)
			var o map[string]json.RawMessage
			if json.Unmarshal([]byte(args), &o) == nil && o != nil && (c.ArgumentsError.Set || len(o) != len(c.Arguments.(native.Object))) {
				t.Errorf("%s: %q is refused: %q", tongue.dialect, args, c.ArgumentsError.V)
			}
		}
	})
}
