package shown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/shown"
)

// The texts are those of Pi 1.6.0 and 0.73.1 for the same pieces.
func TestPrinted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		pieces []string
		shown  []string // last: at the end
		held   bool     // escape sequences are held back
	}{
		{"plain", []string{"one\n", "two"}, []string{"one\n", "two", ""}, true},
		{"colours, carriage returns, control characters", []string{"\x1b[31mred\r\nx\x00y\xff\tz"}, []string{"red\nxy\ufffd\tz", ""}, true},
		{"a title", []string{"\x1b]0;title\x07on"}, []string{"on", ""}, true},
		{"a character in two pieces", []string{"\xe2\x82", "\xac!"}, []string{"", "€!", ""}, true},
		{"a character without its end", []string{"a\xe2\x82"}, []string{"a", "\ufffd"}, true},
		{"what marks notes between lines", []string{"a\ufff9b\ufffbc"}, []string{"abc", ""}, true},
		{"an escape in two pieces", []string{"a\x1b[3", "1mb"}, []string{"a", "b", ""}, true},
		{"a title in two pieces", []string{"a\x1b]0;ti", "tle\x07b"}, []string{"a", "b", ""}, true},
		{"an escape in two pieces, which are shown as they come", []string{"a\x1b[3", "1mb"}, []string{"a[3", "1mb", ""}, false},
		{"a character without its end, which is lost", []string{"a\xe2\x82"}, []string{"a", ""}, false},
		{"an escape without its end", []string{"a\x1b[3"}, []string{"a", "[3"}, true},
		{"a long title without its end", []string{"\x1b]0;" + strings.Repeat("t", 256), "\x07"}, []string{"]0;" + strings.Repeat("t", 256), "", ""}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var p shown.Printed
			var got []string
			for _, piece := range test.pieces {
				got = append(got, p.Take([]byte(piece), test.held))
			}
			got = append(got, p.End(test.held))
			if diff := cmp.Diff(test.shown, got); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
			if want := strings.Join(test.shown, ""); string(p.Text) != want {
				t.Errorf("all: %q, want %q", p.Text, want)
			}
		})
	}
}
