package native

import (
	"encoding/binary"
	"math/bits"
)

// The functions here validate and step over what [Skim] has no use for: most bytes of a
// stream. They work on an index alone, which stays in a register; -1 means malformed.

// skip validates the value at the cursor and steps over it.
func (s *scanner) skip() bool {
	end := skipValue(s.b, s.i, s.depth)
	if end < 0 {
		return s.fail("a value")
	}
	s.i = end
	return true
}

func skipValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i+1)
	case '{':
		return skipObject(b, i, depth)
	case '[':
		return skipArray(b, i, depth)
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	return skipNumber(b, i)
}

func skipObject(b []byte, i, depth int) int {
	if depth >= MaxDepth {
		return -1
	}
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		if i = skipString(b, i+1); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = skipValue(b, skipSpace(b, i+1), depth+1); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

func skipArray(b []byte, i, depth int) int {
	if depth >= MaxDepth {
		return -1
	}
	if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipValue(b, i, depth+1); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}

// skipString begins after the opening quote and ends after the closing one.
func skipString(b []byte, i int) int {
	for i+8 <= len(b) {
		m := special(binary.LittleEndian.Uint64(b[i:]))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		if b[i] == '"' {
			return i + 1
		}
		n := escapeLen(b[i:])
		if n == 0 {
			return -1
		}
		i += n
	}
	for i < len(b) { // the last bytes of the line
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c >= 0x20 && c != '\\':
			i++
		default:
			n := escapeLen(b[i:])
			if n == 0 {
				return -1
			}
			i += n
		}
	}
	return -1
}

func skipWord(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return -1
}

func skipNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	if i = digits(b, i); i == first || b[first] == '0' && i > first+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		first = i + 1
		if i = digits(b, first); i == first {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first = i
		if i = digits(b, i); i == first {
			return -1
		}
	}
	return i
}

// digits returns where the digits that begin at i end.
func digits(b []byte, i int) int {
	for i+8 <= len(b) {
		// A byte is a digit if its high half is 3, and still is with 6 added.
		w := binary.LittleEndian.Uint64(b[i:])
		if m := ((w ^ threes) | ((w + lows*6) ^ threes)) & (lows * 0xF0); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	return i
}

func skipSpace(b []byte, i int) int {
	if i < len(b) && b[i] <= ' ' { // Pi writes none
		return skipSpaces(b, i)
	}
	return i
}

func skipSpaces(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}
