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
	escaped bool   // the last string had an escape
	want    string // after a failure: what was expected at i
}

func (s *scanner) fail(want string) bool {
	s.want = want
	return false
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

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
	if s.i >= len(s.b) {
		return false, s.fail("a comma or the end of the object or array")
	}
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
	return false, s.fail("a comma or the end of the object or array")
}

// key reads a property name and its colon; it leaves the cursor at the value.
func (s *scanner) key() (raw []byte, ok bool) {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return nil, s.fail("a property name")
	}
	if raw, ok = s.str(); !ok {
		return nil, false
	}
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != ':' {
		return nil, s.fail("a colon")
	}
	s.i++
	s.space()
	return raw, true
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
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
	start := s.i + 1
	i := start
	s.escaped = false
	for {
		for i+8 <= len(s.b) {
			if m := special(binary.LittleEndian.Uint64(s.b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		for i < len(s.b) && plainText(s.b[i]) {
			i++
		}
		if i >= len(s.b) {
			s.i = i
			return nil, s.fail("the end of the string")
		}
		switch s.b[i] {
		case '"':
			s.i = i + 1
			return s.b[start:i], true
		case '\\':
			n := escapeLen(s.b[i:])
			if n == 0 {
				s.i = i
				return nil, s.fail("an escape")
			}
			i += n
			s.escaped = true
		default:
			s.i = i
			return nil, s.fail("no control character in a string")
		}
	}
}

func plainText(c byte) bool { return c >= 0x20 && c != '"' && c != '\\' }

// escapeLen returns the length of the escape at the head of b, or 0.
func escapeLen(b []byte) int {
	if len(b) < 2 {
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
	if len(s.b)-s.i < len(word) || string(s.b[s.i:s.i+len(word)]) != word {
		return s.fail("a value")
	}
	s.i += len(word)
	return true
}

// number reads the number at the cursor and returns its text.
func (s *scanner) number() (raw []byte, ok bool) {
	start := s.i
	if s.i < len(s.b) && s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else if !s.digits() {
		if s.i == start {
			return nil, s.fail("a value")
		}
		return nil, false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.digits() {
			return nil, false
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		if !s.digits() {
			return nil, false
		}
	}
	return s.b[start:s.i], true
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i]-'0' < 10 {
		s.i++
	}
	return s.i > start || s.fail("a digit")
}

// skip validates the value at the cursor and steps over it.
func (s *scanner) skip() bool {
	if s.i >= len(s.b) {
		return s.fail("a value")
	}
	switch s.b[s.i] {
	case '"':
		_, ok := s.str()
		return ok
	case '{', '[':
		return s.skipNested()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		_, ok := s.number()
		return ok
	}
}

func (s *scanner) skipNested() bool {
	end := s.b[s.i] + 2 // '{'+2 == '}', '['+2 == ']'
	for more, ok := s.open(end); ; more, ok = s.next(end) {
		if !ok || !more {
			return ok
		}
		if end == '}' {
			if _, ok := s.key(); !ok {
				return false
			}
		}
		if !s.skip() {
			return false
		}
	}
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
