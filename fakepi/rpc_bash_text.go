package fakepi

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"fakepi.example/fakepi/native"
)

// longestEscape is up to how many bytes of an escape sequence Pi holds back until its end comes.
const longestEscape = 256

// takes adds what a command has printed and returns what Pi shows of it: without escape sequences, carriage returns and
// control characters. A character that has not ended is held back for the next piece, and in some dialects an escape
// sequence.
func (b *bashRun) takes(output []byte, r *rules) string {
	piece := slices.Concat(b.rest, output)
	end := wholeCharacters(piece)
	if r.holdsEscapes {
		if begins := wholeEscapes(piece[:end]); end-begins <= longestEscape {
			end = begins
		}
	}
	b.rest = piece[end:]
	return b.shows(piece[:end])
}

// ends is what was held back, at the command's end. A dialect that holds no escapes forgets it.
func (b *bashRun) ends(r *rules) string {
	if !r.holdsEscapes {
		return ""
	}
	return b.shows(b.rest)
}

func (b *bashRun) shows(piece []byte) string {
	whole := wholeEscapes(piece)
	text := ansi.Strip(string(native.DecodeUTF8(piece[:whole]))) + string(native.DecodeUTF8(piece[whole:]))
	text = strings.Map(printable, text)
	b.output = append(slices.Clip(b.output), text...)
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
