package provider_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fakepi.example/internal/fakepi/provider"
)

// cut lists the pieces and when each comes, in milliseconds.
func cut(p provider.Pieces) (pieces []string, at []int64) {
	for p.More() {
		at = append(at, p.At().Milliseconds())
		pieces = append(pieces, p.Next())
	}
	return pieces, at
}

func TestCut(t *testing.T) {
	tests := []struct {
		text   string
		over   time.Duration
		n      int
		once   bool
		want   []string
		at     []int64
		reason string
	}{
		{"two words", 0, 0, false, []string{"two words"}, []int64{0}, "at once in one piece"},
		{"two words, three", time.Second, 0, false, []string{"two", " words,", " three"}, []int64{0, 500, 1000}, "a word each, with the space before it"},
		{"a\n\tb  \n", time.Second, 0, false, []string{"a", "\n\tb  \n"}, []int64{0, 1000}, "the last word takes the spaces behind it"},
		{"one", time.Second, 0, false, []string{"one"}, []int64{0}, "a single piece comes at the start"},
		{"abcdefg", 0, 3, false, []string{"abc", "de", "fg"}, []int64{0, 0, 0}, "equal pieces"},
		{"é😀\xed\xa0\xbdx", 0, 4, false, []string{"é", "😀", "\xed\xa0\xbd", "x"}, []int64{0, 0, 0, 0}, "no character is torn"},
		{"ab", 0, 5, false, []string{"a", "b", "a", "b", "a"}, []int64{0, 0, 0, 0, 0}, "said again from the start"},
		{"ab", 0, 5, true, []string{"a", "b"}, []int64{0, 0}, "not said again"},
		{"", time.Second, 3, false, nil, nil, "nothing to say"},
	}
	for _, tt := range tests {
		if got, at := cut(provider.Cut(tt.text, tt.over, tt.n, tt.once)); !slices.Equal(got, tt.want) || !slices.Equal(at, tt.at) {
			t.Errorf("%s: got %q at %v, want %q at %v", tt.reason, got, at, tt.want, tt.at)
		}
	}
}

// However a text is cut, its pieces are the text, as many as were asked for where there are enough characters, and
// their times go from the first to the end of the span.
func TestPiecesAreTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		over := time.Duration(rapid.IntRange(0, 1e6).Draw(t, "over"))
		n := rapid.IntRange(0, utf8.RuneCountInString(text)).Draw(t, "n")
		pieces, at := cut(provider.Cut(text, over, n, false))
		if strings.Join(pieces, "") != text || n > 0 && len(pieces) != n {
			t.Fatalf("got %q, want %d pieces of %q", pieces, n, text)
		}
		if !slices.IsSorted(at) || len(at) > 1 && at[len(at)-1] != over.Milliseconds() {
			t.Fatalf("got times %v, want up to %v", at, over)
		}
		every := provider.CutEvery(text, max(n, 1))
		if strings.Join(every, "") != text {
			t.Fatalf("got %q, want pieces of %q", every, text)
		}
	})
}
