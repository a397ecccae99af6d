package native

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// scanner is a validating JSON reader over one line. It accepts what JSON.parse accepts
// (and any bytes above 0x7F inside strings) and allocates nothing.
type scanner struct {
	b       []byte
	i       int
	depth   int    // open objects and arrays
	slowKey bool   // the last key may have an escape
	want    string // after a failure: what was expected at i
}

func (s *scanner) fail(want string) bool {
	s.want = want
	return false
}

func (s *scanner) space() { s.i = skipSpace(s.b, s.i) }

// open enters the object or array at the cursor; more is whether it has an element.
func (s *scanner) open(end byte) (more, ok bool) {
	if s.depth >= MaxDepth {
		return false, s.fail("less nesting")
	}
	s.i++
	s.space()
	if s.i < len(s.b) && s.b[s.i] == end {
		s.i++
		return false, true
	}
	s.depth++
	return true, true
}

// next stands after an element; it consumes the comma or the end.
func (s *scanner) next(end byte) (more, ok bool) {
	s.space()
	if s.i < len(s.b) {
		switch s.b[s.i] {
		case ',':
			s.i++
			s.space()
			return true, true
		case end:
			s.i++
			s.depth--
			return false, true
		}
	}
	return false, s.fail("a comma or the end of the object or array")
}

// key reads a property name and its colon; it leaves the cursor at the value.
func (s *scanner) key() (raw []byte, ok bool) {
	b, i := s.b, s.i+1
	if s.i >= len(b) || b[s.i] != '"' {
		return nil, s.fail("a property name")
	}
	for ; i+10 <= len(b); i += 8 { // the short way, for keys as Pi writes them
		m := special(binary.LittleEndian.Uint64(b[i:]))
		if m == 0 {
			continue
		}
		if end := i + bits.TrailingZeros64(m)/8; b[end] == '"' && b[end+1] == ':' {
			raw, s.i, s.slowKey = b[s.i+1:end], end+2, false
			s.space()
			return raw, true
		}
		break
	}
	s.slowKey = true
	if raw, ok = s.str(); !ok {
		return nil, false
	}
	s.space()
	if s.i >= len(b) || b[s.i] != ':' {
		return nil, s.fail("a colon")
	}
	s.i++
	s.space()
	return raw, true
}

const (
	lows   = 0x0101010101010101
	highs  = 0x8080808080808080
	threes = 0x3030303030303030
)

// special marks, by its high bit, each byte of w that is below 0x20, a quote or a
// backslash. A mark above a true one may be false; the lowest never is.
func special(w uint64) uint64 {
	quote := w ^ (lows * '"')
	slash := w ^ (lows * '\\')
	return ((w - lows*0x20) | (quote - lows) | (slash - lows)) & ^w & highs
}

// str reads the string at the cursor and returns its text between the quotes.
func (s *scanner) str() (raw []byte, ok bool) {
	start, end := s.i+1, skipString(s.b, s.i+1)
	if end < 0 {
		return nil, s.fail("a string")
	}
	s.i = end
	return s.b[start : end-1], true
}

// escapeLen returns the length of the escape at the head of b, or 0: also for a control
// character, which must not stand in a string.
func escapeLen(b []byte) int {
	if len(b) < 2 || b[0] != '\\' {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scanner) literal(word string) bool {
	end := skipWord(s.b, s.i, word)
	if end < 0 {
		return s.fail("a value")
	}
	s.i = end
	return true
}

// number reads the number at the cursor and returns its text.
func (s *scanner) number() (raw []byte, ok bool) {
	start, end := s.i, skipNumber(s.b, s.i)
	if end < 0 {
		return nil, s.fail("a value")
	}
	s.i = end
	return s.b[start:end], true
}

// parseFloat reads a valid JSON number as a double; too large ones are infinite, as in
// JavaScript.
func parseFloat(raw []byte) float64 {
	if n, ok := parseInt(raw); ok {
		return float64(n)
	}
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(raw), len(raw)), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0
	}
	return f
}

// parseInt is the short way for plain integers below 10^15.
func parseInt(raw []byte) (int64, bool) {
	digits, neg := raw, false
	if len(digits) > 0 && digits[0] == '-' {
		digits, neg = digits[1:], true
	}
	if len(digits) == 0 || len(digits) > 15 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		if n == 0 {
			return 0, false // -0 is a double of its own
		}
		n = -n
	}
	return n, true
}
