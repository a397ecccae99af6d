package shown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"fakepi.example/fakepi/native"
)

// longestEscape is up to how many bytes of an escape sequence Pi holds back until its end comes.
const longestEscape = 256

// Printed is what Pi shows of what a command prints, piece by piece. Its zero value is that of a command that begins; a copy
// goes on by itself.
type Printed struct {
	Text []byte // so far; never changed in place
	rest []byte // held back: what has not ended of a character or an escape sequence
}

// Take adds what a command has printed and returns what Pi shows of it: without escape sequences, carriage returns and
// control characters. A character that has not ended is held back for the next piece, and, with holdsEscapes, an escape
// sequence.
func (p *Printed) Take(output []byte, holdsEscapes bool) string {
	piece := slices.Concat(p.rest, output)
	end := wholeCharacters(piece)
	if holdsEscapes {
		if begins := wholeEscapes(piece[:end]); end-begins <= longestEscape {
			end = begins
		}
	}
	p.rest = piece[end:]
	return p.show(piece[:end])
}

// End is what was held back, at the command's end. Where escapes are not held back it is lost.
func (p *Printed) End(holdsEscapes bool) string {
	if !holdsEscapes {
		return ""
	}
	return p.show(p.rest)
}

func (p *Printed) show(piece []byte) string {
	whole := wholeEscapes(piece)
	text := ansi.Strip(string(native.DecodeUTF8(piece[:whole]))) + string(native.DecodeUTF8(piece[whole:]))
	text = strings.Map(printable, text)
	p.Text = append(slices.Clip(p.Text), text...)
	return text
}

// printable is a character that Pi shows of a command; -1: it does not.
func printable(c rune) rune {
	if c < ' ' && c != '\t' && c != '\n' || c >= 0xFFF9 && c <= 0xFFFB {
		return -1
	}
	return c
}

// wholeCharacters is how many bytes of a text come before a last character that has not ended.
func wholeCharacters(text []byte) int {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// wholeEscapes is how many bytes of a text come before a last escape sequence that has not ended.
func wholeEscapes(text []byte) int {
	begins, state := 0, byte(ansi.NormalState)
	for at := 0; at < len(text); {
		if state == ansi.NormalState {
			begins = at
		}
		var n int
		_, _, n, state = ansi.DecodeSequence(text[at:], state, nil)
		at += n
	}
	if state == ansi.NormalState {
		return len(text)
	}
	return begins
}
