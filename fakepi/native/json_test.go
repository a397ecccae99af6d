package native_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/fakepi/native"
)

func TestAppendNumberAsJavaScript(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{-1, "-1"},
		{1795970064328, "1795970064328"},
		{1 << 53, "9007199254740992"},
		{1e20, "100000000000000000000"},
		{1e21, "1e+21"},
		{-1.5e300, "-1.5e+300"},
		{0.30000000000000004, "0.30000000000000004"},
		{0.00030000000000000003, "0.00030000000000000003"},
		{0.0000192, "0.0000192"},
		{0.000001, "0.000001"},
		{9.5e-7, "9.5e-7"},
		{1e-7, "1e-7"},
		{5e-324, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.NaN(), "null"},
		{math.Inf(-1), "null"},
	}
	for _, test := range tests {
		if got := string(native.AppendNumber(nil, test.f)); got != test.want {
			t.Errorf("%g: got %s, want %s", test.f, got, test.want)
		}
	}
}

func TestAppendStringAsJavaScript(t *testing.T) {
	tests := []struct{ reason, s, want string }{
		{"separators stay raw", "a\u2028b\u2029c", "\"a\u2028b\u2029c\""},
		{"no HTML escaping", "</script>&'", `"</script>&'"`},
		{"short escapes", "\b\t\n\f\r\"\\/", `"\b\t\n\f\r\"\\/"`},
		{"other controls in lower case", "\x00\x07\x1b\x1f", `"\u0000\u0007\u001b\u001f"`},
		{"DEL stays raw", "\x7f", "\"\x7f\""},
		{"a lone high surrogate", "a\xed\xa0\xbdb", `"a\ud83db"`},
		{"a lone low surrogate", "\xed\xb8\x80", `"\ude00"`},
		{"low before high", "\xed\xb8\x80\xed\xa0\xbd", `"\ude00\ud83d"`},
		{"two halves that meet", "\xed\xa0\xbd\xed\xb8\x80", `"😀"`},
		{"a character that also begins with ED", "\ud7ff한", "\"\ud7ff한\""},
		{"bytes that are no UTF-8", "\xff\xed", "\"\xff\xed\""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if got := string(native.AppendString(nil, test.s)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestParseValueAsJavaScript(t *testing.T) {
	type o = native.Object
	num := func(f float64) native.Value { return native.Number(f) }
	tests := []struct {
		reason, text string
		want         native.Value
	}{
		{"the last of equal keys, at the first one's place", `{"a":1,"b":2,"a":3}`, o{{"a", num(3)}, {"b", num(2)}}},
		{"array indices first", `{"b":1,"10":2,"2":3,"01":4,"4294967295":5}`, o{{"2", num(3)}, {"10", num(2)}, {"b", num(1)}, {"01", num(4)}, {"4294967295", num(5)}}},
		{"doubles", `[9007199254740993,-0.0,1e2,1E-7]`, native.Array{num(9007199254740992), num(math.Copysign(0, -1)), num(100), num(1e-7)}},
		{"beyond all doubles", `1e999`, num(math.Inf(1))},
		{"a pair of surrogates", `"\ud83d\ude00"`, native.String("😀")},
		{"lone surrogates", `"\uD83D \ude00"`, native.String("\xed\xa0\xbd \xed\xb8\x80")},
		{"invalid UTF-8 stays", "\"\xff\"", native.String("\xff")},
		{"white space", " [ true , null ] \r\n", native.Array{native.Bool(true), native.Null{}}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got, err := native.ParseValue([]byte(test.text))
			if err != nil || !cmp.Equal(test.want, got) {
				t.Errorf("error %v, (-want +got):\n%s", err, cmp.Diff(test.want, got))
			}
		})
	}
	many := `{"k0":0` + strings.Repeat(`,"x":1,"y":2`, 20) + `,"x":3}`
	got, err := native.ParseValue([]byte(many))
	if want := (o{{"k0", num(0)}, {"x", num(3)}, {"y", num(2)}}); err != nil || !cmp.Equal(want, got.(o)) {
		t.Errorf("many equal keys: got %v, error %v, want %v", got, err, want)
	}
}

func TestParseValueTellsWhere(t *testing.T) {
	tests := []struct {
		reason, text string
		offset       int
	}{
		{"cut", `{"type":`, 8},
		{"two values", `{} {}`, 3},
		{"no value", ``, 0},
		{"control character", "{\"a\":\"b\tc\"}", 5},
		{"no colon", `{"a" 1}`, 5},
		{"trailing comma", `{"a":1,}`, 7},
		{"word", `[nul]`, 1},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			_, err := native.ParseValue([]byte(test.text))
			syntax, ok := errors.AsType[*native.SyntaxError](err)
			if !ok || !errors.Is(err, native.ErrSyntax) || syntax.Offset != test.offset {
				t.Errorf("got %v, want a SyntaxError at %d", err, test.offset)
			}
		})
	}
}

// TestStringsSurvive: any WTF-8 string is read back as it was written, and halves that
// meet are one character from then on.
func TestStringsSurvive(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "\"", "\\", "\x00", "\u2028", "é", "😀", "\xed\xa0\xbd", "\xed\xb8\x80", "\xff"})
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOf(parts).Draw(rt, "parts"), "")
		want := strings.ReplaceAll(s, "\xed\xa0\xbd\xed\xb8\x80", "😀")
		got, err := native.ParseValue(native.AppendString(nil, s))
		if err != nil || got != native.String(want) {
			rt.Fatalf("got %q, error %v, want %q", got, err, want)
		}
	})
}

func TestISO(t *testing.T) {
	const text, ms = "2026-11-29T16:34:24.265Z", 1795970064265
	if got := string(native.AppendISO(nil, ms)); got != text {
		t.Errorf("AppendISO: got %s, want %s", got, text)
	}
	if got, ok := native.ParseISO(text); !ok || got != ms {
		t.Errorf("ParseISO: got %d, %v, want %d", got, ok, ms)
	}
	for _, bad := range []string{"", "2026-11-29T16:34:24Z", "2026-13-29T16:34:24.265Z", "2026-02-30T16:34:24.265Z", "2026-11-29T24:00:00.000Z", "2026-11-29t16:34:24.265Z"} {
		if got, ok := native.ParseISO(bad); ok {
			t.Errorf("ParseISO(%q): got %d, want it refused", bad, got)
		}
	}
}
