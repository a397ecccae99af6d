package native_test

import (
	"testing"
	"unicode/utf8"

	"fakepi.example/fakepi/native"
)

// What a real Pi was seen to read.
func TestDecodeUTF8(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{"héllo \u2028 😀\x00", "héllo \u2028 😀\x00", "well-formed"},
		{"\xff\xfe{", "��{", "bytes that never occur"},
		{"a\xe2\x80b", "a�b", "a torn sequence is one"},
		{"\xf0\x9f\x98", "�", "at the end too"},
		{"\xc0\xaf", "��", "no sequence begins so"},
		{"\xe0\x80\x80", "���", "nor so"},
		{"\xed\xa0\x80", "���", "a surrogate"},
		{"\xf5\x80\x80\x80x", "����x", "behind the last character"},
		{"\xf4\x90\x80\x80", "����", "the same"},
		{"\xf0\x9f\xff", "��", ""},
		{"\uFFFD\x80", "��", "what stands for such a sequence is well-formed"},
	}
	for _, tt := range tests {
		if got := string(native.DecodeUTF8([]byte(tt.text))); got != tt.want {
			t.Errorf("%q (%s): got %q, want %q", tt.text, tt.reason, got, tt.want)
		}
	}
}

// The text is well-formed then, and stays as it is.
func FuzzDecodeUTF8(f *testing.F) {
	f.Add([]byte("\xf0\x9f\x98\xe2\x80\xa8"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := native.DecodeUTF8(text)
		if !utf8.Valid(got) || string(native.DecodeUTF8(got)) != string(got) {
			t.Errorf("%q: got %q", text, got)
		}
		if utf8.Valid(text) && string(got) != string(text) {
			t.Errorf("%q: got %q", text, got)
		}
	})
}
