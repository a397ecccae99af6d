package native_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/fakepi/native"
)

// split feeds chunks and returns each line as "offset:data", with its flags.
func split(s *native.Splitter, chunks ...string) (lines []string) {
	drain := func() {
		for line, ok := s.Next(); ok; line, ok = s.Next() {
			text := fmt.Sprintf("%d:%s", line.Offset, line.Data)
			if line.Torn {
				text += " torn"
			}
			if line.Oversize {
				text += " oversize"
			}
			lines = append(lines, text)
		}
	}
	for _, chunk := range chunks {
		s.Feed([]byte(chunk))
		drain()
	}
	s.Close()
	drain()
	return lines
}

func TestSplitter(t *testing.T) {
	tests := []struct {
		reason string
		chunks []string
		want   []string
	}{
		{"whole lines", []string{"a\nbc\n\nd\n"}, []string{"0:a", "2:bc", "5:", "6:d"}},
		{"one CR stripped", []string{"a\r\r\n\rb\r\n"}, []string{"0:a\r", "4:\rb"}},
		{"a CR and its LF in two chunks", []string{"a\r", "\nb\n"}, []string{"0:a", "3:b"}},
		{"other separators are text", []string{"\u2028\x00\xff\u2029\n"}, []string{"0:\u2028\x00\xff\u2029"}},
		{"a line in pieces", []string{"a", "", "b", "c\nd", "\n"}, []string{"0:abc", "4:d"}},
		{"a torn tail", []string{"a\nbc"}, []string{"0:a", "2:bc torn"}},
		{"a torn tail keeps its CR", []string{"a\r"}, []string{"0:a\r torn"}},
		{"nothing", []string{"", ""}, nil},
		{"exactly the limit", []string{"12345678\nx\n"}, []string{"0:12345678", "9:x"}},
		{"beyond the limit", []string{"123456789\nx\n"}, []string{"0:12345678 oversize", "10:x"}},
		{"beyond the limit in pieces", []string{"1234", "56789", "0", "1\nx\n"}, []string{"0:12345678 oversize", "12:x"}},
		{"beyond the limit to the end", []string{"123456789", "0"}, []string{"0:12345678 oversize"}},
		{"beyond the limit twice", []string{"123456789\n123456789\n"}, []string{"0:12345678 oversize", "10:12345678 oversize"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := split(native.NewSplitter(8, 0), test.chunks...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSplitterDoesNotMindChunks: however a stream is cut, the lines are the same, and
// their offsets add up.
func TestSplitterDoesNotMindChunks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab\r\n\n\u2028"))).Draw(rt, "text")
		want := split(native.NewSplitter(5, 100), text)
		var chunks []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(0, len(rest)).Draw(rt, "cut")
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		s := native.NewSplitter(5, 100)
		if diff := cmp.Diff(want, split(s, chunks...)); diff != "" {
			rt.Fatalf("(-whole +chunked):\n%s", diff)
		}
		if got, want := s.Offset(), int64(100+len(text)); got != want {
			rt.Fatalf("offset at the end: got %d, want %d", got, want)
		}
	})
}

func TestSplitterAfterAGap(t *testing.T) {
	var s native.Splitter
	s.Feed([]byte("a\nhalf"))
	for _, ok := s.Next(); ok; _, ok = s.Next() {
	}
	if s.Pending() != 4 || s.Offset() != 2 {
		t.Errorf("before the gap: got %d bytes pending at %d, want 4 at 2", s.Pending(), s.Offset())
	}
	s.Reset(1000)
	if got := split(&s, "b\n"); !cmp.Equal(got, []string{"1000:b"}) {
		t.Errorf("after the gap: got %q, want the line at 1000", got)
	}
}

func TestSplitterReadsGiantLines(t *testing.T) {
	for _, size := range []int{1 << 16, native.MaxLine, native.MaxLine + 1} {
		var s native.Splitter
		text := append(bytes.Repeat([]byte{'x'}, size), '\n')
		var got []native.Line
		for chunk := range chunksOf(text, 1<<16) {
			s.Feed(chunk)
			for line, ok := s.Next(); ok; line, ok = s.Next() {
				got = append(got, line)
			}
		}
		if len(got) != 1 || len(got[0].Data) != min(size, native.MaxLine) || got[0].Oversize != (size > native.MaxLine) {
			t.Errorf("%d bytes: got %d lines, want one, cut at %d", size, len(got), native.MaxLine)
		}
	}
}

func chunksOf(text []byte, size int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			n := min(size, len(text))
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

func TestSplitterAllocatesNothing(t *testing.T) {
	chunk := []byte(strings.Repeat(`{"type":"turn_start"}`+"\n", 100))
	half := []byte(`{"type":"turn_`)
	rest := []byte(`start"}` + "\n")
	var s native.Splitter
	feed := func(chunk []byte) {
		s.Feed(chunk)
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
	}
	got := testing.AllocsPerRun(100, func() {
		feed(chunk)
		feed(half)
		feed(rest)
	})
	if got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}
