package javascript_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// The words are those of the Node that runs each Pi.
func TestParseError(t *testing.T) {
	const end = "Unexpected end of JSON input"
	tests := []struct{ text, pi16, pi073 string }{
		{`{"a":[1,-2.5e3,"b",true,false,null,{}]}`, "", ""},
		{" \n[ ] ", "", ""},
		{"", end, end},
		{`{"a":`, end, end},
		{"x", `Unexpected token 'x', "x" is not valid JSON`, `Unexpected token 'x', "x" is not valid JSON`},
		{"[1 2]", "Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4)", "Expected ',' or ']' after array element in JSON at position 3"},
		{`{"a":1 "b"}`, "Expected ',' or '}' after property value in JSON at position 7 (line 1 column 8)", "Expected ',' or '}' after property value in JSON at position 7"},
		{"{1}", "Expected property name or '}' in JSON at position 1 (line 1 column 2)", "Expected property name or '}' in JSON at position 1"},
		{"{\"a\":1,\n}", "Expected double-quoted property name in JSON at position 8 (line 2 column 1)", "Expected double-quoted property name in JSON at position 8"},
		{`{"a" 1}`, "Expected ':' after property name in JSON at position 5 (line 1 column 6)", "Expected ':' after property name in JSON at position 5"},
		{`{"a":1}}`, "Unexpected non-whitespace character after JSON at position 7 (line 1 column 8)", "Unexpected non-whitespace character after JSON at position 7"},
		{`"a`, "Unterminated string in JSON at position 2 (line 1 column 3)", "Unterminated string in JSON at position 2"},
		{strings.Repeat("[", 8_000_000), end, end},
		{strings.Repeat(`{"":`, 2_000_000), end, end},
	}
	for _, tt := range tests {
		shown := tt.text[:min(len(tt.text), 30)]
		if got := javascript.ParseError(native.Pi16, []byte(tt.text)); got != tt.pi16 {
			t.Errorf("%q in pi-1.6: got %q, want %q", shown, got, tt.pi16)
		}
		if got := javascript.ParseError(native.Pi073, []byte(tt.text)); got != tt.pi073 {
			t.Errorf("%q in pi-0.73: got %q, want %q", shown, got, tt.pi073)
		}
	}
}

// A text has a mistake if, and only if, it is no JSON.
func FuzzParseError(f *testing.F) {
	for _, s := range []string{"{}", `[1,{"a":"\\u00e9"}]`, "[", `{"a":1,}`, "-", "1e", "\"\x01\"", "nul"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) {
			return
		}
		for _, d := range []native.Dialect{native.Pi16, native.Pi073} {
			if got := javascript.ParseError(d, text); (got == "") != json.Valid(text) {
				t.Errorf("%q in %s: got %q, valid: %v", text, d, got, json.Valid(text))
			}
		}
	})
}

func TestFlatten(t *testing.T) {
	tests := []struct {
		text  string
		bound int
		want  string
	}{
		{`{"a":[1,{"b":"]\"["}]}`, 3, `{"a":[1,{"b":"]\"["}]}`},
		{`{"a":[1,{"b":"]\"["},2]}`, 2, `{"a":[1,{},2]}`},
		{`{"a":[1,{"b":"]\"["}],"c":"\\\\"}`, 1, `{"a":[],"c":"\\\\"}`},
		{`[[[[]]],[[]]]`, 2, `[[[]],[[]]]`},
		{strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000), 2, "[[[]]]"},
	}
	for _, tt := range tests {
		if got := string(javascript.Flatten([]byte(tt.text), tt.bound)); got != tt.want {
			t.Errorf("%.40s to %d: got %s, want %s", tt.text, tt.bound, got, tt.want)
		}
	}
}

func TestString(t *testing.T) {
	tests := []struct {
		value  native.Value
		text   string
		truthy bool
	}{
		{nil, "undefined", false},
		{native.Null{}, "null", false},
		{native.Bool(true), "true", true},
		{native.Number(0), "0", false},
		{native.Number(1.5), "1.5", true},
		{native.String(""), "", false},
		{native.String("0"), "0", true},
		{native.Object{}, "[object Object]", true},
		{native.Array{native.Number(1), native.Null{}, native.Array{native.String("a"), native.Object{}}}, "1,,a,[object Object]", true},
	}
	for _, tt := range tests {
		if got := javascript.String(tt.value); got != tt.text {
			t.Errorf("%#v: got %q, want %q", tt.value, got, tt.text)
		}
		if got := javascript.Truthy(tt.value); got != tt.truthy {
			t.Errorf("%#v: truthy %v, want %v", tt.value, got, tt.truthy)
		}
	}
}
