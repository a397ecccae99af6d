package redact

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Terminal redacts what a program draws: every sign becomes an x of its width, and what moves the cursor, colours, clears and
// frames stays. A sequence that carries text, such as a title or a link, goes. Its zero value is ready.
type Terminal struct {
	pending []byte // a sequence or a sign that is not complete yet
}

// maxSequence bounds a sequence of a terminal; a longer one is dropped in pieces.
const maxSequence = 1 << 16

const (
	escape = 0x1b
	bell   = 0x07
)

var (
	csi = regexp.MustCompile(`^\x1b\[[0-9;:<=>?]{0,40}[ -/]{0,2}[@-~]$`)
	// stringKept are sequences with a text that says nothing: states, progress, marks of prompts.
	stringKept = regexp.MustCompile(`^\x1b\](?:133;[A-D]|9;4;[0-9](?:;[0-9]{1,3})?|7501;state=(?:idle|working|blocked|done|error|clear):app=pi)`)
)

// Redact returns what is to be kept of a piece of the output, cut anywhere.
func (t *Terminal) Redact(piece []byte) []byte {
	data := append(t.pending, piece...)
	t.pending = nil
	var out []byte
	for len(data) > 0 {
		c := data[0]
		switch {
		case c == escape:
			n, whole := sequence(data)
			if !whole {
				if len(data) < maxSequence {
					t.pending = bytes.Clone(data)
					return out
				}
				n = len(data)
			}
			out = append(out, kept(data[:n])...)
			data = data[n:]
		case c < 0x20 || c == 0x7f:
			out = append(out, c)
			data = data[1:]
		case !utf8.FullRune(data):
			t.pending = bytes.Clone(data)
			return out
		default:
			r, size := utf8.DecodeRune(data)
			out = append(out, sign(r)...)
			data = data[size:]
		}
	}
	return out
}

// sequence returns the length of the escape sequence at the beginning of data, and whether it is complete.
func sequence(data []byte) (int, bool) {
	if len(data) < 2 {
		return 0, false
	}
	switch data[1] {
	case '[':
		for i := 2; i < len(data); i++ {
			if data[i] >= '@' && data[i] <= '~' || data[i] < 0x20 {
				return i + 1, true
			}
		}
		return 0, false
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(data); i++ {
			switch {
			case data[i] == bell:
				return i + 1, true
			case data[i] == escape && i+1 < len(data):
				if data[i+1] == '\\' {
					return i + 2, true
				}
				return i, true
			}
		}
		return 0, false
	}
	n := 2
	for n <= len(data) && data[n-1] >= ' ' && data[n-1] <= '/' { // intermediates, then one that ends it
		n++
	}
	return min(n, len(data)), n <= len(data)
}

// kept is what stays of a sequence.
func kept(seq []byte) []byte {
	if len(seq) < 2 {
		return nil
	}
	switch seq[1] {
	case '[':
		if csi.Match(seq) {
			return seq
		}
	case ']':
		if head := stringKept.Find(seq); head != nil {
			return append(bytes.Clone(head), bell)
		}
	case 'P', '_', '^', 'X':
	default:
		if len(seq) <= 3 {
			return seq
		}
	}
	return nil
}

// sign is what stands for a character: spaces, frames and spinners for themselves, others as x of the same width.
func sign(r rune) []byte {
	switch {
	case r == ' ', r >= 0x2500 && r <= 0x259f, r >= 0x2800 && r <= 0x28ff:
		return utf8.AppendRune(nil, r)
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return []byte("xx")
	}
	return []byte("x")
}
