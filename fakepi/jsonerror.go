package fakepi

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
)

// jsonError is what the JavaScript engine of Pi says of a text that is no JSON; empty: it is JSON. Arguments of a call
// that are none come back to the model with it (docs/pi-formats.md, section 2).
func jsonError(text []byte) string {
	s := jsonScanner{text: text}
	if s.value() {
		if s.blank(); s.at < len(s.text) {
			s.expected("Unexpected non-whitespace character after JSON")
		}
	}
	return s.err
}

// jsonScanner reads as the engine does, up to the first error. Its methods report whether they found what they read.
type jsonScanner struct {
	text []byte
	at   int
	err  string
}

func (s *jsonScanner) blank() {
	for s.at < len(s.text) && bytes.IndexByte([]byte(" \n\r\t"), s.text[s.at]) >= 0 {
		s.at++
	}
}

// next reads one of some bytes, behind blanks.
func (s *jsonScanner) next(of string) bool {
	s.blank()
	if s.at < len(s.text) && strings.IndexByte(of, s.text[s.at]) >= 0 {
		s.at++
		return true
	}
	return false
}

// expected fails at this place, with what is missing.
func (s *jsonScanner) expected(what string) bool {
	before := s.text[:s.at]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + units(before[bytes.LastIndexByte(before, '\n')+1:])
	s.err = fmt.Sprintf("%s in JSON at position %d (line %d column %d)", what, units(before), line, column)
	if strings.HasSuffix(what, "JSON") {
		s.err = strings.Replace(s.err, " in JSON at", " at", 1)
	}
	return false
}

// units is the length of a text in UTF-16, by which the engine counts.
func units(text []byte) int { return len(utf16.Encode([]rune(string(text)))) }

// nearby is how many characters of the text the engine shows on each side of one that it did not expect.
const nearby = 10

// unexpected fails at a character that begins nothing.
func (s *jsonScanner) unexpected() bool {
	if s.at >= len(s.text) {
		s.err = "Unexpected end of JSON input"
		return false
	}
	all, pos := utf16.Encode([]rune(string(s.text))), units(s.text[:s.at])
	from, to := 0, len(all)
	before, behind := "", ""
	if len(all) > 2*nearby {
		if pos >= nearby {
			from, before = pos-nearby, "..."
		}
		if pos < nearby || pos < len(all)-nearby {
			to, behind = pos+nearby, "..."
		}
	}
	show := func(u []uint16) string { return string(utf16.Decode(u)) }
	s.err = fmt.Sprintf(`Unexpected token '%s', %s"%s"%s is not valid JSON`, show(all[pos:pos+1]), before, show(all[from:to]), behind)
	return false
}

func (s *jsonScanner) value() bool {
	s.blank()
	if s.at >= len(s.text) {
		return s.unexpected()
	}
	switch c := s.text[s.at]; {
	case c == '{':
		s.at++
		return s.object()
	case c == '[':
		s.at++
		return s.array()
	case c == '"':
		return s.str()
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if word[0] == s.text[s.at] {
			return s.literal(word)
		}
	}
	return s.unexpected()
}

func (s *jsonScanner) object() bool {
	if s.next("}") {
		return true
	}
	for missing := "Expected property name or '}'"; ; missing = "Expected double-quoted property name" {
		if s.blank(); s.at >= len(s.text) || s.text[s.at] != '"' {
			return s.expected(missing)
		}
		switch {
		case !s.str():
			return false
		case !s.next(":"):
			return s.expected("Expected ':' after property name")
		case !s.value():
			return false
		case s.next(","):
		case s.next("}"):
			return true
		default:
			return s.expected("Expected ',' or '}' after property value")
		}
	}
}

func (s *jsonScanner) array() bool {
	if s.next("]") {
		return true
	}
	for s.value() {
		switch {
		case s.next(","):
		case s.next("]"):
			return true
		default:
			return s.expected("Expected ',' or ']' after array element")
		}
	}
	return false
}

func (s *jsonScanner) str() bool {
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return true
		case c < ' ':
			return s.expected("Bad control character in string literal")
		case c == '\\' && !s.escape():
			return false
		}
	}
	return s.expected("Unterminated string")
}

// escape reads a backslash and all but the last byte of what follows it.
func (s *jsonScanner) escape() bool {
	s.at++
	switch {
	case s.at >= len(s.text):
		return s.unexpected()
	case s.text[s.at] == 'u':
		for range 4 {
			if s.at++; s.at >= len(s.text) || !isHex(s.text[s.at]) {
				return s.expected("Bad Unicode escape")
			}
		}
	case strings.IndexByte(`"\/bfnrt`, s.text[s.at]) < 0:
		return s.expected("Bad escaped character")
	}
	return true
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

func (s *jsonScanner) literal(word string) bool {
	for i := range len(word) {
		if s.at >= len(s.text) || s.text[s.at] != word[i] {
			return s.unexpected()
		}
		s.at++
	}
	return true
}

func (s *jsonScanner) number() bool {
	if s.text[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.text) && s.text[s.at] == '0'
	n := s.digits()
	switch {
	case n == 0:
		return s.expected("No number after minus sign")
	case zero && n > 1:
		s.at -= n - 1
		return s.expected("Unexpected number")
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return s.expected("Unterminated fractional number")
		}
	}
	if s.at < len(s.text) && (s.text[s.at] == 'e' || s.text[s.at] == 'E') {
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return s.expected("Exponent part is missing a number")
		}
	}
	return true
}

func (s *jsonScanner) digits() int {
	from := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at - from
}
